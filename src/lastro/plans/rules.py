"""The decisions of plans, pure: reading lines, digests, outcomes."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from lastro.api_kit import forms
from lastro.core.errors import Kind, Problem, Refused
from lastro.payouts import read_wish
from lastro.plans.model import CSV, LONGEST_SILENCE, ReadLine
from lastro.plans.problems import HOST_SILENT, LINE_INVALID, SAME_EXTERNAL_ID
from lastro.plans.sheets import column_of, count_csv, read_csv, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

    from lastro.payouts import Destination, Likeness, Unasked
    from lastro.plans.model import Counts, Plan, Sheet

_canonical = msgspec.json.Encoder(order="sorted")


def sheets_of(form: str, body: bytes) -> list[Sheet] | Problem:
    """Splits a plan's body into lines. form: JSON or CSV."""
    return read_csv(body) if form == CSV else read_json(body)


def count_of(form: str, body: bytes) -> int | Problem:
    """Counts the lines of a plan's body, or returns its problem."""
    if form == CSV:
        return count_csv(body)
    sheets = read_json(body)
    return sheets if isinstance(sheets, Problem) else len(sheets)


def read_lines(form: str, sheets: Iterable[Sheet]) -> list[ReadLine]:
    """Reads each line as a payout, or lists its problems. A CSV's problems name its columns."""
    codes: dict[str, int] = {}
    charges: dict[tuple[object, ...], int] = {}
    found: list[ReadLine] = []
    for sheet in sheets:
        one = _read(sheet)
        if (wish := one.wish) is not None:
            first = codes.setdefault(wish.external_id, sheet.line)
            if first != sheet.line:
                one = replace(one, wish=None, problems=(SAME_EXTERNAL_ID.problem(line=first),))
            elif wish.qr is not None:
                again = charges.setdefault((wish.account_id, wish.method, wish.amount, wish.qr), sheet.line)
                one = replace(one, same_code=None if again == sheet.line else again)
        if form == CSV:
            one = replace(one, problems=in_columns(one.problems))
        found.append(one)
    return found


def in_columns(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Renames the problems' fields to a CSV's columns."""
    return tuple(replace(p, field=column_of(p.field)) for p in problems)


def _read(sheet: Sheet) -> ReadLine:
    if sheet.problems:
        return ReadLine(sheet, None, sheet.problems)
    try:
        forms.parsed(sheet.raw)
    except forms.NotJson as broken:
        return ReadLine(sheet, None, (LINE_INVALID.problem(why=broken),))
    wish, problems = read_wish(sheet.raw)
    return ReadLine(sheet, wish, tuple(problems))


class Earlier:
    """The first line of a plan so far for each likeness."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._first_uncharged: dict[int, int] = {}

    def add(self, number: int, line: int, *, is_charge: bool) -> None:
        """Keeps a line. number: of its likeness; is_charge: it pays a dynamic QR."""
        for kept in (self._first,) if is_charge else (self._first, self._first_uncharged):
            kept[number] = min(line, kept.get(number, line))

    def like(self, one: Likeness) -> int | None:
        """Returns the first line like this one; of two dynamic QRs each is a charge of its own."""
        return (self._first_uncharged if one.is_charge else self._first).get(one.number)


def gives_up(unasked: Unasked, silent_for: timedelta) -> Refused | None:
    """Refuses a line whose QR's host was silent for too long.

    None: retry. The host is its merchant's, and may be gone for good; the directory answers some time. silent_for: since its
    first failure.
    """
    if unasked.location is None or unasked.kind is not Kind.UNAVAILABLE or silent_for < LONGEST_SILENCE:
        return None
    return HOST_SILENT.refused()


def destination_text(to: Destination) -> str:
    """Returns a line's destination as text, to store, compare and approve. Equal texts are the same destination."""
    return _canonical.encode(to).decode()


def digest(
    request: bytes, destination: str | None, fee_minor: int | None, transfers: int | None, issues: str | None
) -> bytes:
    """Returns the SHA-256 (32 bytes) approved with a line: request, destination, fee, transfers, issues."""
    said = [request.decode("utf-8", "replace"), destination, fee_minor, transfers, issues]
    return sha256(_canonical.encode(said)).digest()


def hash_of(digests: Sequence[bytes]) -> str:
    """Returns the hash of a plan, which approvals sign. SHA-256 over the digests of its lines in order, 64 hex digits."""
    return sha256(b"".join(digests)).hexdigest()


def checked(plan: Plan, counts: Counts) -> str:
    """Returns the trigger of a plan whose lines are all checked."""
    if counts.unfit:
        return "fail"
    return "pass" if plan.needs else "pass unsigned"


def finished(counts: Counts) -> str:
    """Returns the trigger of a plan with no line left to make."""
    if not counts.unfit:
        return "finish"
    return "finish in part" if counts.made else "finish in vain"


def payout_key(plan: Plan, number: int) -> str:
    """Returns the idempotency key of a line's payout: the same for each try."""
    return f"plan-{plan.id}-{number}"
