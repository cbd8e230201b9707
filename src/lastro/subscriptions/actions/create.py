"""A subscription is asked for: its ids, its locations and its first charge are made, and the answer before it is written.

On an account at a connection that bank makes them, and is asked before anything is written.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Relied, Row, Write
from lastro.orders import Destination, Destinations, Party, charged, destination, fee_problem
from lastro.rails.port import FIRST_ASK, PIX
from lastro.standards import pix_ids
from lastro.standards.calendar import brasilia_day, day_bounds
from lastro.standards.recurrence_ids import recurrence_id
from lastro.subscriptions import model, store
from lastro.subscriptions import problems as refusals
from lastro.subscriptions.actions.making import ask_bank, bank_problems, bank_request, first_charge, first_misfit
from lastro.subscriptions.model import TIMING, Subscription, SubscriptionShown
from lastro.subscriptions.notifications import subscription_event
from lastro.subscriptions.rendering import created
from lastro.subscriptions.rules.authorizing import lapses_at, window_ends
from lastro.subscriptions.rules.automatic import first_charge_at
from lastro.subscriptions.rules.creating import account_problems, start_problems
from lastro.subscriptions.states import SUBSCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.core.write import Event
    from lastro.orders import Installation, Order
    from lastro.rails.port import MadeRecurrence, Recurrences, Registrar
    from lastro.subscriptions.model import NamedParty, SubscriptionWish, Timing

_NUMBERS_AT_ONCE = 256
_FEW_NUMBERS = 64  # so many are left when one create reads more, while the others go on


@dataclass(frozen=True, slots=True)
class CreateSubscriptionContext:
    """The destination of the charges, and a number not in use.

    The destination is at the versions read. refused_as: the code by which the network refuses the recurrence for good.
    made: what the bank of the account's connection has made. asked: the amount of its first charge, with fees.
    """

    destination: Destination
    number: int
    refused_as: str | None = None
    made: MadeRecurrence | None = None
    asked: Money | None = None


@dataclass
class Ground:
    """A process-wide cache of charge destinations and of reserved, unused numbers.

    A Write relies on the versions, so that a stale entry is only slower. Numbers that are left when the process ends are
    never used.
    """

    destinations: Destinations = field(default_factory=Destinations)
    numbers: deque[int] = field(default_factory=deque)


@dataclass(frozen=True)
class MakeSubscription(Act[CreateSubscriptionContext]):
    """POST /order/v1/banking/subscriptions. wish: valid by itself, but for the checks that need the date.

    registrar: a sandbox asks it if the recurrence is refused; None: our institution registers it, asking nobody. banks: of
    connections that make subscriptions, by their rails. answered: what one of them has answered this request, which is
    decided again where the world has moved.
    """

    company_id: UUID
    wish: SubscriptionWish
    place: Installation
    ground: Ground
    timing: Timing = TIMING
    registrar: Registrar | None = None
    banks: Mapping[str, Recurrences] | None = None
    answered: list[CreateSubscriptionContext] = field(default_factory=list, init=False, compare=False)

    def from_cache(self) -> CreateSubscriptionContext | None:
        """Returns the cached destination with the next number; None where either has to be read."""
        if self.registrar is not None:
            return None  # the registrar is asked after the reading
        numbers = self.ground.numbers
        known = self.ground.destinations.known.get(self._where)
        if known is None or known.bank is not None or self._ways(known) or not numbers:
            return None
        number = numbers.popleft()
        return None if len(numbers) == _FEW_NUMBERS else CreateSubscriptionContext(known, number)

    async def read(self, session: Session, context: RequestContext) -> CreateSubscriptionContext:
        """The company's setup, the account, the key; more numbers where none is left."""
        known = await self._destination(session, context.company_id, None)
        for rail in self._ways(known):
            at_bank = await self._destination(session, context.company_id, rail)
            if at_bank.bank is not None:
                known = at_bank
        self.ground.destinations.learn(self._where, known)
        if len(self.ground.numbers) <= _FEW_NUMBERS:
            self.ground.numbers.extend(await store.network_numbers(session, _NUMBERS_AT_ONCE))
        return CreateSubscriptionContext(known, self.ground.numbers.popleft())

    async def call_out(
        self, known: CreateSubscriptionContext, context: RequestContext
    ) -> CreateSubscriptionContext | Refused:
        """Has the connection's bank make it, or asks the network. Neither is asked where something is wrong."""
        if known.destination.bank is not None:
            return known if self._refused(known, context) is not None else await self._made_at_bank(known, context)
        if self.registrar is None or self._refused(known, context) is not None:
            return known
        named = _provider_id(self.wish, self.place.institution.ispb, known, context.now)
        return replace(known, refused_as=await self.registrar.refusal(named, self.wish.debtor.document_number))

    def _ways(self, known: Destination) -> tuple[str, ...]:
        """Returns the company's connections that make subscriptions. A named key decides alone, and leaves none."""
        if self.wish.charge_key is not None or not self.banks:
            return ()
        number, here = known.setup.number, self.place.at_banks
        return tuple(rail for rail in self.banks if rail in here and here[rail].company == number)

    async def _destination(self, session: Session, company_id: UUID, rail: str | None) -> Destination:
        return Destination(
            *await destination(session, company_id, self.wish.account_id, self.wish.charge_key, rail=rail)
        )  # fmt: skip

    @property
    def _where(self) -> tuple[UUID, str, UUID | None, str | None, str | None]:
        return (self.company_id, "PIX", self.wish.account_id, self.wish.charge_key, None)

    async def _made_at_bank(
        self, known: CreateSubscriptionContext, context: RequestContext
    ) -> CreateSubscriptionContext | Refused:
        """Has the bank make the recurrence. An answer to this request that still fits is not asked for again."""
        rail, found = known.destination.bank, known.destination
        assert rail is not None
        assert found.account is not None
        request = bank_request(self.wish, found, found.account, context)
        asked = None if request.first is None else request.first.amount
        for before in self.answered:
            if before.destination.key == found.key and before.asked == asked:
                return replace(known, made=before.made, asked=asked)
        made = await ask_bank(rail, (self.banks or {})[rail], request)
        if isinstance(made, Refused):
            return made
        self.answered[:] = [replace(known, made=made, asked=asked)]
        return self.answered[0]

    def decide(self, known: CreateSubscriptionContext, context: RequestContext) -> Done | Refused:
        """Makes the subscription and its first charge, or returns all its problems."""
        refused = self._refused(known, context)
        if refused is not None:
            return refused
        assert known.destination.account is not None, "without an account it is refused"
        return self._made(self.wish, known.destination.account, known, context)

    def _refused(self, known: CreateSubscriptionContext, context: RequestContext) -> Refused | None:
        found, wish = known.destination, self.wish
        if known.made is not None and wish.charge is not None and known.asked is not None:
            return first_misfit(known.made, found, wish.charge, known.asked, context)
        problems = start_problems(wish.terms.starts_on, brasilia_day(context.now))
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        if found.account is None:
            return NOT_FOUND
        problems = _destination_problems(wish, found.account, found, context)
        if found.bank is not None:
            problems += bank_problems(wish, makes=found.bank in (self.banks or {}))
        elif not self.place.has_network:
            problems.append(refusals.ACCOUNT_ID_NOT_SUPPORTED.problem(why="is at no bank that makes subscriptions"))
        return Refused(Kind.INVALID, tuple(problems)) if problems else None

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """The code is another subscription's; a clash of random ids is decided again."""
        if constraint != "subscriptions_external_id_key":
            return None
        text = "another subscription has this code"
        return refusals.EXTERNAL_ID_DUPLICATE.refused(why=text)

    def _made(
        self, wish: SubscriptionWish, account: Account, known: CreateSubscriptionContext, context: RequestContext
    ) -> Done:
        found, chance = known.destination, context.chance
        subscription_id = chance.uuid(context.now)
        debtor = _party(wish.debtor, chance.uuid(context.now))
        payer = None if wish.payer is None else _party(wish.payer, chance.uuid(context.now))
        order, rows = _first_charge(wish, subscription_id, debtor, known, context)
        lapses = None if wish.is_paid_at_once else lapses_at(wish.terms, context.now, self.timing)
        subscription = _subscription(wish, subscription_id, order, self.place.institution.ispb, known, context.now)
        subscription = replace(subscription, lapses_at=lapses)
        first = None if order is None else _shown_charge(order, known)
        # A location finds its company as a txid does; 17 random digits behind it are 101 bits.
        token = None
        if known.made is None:
            token = pix_ids.base62(found.setup.number, 5) + pix_ids.location_token(chance.bytes(32))[:17]
        columns = _columns(subscription, token, debtor, payer, first_charge_at(wish.terms, self.timing))
        shown = SubscriptionShown(subscription, account, token, first)
        events: tuple[Event, ...] = ()
        if known.refused_as is not None:
            columns, rows = columns | _refused_charge(first), ()
            events = (subscription_event(context, shown, subscription.state),)
        parties = tuple(_party_row(one) for one in (debtor, payer) if one is not None)
        # We are the institution of the receiver, so that it is registered in the write that makes it (states.md 1).
        triggers = ("create", "register") if known.refused_as is None else ("create", "fail")
        own = SUBSCRIPTIONS.born(columns, context.now, triggers, reason=known.refused_as)
        relies = _relies(context.company_id, found, account, order)
        write = Write(context.company_id, relies=relies, rows=(*parties, *rows, *own), events=events)
        return Done(write, render(created(shown, self.place)), subscription_id, keep="month")


def _destination_problems(
    wish: SubscriptionWish, account: Account, found: Destination, context: RequestContext
) -> list[Problem]:
    key_account_id = None if wish.charge_key is None or found.key is None else found.key.account_id
    problems = account_problems(wish, account, key_account_id)
    if wish.charge is not None and (wrong := fee_problem(wish.charge, found.setup.fees.at(context.now))):
        problems.append(refusals.INITIAL_CHARGE_OUT_OF_RANGE.problem(why=wrong))
    return problems


def _first_charge(
    wish: SubscriptionWish, subscription_id: UUID, debtor: Party, known: CreateSubscriptionContext, context: RequestContext
) -> tuple[Order | None, tuple[Row, ...]]:
    if wish.charge is None:
        return None, ()
    found = known.destination
    assert found.key is not None
    first = first_charge(wish, wish.charge, subscription_id, debtor)
    return charged(first, found.setup, found.key, context, known.made)


def _subscription(
    wish: SubscriptionWish,
    subscription_id: UUID,
    order: Order | None,
    ispb: str,
    known: CreateSubscriptionContext,
    now: datetime,
) -> Subscription:
    state = "PENDING_AUTHORIZATION" if known.refused_as is None else "ERROR"
    only_payer = wish.payer.document_number if wish.payer is not None and wish.is_paid_at_once else None
    return Subscription(
        id=subscription_id, state=state, version=2, type=wish.type, provider_id=_provider_id(wish, ispb, known, now),
        external_id=wish.external_id, account_id=wish.account_id, terms=wish.terms, debtor=wish.debtor,
        description=wish.description, webhook_url=wish.webhook_url, created_at=now, updated_at=now, only_payer=only_payer,
        order_id=None if order is None or known.refused_as is not None else order.id,
        order_expires_at=None if order is None else order.expires_at,
        rail=known.destination.bank or PIX, bank_code=None if known.made is None else known.made.code,
    )  # fmt: skip


def _provider_id(wish: SubscriptionWish, ispb: str, known: CreateSubscriptionContext, now: datetime) -> str:
    if known.made is not None:
        return known.made.recurrence_id
    number = known.destination.setup.number
    return recurrence_id(ispb, brasilia_day(now), number, known.number, retries=wish.terms.charges_after_due)


def _refused_charge(first: model.FirstCharge | None) -> dict[str, Any]:
    """Returns the columns of a first charge that has no order."""
    if first is None:
        return {}
    return {
        "refused_minor": first.amount.minor, "refused_expires_at": first.expires_at, "refused_txid": first.conciliation_id,
        "refused_location_token": first.location_token,
    }  # fmt: skip


def _columns(
    subscription: Subscription, token: str | None, debtor: Party, payer: Party | None, charge_at: datetime | None
) -> dict[str, Any]:
    terms = subscription.terms
    return {
        "id": subscription.id, "account_id": subscription.account_id, "external_id": subscription.external_id,
        "provider_id": subscription.provider_id, "type": subscription.type, "frequency": terms.frequency,
        "starts_on": terms.starts_on, "ends_on": terms.ends_on, "currency": "BRL",
        "fixed_minor": None if terms.fixed is None else terms.fixed.minor,
        "floor_minor": None if terms.floor is None else terms.floor.minor, "charges_after_due": terms.charges_after_due,
        "adjusts": terms.adjusts, "auto_schedule": terms.is_automatic, "description": subscription.description,
        "webhook_url": subscription.webhook_url, "debtor_id": debtor.id,
        "named_payer_id": None if payer is None else payer.id, "order_id": subscription.order_id, "location_token": token,
        "lapses_at": window_ends(subscription), "charge_at": charge_at,
        "ends_at": None if terms.ends_on is None else day_bounds(terms.ends_on)[1],
        "created_at": subscription.created_at, "updated_at": subscription.updated_at, "rail": subscription.rail,
        "bank_code": subscription.bank_code,
        "ask_at": subscription.created_at + FIRST_ASK if subscription.is_at_bank else None,
    }  # fmt: skip


def _relies(company_id: UUID, found: Destination, account: Account, order: Order | None) -> tuple[Relied, ...]:
    """Returns the versions that the write relies on. Fees and key matter only for an order; the ids use the company."""
    setup, key = found.setup, found.key
    both = (Relied("companies", company_id, setup.version), Relied("accounts", account.id, account.version))
    if order is None:
        return both
    assert key is not None
    keys = "pix_keys" if found.bank is None else "connection_keys"
    return (*both, Relied("company_fees", company_id, setup.fees_version), Relied(keys, key.id, key.version))


def _shown_charge(order: Order, known: CreateSubscriptionContext) -> model.FirstCharge:
    assert order.amount is not None
    assert order.expires_at is not None
    assert order.txid is not None
    order_id = order.id if known.refused_as is None else None
    return model.FirstCharge(order_id, order.amount, order.expires_at, order.txid, order.location_token)


def _party(person: NamedParty, party_id: UUID) -> Party:
    return Party(party_id, person.name or "", person.document_type, person.document_number)


def _party_row(party: Party) -> Row:
    values = {
        "id": party.id, "name": party.name, "document_type": party.document_type, "document_number": party.document_number,
    }  # fmt: skip
    return Row("parties", values)
