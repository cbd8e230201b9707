"""The payer as the network names him, stored as a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from lastro.api_kit.routes import present
from lastro.core.write import Row
from lastro.orders.model import Party

if TYPE_CHECKING:
    from lastro.core.runner import RequestContext
    from lastro.rails.port import Payer
    from lastro.standards.banks import BankList

_ACCOUNT_TYPES = {
    "CACC": "CHECKING_ACCOUNT", "SVGS": "SAVINGS_ACCOUNT", "TRAN": "PAYMENT_ACCOUNT", "SLRY": "WAGE_ACCOUNT",
}  # fmt: skip


def payer_of(payer: Payer, banks: BankList, context: RequestContext) -> tuple[Party, Row]:
    """Makes a new person with the paying account, and his row. banks: name the institution and its COMPE number."""
    kind = _ACCOUNT_TYPES.get(payer.account_type or "")
    listed = banks.by_ispb(payer.ispb)
    name, code = (None, None) if listed is None else (listed.short_name, listed.compe)
    bank = present(ispb=payer.ispb, name=name, branch=payer.branch, account=payer.account, accountType=kind, code=code)
    party = Party(context.chance.uuid(context.now), payer.name, payer.document_type, payer.document_number, bank)
    values = {
        "id": party.id, "name": party.name, "document_type": party.document_type, "document_number": party.document_number,
        "bank": msgspec.json.encode(bank).decode(),
    }  # fmt: skip
    return party, Row("parties", values)
