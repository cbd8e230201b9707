"""Finds a payout's destination: by a key, a QR or an account. The look-ups run with no database connection held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.core.errors import Kind, Refused
from lastro.core.money import Money, MoneyError
from lastro.payouts import problems as refusals
from lastro.payouts import rules
from lastro.payouts.model import Destination
from lastro.payouts.reasons import reason_of
from lastro.rails.port import Asking, BudgetSpent, Charge, NoCharge, NoEntry, Receiver, Transient
from lastro.standards import brcode, pix_keys

if TYPE_CHECKING:
    from lastro.accounts import Account, Institution
    from lastro.banks import Banks
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import BankAccount, PayoutWish
    from lastro.rails.port import Charges, Directory, KeyEntry
    from lastro.standards.banks import BankList

_QR_REFUSALS = {one.issue: one for one in (refusals.QR_INVALID, refusals.QR_EXPIRED, refusals.QR_NOT_SUPPORTED)}


@dataclass(frozen=True, slots=True)
class Ways:
    """The directories a payout's look-up needs, and the institution that pays."""

    institution: Institution
    directory: Directory
    charges: Charges
    banks: Banks

    @property
    def ispb(self) -> str:
        """Our ISPB."""
        return self.institution.ispb


@dataclass(frozen=True, slots=True)
class Unasked(Refused):
    """A look-up failed for now; it says nothing of the payout.

    location: of the QR's merchant that was asked; None: the directory.
    """

    location: str | None = None


async def find(
    wish: PayoutWish, payer: Account, banks: BankList, ways: Ways, context: RequestContext, end_to_end_id: str
) -> Destination | Refused:
    """Looks up a payout's destination. end_to_end_id: of the directory look-up, and then of the payment."""
    if wish.place is not None:
        return by_account(wish, banks, ways.institution)
    try:
        if wish.qr is not None:
            return await _by_qr(wish, payer, ways, context, end_to_end_id)
        assert wish.key is not None
        entry = await ways.directory.entry(wish.key, Asking(context.company_id, payer.holder.document_number, end_to_end_id))
    except BudgetSpent as spent:
        return Unasked(Kind.TOO_MANY, retry_after_seconds=spent.seconds)
    except Transient as silent:
        return _silent(silent)
    if isinstance(entry, NoEntry):
        return refusals.KEY_INVALID.refused(why=f"cannot be paid: {_why_none(entry)}")
    return _to_entry(wish, entry, "KEY")


def _ispb_of(place: BankAccount, banks: BankList, ours: Institution) -> str | None:
    """Returns the ISPB of a bank by ISPB or COMPE number. None: an unknown COMPE number."""
    if place.ispb is not None:
        return place.ispb
    if place.compe == ours.compe:
        return ours.ispb
    bank = banks.by_compe(place.compe or "")
    return None if bank is None else bank.ispb


def by_account(wish: PayoutWish, banks: BankList, ours: Institution) -> Destination | Refused:
    """Returns the destination of a payout to a named account."""
    assert wish.place is not None
    assert wish.person is not None
    place, who = wish.place, wish.person
    field = f"paymentData.bankAccount.{'ispb' if place.ispb else 'bankNumber'}"
    ispb = _ispb_of(place, banks, ours)
    bank = None if ispb is None else banks.by_ispb(ispb)
    if ispb is None or (bank is None and ispb != ours.ispb):
        return refusals.BANK_UNKNOWN.refused(field)
    # The list does not matter for us: a payout to an account here never leaves this institution.
    if bank is not None and ispb != ours.ispb and not (bank.in_str if wish.method == "TED" else bank.in_pix):
        return refusals.BANK_NOT_SUPPORTED.refused(field, method=wish.method)
    receiver = Receiver(
        who.name, who.document_type, who.document_number, ispb, place.branch, place.account, place.account_type
    )
    return Destination(receiver, "MANUAL")


async def _by_qr(
    wish: PayoutWish, payer: Account, ways: Ways, context: RequestContext, end_to_end_id: str
) -> Destination | Refused:
    asked = await _charge_of(wish, ways, context)
    if isinstance(asked, Refused):
        return asked
    charge, initiation = asked
    key = pix_keys.canonical(charge.key)
    if pix_keys.key_type(key) is None:
        return refusals.QR_INVALID.refused(why="holds what is no Pix key")
    if charge.amount is not None and charge.amount != wish.amount and not charge.may_change:
        return refusals.AMOUNT_MISMATCH.refused(amount=charge.amount)
    asking = Asking(context.company_id, payer.holder.document_number, end_to_end_id)
    entry = await ways.directory.entry(key, asking)
    if isinstance(entry, NoEntry):
        return refusals.QR_INVALID.refused(why=f"holds a key that cannot be paid: {_why_none(entry)}")
    found = _to_entry(wish, entry, initiation)
    if isinstance(found, Refused):
        return found
    return replace(found, txid=charge.txid, is_charge=initiation == "DYNAMIC_QR" or charge.amount is not None)


async def _charge_of(wish: PayoutWish, ways: Ways, context: RequestContext) -> tuple[Charge, str] | Refused:
    """Returns the charge of a QR, printed or at its location. The text is the initiation: STATIC_QR or DYNAMIC_QR."""
    assert wish.qr is not None
    try:
        code = brcode.decode(wish.qr)
    except brcode.BrCodeError as broken:
        return refusals.QR_INVALID.refused(why=f"is no Pix QR: {broken}")
    if code.facilitator is not None:
        return refusals.QR_NOT_SUPPORTED.refused(why="is for a withdrawal of cash, which is not paid from here")
    # A QR with a key that also offers a subscription (journey 4) is paid; the offer is ignored.
    if code.recurrence_location is not None and code.key is None:
        return refusals.QR_NOT_SUPPORTED.refused(why="is the QR of a subscription, which a person authorizes")
    if code.location is not None:
        try:
            charge = await ways.charges.read(code.location, context.now)
        except Transient as silent:
            return replace(_silent(silent), location=code.location)
        if isinstance(charge, NoCharge):
            return _QR_REFUSALS[charge.issue].refused(why=charge.text)
        return charge, "DYNAMIC_QR"
    assert code.key is not None
    try:
        amount = None if code.amount is None else Money.parse(code.amount, "BRL")
    except MoneyError as nothing:
        return refusals.QR_INVALID.refused(why=f"its amount {nothing}")
    return Charge(code.key, amount, code.label), "STATIC_QR"


def _to_entry(wish: PayoutWish, entry: KeyEntry, initiation: str) -> Destination | Refused:
    problems = rules.receiver_problems(wish.person, entry)
    if problems:
        return Refused(Kind.INVALID, tuple(problems))
    receiver = Receiver(
        entry.name, entry.document_type, entry.document_number, entry.ispb, entry.branch, entry.account, entry.account_type
    )
    return Destination(receiver, initiation, entry.key, entry.key_type)


def _why_none(entry: NoEntry) -> str:
    """Returns the directory's reason for no account, as a sentence."""
    return reason_of(entry.code, "DICT").english


def _silent(silent: Transient) -> Unasked:
    return Unasked(Kind.UNAVAILABLE, retry_after_seconds=silent.retry_after_seconds or 5)
