"""Slips: numbered by us, due in three business days, payable one day longer (contract.md §10)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.orders.instruments.model import Made
from lastro.orders.model import Face, Instrument
from lastro.rails import port
from lastro.standards import boleto, boleto_numbers
from lastro.standards.calendar import add_business_days, brasilia_day, day_bounds
from lastro.standards.own_numbers import own_digits

if TYPE_CHECKING:
    from datetime import date, datetime

    from lastro.orders.instruments.model import Basis

# Business days, contract.md §10.
_DUE_IN = 3
_PAYABLE_AFTER_DUE = 1
_SETTLES_WITHIN = 3
_TOLD_WITHIN = timedelta(seconds=60)  # the partner's message may reach us that much later


@dataclass(frozen=True, slots=True)
class SlipTerms:
    """The dates of a slip and of its order's end. payable_until: the last day on which banks take it.

    expires_at: the last instant of that day. ends_at: the order's end if no payment was told of.
    """

    due: date
    payable_until: date
    expires_at: datetime
    ends_at: datetime

    @classmethod
    def of_slip(cls, made_at: datetime) -> SlipTerms:
        """Computes the terms in business days of Brasilia: due in three, taken one day more, settled in three more."""
        due = add_business_days(brasilia_day(made_at), _DUE_IN)
        payable_until = add_business_days(due, _PAYABLE_AFTER_DUE)
        settled_by = add_business_days(payable_until, _SETTLES_WITHIN)
        return cls(
            due,
            payable_until,
            day_bounds(payable_until)[1] - timedelta(microseconds=1),
            day_bounds(settled_by)[1] + _TOLD_WITHIN,
        )


def slip(basis: Basis) -> Made:
    """Makes a slip of ours: its number finds the company, its bars say bank, amount and due date."""
    bank, terms = basis.institution.compe, SlipTerms.of_slip(basis.made_at)
    assert bank is not None, "an institution without a COMPE number issues no slips"
    number = own_digits(basis.company_number, basis.sequence)
    free = boleto_numbers.free_field(basis.institution.branch, number)
    drawn = boleto.Boleto(bank=bank, free_field=free, amount_minor=basis.final.minor, due_date=terms.due)
    made = Instrument(port.BOLETO, number, Face(boleto.barcode(drawn), terms.due, terms.payable_until))
    return Made(made, terms.expires_at, terms.ends_at)
