"""An order is asked for: its identifiers, its price and its QR are made, and the answer is ready before it is written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.core.write import Relied, Row, Write
from lastro.orders import instruments, store
from lastro.orders import problems as refusals
from lastro.orders.actions import issuing, quoting
from lastro.orders.actions.destinations import CreateOrderContext, Destinations, Where
from lastro.orders.instruments import Basis
from lastro.orders.methods import DEPOSIT, Method, known_method, rails_of
from lastro.orders.methods import PIX as PIX_METHOD
from lastro.orders.model import CompanySetup, Order, Party, PixKey
from lastro.orders.partners import connection_named, unfit_partner, ways
from lastro.orders.rendering import created
from lastro.orders.rules import DEFAULT_EXPIRATION_SECONDS, NO_BANK, NO_CUSTOMER, fee_problem
from lastro.orders.states import ORDERS
from lastro.rails.port import PIX, ChargeRequest, was_stepped
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from uuid import UUID

    from asyncpg import Record

    from lastro.accounts import Account
    from lastro.companies import FeePlan
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders.forms import CreateOrder, CustomerForm
    from lastro.orders.model import Installation
    from lastro.rails.port import CardOrder, Issuer, Quotes

_TOO_OLD = Refused(Kind.UNAVAILABLE, retry_after_seconds=1)  # for a stale cached read; never shown: the rows are then read
_TAKEN = refusals.EXTERNAL_ID_DUPLICATE.refused()


@dataclass(frozen=True)
class MakeOrder(Act[CreateOrderContext]):
    """PUT /order/v2/transparent. amount None: the payer types it (PIX alone).

    quotes: of the partners whose methods have a rate, by their rails. issuers: the banks of connections, by theirs.
    answered: what one of them has answered this request, which is decided again where the world has moved.
    """

    company_id: UUID
    form: CreateOrder
    amount: Money | None
    account_id: UUID | None
    place: Installation
    destinations: Destinations
    quotes: Mapping[str, Quotes] | None = None
    issuers: Mapping[str, Issuer] | None = None
    answered: list[CreateOrderContext] = field(default_factory=list, init=False, compare=False)

    @property
    def _where(self) -> Where:
        rail = self._connection if self._method.name == PIX_METHOD else PIX  # the Pix code of a slip is our own
        return (self.company_id, self.form.order.payment_method, self.account_id, self.form.order.pix_key, rail)

    @cached_property
    def _connection(self) -> str | None:
        """The rail of the connection that the order names, whosever it is; None: it names none."""
        if self._method.name != PIX_METHOD or self.form.order.financial_partner is None:
            return None
        return connection_named(self.place, self.form.order.financial_partner)

    @cached_property
    def _method(self) -> Method:
        return known_method(self.form.order.payment_method)

    def from_cache(self) -> CreateOrderContext | None:
        """Returns the cached destination; None where a partner is asked first. A collected order gets a number."""
        if self._method.rail is None:
            known = self.destinations.known.get(self._where)
            return None if known is None or known.bank is not None else known
        return None if self._asks_first else self.destinations.collected(self._where)

    async def read(self, session: Session, context: RequestContext) -> CreateOrderContext:
        """Reads a collected order's destination, and gives it a number."""
        known = await self.destinations.find(session, self._where)
        self.destinations.down = (known.setup.down, context.now)
        return replace(known, number=await self.destinations.numbers.take(session, context.now))

    def query(self) -> Query[CreateOrderContext] | None:
        """Returns the one query, which looks for the code too: a partner or a bank may be asked. None: a collected order."""
        is_pix = self._method.rail is None
        if not (is_pix or self._asks_first):
            return None
        _, method, account_id, key, rail = self._where

        def known(rows: list[Record]) -> CreateOrderContext:
            found = CreateOrderContext(*store.destination_from(rows[0], method))
            if is_pix:
                self.destinations.learn(self._where, found)
            return replace(found, number=rows[0]["sequence"], is_taken=rows[0]["is_taken"])

        sql = store.PIX_DESTINATION if is_pix else store.ASKED_FIRST
        return Query(sql, (account_id, key, method, rail, self.form.order.external_id), known)

    async def call_out(self, known: CreateOrderContext, context: RequestContext) -> CreateOrderContext | Refused:
        """Asks the partner for its rate, or the bank for its code. Neither is asked where something else refuses."""
        if not (self._method.is_quoted or known.bank is not None) or self._refused(known, context) is not None:
            return known
        return await (self._quoted(known, context) if self._method.is_quoted else self._issued(known, context))

    async def _quoted(self, known: CreateOrderContext, context: RequestContext) -> CreateOrderContext | Refused:
        assert self.quotes is not None, "a method of a partner that is not configured has been refused"
        assert self.amount is not None
        assert known.account is not None
        assert known.number is not None
        o, final = self.form.order, final_of(self.amount, known.setup.fees.at(context.now))
        if (before := self._quoted_before(final, context)) is not None:
            return replace(known, number=before.number, rail=before.rail, quote=before.quote)
        wish = quoting.wish_of(
            known.setup.number, known.number, o.payment_method, final, known.account, o.description, context.now
        )
        found = await quoting.ask(self.quotes, self._ways(known), wish)
        if isinstance(found, Refused):
            return found
        self.answered[:] = [replace(known, rail=found[0], quote=found[1])]
        return self.answered[0]

    async def _issued(self, known: CreateOrderContext, context: RequestContext) -> CreateOrderContext | Refused:
        """Has the bank make the code. An answer to this request that still fits is not asked for again."""
        rail, order = known.bank, self.form.order
        assert rail is not None
        assert known.key is not None
        assert known.account is not None
        assert self.amount is not None
        assert self.issuers is not None
        request = ChargeRequest(
            pix_ids.dynamic_txid(known.setup.number, context.chance.bytes(32)),
            final_of(self.amount, known.setup.fees.at(context.now)), known.key.key,
            order.expiration or DEFAULT_EXPIRATION_SECONDS, known.account.holder.full_name, known.account.city,
            issuing.payer_of(self.form), order.description, None if was_stepped(context) else context.now,
        )  # fmt: skip
        for before in self.answered:
            if before.key == known.key and before.issued is not None and before.final == request.amount:
                return replace(known, issued=before.issued, final=before.final)
        found = await issuing.ask(rail, self.issuers[rail], request)
        if isinstance(found, Refused):
            return found
        self.answered[:] = [replace(known, issued=found, final=request.amount)]
        return self.answered[0]

    def _quoted_before(self, final: Money, context: RequestContext) -> CreateOrderContext | None:
        """Returns a usable earlier answer of a partner to this request."""
        for known in self.answered:
            if known.quote is not None and quoting.misfit(known.quote, final, context.now) is None:
                return known
        return None

    @property
    def _asks_first(self) -> bool:
        """True where a partner is asked before the order is written."""
        return self._method.is_quoted

    def _ways(self, known: CreateOrderContext) -> tuple[str, ...]:
        """Returns the rails that the order may go by; none: it names no partner of its method."""
        setup, method = known.setup, self._method
        if method.is_quoted:
            configured: Collection[str] = self.quotes or {}
        else:
            configured = rails_of(method)[:1] if self.place.partners is None else self.place.partners
        return ways(method, configured, setup.route, self.form.order.financial_partner, setup.down)

    def _refused(self, known: CreateOrderContext, context: RequestContext) -> Refused | None:
        """Returns every problem of the order; None: it has none. The bank is asked for one without problems alone."""
        if known.issued is not None and known.final is not None and self.amount is not None:
            final = final_of(self.amount, known.setup.fees.at(context.now))  # a fee may have begun while the bank was asked
            return issuing.misfit(known.issued, final, known.final, context.now)
        if self.account_id is not None and known.account is None:
            return Refused(Kind.NOT_FOUND)
        problems = self._problems(known, context)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        if known.is_taken:
            return _TAKEN
        if self.amount is None:
            return None
        final = final_of(self.amount, known.setup.fees.at(context.now))
        return None if known.quote is None else quoting.misfit(known.quote, final, context.now)

    def decide(self, known: CreateOrderContext, context: RequestContext) -> Done | Refused:
        """Makes the order, or returns every problem of it."""
        if known.good_until is not None and context.now > known.good_until:
            return _TOO_OLD
        if (refused := self._refused(known, context)) is not None:
            return refused
        account, customer = known.account, self.form.customer
        assert account is not None
        order = self._order(known, account, context)
        rows = list(ORDERS.born(columns(order), context.now))
        if customer is not None and order.customer is not None:
            rows.insert(0, _party_row(order.customer, customer))
        body = render(created(order, account.holder.full_name, account.city, self.place))
        write = Write(context.company_id, relies=relied(context.company_id, known), rows=tuple(rows))
        if order.bank_code is not None:
            write += Write(context.company_id, rows=(instruments.row_of(order),))
        elif customer is not None and order.instrument is not None:
            write += instruments.born(order, account, customer, context, self._card(known, order))
        return Done(write + self._also(known, order, context), body, order.id, keep="month")

    def _card(self, known: CreateOrderContext, order: Order) -> CardOrder | None:
        """Returns the card data for the partner; None for other methods."""
        del known, order
        return None

    def _also(self, known: CreateOrderContext, order: Order, context: RequestContext) -> Write:
        """Returns the method's own rows; most methods write none."""
        del known, order
        return Write(context.company_id)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses a code of an open or paid order; decides a clash of random ids again."""
        if constraint != "orders_external_id_key":
            return None
        return _TAKEN

    def _problems(self, known: CreateOrderContext, context: RequestContext) -> list[Problem]:
        order, problems = self.form.order, []
        partner, collects = order.financial_partner, self._method.rail is not None
        route = None if collects else known.setup.customerless_partner  # for PIX only
        by_bank = not collects and known.bank is not None
        if (wrong_partner := self._partner_problem(known)) is not None:
            if not collects:  # which key and whether a customer is needed is the partner's affair
                return [wrong_partner]
            problems.append(wrong_partner)
        lacks_bank = not collects and self._lacks_bank(known)
        if self.form.customer is None and not (by_bank or lacks_bank) and (partner is None or partner != route):
            problems.append(refusals.CUSTOMER_REQUIRED.problem(why=NO_CUSTOMER))
        if by_bank:
            problems += issuing.request_problems(self.form, self.amount)
            if known.bank not in self.place.connections or known.bank not in (self.issuers or {}):
                problems.append(refusals.PIX_KEY_NOT_SUPPORTED.problem(why="is at a bank that makes no codes now"))
        if self._method.name == DEPOSIT and self.place.transfers.bank(order.bank) is None:
            problems.append(refusals.BANK_INVALID.problem())
        if lacks_bank:
            problems.append(refusals.PIX_KEY_NOT_SUPPORTED.problem(why=NO_BANK))
        problems += destination_problems(known, order.pix_key, "order.", needs_key=not (collects or lacks_bank))
        fees = known.setup.fees.at(context.now)
        if self.amount is not None and not problems and (wrong := fee_problem(self.amount, fees, self._method)):
            problems.append(refusals.AMOUNT_OUT_OF_RANGE.problem(why=wrong))
        return problems

    def _partner_problem(self, known: CreateOrderContext) -> Problem | None:
        """Returns what is wrong with the named partner; None: nothing."""
        partner = self.form.order.financial_partner
        if self._method.rail is not None:
            is_there = partner is None or bool(self._ways(known))
        else:
            is_there = partner in (None, known.setup.customerless_partner)
        return None if is_there else unfit_partner(self.place, self._connection, known.setup.number)

    def _lacks_bank(self, known: CreateOrderContext) -> bool:
        """Tells whether nothing here could make the code: no bank has a key of the account, and there is no network."""
        has_named_nothing = self.form.order.pix_key is None or known.key is not None
        return not self.place.has_network and known.bank is None and known.account is not None and has_named_nothing

    def _order(self, known: CreateOrderContext, account: Account, context: RequestContext) -> Order:
        o, c = self.form.order, self.form.customer
        customer = None
        if c is not None:
            customer = Party(context.chance.uuid(context.now), c.name, c.document.type, c.document.number.upper())
        drafted = pix_order(
            context, known.setup, account.id, known.key, external_id=o.external_id, amount=self.amount,
            description=o.description, seconds=o.expiration or DEFAULT_EXPIRATION_SECONDS, customer=customer,
        )  # fmt: skip
        named: dict[str, Any] = {
            "notification_url": o.notification_url, "return_url": o.return_url, "financial_partner": o.financial_partner,
        }  # fmt: skip
        if known.issued is not None and known.bank is not None:
            return replace(
                drafted, txid=known.issued.txid, location_token=None, expires_at=known.issued.expires_at,
                instrument=issuing.instrument(known.bank, known.issued), **named,
            )  # fmt: skip
        if self._method.rail is None:
            return replace(drafted, **named)
        final = drafted.final_amount
        assert known.number is not None
        assert final is not None
        rail = known.rail or self._ways(known)[0]
        basis = Basis(
            self.place.institution, account, known.setup.number, known.number, final, context.now, o, known.quote,
            transfers=self.place.transfers, card=known.card, rail=rail,
        )  # fmt: skip
        made = instruments.make(rail, basis)
        if not self._method.has_pix:
            named |= dict.fromkeys(("txid", "location_token", "pix_key", "pix_key_type"))
        return replace(
            drafted, payment_method=self._method.name, currency=self._method.currency, expires_at=made.expires_at,
            ends_at=made.ends_at, instrument=made.instrument, **named,
        )  # fmt: skip


def destination_problems(
    known: CreateOrderContext, pix_key: str | None, above: str, *, needs_key: bool = True
) -> list[Problem]:
    """Returns the problems of an order's destination. pix_key: as named. above: the prefix of the fields' names."""
    account, key = known.account, known.key
    if pix_key is not None and key is None:
        return [refusals.PIX_KEY_INVALID.problem(f"{above}pixKey")]
    if account is None:
        return [refusals.ACCOUNT_ID_REQUIRED.problem(f"{above}accountId")]
    if key is not None and key.account_id != account.id:
        return [refusals.PIX_KEY_MISMATCH.problem(f"{above}pixKey", account_id=f"{above}accountId")]
    if key is None and needs_key:
        return [refusals.PIX_KEY_REQUIRED.problem(f"{above}pixKey")]
    if not account.is_active:
        return [refusals.ACCOUNT_ID_NOT_ALLOWED.problem(f"{above}accountId")]
    return []


def relied(company_id: UUID, known: CreateOrderContext) -> tuple[Relied, ...]:
    """Returns the rows and versions that an order rests on. known: without problems."""
    assert known.account is not None
    relies = (
        Relied("companies", company_id, known.setup.version),
        Relied("company_fees", company_id, known.setup.fees_version),
        Relied("accounts", known.account.id, known.account.version),
    )
    if known.key is None:
        return relies
    return (*relies, Relied("pix_keys" if known.bank is None else "connection_keys", known.key.id, known.key.version))


def pix_order(
    context: RequestContext, setup: CompanySetup, account_id: UUID, key: PixKey | None, *, external_id: str,
    amount: Money | None, description: str, seconds: int, customer: Party | None,
) -> Order:  # fmt: skip
    """Makes a client's Pix order. key: None where no code leads to it. amount None: open.

    seconds: how long it may be paid.
    """
    fees, entropy = setup.fees.at(context.now), context.chance.bytes(96)
    final = None if amount is None else final_of(amount, fees)
    return Order(
        id=context.chance.uuid(context.now), state="INITIAL", version=1, origin="TRANSPARENT", external_id=external_id,
        account_id=account_id, payment_method="PIX", currency="BRL", amount=amount, final_amount=final, fees=fees,
        description=description, notification_url=None, return_url=None, financial_partner=None,
        pix_key=None if key is None else key.key,
        pix_key_type=None if key is None else key.type, txid=pix_ids.dynamic_txid(setup.number, entropy[:32]),
        location_token=unguessable(setup.number, entropy[32:64]), order_token=unguessable(setup.number, entropy[64:]),
        expires_at=context.now + timedelta(seconds=seconds), end_to_end_id=None, paid=None, paid_at=None,
        error_message=None, created_at=context.now, updated_at=context.now, customer=customer, payer=None,
    )  # fmt: skip


def final_of(amount: Money, fees: FeePlan) -> Money:
    """Returns the amount to pay, with the fees that a customer bears."""
    return amount + fees.total(amount) if fees.payer == "CUSTOMER" else amount


def unguessable(company_number: int, entropy: bytes) -> str:
    """Returns a random location or order token: its company as in a txid, then 17 random digits, 101 bits."""
    return pix_ids.base62(company_number, 5) + pix_ids.location_token(entropy)[:17]


def columns(order: Order) -> dict[str, Any]:
    """Returns the row of a new order, but for state and version."""
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
        "order_token": order.order_token,
        "expires_at": order.expires_at, "created_at": order.created_at, "updated_at": order.updated_at,
        "subscription_id": order.subscription_id, "subscription_code": order.subscription_code,
        "scheduled_payment_id": order.scheduled_payment_id, "ends_at": order.ends_at,
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
