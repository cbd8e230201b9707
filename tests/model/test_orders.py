"""Orders and refunds against their model: any acts in any order, two at once, and the laws at the end."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.databases import Database
from tests.model.machine import Step, Walk, follow, pick, rule, walk
from tests.model.orders import (
    FEE,
    PATH,
    REFUNDS,
    Arrives,
    Cancel,
    Create,
    Ends,
    GiveBack,
    Later,
    List,
    Orders,
    ReturnEnds,
)
from tests.model.stage import Stage

WHICH = st.integers(0, 3)  # counted from the newest
CODES = st.sampled_from(("a", "b", "c", "d", "e", "f"))
KEYS = st.sampled_from((None, None, "k1", "k2"))
CENTS = st.sampled_from((1000, 1000, 700, None))
BACK = st.sampled_from((400, 600, 975, 1000))
# No sum of these is a little less than a term or the minute after it, so that a slow machine changes nothing; 1900 and 1703
# together lie between the two.
STEPS = st.sampled_from((1703, 1900, 3700, 91 * 86_400))
STATUSES = ("INITIAL", "PAID", "EXPIRED", "CANCELED", "PARTIAL_REFUNDED", "REFUNDED")


class OrderWalk(Walk[Orders]):
    async def begin(self) -> Orders:
        ana = await self.stage.begin()
        await self.stage.cast.set_fees(ana.company_id, FEE)
        return Orders()

    async def seen(self) -> dict[str, Any]:
        stage = self.stage
        money = (await stage.ask("GET", f"/order/v2/account/balance?accountId={stage.ana.account_id}")).json
        orders = (await stage.ask("GET", f"{PATH}?limit=100")).json["data"]
        refunds = (await stage.ask("GET", f"{REFUNDS}?limit=100")).json["data"]
        events = await stage.events()
        return {
            "money": (cents(money["available"]), cents(money["held"])),
            "newest first": tuple(stage.names[o["id"]] for o in orders),
            **{stage.names[o["id"]]: (o["status"], events.get(o["id"], ())) for o in orders},
            **{stage.names[r["id"]]: (r["status"], cents(r["amount"])) for r in refunds},
        }

    def order(self, which: int) -> str:
        return pick(list(self.model.orders), which)

    @rule(often=3, code=CODES, amount=CENTS, key=KEYS)
    async def create(self, code: str, amount: int | None, key: str | None) -> None:
        await self.do(Create(self.name("order"), code, amount, key))

    @rule(code=CODES, other=CODES, key=KEYS, also=KEYS)
    async def create_twice(self, code: str, other: str, key: str | None, also: str | None) -> None:
        await self.do(Create(self.name("order"), code, 1000, key), Create(self.name("order"), other, 1000, also))

    @rule(which=WHICH)
    async def cancel(self, which: int) -> None:
        await self.do(Cancel(self.order(which)))

    @rule(often=2, which=WHICH, amount=st.sampled_from((0, 0, 0, 1)), asked=st.booleans())
    async def pay(self, which: int, amount: int, asked: bool) -> None:
        if self.model.orders:
            await self.do(self.paying(which, amount, asked=asked))

    @rule(which=WHICH, asked=st.booleans(), also=st.booleans())
    async def pay_twice(self, which: int, asked: bool, also: bool) -> None:
        if self.model.orders:
            await self.do(self.paying(which, 0, asked=asked), self.paying(which, 0, asked=also))

    @rule(which=WHICH, asked=st.booleans())
    async def pay_while_canceled(self, which: int, asked: bool) -> None:
        if self.model.orders:
            await self.do(self.paying(which, 0, asked=asked), Cancel(self.order(which)))

    @rule(often=2, which=WHICH, settled=st.sampled_from((True, True, False)))
    async def payment_ends(self, which: int, settled: bool) -> None:
        if self.model.payments:
            await self.do(Ends(pick(list(self.model.payments), which), settled))

    @rule(often=2, which=WHICH, code=CODES, amount=BACK, key=KEYS)
    async def give_back(self, which: int, code: str, amount: int, key: str | None) -> None:
        await self.do(self.giving(which, code, amount, key))

    @rule(which=WHICH, code=CODES, other=CODES, amount=BACK)
    async def give_back_twice(self, which: int, code: str, other: str, amount: int) -> None:
        await self.do(self.giving(which, code, amount, None), self.giving(which, other, amount, None))

    @rule(which=WHICH, settled=st.sampled_from((True, True, False)))
    async def return_ends(self, which: int, settled: bool) -> None:
        if self.model.refunds:
            await self.do(ReturnEnds(pick(list(self.model.refunds), which), settled))

    @rule(status=st.sampled_from(STATUSES))
    async def list_some(self, status: str) -> None:
        await self.do(List(status))

    @rule(often=3, seconds=STEPS)
    async def later(self, seconds: int) -> None:
        await self.do(Later(seconds))

    def paying(self, which: int, amount: int, *, asked: bool) -> Arrives:
        order = self.order(which)
        return Arrives(self.name("payment"), order, (self.model.orders[order].cents or 900) + amount, asked)

    def giving(self, which: int, code: str, amount: int, key: str | None) -> GiveBack:
        paid = [name for name, o in self.model.orders.items() if o.paid]
        return GiveBack(self.name("refund"), pick(paid or list(self.model.orders), which), code, amount, key)


def cents(amount: dict[str, str]) -> int:
    return int(amount["value"].replace(".", ""))


@pytest.fixture
def stage(own_database: Database) -> Iterator[Stage]:
    made = Stage.open(own_database, ("expiry",))
    yield made
    made.close()


def test_orders(stage: Stage) -> None:
    walk(OrderWalk, stage, examples=3, steps=36)


_RESERVED: tuple[Step, ...] = (
    ("create", {"code": "a", "amount": 1000, "key": None}), ("pay", {"which": 0, "amount": 0, "asked": True}),
    ("later", {"seconds": 3700}),
)  # fmt: skip


@pytest.mark.parametrize("settled", [True, False])
def test_an_order_whose_payment_is_under_way_outlives_its_term(stage: Stage, *, settled: bool) -> None:
    """Until it is known what became of that: it is paid late, or nobody may pay it any more."""
    end: Step = ("payment_ends", {"which": 0, "settled": settled})
    (order,) = follow(OrderWalk, stage, *_RESERVED, end, ("later", {"seconds": 1703})).orders.values()
    assert order.status == ("PAID" if settled else "EXPIRED")
