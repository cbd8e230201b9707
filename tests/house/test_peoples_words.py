"""Where the history is told who of the institution's people decided: each is in a form that clients' stories leave out."""

import re

from .tree import ABOVE_ROOMS, SRC

_NAMED = re.compile(r"\.by\b")
# File and lines. What they write is in tests/rooms/timeline/test_for_clients.py, as `timeline/for_clients.py` knows it.
_KNOWN = {
    "orders/foreign/claim.py": 1, "orders/foreign/close.py": 1, "orders/refunds/unmatched.py": 1, "payouts/actions/review.py": 2, "payouts/actions/limit.py": 1, "payouts/unmatched/settle.py": 1, "accounts/opening/actions/judge.py": 2,
    "accounts/standing/reasons.py": 1, "reconciliation/actions/settle.py": 1, "reconciliation/actions/days.py": 1,
    "reconciliation/actions/disprove.py": 1,
    # Payers, receivers and the network, none of which is the institution.
    "subscriptions/rendering.py": 1, "subscriptions/actions/ending.py": 2, "subscriptions/rules/next_actions.py": 1,
}  # fmt: skip


def test_no_name_of_a_person_is_written_in_a_form_that_nobody_looked_at() -> None:
    found = {}
    for path in sorted((SRC / "lastro").rglob("*.py")):
        if path.relative_to(SRC / "lastro").parts[0] not in ABOVE_ROOMS:
            lines = sum(_NAMED.search(line) is not None for line in path.read_text(encoding="utf-8").splitlines())
            if lines:
                found[path.relative_to(SRC / "lastro").as_posix()] = lines
    assert found == _KNOWN, "a client's story must not say it: write it as by NAME: why, and add it here and to that test"
