"""What an order is paid with at a partner that collects: numbered by us, told to the partner, shown to the customer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.base.write import Row, Write
from lastro.orders.model import Instrument
from lastro.rails import port
from lastro.standards import boleto, boleto_numbers
from lastro.standards.calendar import add_business_days, brasilia_day, day_bounds

if TYPE_CHECKING:
    from datetime import date, datetime

    from lastro.accounts import Account, Institution
    from lastro.base.run import Door
    from lastro.orders.forms import CustomerForm
    from lastro.orders.model import Order

# Business days, contract.md §10.
_DUE_IN = 3
_PAYABLE_AFTER_DUE = 1
_SETTLES_WITHIN = 3
_TOLD_WITHIN = timedelta(seconds=60)  # what the partner told in time may reach us that much later


@dataclass(frozen=True, slots=True)
class Terms:
    """When a slip is due, the last day on which it is taken, and when its order ends where no payment was told of.

    expires_at: the last instant on which it is taken.
    """

    due: date
    payable_until: date
    expires_at: datetime
    ends_at: datetime

    @classmethod
    def of_slip(cls, made_at: datetime) -> Terms:
        """Due in three business days of Brasilia, taken until the business day after; three more for it to settle."""
        due = add_business_days(brasilia_day(made_at), _DUE_IN)
        payable_until = add_business_days(due, _PAYABLE_AFTER_DUE)
        settled_by = add_business_days(payable_until, _SETTLES_WITHIN)
        return cls(
            due,
            payable_until,
            day_bounds(payable_until)[1] - timedelta(microseconds=1),
            day_bounds(settled_by)[1] + _TOLD_WITHIN,
        )


def slip_of(institution: Institution, company_number: int, sequence: int, amount_minor: int, terms: Terms) -> Instrument:
    """A slip of ours. amount_minor: centavos that have to be paid. sequence: used once."""
    number = boleto_numbers.our_number(company_number, sequence)
    free = boleto_numbers.free_field(institution.branch, number)
    assert institution.compe is not None, "an institution without a COMPE number issues no slips"
    drawn = boleto.Boleto(bank=institution.compe, free_field=free, amount_minor=amount_minor, due_date=terms.due)
    return Instrument(port.BOLETO, number, boleto.barcode(drawn), terms.due, terms.payable_until)


def born(order: Order, account: Account, customer: CustomerForm, door: Door) -> Write:
    """The instrument's row, and its order to the partner."""
    made = order.instrument
    assert made is not None
    assert order.customer is not None
    assert order.final_amount is not None
    values = {
        "order_id": order.id, "rail": made.rail, "reference": made.reference, "code": made.code, "due": made.due,
        "payable_until": made.payable_until,
    }  # fmt: skip
    holder = account.holder
    told = port.CollectionOrder(
        reference=made.reference, amount=order.final_amount, due=made.due, payable_until=made.payable_until, code=made.code,
        payer=port.Person(
            customer.name, customer.document.type, order.customer.document_number or "", address_line(customer)
        ),
        receiver=port.Person(holder.full_name, holder.document_type, holder.document_number),
        description=order.description, number=order.external_id,
    )  # fmt: skip
    message = port.collection_message(made.rail, told, order.id, door.chance.uuid(door.now), door.now)
    return Write(door.company_id, rows=(Row("instruments", values),), messages=(message,))


def closed(order: Order, door: Door) -> Write:
    """The partner is told that the instrument is not to be paid any more; nothing, where the order has none."""
    made = order.instrument
    if made is None:
        return Write(door.company_id)
    message = port.close_message(made.rail, made.reference, order.id, door.chance.uuid(door.now), door.now)
    return Write(door.company_id, messages=(message,))


def address_line(customer: CustomerForm) -> str | None:
    """An address as a slip prints it: street, number, complement, neighborhood, city, state, postal code."""
    a = customer.address
    if a is None:
        return None
    parts = (a.street, a.number, a.complement, a.neighborhood, a.city, a.state, a.postal_code)
    return ", ".join(part for part in parts if part)
