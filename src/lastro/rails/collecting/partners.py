"""The partners that collect, by rail. A new one is a line here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lastro.rails import port
from lastro.rails.collecting import wire
from lastro.rails.collecting.card import CARD
from lastro.rails.collecting.partner import Partner
from lastro.standards import clabe, receiving_accounts
from lastro.standards.own_numbers import company_of_own_digits

if TYPE_CHECKING:
    from collections.abc import Mapping

_VOUCHER = re.compile(r"[0-9]{1,64}")


def _slip(order: port.CollectionOrder) -> dict[str, Any]:
    """Returns the fields of a slip."""
    assert order.due is not None
    assert order.payable_until is not None
    return {
        "barcode": order.code, "dueDate": order.due.isoformat(), "payableUntil": order.payable_until.isoformat(),
        "beneficiary": wire.person(order.receiver, with_address=True), "payer": wire.person(order.payer, with_address=True),
    }  # fmt: skip


def _till(rail: str) -> Partner:
    """Returns a network of tills. Its payers are anonymous."""
    return Partner(rail=rail, is_reference=lambda text: _VOUCHER.fullmatch(text) is not None, gives_back=False)


_ALL = (
    Partner(rail=port.BOLETO, company_of=company_of_own_digits, details=_slip),
    Partner(rail=port.CRYPTO, company_of=company_of_own_digits),
    Partner(rail=port.CRYPTO2, company_of=company_of_own_digits),
    Partner(rail=port.SPEI, is_reference=lambda text: clabe.read(text) is not None, announces=False),
    Partner(rail=port.DEPOSIT, is_reference=lambda text: receiving_accounts.read(text) is not None, announces=False),
    *(_till(rail) for rail in (port.OXXO, port.OXXOPAY, port.PAYNET, port.PAYNET2)),
    CARD,
)
PARTNERS: Mapping[str, Partner] = {partner.rail: partner for partner in _ALL}
