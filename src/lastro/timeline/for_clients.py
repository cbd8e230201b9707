"""A timeline without the names and notes of the institution's people.

For clients and a company's own people. The history keeps both as the reason of the move, as it keeps codes of networks,
which clients are told. A person's reason is known by its form, of any object: `by NAME`, `by NAME: why`, `CODE by NAME`,
`CODE: what the client is told (by NAME)`. Doubtful text is left out: a client that has itself closed an account
"(by mistake)" is not told these last words again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from lastro import payouts
from lastro.timeline.shapes import StateEntry

if TYPE_CHECKING:
    from lastro.timeline.shapes import Entry, Timeline

# Moves by these have no reason but the person's, which for an approved request is a name alone.
_DECIDED: Final = frozenset({("accountRequest", "approve"), *(("payout", trigger) for trigger in payouts.DECISIONS)})
_BY: Final = "by "
_CODE_BY: Final = re.compile(r"([A-Z0-9_]+) by .*", re.DOTALL)
_TOLD_BY: Final = re.compile(r"(.*?) \(by .*\)", re.DOTALL)  # up to the first: a name may have brackets, too


def for_clients(told: Timeline) -> Timeline:
    """Returns the timeline with reasons for clients."""
    return msgspec.structs.replace(told, entries=[_for_clients(entry) for entry in told.entries])


def _for_clients(entry: Entry) -> Entry:
    if not isinstance(entry, StateEntry):
        return entry
    return msgspec.structs.replace(entry, reason=reason_for_clients(entry.object, entry.trigger, entry.reason))


def reason_for_clients(thing: str, trigger: str, reason: str | None) -> str | None:
    """Returns a move's reason for clients. All of it where no person wrote it, else the code and the text for clients."""
    if reason is None or reason.startswith(_BY) or (thing, trigger) in _DECIDED:
        return None
    named = _CODE_BY.fullmatch(reason) or _TOLD_BY.fullmatch(reason)
    return reason if named is None else named[1]
