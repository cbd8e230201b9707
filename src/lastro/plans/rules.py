"""The decisions of plans, pure: what a line asks for, what is approved with it, how a plan ends."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from lastro.base import forms
from lastro.base.errors import Kind, Problem, Refused
from lastro.payouts import alike, read_wish
from lastro.plans.model import CSV, LONGEST_SILENCE, Read
from lastro.plans.sheets import column_of, count_csv, read_csv, read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import timedelta

    from lastro.accounts import Institution
    from lastro.payouts import Destination, Unasked
    from lastro.plans.model import Counts, Plan, Sheet
    from lastro.standards.banks import BankList

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


def read_lines(form: str, sheets: Iterable[Sheet], banks: BankList, ours: Institution) -> list[Read]:
    """What each line asks for, or all that is wrong with it as it stands; and which are like an earlier one.

    A CSV's problems name its columns. banks, ours: by which two lines name the same bank.
    """
    codes: dict[str, int] = {}
    seen: dict[tuple[object, ...], int] = {}
    found: list[Read] = []
    for sheet in sheets:
        one = _read(sheet)
        if (wish := one.wish) is not None:
            first = codes.setdefault(wish.external_id, sheet.line)
            if first != sheet.line:
                again = Problem("externalId", "DUPLICATE", f"is that of line {first}")
                one = replace(one, wish=None, problems=(again,))
            else:
                like = seen.setdefault(alike(wish, banks, ours), sheet.line)
                one = replace(one, duplicate_of=None if like == sheet.line else like)
        if form == CSV:
            one = replace(one, problems=in_columns(one.problems))
        found.append(one)
    return found


def in_columns(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The same problems by the names of a CSV's columns."""
    return tuple(replace(p, field=column_of(p.field)) for p in problems)


def _read(sheet: Sheet) -> Read:
    if sheet.problems:
        return Read(sheet, None, sheet.problems)
    try:
        forms.parsed(sheet.raw)
    except forms.NotJson as broken:
        return Read(sheet, None, (Problem("", "INVALID", str(broken)),))
    wish, problems = read_wish(sheet.raw)
    return Read(sheet, wish, tuple(problems))


def like_a_line(read: Read, *, refuses_duplicates: bool) -> Problem | None:
    """Why a line that is like an earlier one is not taken; None: it is."""
    if read.wish is None or read.duplicate_of is None or read.wish.allows_duplicate or not refuses_duplicates:
        return None
    text = f"is that of line {read.duplicate_of}, to the same receiver; allowDuplicate says that both are meant"
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
