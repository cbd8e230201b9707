"""Chargebacks while others write of the same order: between what is read, and between reading and writing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from tests.cast import PLACE

from lastro import orders
from lastro.core.db import Session
from lastro.core.errors import NotYet, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext
from lastro.orders.cards.chargeback import ChargebackContext
from lastro.rails import port
from lastro.rails.port import CardChargeback

from .cards import Acquirer, captured, make, money, paid, reference, result, stands
from .shop import Shop

Meanwhile = Callable[[], Awaitable[object]]


class Halfway:
    """A session in which something happens behind its first statement."""

    def __init__(self, session: Session, meanwhile: Meanwhile) -> None:
        self._session = session
        self._meanwhile: Meanwhile | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._session, name)

        async def ask(*arguments: Any) -> Any:
            said = await asked(*arguments)
            meanwhile, self._meanwhile = self._meanwhile, None
            if meanwhile is not None:
                await meanwhile()
            return said

        return ask


@dataclass(frozen=True)
class Overtaken(orders.ChargedBack):
    """A chargeback that has read when something happens; or, `halfway`, that has read its first statement."""

    meanwhile: Meanwhile = field(kw_only=True)
    halfway: bool = field(default=False, kw_only=True)

    async def read(self, session: Session, context: RequestContext) -> ChargebackContext | None:
        return await super().read(Halfway(session, self.meanwhile) if self.halfway else session, context)  # type: ignore[arg-type]

    async def call_out(self, known: ChargebackContext | None, context: RequestContext) -> ChargebackContext | Refused | None:
        if not self.halfway:
            await self.meanwhile()
        return known


async def taken(shop: Shop, made: dict[str, Any], cents: int, meanwhile: Meanwhile, *, halfway: bool = False) -> str:
    """The acquirer tells of a chargeback; what its message was settled with."""
    about = await reference(shop, made)
    news = CardChargeback(f"{made['id']}:B1", f"{made['id']}:P1", about, Money(cents, "MXN"), datetime.now(UTC), "10.4")
    row = await shop.kept(port.CARD_CHARGEBACK, news, about, port.CARD)
    verb = Overtaken(news, row.claimed, PLACE, meanwhile=meanwhile, halfway=halfway)
    assert isinstance(await shop.cast.runner.act(shop.ana.company_id, verb), Done)
    return str((await shop.column("SELECT outcome FROM inbox WHERE id = $1", row.claimed.row_id))[0])


async def test_a_refund_that_is_asked_for_while_a_chargeback_is_decided_is_seen(shop: Shop) -> None:
    """It does not move the order: together they would give back more than was charged. The account has enough for both."""
    await paid(shop, Acquirer())
    made = await paid(shop, Acquirer(), externalId="card-2")
    wish = orders.RefundWish(UUID(made["id"]), "back-1", Money(6000, "MXN"), "MD06")
    answers: list[Done | Refused] = []

    async def refund() -> None:
        if not answers:
            answers.append(await shop.cast.runner.act(shop.ana.company_id, orders.GiveBack(wish, PLACE)))

    with pytest.raises(NotYet):
        await taken(shop, made, 12345, refund)
    assert isinstance(answers[0], Done)
    assert await stands(shop, made) == ("PAID", "CAPTURED")
    assert await shop.column("SELECT count(*) FROM chargebacks") == [0]


@pytest.mark.parametrize("before", [0, 1000])
async def test_a_chargeback_beside_no_new_refund_is_booked(shop: Shop, before: int) -> None:
    made = await paid(shop, Acquirer())
    if before:
        wish = orders.RefundWish(UUID(made["id"]), "back-1", Money(before, "MXN"), "MD06")
        assert isinstance(await shop.cast.runner.act(shop.ana.company_id, orders.GiveBack(wish, PLACE)), Done)

    async def nothing() -> None:
        pass

    assert await taken(shop, made, 6000, nothing) == "handled"
    assert await stands(shop, made) == ("PARTIAL_REFUNDED", "CAPTURED")


async def test_a_charge_that_is_booked_while_its_chargeback_is_read_is_seen(shop: Shop) -> None:
    """The order is read before the charge: the other way round neither would be seen, and the chargeback left to people."""
    made = await make(shop, Acquirer())
    await result(shop, made, "Y")

    async def charge() -> None:
        assert await captured(shop, made) == "handled"

    try:
        said = await taken(shop, made, 12345, charge, halfway=True)
    except NotYet:
        said = "waits"
    assert said in {"handled", "waits"}
    assert (await stands(shop, made))[0] == ("REFUNDED" if said == "handled" else "PAID")
    assert await money(shop) >= 0
