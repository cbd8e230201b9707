"""An order by card is asked for: its card is made a token of before anything is written, and the number is forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lastro.core.write import Write
from lastro.orders.actions.create import MakeOrder
from lastro.orders.cards import store
from lastro.orders.cards.model import CardPayment, CardWish, Drawn, StoredCard
from lastro.orders.cards.problems import CARD_TOKEN_INVALID, CREDIT_CARD_NUMBER_NOT_ALLOWED
from lastro.orders.cards.rules import expiry_problem
from lastro.orders.cards.states import CARD_PAYMENTS
from lastro.orders.cards.tokens import stored_card, token_row
from lastro.orders.silence import silent
from lastro.rails.port import CARD, Permanent, Transient, charge_id
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.errors import Problem, Refused
    from lastro.core.runner import RequestContext
    from lastro.orders.actions.destinations import CreateOrderContext
    from lastro.orders.model import Order
    from lastro.rails.port import CardOrder, Tokenizer

_DETAILS = "order.paymentDetails"


@dataclass(frozen=True)
class CreateCard(MakeOrder):
    """PUT /order/v2/transparent with CREDIT_CARD. tokenizer: the acquirer's; the only one that is told a number.

    tokens: what it has made of the card for this request, which is decided again where the world has moved.
    """

    wish: CardWish | None = None
    tokenizer: Tokenizer | None = None
    tokens: list[StoredCard] = field(default_factory=list, init=False, compare=False)

    @property
    def _wish(self) -> CardWish:
        assert self.wish is not None, "an order by card says how it is paid"
        return self.wish

    @property
    def _asks_first(self) -> bool:
        """The tokenizer, where a card is typed."""
        return self._wish.typed is not None

    def from_cache(self) -> CreateOrderContext | None:
        """Returns the cached destination and card, if both were read before."""
        kept = self._remembered
        known = None if kept is None else super().from_cache()
        return None if known is None or kept is None else replace(known, card=Drawn(kept, self._wish, is_new=False))

    @property
    def _remembered(self) -> StoredCard | None:
        """The cached card of the given token. A row of card_tokens never changes."""
        return None if self._wish.name is None else self.destinations.cards.get((self.company_id, self._wish.name))

    async def read(self, session: Session, context: RequestContext) -> CreateOrderContext:
        """Reads every order's rows, and the card of a given token."""
        known = await super().read(session, context)
        if self._wish.name is None:
            return known
        kept = self._remembered or await store.kept(session, context.company_id, self._wish.name)
        if kept is None:
            return known
        self.destinations.learn_card(context.company_id, kept)
        return replace(known, card=Drawn(kept, self._wish, is_new=False))

    async def call_out(self, known: CreateOrderContext, context: RequestContext) -> CreateOrderContext | Refused:
        """Makes a token of the typed card. Not if anything else refuses the order: the card number then goes nowhere."""
        typed = self._wish.typed
        if typed is None or self._refused(known, context) is not None:
            return known
        if self.tokens:
            return replace(known, card=Drawn(self.tokens[0], self._wish, is_new=True))
        assert self.tokenizer is not None, "a method whose partner is not configured has been refused"
        try:
            made = await self.tokenizer.tokenize(typed.number, typed.code, typed.expiry, typed.holder)
        except Transient as why:
            return silent(CARD, "tokenize", why)
        except Permanent as refused:
            return CREDIT_CARD_NUMBER_NOT_ALLOWED.refused(code=refused.code)
        kept = stored_card(typed, made, known.setup.number, context)
        self.tokens.append(kept)
        return replace(known, card=Drawn(kept, self._wish, is_new=True))

    def _problems(self, known: CreateOrderContext, context: RequestContext) -> list[Problem]:
        problems, wish = super()._problems(known, context), self._wish
        today = brasilia_day(context.now)
        if wish.typed is not None:
            late = expiry_problem(wish.typed.expiry, today, f"{_DETAILS}.creditCard.expiry")
        elif known.card is None:
            late = CARD_TOKEN_INVALID.problem()
        else:
            late = expiry_problem(known.card.kept.expiry, today, f"{_DETAILS}.cardToken")
        return problems if late is None else [*problems, late]

    def _order(self, known: CreateOrderContext, account: Account, context: RequestContext) -> Order:
        made = super()._order(known, account, context)
        return replace(made, card=CardPayment(context.chance.uuid(context.now), "CREATED", 1, self._wish.skips_3ds))

    def _card(self, known: CreateOrderContext, order: Order) -> CardOrder:
        """Returns the acquirer's card data. A challenge leads back to the order's page, which leads on."""
        customer = self.form.customer
        assert known.card is not None
        assert customer is not None
        assert order.order_token is not None
        back = self.place.checkout_url(order.order_token)
        return known.card.order(back, customer.email, customer.phone, customer.ip)

    def _also(self, known: CreateOrderContext, order: Order, context: RequestContext) -> Write:
        """Returns the card payment's rows, and those of a new token."""
        assert known.card is not None
        assert order.card is not None
        assert order.instrument is not None
        kept = known.card.kept
        values = {
            "id": order.card.id, "order_id": order.id, "skips_3ds": order.card.skips_3ds,
            "charge_id": charge_id(order.instrument.reference),
            "created_at": context.now, "updated_at": context.now,
        }  # fmt: skip
        rows = CARD_PAYMENTS.born(values, context.now)
        if known.card.is_new:
            rows = (*rows, token_row(kept, order.id, context.now))
        return Write(context.company_id, rows=rows)
