"""Vouchers of cash: a reference that a shop's till scans or types, taken for three days (contract.md §10)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.orders.instruments.model import Made
from lastro.orders.model import Instrument
from lastro.rails import port
from lastro.standards import cash_references

if TYPE_CHECKING:
    from lastro.orders.instruments.model import Basis

_TAKEN_FOR = timedelta(days=3)
_TOLD_WITHIN = timedelta(seconds=60)  # the till's message may reach us that much later
FORMS = {
    port.OXXO: cash_references.OXXO, port.OXXOPAY: cash_references.OXXO_PAY, port.PAYNET: cash_references.PAYNET,
}  # fmt: skip


def voucher(basis: Basis) -> Made:
    """Makes a reference of this order alone. It has no room for the company's number: the row itself finds the company."""
    reference = cash_references.reference(FORMS[port.kind_of(basis.rail)], basis.sequence)
    expires_at = basis.made_at + _TAKEN_FOR
    return Made(Instrument(basis.rail, reference), expires_at, expires_at + _TOLD_WITHIN)
