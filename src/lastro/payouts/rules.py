"""The decisions of payouts, pure: problems of a request, split, limits."""

from __future__ import annotations

import re
from datetime import UTC, time, timedelta
from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.core.write import Quota
from lastro.payouts import problems as refusals
from lastro.payouts.model import Counters, Likeness, Raise
from lastro.rails.port import PIX, TED
from lastro.standards import brcode, pix_ids, pix_keys, ted_ids
from lastro.standards.banks import NO_COMPE
from lastro.standards.calendar import brasilia_day, instant, is_night, ted_opens_at
from lastro.standards.documents import is_document

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date, datetime
    from uuid import UUID

    from lastro.core.errors import Problem, Refused
    from lastro.payouts.forms import BankAccountForm, CreatePayout, PaymentDataForm, ReceiverForm
    from lastro.payouts.model import Destination, Limits, PayeePerson, Payout, PayoutWish
    from lastro.rails.port import KeyEntry, Receiver

SAME_WITHIN = timedelta(minutes=10)  # contract.md §4, the guard against duplicates
EVENING_OPENS, EVENING_CLOSES, TRIED_EVERY = time(18), time(21), timedelta(minutes=30)
LAST_TRY = time(20, 59)  # of the evening: money that arrives by then is in time
FARTHEST = timedelta(days=366)  # contract.md §10, as of due dates
# The SPI takes an id whose minute lies within 12 hours of when it works on the payment, scheduled or not (docs/decisions/
# payouts.md names the source); an hour of that is left for the way there.
ID_HOLDS = timedelta(hours=11)
_ACCOUNT = re.compile(r"[0-9A-Z]{1,20}")
_WAYS = ("pix_key", "qrcode_data", "bank_account")
_FIELDS = {"pix_key": "pixKey", "qrcode_data": "qrcodeData", "bank_account": "bankAccount"}


def form_problems(form: CreatePayout, at_fault: Collection[str] = ()) -> list[Problem]:
    """Lists a create's problems beyond single fields, without a look-up.

    at_fault: the fields whose form is wrong. They are None here, and not missing.
    """
    problems: list[Problem] = []
    code = form.external_id
    if code is not None and (not code.isprintable() or code != code.strip()):
        problems.append(refusals.EXTERNAL_ID_INVALID.problem())
    if form.description is not None and not form.description.strip():
        problems.append(refusals.DESCRIPTION_INVALID.problem())
    problems += _receiver_problems(form.receiver)
    if form.payment_data is not None:
        problems += _way_problems(form.payment_data, form.payment_method, at_fault)
        if form.payment_data.bank_account is not None and form.receiver is None:
            problems.append(refusals.RECEIVER_REQUIRED.problem(why="is required with a bank account"))
    if form.payment_method == "TED" and form.receiver is None:
        problems.append(refusals.RECEIVER_REQUIRED.problem(why="is required for TED"))
    return problems


def _receiver_problems(receiver: ReceiverForm | None) -> list[Problem]:
    document = None if receiver is None else receiver.document
    if document is None or document.type is None or document.number is None:
        return []
    if is_document(document.type, document.number.upper()):
        return []
    return [refusals.DOCUMENT_NUMBER_INVALID.problem(type=document.type)]


def _way_problems(data: PaymentDataForm, method: str | None, at_fault: Collection[str]) -> list[Problem]:
    given = [way for way in _WAYS if getattr(data, way) is not None]
    problems: list[Problem] = []
    if not given:
        problems.append(refusals.PAYMENT_DATA_REQUIRED.problem())
    if len(given) > 1:
        problems += [refusals.WAYS_EXCLUSIVE.problem(f"paymentData.{_FIELDS[way]}") for way in given]
    elif method == "TED":
        problems += [
            refusals.WAY_NOT_ALLOWED.problem(f"paymentData.{_FIELDS[way]}", why="a TED goes to a bank account")
            for way in given
            if way != "bank_account"
        ]
    if data.pix_key is not None:
        problems += key_problems("paymentData.pixKey", data.pix_key)
    if data.bank_account is not None:
        problems += _bank_problems(data.bank_account, method, at_fault)
    return problems


def _bank_problems(bank: BankAccountForm, method: str | None, at_fault: Collection[str]) -> list[Problem]:
    """Lists the problems of an account at a bank. A required field that is missing is None here, and reported elsewhere."""
    here = "paymentData.bankAccount"
    problems: list[Problem] = []
    if bank.ispb is None and bank.bank_number is None and f"{here}.bankNumber" not in at_fault:
        problems.append(refusals.ISPB_REQUIRED.problem())
    if bank.ispb is not None and bank.bank_number is not None:
        problems += [refusals.BANKS_EXCLUSIVE.problem(f"{here}.{name}") for name in ("ispb", "bankNumber")]
    if method == "TED" and bank.account_type == "WAGE_ACCOUNT":
        problems.append(refusals.ACCOUNT_TYPE_NOT_SUPPORTED.problem())
    if bank.bank_number is not None and bank.bank_number.zfill(3) == NO_COMPE:
        problems.append(refusals.BANK_NUMBER_INVALID.problem())
    if bank.account_number is not None:
        problems += _account_problems(bank.account_number, method)
    return problems


def _account_problems(number: str, method: str | None) -> list[Problem]:
    """Lists the problems of an account's number, with the right form."""
    if _ACCOUNT.fullmatch(number) is None:
        text = "must be digits and capital letters, with the check digit and without hyphen: 1234-X is written 1234X"
    elif not number.strip("0"):
        text = "is zeros alone, which no account has"
    elif method == "TED" and not number.isdigit():
        text = "must be digits for a TED: write a check digit X as 0"
    elif method == "TED" and not ted_ids.is_account_number(number):
        text = f"must have at most {ted_ids.LONGEST_ACCOUNT_NUMBER} digits for a TED, zeros in front not counted"
    else:
        return []
    return [refusals.ACCOUNT_NUMBER_INVALID.problem(why=text)]


def key_problems(field: str, key: str) -> list[Problem]:
    """Lists the problem of a text that cannot be a Pix key."""
    return (
        [] if pix_keys.is_key(key) else [refusals.KEY_INVALID.problem(field, why="is not a Pix key in its canonical form")]
    )


def day_problem(day: date | None, today: date) -> list[Problem]:
    """Lists the problems of the day a payout is scheduled for."""
    if day is None or today <= day <= today + FARTHEST:
        return []
    text = f"lies before today, {today} in Brasilia" if day < today else f"is more than {FARTHEST.days} days ahead"
    return [refusals.SCHEDULED_DATE_OUT_OF_RANGE.problem(why=text)]


def receiver_problems(person: PayeePerson | None, entry: KeyEntry) -> list[Problem]:
    """Refuses a key or QR of another document than the client names; names are not compared (contract.md §10)."""
    if person is None or person.document_number == entry.document_number:
        return []
    return [refusals.DOCUMENT_MISMATCH.problem()]


def is_same_receiver(found: Receiver, known: Receiver) -> bool:
    """Tells whether a key or QR still leads to the same account. The holder is the same, too; names are not compared."""
    return all(
        getattr(found, part) == getattr(known, part)
        for part in ("ispb", "branch", "account", "account_type", "document_number")
    )


def key_paid(wish: PayoutWish) -> str | None:
    """Returns the key in the request: typed, or in a static QR."""
    if wish.qr is None:
        return wish.key
    try:
        key = brcode.decode(wish.qr).key
    except brcode.BrCodeError:
        return None
    return None if key is None else pix_keys.canonical(key)


def likeness(account_id: UUID, method: str, amount: Money, receiver: Receiver, *, is_charge: bool) -> Likeness:
    """Returns the likeness by which a repetition of this payout is found."""
    account = receiver.account.lstrip("0")
    return Likeness(account_id, method, amount, receiver.document_number, receiver.ispb, account, is_charge)


def repeated(same: UUID) -> Refused:
    """Refuses a payout equal to one of the last ten minutes: the company wants no duplicates."""
    return refusals.AMOUNT_DUPLICATE.refused(same=same)


def own_account_problem(wish: PayoutWish, to: Destination, ispb: str, number: str) -> list[Problem]:
    """Refuses a payout to its own account, ignoring leading zeros."""
    receiver = to.receiver
    if (receiver.ispb, receiver.account.lstrip("0")) != (ispb, number.lstrip("0")):
        return []
    field = "pixKey" if wish.key is not None else "qrcodeData" if wish.qr is not None else "bankAccount"
    return [refusals.WAY_NOT_ALLOWED.problem(f"paymentData.{field}", why="is the account that pays")]


def split(amount: Money, limit_minor: int) -> list[Money]:
    """Splits an amount into full limits, the remainder last; one part where the limit is not passed."""
    full, rest = divmod(amount.minor, limit_minor)
    parts = [limit_minor] * full + ([rest] if rest else [])
    return [Money(part, amount.currency) for part in parts]


def child_key(key: str, sequence: int) -> str:
    """Returns the idempotency key of a batch's child: the batch's own for the first."""
    return key if sequence == 1 else f"{key}-{sequence}"


def is_proof(asked_at: int | None, now: int | None, *, is_in_hand: bool) -> bool:
    """Tells whether an unknown payment stayed unsent since the network was asked.

    See states.md 5. asked_at, now: send attempts of its message when the network was asked, and now.
    """
    return asked_at is not None and asked_at == now and not is_in_hand


def is_dated_too_early(end_to_end_id: str, now: datetime) -> bool:
    """Tells whether a payment sent now may be refused as too old: by the minute in its id, to the minute."""
    return pix_ids.minute_of(end_to_end_id) < (now.astimezone(UTC) - ID_HOLDS).replace(second=0, microsecond=0)


def dated_now(p: Payout, now: datetime) -> str | None:
    """Returns the id to send a transfer with; redated where it is too old. A TED and a batch have none."""
    if p.rail != PIX or p.is_batch or p.end_to_end_id is None or not is_dated_too_early(p.end_to_end_id, now):
        return p.end_to_end_id
    return pix_ids.redated(p.end_to_end_id, now)


def counts_in(p: Payout, now: datetime) -> tuple[str, bool]:
    """Returns the limit's day of a payout begun now; true: the night counts, too.

    A scheduled one counts in the day that it was asked for, and in no night: that it begins at midnight is our choice, not
    its payer's. A TED counts when it leaves, which none does at night. Both are our decisions (docs/decisions/payouts.md).
    """
    if p.rail == TED:
        return quota_period(ted_opens_at(now))
    if p.scheduled_on is not None and p.scheduled_on > brasilia_day(p.created_at):
        return p.scheduled_on.isoformat(), False
    return quota_period(now)


def tried_again_at(p: Payout, now: datetime) -> datetime | None:
    """Returns the next try of a scheduled Pix without funds. None: it fails now.

    A first try from 00:00 to 08:00, and where money is short another one from 18:00 to 21:00 of the same day (the press on
    the Central Bank's rule of October 2024; domain.md §4.6): at each half hour, the last time a minute before 21:00. The
    result is a time of a try, so nothing follows the last one. A TED is tried once: that rule is of Pix alone.
    """
    if p.method != "PIX" or p.scheduled_on is None:
        return None
    opens, last = instant(p.scheduled_on, EVENING_OPENS), instant(p.scheduled_on, LAST_TRY)
    if last <= now:
        return None
    return opens if now < opens else min(opens + ((now - opens) // TRIED_EVERY + 1) * TRIED_EVERY, last)


def short_ends_at(day: date) -> datetime:
    """Returns the instant after the last retry of that day's scheduled Pix."""
    return instant(day, EVENING_CLOSES)


def quota_period(at: datetime) -> tuple[str, bool]:
    """Returns the limit's day for a payment sent now; true: the night counts, too.

    A night belongs to the day on which it began: a payment at 02:00 counts for the evening before (contract.md §10).
    """
    night = is_night(at)
    return brasilia_day(at - timedelta(hours=6)).isoformat(), night


def limit_set(
    held: int | None, raised: Raise | None, wanted: int | None, now: datetime, wait: timedelta | None
) -> tuple[int | None, Raise | None]:  # fmt: skip
    """Returns a limit after a change, and its pending raise.

    A lower one holds at once, a person's higher one later (domain.md §4.6). None: no limit, which is more than any. wait:
    the delay of a raise, None: there is none. raised: an earlier pending raise, which the newest wish replaces.
    """
    is_more = held is not None and (wanted is None or wanted > held)
    if wait is None or not is_more:
        return wanted, None
    return held, raised if raised is not None and raised.limit == wanted else Raise(wanted, now + wait)


def quotas(
    account_id: UUID, method: str, period: tuple[str, bool], minor: int, limits: Limits | None = None
) -> tuple[Quota, ...]:
    """Returns a payout's usage of limits; a negative amount frees it."""
    day, is_night_ = period
    used = [Quota(account_id, f"{method}.day", day, minor, None if limits is None else limits.day)]
    if is_night_:
        used.append(Quota(account_id, f"{method}.night", day, minor, None if limits is None else limits.night))
    return tuple(used)


def is_reviewed(amount: Money, above: Money | None) -> bool:
    """Tells whether a payout needs review: its whole amount is above the line (states.md 5)."""
    return above is not None and amount > above


def summed(states: Sequence[str]) -> str | None:
    """Returns the trigger by which a batch follows its children (states.md 6).

    None: it stays as it is, since one is under way. Into ANALYSIS, and out of it, a batch goes with all of its children in
    one write, and does not follow them.
    """
    count: Mapping[str, int] = {state: list(states).count(state) for state in set(states)}
    if any(count.get(state) for state in ("INITIAL", "PENDING", "ANALYSIS")):
        return None
    if count.get("REFUNDED") == len(states):
        return "all returned"
    if count.get("REFUNDED") or count.get("PARTIAL_REFUNDED"):
        return "some returned"
    if count.get("PAID"):
        return "all paid" if count["PAID"] == len(states) else "some paid"
    if count.get("CANCELED") == len(states):
        return "all canceled"
    return "all expired" if count.get("EXPIRED") == len(states) else "none paid"


def counted(children: Sequence[Payout], currency: str) -> Counters:
    """Counts the children of a batch by outcome (states.md 6)."""
    paid = [c for c in children if c.state in ("PAID", "PARTIAL_REFUNDED", "REFUNDED")]
    failed = [c for c in children if c.state in ("ERROR", "EXPIRED", "CANCELED")]
    pending = [c for c in children if c not in paid and c not in failed]
    return Counters(
        len(paid), len(failed), len(pending),
        Money(sum(c.amount.minor for c in paid), currency), Money(sum(c.amount.minor for c in pending), currency),
    )  # fmt: skip
