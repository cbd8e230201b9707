"""The destinations of orders, as they are read and cached: the company's setup, the account, the key."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.orders import store
from lastro.orders.numbers import Numbers
from lastro.rails.port import PIX

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.money import Money
    from lastro.orders.cards.model import Drawn, StoredCard
    from lastro.orders.model import CompanySetup, PixKey
    from lastro.rails.port import IssuedCharge, Quote

_REMEMBERED = 4096
_DOWN_GOOD_FOR = timedelta(seconds=1)
# Company, payment method; account and key as the client named them; the rail whose key it has to be.
Where = tuple["UUID", str, "UUID | None", "str | None", "str | None"]


@dataclass(frozen=True, slots=True)
class CreateOrderContext:
    """The rows that a create needs, each at the version read."""

    setup: CompanySetup
    account: Account | None
    key: PixKey | None
    number: int | None = None  # for methods of a partner that collects
    quote: Quote | None = None  # for methods that have a rate
    rail: str | None = None  # of the partner that gave the quote
    card: Drawn | None = None  # of a payment by card
    issued: IssuedCharge | None = None  # of an order by a connection: what its bank has made
    is_taken: bool = False  # an open or paid order has the code; not looked for by what is cached, or collected
    good_until: datetime | None = None  # end of cached parts without a version; None: all have one, or were just read
    final: Money | None = None  # the amount that the bank was asked for

    @property
    def bank(self) -> str | None:
        """The rail of the connection at whose bank the key is; None: it is our own institution's, or there is none."""
        return None if self.key is None or self.key.rail == PIX else self.key.rail


@dataclass
class Destinations:
    """A cache of orders' destinations in this process. A Write relies on the versions, so a stale entry costs time only.

    down: partners that are away and the time of that read, without a version. numbers: for methods that a partner collects.
    cards: by company and token; their rows never change.
    """

    known: OrderedDict[Where, CreateOrderContext] = field(default_factory=OrderedDict)
    down: tuple[tuple[str, ...], datetime] | None = None
    numbers: Numbers = field(default_factory=Numbers)
    cards: OrderedDict[tuple[UUID, str], StoredCard] = field(default_factory=OrderedDict)

    def collected(self, where: Where) -> CreateOrderContext | None:
        """Returns the cached destination of a collected order, with its number. None: something has to be read."""
        known = self.known.get(where)
        found = None if known is None else self.numbers.next()
        if known is None or found is None:
            return None
        setup, (number, good_until) = known.setup, found
        if setup.route is None or setup.route.fallback is None:
            return replace(known, number=number, good_until=good_until)  # no fallback: `down` does not matter
        if self.down is None:
            return None
        setup, good_until = replace(setup, down=self.down[0]), min(good_until, self.down[1] + _DOWN_GOOD_FOR)
        return replace(known, setup=setup, number=number, good_until=good_until)

    async def find(self, session: Session, where: Where) -> CreateOrderContext:
        """Reads where an order goes, and remembers it."""
        company_id, method, account_id, key, rail = where
        known = CreateOrderContext(*await store.destination(session, company_id, account_id, key, method, rail))
        self.learn(where, known)
        return known

    def learn(self, where: Where, known: CreateOrderContext) -> None:
        """Remembers a destination; drops the oldest one when there are too many."""
        _, _, account_id, key, _ = where
        if (account_id, key) == (None, None) and known.setup.default_account_id is None:
            return  # "the first active account" has no version: a result that rests on it is not cached
        self.known[where] = known
        if len(self.known) > _REMEMBERED:
            self.known.popitem(last=False)

    def learn_card(self, company_id: UUID, kept: StoredCard) -> None:
        """Remembers a card by its company and token, as `learn` does."""
        self.cards[company_id, kept.name] = kept
        if len(self.cards) > _REMEMBERED:
            self.cards.popitem(last=False)
