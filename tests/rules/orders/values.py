"""Values of the orders room, each with what most tests want, to be replaced where a test wants something else."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from lastro.accounts import Account, Holder
from lastro.companies import FeePlan
from lastro.core.money import Money
from lastro.orders.model import Order, StaticCode
from lastro.rails.port import Payer, PixArrival

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
ACCOUNT_ID = UUID(int=1)
DOCUMENT = "11222333000181"


def brl(minor: int) -> Money:
    return Money(minor, "BRL")


FREE = FeePlan(brl(0), 0, brl(0))


def account(**changes: Any) -> Account:
    holder = Holder("ORGANIZATION", "Ana", "CNPJ", DOCUMENT, "ana@example.com", "+5511999990000")
    values = {
        "id": ACCOUNT_ID, "status": "ACTIVE", "version": 1, "number": "000000015", "branch": "0001", "city": "SAO PAULO",
        "holder": holder, "created_at": NOW,
    }  # fmt: skip
    return Account(**{**values, **changes})


def order(**changes: Any) -> Order:
    values: dict[str, Any] = {
        "id": UUID(int=2), "state": "INITIAL", "version": 1, "origin": "TRANSPARENT", "external_id": "1",
        "account_id": ACCOUNT_ID, "payment_method": "PIX", "currency": "BRL", "amount": brl(1000), "final_amount": brl(1000),
        "fees": FREE, "description": "Flores", "notification_url": None, "return_url": None,
        "financial_partner": None, "pix_key": "key", "pix_key_type": "RANDOM",
        "txid": "txid", "location_token": "token", "expires_at": NOW + timedelta(hours=1), "end_to_end_id": None,
        "paid": None, "paid_at": None, "error_message": None, "created_at": NOW, "updated_at": NOW, "customer": None,
        "payer": None,
    }  # fmt: skip
    return Order(**{**values, **changes})


def static_code(**changes: Any) -> StaticCode:
    values: dict[str, Any] = {
        "id": UUID(int=3), "account_id": ACCOUNT_ID, "pix_key": "key", "txid": "printed", "amount": brl(1000),
        "description": "Mesa 5", "qrcode_data": "000201", "created_at": NOW,
    }  # fmt: skip
    return StaticCode(**{**values, **changes})


def arrival(**changes: Any) -> PixArrival:
    values: dict[str, Any] = {
        "message_id": "M1", "end_to_end_id": "E1", "txid": "txid", "amount": brl(1000), "accepted_at": NOW,
        "payer": Payer("Bento", "CPF", "11144477735", "87654321", "1", "2", "CACC"), "receiver_branch": "0001",
        "receiver_account": "000000015", "receiver_document": DOCUMENT, "key": "key", "instrument": "QRDN",
    }  # fmt: skip
    return PixArrival(**{**values, **changes})
