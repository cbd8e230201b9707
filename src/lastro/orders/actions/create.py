"""An order is asked for: its identifiers, its price and its QR are made, and the answer is ready before it is written."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.base.api import render
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done, Door
from lastro.base.write import Relied, Row, Write
from lastro.orders import store
from lastro.orders.model import CompanySetup, Order, Party, PixKey
from lastro.orders.rendering import created
from lastro.orders.rules import DEFAULT_EXPIRATION_SECONDS, NO_CUSTOMER, fee_problem
from lastro.orders.states import ORDERS
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.base.db import Session
    from lastro.base.money import Money
    from lastro.orders.forms import CreateOrder, CustomerForm
    from lastro.orders.model import Place

_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Known:
    """What a create needs to know, each part at the version read."""

    setup: CompanySetup
    account: Account | None
    key: PixKey | None


@dataclass
class Destinations:
    """What this process remembers of where orders go; a Write relies on the versions, so a stale memory is only slower."""

    known: OrderedDict[tuple[UUID, UUID | None, str | None], Known] = field(default_factory=OrderedDict)

    def learn(self, where: tuple[UUID, UUID | None, str | None], known: Known) -> None:
        """Remembers; the one that was learnt longest ago goes when there are too many."""
        self.known[where] = known
        if len(self.known) > _REMEMBERED:
            self.known.popitem(last=False)


@dataclass(frozen=True)
class Create(Act[Known]):
    """PUT /order/v2/transparent, for Pix. amount None: the payer types it."""

    company_id: UUID
    form: CreateOrder
    amount: Money | None
    account_id: UUID | None
    place: Place
    destinations: Destinations

    @property
    def _where(self) -> tuple[UUID, UUID | None, str | None]:
        return (self.company_id, self.account_id, self.form.order.pix_key)

    def recall(self) -> Known | None:
        """Where such an order went the last time."""
        return self.destinations.known.get(self._where)

    async def read(self, session: Session, door: Door) -> Known:
        """The company's setup, the account, the key."""
        setup, account, key = await store.destination(session, door.company_id, self.account_id, self.form.order.pix_key)
        known = Known(setup, account, key)
        # "The first active account" is nobody's version: an answer that rests on it is not remembered.
        if self._where[1:] != (None, None) or setup.default_account_id is not None:
            self.destinations.learn(self._where, known)
        return known

    def decide(self, known: Known, door: Door) -> Done | Refused:
        """The order, or everything that stands in its way."""
        if self.account_id is not None and known.account is None:
            return Refused(Kind.NOT_FOUND)
        problems = self._problems(known)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        account, key = known.account, known.key
        assert account is not None
        assert key is not None
        order = self._order(known.setup, account, key, door)
        rows = list(ORDERS.born(columns(order), door.now))
        if self.form.customer is not None and order.customer is not None:
            rows.insert(0, _party_row(order.customer, self.form.customer))
        relies = (
            Relied("companies", door.company_id, known.setup.version),
            Relied("company_fees", door.company_id, known.setup.fees_version),
            Relied("accounts", account.id, account.version),
            Relied("pix_keys", key.id, key.version),
        )
        body = render(created(order, account.holder.full_name, account.city, self.place))
        return Done(Write(door.company_id, relies=relies, rows=tuple(rows)), body, order.id, keep="month")

    def taken(self, constraint: str) -> Refused | None:
        """The code belongs to an order that is open or paid; a clash of random ids is decided again."""
        if constraint != "orders_external_id_key":
            return None
        text = "an order with this code is open or paid"
        return Refused(Kind.CONFLICT, (Problem("order.externalId", "DUPLICATE", text),))

    def _problems(self, known: Known) -> list[Problem]:
        order, problems = self.form.order, []
        partner = order.financial_partner
        if partner is not None and partner != known.setup.customerless_partner:
            problems.append(Problem("order.financialPartner", "NOT_SUPPORTED", "no such partner is configured"))
        if self.form.customer is None and (partner is None or partner != known.setup.customerless_partner):
            problems.append(Problem("customer", "REQUIRED", NO_CUSTOMER))
        problems += self._destination_problems(known)
        if self.amount is not None and not problems and (wrong := fee_problem(self.amount, known.setup.fees)):
            problems.append(Problem("order.amount.value", "OUT_OF_RANGE", wrong))
        return problems

    def _destination_problems(self, known: Known) -> list[Problem]:
        account, key = known.account, known.key
        if self.form.order.pix_key is not None and key is None:
            return [Problem("order.pixKey", "INVALID", "is not a key of an account of this company")]
        if account is None:
            return [Problem("order.accountId", "REQUIRED", "is required: the company has no account to credit")]
        if key is not None and key.account_id != account.id:
            return [Problem("order.pixKey", "MISMATCH", "belongs to another account than order.accountId")]
        if key is None:
            return [Problem("order.pixKey", "REQUIRED", "is required: the account has no random key")]
        if not account.is_active:
            return [Problem("order.accountId", "NOT_ALLOWED", "the account is not active")]
        return []

    def _order(self, setup: CompanySetup, account: Account, key: PixKey, door: Door) -> Order:
        o, c = self.form.order, self.form.customer
        customer = None
        if c is not None:
            customer = Party(door.chance.uuid(door.now), c.name, c.document.type, c.document.number.upper())
        drafted = pix_order(
            door, setup, account.id, key, external_id=o.external_id, amount=self.amount, description=o.description,
            seconds=o.expiration or DEFAULT_EXPIRATION_SECONDS, customer=customer,
        )  # fmt: skip
        return replace(
            drafted, notification_url=o.notification_url, return_url=o.return_url, financial_partner=o.financial_partner
        )


def pix_order(
    door: Door, setup: CompanySetup, account_id: UUID, key: PixKey | None, *, external_id: str, amount: Money | None,
    description: str, seconds: int, customer: Party | None,
) -> Order:  # fmt: skip
    """A Pix order of a client, as it is born. key: None where no code leads to it. amount None: open.

    seconds: how long it may be paid.
    """
    fees, final, entropy = setup.fees, amount, door.chance.bytes(64)
    if final is not None and fees.payer == "CUSTOMER":
        final += fees.total(final)
    return Order(
        id=door.chance.uuid(door.now), state="INITIAL", version=1, origin="TRANSPARENT", external_id=external_id,
        account_id=account_id, payment_method="PIX", currency="BRL", amount=amount, final_amount=final, fees=fees,
        description=description, notification_url=None, return_url=None, financial_partner=None,
        pix_key=None if key is None else key.key,
        pix_key_type=None if key is None else key.type, txid=pix_ids.dynamic_txid(setup.number, entropy[:32]),
        # A location finds its company as a txid does; 17 random digits behind it are 101 bits.
        location_token=pix_ids.base62(setup.number, 5) + pix_ids.location_token(entropy[32:])[:17],
        expires_at=door.now + timedelta(seconds=seconds), end_to_end_id=None, paid=None, paid_at=None,
        error_message=None, created_at=door.now, updated_at=door.now, customer=customer, payer=None,
    )  # fmt: skip


def columns(order: Order) -> dict[str, Any]:
    """The row of a new order, but for state and version."""
    return {
        "id": order.id, "account_id": order.account_id, "external_id": order.external_id, "origin": order.origin,
        "payment_method": order.payment_method, "currency": order.currency,
        "amount_minor": order.amount.minor if order.amount else None,
        "final_amount_minor": order.final_amount.minor if order.final_amount else None,
        "fee_fixed_minor": order.fees.fixed.minor, "fee_variable_basis_points": order.fees.variable_basis_points,
        "fee_additional_minor": order.fees.additional.minor, "fee_payer": order.fees.payer,
        "description": order.description, "notification_url": order.notification_url,
        "return_url": order.return_url, "financial_partner": order.financial_partner,
        "customer_id": order.customer.id if order.customer else None, "pix_key": order.pix_key,
        "pix_key_type": order.pix_key_type, "txid": order.txid, "location_token": order.location_token,
        "expires_at": order.expires_at, "created_at": order.created_at, "updated_at": order.updated_at,
        "subscription_id": order.subscription_id, "subscription_code": order.subscription_code,
        "scheduled_payment_id": order.scheduled_payment_id,
    }  # fmt: skip


def _party_row(party: Party, c: CustomerForm) -> Row:
    address = None if c.address is None else msgspec.json.encode(msgspec.to_builtins(c.address)).decode()
    return Row(
        "parties",
        {
            "id": party.id, "name": party.name, "document_type": party.document_type,
            "document_number": party.document_number, "entity_type": c.entity_type, "email": c.email, "phone": c.phone,
            "birth_date": c.birth_date, "country": c.country, "address": address, "ip": c.ip,
        },
    )  # fmt: skip
