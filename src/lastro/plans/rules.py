"""The decisions of plans, pure: what a line asks for, what is approved with it, how a plan ends."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from lastro.api_kit import forms
from lastro.core.errors import Kind, Problem, Refused
from lastro.payouts import read_wish
from lastro.plans.model import CSV, LONGEST_SILENCE, ReadLine
from lastro.plans.sheets import column_of, count_csv, read_csv, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

    from lastro.payouts import Destination, Likeness, Unasked
    from lastro.plans.model import Counts, Plan, Sheet

_canonical = msgspec.json.Encoder(order="sorted")


def sheets_of(form: str, body: bytes) -> list[Sheet] | Problem:
    """The lines of a plan's body. form: JSON or CSV."""
    return read_csv(body) if form == CSV else read_json(body)


def count_of(form: str, body: bytes) -> int | Problem:
    """How many lines a plan's body has, or why it has none."""
    if form == CSV:
        return count_csv(body)
    sheets = read_json(body)
    return sheets if isinstance(sheets, Problem) else len(sheets)


def read_lines(form: str, sheets: Iterable[Sheet]) -> list[ReadLine]:
    """What each line asks for, or all that is wrong with it as it stands. A CSV's problems name its columns."""
    codes: dict[str, int] = {}
    charges: dict[tuple[object, ...], int] = {}
    found: list[ReadLine] = []
    for sheet in sheets:
        one = _read(sheet)
        if (wish := one.wish) is not None:
            first = codes.setdefault(wish.external_id, sheet.line)
            if first != sheet.line:
                taken = Problem("externalId", "DUPLICATE", f"is that of line {first}")
                one = replace(one, wish=None, problems=(taken,))
            elif wish.qr is not None:
                again = charges.setdefault((wish.account_id, wish.method, wish.amount, wish.qr), sheet.line)
                one = replace(one, same_code=None if again == sheet.line else again)
        if form == CSV:
            one = replace(one, problems=in_columns(one.problems))
        found.append(one)
    return found


def in_columns(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The same problems by the names of a CSV's columns."""
    return tuple(replace(p, field=column_of(p.field)) for p in problems)


def _read(sheet: Sheet) -> ReadLine:
    if sheet.problems:
        return ReadLine(sheet, None, sheet.problems)
    try:
        forms.parsed(sheet.raw)
    except forms.NotJson as broken:
        return ReadLine(sheet, None, (Problem("", "INVALID", str(broken)),))
    wish, problems = read_wish(sheet.raw)
    return ReadLine(sheet, wish, tuple(problems))


class Earlier:
    """The lines of a plan so far, by what a later one is like them: the first of each."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._first_uncharged: dict[int, int] = {}

    def add(self, number: int, line: int, *, is_charge: bool) -> None:
        """Keeps a line. number: of its likeness; is_charge: it pays a dynamic QR."""
        for kept in (self._first,) if is_charge else (self._first, self._first_uncharged):
            kept[number] = min(line, kept.get(number, line))

    def like(self, one: Likeness) -> int | None:
        """The first line like this one; of two dynamic QRs each is a charge of its own."""
        return (self._first_uncharged if one.is_charge else self._first).get(one.number)


def repeats_a_line(line: int) -> Problem:
    """Why a line that is like an earlier one is not taken, where the company wants none twice."""
    text = f"is that of line {line}, to the same receiver; allowDuplicate says that both are meant"
    return Problem("amount", "DUPLICATE", text)


def gives_up(unasked: Unasked, silent_for: timedelta) -> Refused | None:
    """The refusal of a line whose QR's address is silent: it is its merchant's, and may be gone for good.

    None: it is asked again. The directory answers some time. silent_for: since it was found silent first.
    """
    if unasked.location is None or unasked.kind is not Kind.UNAVAILABLE or silent_for < LONGEST_SILENCE:
        return None
    text = "nobody has answered for an hour at the address in it"
    return Refused(Kind.INVALID, (Problem("paymentData.qrcodeData", "INVALID", text),))


def destination_text(to: Destination) -> str:
    """Where a line's money goes, as it is kept, compared and approved: equal texts are the same place."""
    return _canonical.encode(to).decode()


def digest(
    request: bytes, destination: str | None, fee_minor: int | None, transfers: int | None, issues: str | None
) -> bytes:
    """What is approved with a line: what was asked for, where it goes, what it costs; SHA-256, 32 bytes."""
    said = [request.decode("utf-8", "replace"), destination, fee_minor, transfers, issues]
    return sha256(_canonical.encode(said)).digest()


def hash_of(digests: Sequence[bytes]) -> str:
    """The hash of a plan, which approvals sign: SHA-256 over the digests of its lines in order, 64 hex digits."""
    return sha256(b"".join(digests)).hexdigest()


def checked(plan: Plan, counts: Counts) -> str:
    """The trigger of a plan whose lines are all looked at."""
    if counts.unfit:
        return "fail"
    return "pass" if plan.needs else "pass unsigned"


def finished(counts: Counts) -> str:
    """The trigger of a plan of whose lines none is left to be made."""
    if not counts.unfit:
        return "finish"
    return "finish in part" if counts.made else "finish in vain"


def payout_key(plan: Plan, number: int) -> str:
    """The idempotency key of the payout that a line becomes: one and the same whenever it is tried."""
    return f"plan-{plan.id}-{number}"
