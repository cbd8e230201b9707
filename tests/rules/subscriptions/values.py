"""A subscription, a payment and an attempt as the tests of the rules start from them."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from lastro.core.money import Money
from lastro.subscriptions.model import Attempt, NamedParty, Payment, Plan, Subscription, SubscriptionTerms
from lastro.subscriptions.rules.cycles import plan

CREATED = datetime(2026, 11, 23, 15, 0, tzinfo=UTC)
TERMS = SubscriptionTerms(frequency="MONTHLY", starts_on=date(2026, 12, 10), charges_after_due=True)
SUBSCRIPTION = Subscription(
    id=UUID(int=1), state="ACCEPTED", version=3, type="AUTHORIZATION_QRCODE", provider_id="RR9999901020261123abcdefghijk",
    external_id="contract-12", account_id=UUID(int=2), terms=TERMS, debtor=NamedParty("Ana", "CPF", "12345678909"),
    description="Jornal", webhook_url="https://ana.example/hook", created_at=CREATED, updated_at=CREATED,
)  # fmt: skip


def brl(text: str) -> Money:
    return Money.parse(text, "BRL")


def subscription(**terms: Any) -> Subscription:
    return replace(SUBSCRIPTION, terms=replace(TERMS, **terms))


def planned(due_on: date, terms: SubscriptionTerms = TERMS) -> Plan:
    days = plan(terms, due_on)
    assert days is not None
    return days


def attempt(number: int, day: date, state: str = "SCHEDULED", kind: Any = None, code: str | None = None) -> Attempt:
    return Attempt(UUID(int=100 + number), state, 1, number, kind or ("AGND" if number == 1 else "NTAG"), day, code=code)


def payment(due_on: date, *attempts: Attempt, terms: SubscriptionTerms = TERMS, **changes: Any) -> Payment:
    """PENDING where nothing is said of its state."""
    values: dict[str, Any] = {
        "id": UUID(int=3), "state": "PENDING", "version": 1, "subscription_id": SUBSCRIPTION.id, "external_id": "2026-12",
        "order_id": UUID(int=4), "amount": brl("10"), "plan": planned(due_on, terms), "created_at": CREATED,
        "updated_at": CREATED, "attempts": attempts,
    }  # fmt: skip
    return Payment(**{**values, **changes})
