"""Books settled money: the order is PAID, the client is notified, in one write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.companies import Fees
from lastro.core.write import Row, Write
from lastro.orders import postings
from lastro.orders.instruments import closed
from lastro.orders.methods import PIX as PIX_METHOD
from lastro.orders.methods import TED as TED_METHOD
from lastro.orders.model import Order
from lastro.orders.notifications import pay_in
from lastro.orders.rules import split
from lastro.orders.states import ORDERS
from lastro.rails.port import COLLECTING, PIX, TED
from lastro.standards.pix_keys import key_type

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.companies import FeePlan
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.orders.model import Authorized, CompanySetup, Installation, Party, StaticCode

_UNDESCRIBED = {PIX_METHOD: "Pix received", TED_METHOD: "TED received"}
_GIVEN_BACK = "Given back by another bank (MED)"


@dataclass(frozen=True, slots=True)
class Paid:
    """The payment that pays or makes an order. end_to_end_id: of a Pix; None where a partner collected it.

    control_number: of a TED, the STR's; from another account here, ours. txid: that the payment carried, if any.
    authorized: the recurrence that the payer authorized with it. printed: the static code that it came by, where it makes
    an order. waited: the part of the amount that came before. gives_back: a bank pays a loss anew, at no fee.
    """

    end_to_end_id: str | None
    amount: Money
    at: datetime
    payer: Party | None
    key: str | None
    remittance: str | None
    order_id: UUID
    rail: str = PIX
    authorized: Authorized | None = None
    printed: StaticCode | None = None
    waited: Money | None = None
    gives_back: bool = False
    txid: str | None = None
    control_number: str | None = None


def pay(
    order: Order | None, setup: CompanySetup, account: Account, paid: Paid, place: Installation, context: RequestContext
) -> Write:
    """Makes the order PAID, or a new PAID one; books and notifies, in the same write."""
    # Money that no order asked for has the fee at the time of settlement, whenever we hear of it.
    unasked = Fees(paid.amount.currency) if paid.gives_back else setup.fees
    fees = unasked.at(paid.at) if order is None else order.fees
    asked = None if order is None else order.amount
    credit, fee = split(paid.amount, asked, fees)
    transfers = postings.paid(context, account.id, paid.order_id, credit, fee, paid.rail, paid.waited)
    sets: dict[str, Any] = {
        "paid_minor": paid.amount.minor, "paid_at": paid.at, "end_to_end_id": paid.end_to_end_id,
        "payer_id": None if paid.payer is None else paid.payer.id,
    }  # fmt: skip
    if order is None:
        order, rows = _unasked(account, paid, fees, sets, context)
        write = Write(context.company_id, rows=rows, transfers=transfers)
    else:
        if order.customer is None and paid.payer is not None:
            sets["customer_id"] = paid.payer.id  # customers of this route are taken from the payer
        sets |= {"ends_at": None}
        write = Write(context.company_id, moves=(ORDERS.move(order, "pay", context.now, **sets),), transfers=transfers)
        if order.instrument is not None and order.instrument.rail != paid.rail:
            write += closed(order, context)  # the Pix code on the slip was paid
    event = pay_in(
        context, order, "PAID", account, place, amount=order.amount or paid.amount, payer=paid.payer,
        end_to_end_id=paid.end_to_end_id, paid_at=paid.at,
        paid_to_key=None if paid.rail in (TED, *COLLECTING) else key_used(order, paid.key),
    )  # fmt: skip
    return write + Write(context.company_id, events=(event,))


def key_used(order: Order, key: str | None) -> tuple[str, str] | None:
    """Returns type and text of the key that was paid. The key is the order's or another of its account; None: unknown."""
    if key is None or key == order.pix_key:
        return None if order.pix_key is None or order.pix_key_type is None else (order.pix_key_type, order.pix_key)
    kind = key_type(key)
    return None if kind is None else ("RANDOM" if kind == "EVP" else kind, key)


def _unasked(
    account: Account, paid: Paid, fees: FeePlan, sets: dict[str, Any], context: RequestContext
) -> tuple[Order, tuple[Row, ...]]:
    """Makes the order for money that names none, without a notification URL. Its code is the endToEndId, or a TED's number.

    Its description is the payer's text, else that of the static code.
    """
    printed = paid.printed
    described = paid.remittance or (None if printed is None else printed.description)
    method = PIX_METHOD if paid.control_number is None else TED_METHOD
    code = paid.control_number or paid.end_to_end_id
    assert code is not None
    order = Order(
        id=paid.order_id, state="PAID", version=1, origin="UNASKED", external_id=code, account_id=account.id,
        payment_method=method, currency=paid.amount.currency, amount=paid.amount, final_amount=paid.amount, fees=fees,
        description=described or (_GIVEN_BACK if paid.gives_back else _UNDESCRIBED[method]), notification_url=None,
        return_url=None, financial_partner=None, pix_key=None, pix_key_type=None, txid=None,
        location_token=None, expires_at=None, end_to_end_id=paid.end_to_end_id, paid=paid.amount, paid_at=paid.at,
        error_message=None, created_at=context.now, updated_at=context.now, customer=None, payer=paid.payer,
        static_qrcode_id=None if printed is None else printed.id, paid_txid=paid.txid,
    )  # fmt: skip
    values = {
        "id": order.id, "account_id": account.id, "external_id": order.external_id, "origin": order.origin,
        "payment_method": method, "currency": order.currency, "amount_minor": paid.amount.minor,
        "final_amount_minor": paid.amount.minor, "fee_fixed_minor": fees.fixed.minor,
        "fee_variable_basis_points": fees.variable_basis_points, "fee_additional_minor": fees.additional.minor,
        "fee_payer": fees.payer, "description": order.description, "static_qrcode_id": order.static_qrcode_id,
        "created_at": context.now, "updated_at": context.now, **sets,
    }  # fmt: skip
    return order, ORDERS.born(values, context.now, ("receive",))
