"""What clients are told about an order, as the interface words it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.base.api import present, stamp
from lastro.webhooks import told

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Account, Institution
    from lastro.base.money import Money
    from lastro.base.run import Door
    from lastro.base.write import Fact
    from lastro.orders.model import Order, Party

_TEXTS = {
    "PAID": ("Order paid", "Pagamento recebido"),
    "EXPIRED": ("Order expired", "O prazo de pagamento terminou"),
    "CANCELED": ("Order canceled", "Pedido cancelado"),
    "ERROR": ("Order failed: {error}", "Pagamento não concluído"),
}


def pay_in(
    door: Door, order: Order, status: str, account: Account, institution: Institution, *, amount: Money | None,
    payer: Party | None = None, end_to_end_id: str | None = None, paid_at: datetime | None = None, error: str | None = None,
    paid_to_key: tuple[str, str] | None = None,
) -> Fact:  # fmt: skip
    """ORDER-PAYIN.<status>. amount: the order's, or what was paid into an open one; None prints 0.00.

    payer: who paid; nobody did: the customer. paid_to_key: type and text of the key the money used.
    """
    message, customer_message = _TEXTS[status]
    body = {
        "id": str(order.id),
        "code": order.external_id,
        "event": f"ORDER-PAYIN.{status}",
        "status": status,
        "paidAt": None if paid_at is None else stamp(paid_at),
        "updatedAt": stamp(door.now),
        "endToEndId": end_to_end_id,
        "controlNumber": None,
        "type": "PAY-IN",
        "message": message.format(error=error),
        "customerMessage": customer_message,
        "description": order.description,
        "amount": amount.wire() if amount is not None else {"currency": order.currency, "value": "0.00"},
        "ownerBank": owner_bank(account, institution, paid_to_key),
        "payer": _payer(payer or order.customer),
    }
    return told(door, f"ORDER-PAYIN.{status}", order.id, order.notification_url, body)


def owner_bank(account: Account, institution: Institution, key: tuple[str, str] | None) -> dict[str, Any]:
    """Our account as notifications print it. key: type and text."""
    return present(
        name=account.holder.full_name,
        document={"type": account.holder.document_type, "number": account.holder.document_number},
        bank=present(
            ispb=institution.ispb,
            name=institution.name,
            branch=account.branch,
            account=account.number,
            accountType="PAYMENT_ACCOUNT",
            code=institution.compe,
        ),
        pix=None if key is None else {"type": key[0], "key": key[1]},
    )


def _payer(party: Party | None) -> dict[str, Any]:
    if party is None:
        return {"name": "NAO IDENTIFICADO", "document": {"type": "CPF", "number": "00000000000"}}
    # A BRL notification carries CPF or CNPJ alone; who has neither is shown by the zero CPF.
    document = {"type": "CPF", "number": "00000000000"}
    if party.document_type in ("CPF", "CNPJ") and party.document_number is not None:
        document = {"type": party.document_type, "number": party.document_number}
    return present(name=party.name, document=document, bank=party.bank)
