"""Payouts against their model: any acts in any order, two at once, and the laws at the end."""

from collections.abc import Iterator
from datetime import time, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.databases import Database
from tests.model.machine import Step, Walk, follow, pick, rule, walk
from tests.model.payouts import (
    DAY,
    FEE,
    KEY,
    PATH,
    REVIEWED_ABOVE,
    SEVEN,
    WAYS,
    Cancel,
    ComesBack,
    Create,
    Decide,
    Ends,
    Later,
    List,
    Payouts,
    Works,
)
from tests.model.stage import Stage
from tests.rooms.payouts.office import entry_of

from lastro.companies import RefuseDuplicates, ReviewAbove
from lastro.core.money import Money
from lastro.standards.calendar import brasilia_day, instant

START = 20_000
WHICH = st.integers(0, 3)  # counted from the newest
CODES = st.sampled_from([f"p{n}" for n in range(12)])
KEYS = st.sampled_from([f"k{n}" for n in range(12)])
CENTS = st.sampled_from((1000, 1000, 2500, 6000, 15_000))
BACK = st.sampled_from((400, 600, 1000, 2500))
# A walk has fewer steps than would bring these sums near an evening, or near ten minutes.
STEPS = st.sampled_from((660, 86_400 + 660))
STATUSES = ("PENDING", "ANALYSIS", "PAID", "ERROR", "CANCELED", "PARTIAL_REFUNDED", "REFUNDED")


class PayoutWalk(Walk[Payouts]):
    async def begin(self) -> Payouts:
        stage = self.stage
        await stage.rest()
        stage.is_sending = True
        stage.network.entries = {KEY: entry_of(KEY)}
        now = await stage.now()
        await stage.advance(instant(brasilia_day(now) + timedelta(days=1), time(12)) - now)
        ana = await stage.begin()
        await stage.cast.set_fees(ana.company_id, FEE, direction="OUT")
        await stage.cast.act(ana.company_id, ReviewAbove(Money(REVIEWED_ABOVE, "BRL")))
        await stage.cast.act(ana.company_id, RefuseDuplicates(refuses=True))
        await stage.cast.credit(ana, START)
        return Payouts(START)

    async def seen(self) -> dict[str, Any]:
        stage = self.stage
        money = (await stage.ask("GET", f"/order/v2/account/balance?accountId={stage.ana.account_id}")).json
        payouts = (await stage.ask("GET", f"{PATH}?limit=100")).json["data"]
        returned = dict(
            await stage.look("SELECT id::text, returned_minor FROM payouts WHERE company_id = $1", stage.ana.company_id)
        )
        events = await stage.events()
        return {
            "money": (cents(money["available"]), cents(money["held"])),
            "newest first": tuple(stage.names[p["id"]] for p in payouts),
            **{stage.names[p["id"]]: (p["status"], returned[p["id"]], events.get(p["id"], ())) for p in payouts},
        }

    @rule(often=4, code=CODES, way=st.sampled_from(list(WAYS)), amount=CENTS, key=KEYS, meant=st.booleans())
    async def create(self, code: str, way: str, amount: int, key: str, meant: bool) -> None:
        await self.do(Create(self.name("payout"), code, way, amount, key, is_meant=meant))

    @rule(code=CODES, other=CODES, amount=CENTS, key=KEYS, also=KEYS, meant=st.booleans())
    async def create_twice(self, code: str, other: str, amount: int, key: str, also: str, meant: bool) -> None:
        await self.do(
            Create(self.name("payout"), code, "key", amount, key, is_meant=meant),
            Create(self.name("payout"), other, "key", amount, also, is_meant=meant),
        )

    @rule(code=CODES, amount=CENTS, key=KEYS)
    async def schedule(self, code: str, amount: int, key: str) -> None:
        if not any(p.begins is not None for p in self.model.payouts.values()):  # whose day it is first, nobody knows
            await self.do(Create(self.name("payout"), code, "account", amount, key, 1, is_meant=True))

    @rule(often=2, which=WHICH)
    async def cancel(self, which: int) -> None:
        await self.do(Cancel(self.payout(which, "PENDING")))

    @rule(which=WHICH, good=st.booleans())
    async def decide(self, which: int, good: bool) -> None:
        await self.do(Decide(self.payout(which, "ANALYSIS"), good))

    @rule(which=WHICH, good=st.booleans())
    async def decide_while_canceled(self, which: int, good: bool) -> None:
        name = self.payout(which, "ANALYSIS")
        await self.do(Decide(name, good), Cancel(name))

    @rule(which=WHICH)
    async def send_while_canceled(self, which: int) -> None:
        await self.do(Works(True), Cancel(self.payout(which, "PENDING")))

    @rule(often=2, which=WHICH, settled=st.sampled_from((True, True, False)))
    async def payout_ends(self, which: int, settled: bool) -> None:
        if sent := [name for name, p in self.model.payouts.items() if p.is_sent]:
            await self.do(Ends(pick(sent, which), settled))

    @rule(which=WHICH, settled=st.booleans())
    async def ends_twice(self, which: int, settled: bool) -> None:
        if sent := [name for name, p in self.model.payouts.items() if p.is_sent]:
            await self.do(Ends(pick(sent, which), settled), Ends(pick(sent, which), settled))

    @rule(which=WHICH, amount=BACK)
    async def comes_back(self, which: int, amount: int) -> None:
        if ended := [name for name, p in self.model.payouts.items() if p.is_sent and p.status != "PENDING"]:
            await self.do(ComesBack(pick(ended, which), amount))

    @rule(which=WHICH, amount=BACK, code=CODES, key=KEYS)
    async def comes_back_while_created(self, which: int, amount: int, code: str, key: str) -> None:
        if ended := [name for name, p in self.model.payouts.items() if p.is_sent and p.status != "PENDING"]:
            await self.do(ComesBack(pick(ended, which), amount), Create(self.name("payout"), code, "key", 15_000, key))

    @rule(status=st.sampled_from(STATUSES))
    async def list_some(self, status: str) -> None:
        await self.do(List(status))

    @rule(works=st.booleans())
    async def work(self, works: bool) -> None:
        await self.do(Works(works))

    @rule(seconds=STEPS)
    async def later(self, seconds: int) -> None:
        if self.model.works:  # what is not sent for a day is another story: tests/rooms/payouts/test_never.py
            since_noon = self.model.now % DAY
            await self.do(Later(seconds if since_noon < SEVEN else DAY - since_noon + seconds % DAY))

    @rule()
    async def evening(self) -> None:
        """At 19:00 of this day; what comes later is the next noon."""
        since_noon = self.model.now % DAY
        if self.model.works and since_noon < SEVEN:
            await self.do(Later(SEVEN - since_noon))

    def payout(self, which: int, status: str | None = None) -> str:
        names = [name for name, p in self.model.payouts.items() if p.status == status]
        return pick(names or list(self.model.payouts), which)


def cents(amount: dict[str, str]) -> int:
    return int(amount["value"].replace(".", ""))


@pytest.fixture
def stage(own_database: Database) -> Iterator[Stage]:
    made = Stage.open(own_database, ("scheduled",))
    yield made
    made.close()


def test_payouts(stage: Stage) -> None:
    walk(PayoutWalk, stage, examples=3, steps=36)


def test_the_same_payout_is_a_duplicate_for_ten_minutes(stage: Stage) -> None:
    same = {"way": "key", "amount": 1000, "meant": False}
    end = follow(
        PayoutWalk, stage, ("create", {**same, "code": "p1", "key": "k1"}), ("later", {"seconds": 540}),
        ("create", {**same, "code": "p2", "key": "k2"}), ("later", {"seconds": 120}),
        ("create", {**same, "code": "p3", "key": "k3"}),
    )  # fmt: skip
    assert len(end.payouts) == 2


@pytest.mark.parametrize(("comes", "ends"), [(True, "ANALYSIS"), (False, "ERROR")], ids=["money comes", "none comes"])
def test_a_scheduled_payout_that_was_short_is_tried_in_the_evening(stage: Stage, comes: bool, ends: str) -> None:
    asked: list[Step] = [
        ("create", {"way": "key", "amount": 15_000, "meant": False, "code": "p1", "key": "k1"}),
        ("schedule", {"code": "p2", "amount": 6000, "key": "k2"}), ("later", {"seconds": 86_400 + 660}),
        *([("decide", {"which": 0, "good": False})] if comes else []), ("evening", {}), ("later", {"seconds": 660}),
    ]  # fmt: skip
    short = list(follow(PayoutWalk, stage, *asked).payouts.values())[1]
    assert short.status == ends
    assert short.events[0] == "ORDER-PAYOUT.RETRY_SCHEDULED"
