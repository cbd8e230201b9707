"""Subscriptions and their charges against their model: any acts in any order, two at once, and the laws at the end."""

from collections.abc import Iterator
from datetime import time, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.databases import Database
from tests.model.machine import Step, Walk, follow, pick, rule, walk
from tests.model.payers import Authorizes, Bank, Collects, Decides, Declines, Drops, PayerCancels, PaysFirst
from tests.model.stage import Stage
from tests.model.subscriptions import (
    FAILED,
    FOR_GOOD,
    J2,
    J3,
    KILLING,
    MAY_PASS,
    PATH,
    CallOff,
    Cancel,
    Charge,
    Create,
    Later,
    Subscriptions,
)

from lastro.rails import port
from lastro.standards.calendar import brasilia_day, instant

WHICH = st.integers(0, 2)  # counted from the newest
OUTCOMES = st.sampled_from(("CONFIRMED", "REFUSED", "FAILED"))
CODES = st.sampled_from((None, None, None, None, FOR_GOOD, MAY_PASS, FAILED, KILLING))


class SubscriptionWalk(Walk[Subscriptions]):
    async def begin(self) -> Subscriptions:
        stage = self.stage
        now = await stage.now()
        await stage.advance(instant(brasilia_day(now) + timedelta(days=1), time(12)) - now)
        await stage.begin()
        return Subscriptions()

    async def seen(self) -> dict[str, Any]:
        stage, company = self.stage, self.stage.ana.company_id
        money = (await stage.ask("GET", f"/order/v2/account/balance?accountId={stage.ana.account_id}")).json
        subscriptions = (await stage.ask("GET", f"{PATH}?limit=100")).json["data"]
        asked = await stage.look(
            "SELECT subscription_id::text AS id, array_agg(status ORDER BY created_at) AS those FROM subscription_cancellations"
            " WHERE company_id = $1 GROUP BY 1", company,
        )  # fmt: skip
        cancellations = {row["id"]: tuple(row["those"]) for row in asked}
        payments = await stage.look(
            "SELECT id::text, status, ARRAY(SELECT a.status FROM payment_attempts a WHERE a.company_id = p.company_id"
            " AND a.payment_id = p.id ORDER BY a.number) AS tries FROM subscription_payments p WHERE company_id = $1", company,
        )  # fmt: skip
        events = await stage.events()
        return {
            "available": int(money["available"]["value"].replace(".", "")),
            **{
                stage.names[s["id"]]: (s["status"], cancellations.get(s["id"], ()), events.get(s["id"], ()))
                for s in subscriptions
            },
            **{
                stage.names[p["id"]]: (p["status"], tuple(p["tries"]), tuple(sorted(events.get(p["id"], ()))))
                for p in payments
            },
        }

    @rule(often=2, journey=st.sampled_from((J2, J2, J3)))
    async def create(self, journey: str) -> None:
        await self.do(Create(self.name("subscription"), journey))

    @rule(often=3, which=WHICH)
    async def agree(self, which: int) -> None:
        if name := self.waiting(which):
            await self.do(self.agreeing(name))

    @rule(which=WHICH)
    async def agree_twice(self, which: int) -> None:
        if name := self.waiting(which):
            await self.do(self.agreeing(name), self.agreeing(name))

    @rule(which=WHICH)
    async def agree_while_canceled(self, which: int) -> None:
        name = self.waiting(which)
        if name and self.model.subscriptions[name].journey == J2:
            await self.do(Authorizes(name), Cancel(name))

    @rule(which=WHICH)
    async def authorize_any(self, which: int) -> None:
        if name := self.any(which):
            await self.do(Authorizes(name))

    @rule(which=WHICH)
    async def decline(self, which: int) -> None:
        if name := self.any(which):
            await self.do(Declines(name))

    @rule(which=WHICH)
    async def cancel(self, which: int) -> None:
        await self.do(Cancel(self.any(which) or "nothing"))

    @rule(which=WHICH)
    async def payer_cancels(self, which: int) -> None:
        if name := self.any(which):
            await self.do(PayerCancels(name))

    @rule(which=WHICH, outcome=OUTCOMES)
    async def decide(self, which: int, outcome: str) -> None:
        asked = [name for name, s in self.model.subscriptions.items() if "PENDING" in s.cancellations]
        if asked:
            await self.do(Decides(pick(asked, which), outcome))

    @rule(often=3, which=WHICH, days=st.integers(2, 20))
    async def charge(self, which: int, days: int) -> None:
        await self.do(Charge(self.name("payment"), self.live(which), days))

    @rule(which=WHICH, days=st.integers(3, 20), more=st.integers(0, 8))
    async def charge_twice(self, which: int, days: int, more: int) -> None:
        of = self.live(which)
        await self.do(Charge(self.name("payment"), of, days), Charge(self.name("payment"), of, days + more))

    @rule(which=WHICH, days=st.integers(3, 20))
    async def charge_while_canceled(self, which: int, days: int) -> None:
        of = self.live(which)
        if of != "nothing":
            await self.do(Charge(self.name("payment"), of, days), PayerCancels(of))

    @rule(often=4, which=WHICH, code=CODES)
    async def bank_says(self, which: int, code: str | None) -> None:
        if told := await self.told():
            await self.do(Bank(pick(told, which), code))

    @rule(often=2, which=WHICH)
    async def collect(self, which: int) -> None:
        if due := await self.collectable():
            await self.do(Collects(pick(due, which)))

    @rule(often=2, which=WHICH)
    async def collect_while_canceled(self, which: int) -> None:
        if due := await self.collectable():
            name = pick(due, which)
            await self.do(Collects(name), Cancel(self.model.payments[name].of))

    @rule(which=WHICH)
    async def call_off(self, which: int) -> None:
        if payments := list(self.model.payments):
            name = pick(payments, which)
            await self.do(CallOff(name, self.model.payments[name].of, name in await self.told()))

    @rule(which=WHICH, outcome=OUTCOMES)
    async def drop(self, which: int, outcome: str) -> None:
        if asked := [name for name, p in self.model.payments.items() if p.is_called_off]:
            await self.do(Drops(pick(asked, which), outcome))

    @rule(often=4, days=st.sampled_from((1, 1, 1, 2, 4)))
    async def later(self, days: int) -> None:
        await self.do(Later(days))

    def any(self, which: int) -> str | None:
        names = list(self.model.subscriptions)
        return pick(names, which) if names else None

    def waiting(self, which: int) -> str | None:
        """One that may still be agreed to, or another one where there is none."""
        names = [name for name, s in self.model.subscriptions.items() if s.status == "PENDING_AUTHORIZATION"]
        return pick(names, which) if names else None

    def live(self, which: int) -> str:
        names = [name for name, s in self.model.subscriptions.items() if s.status == "ACCEPTED"]
        return pick(names or list(self.model.subscriptions), which)

    def agreeing(self, name: str) -> Authorizes | PaysFirst:
        return Authorizes(name) if self.model.subscriptions[name].journey == J2 else PaysFirst(name)

    async def told(self) -> list[str]:
        """The payments of whose newest attempt the payer's bank has been told."""
        sent = {order.message_id for order in self.stage.network.of(port.CHARGE_SEND, port.charge_instruction)}
        rows = await self.stage.look(
            "SELECT DISTINCT ON (payment_id) payment_id::text AS id, message_id FROM payment_attempts WHERE company_id = $1"
            " ORDER BY payment_id, number DESC", self.stage.ana.company_id,
        )  # fmt: skip
        told = {self.stage.names[row["id"]] for row in rows if row["message_id"] in sent}
        return [name for name in self.model.payments if name in told]

    async def collectable(self) -> list[str]:
        """Those of them that the bank has and whose day it is."""
        found = []
        for name in await self.told():
            attempt = self.model.payments[name].open_attempt
            if attempt is not None and attempt.status == "SCHEDULED" and attempt.day == self.model.today:
                found.append(name)
        return found


@pytest.fixture
def stage(own_database: Database) -> Iterator[Stage]:
    made = Stage.open(own_database, ("lapse", "payments"))
    yield made
    made.close()


def test_subscriptions(stage: Stage) -> None:
    walk(SubscriptionWalk, stage, examples=3, steps=36)


def test_a_charge_whose_day_has_come_outlives_its_subscription(stage: Stage) -> None:
    """It is being settled, though the payer takes his word back that day; of the next one nothing is left."""
    one: dict[str, Any] = {"which": 0}
    days: tuple[Step, ...] = (("later", {"days": 1}),) * 3
    end = follow(
        SubscriptionWalk, stage, ("create", {"journey": J2}), ("agree", one), ("charge", {**one, "days": 3}),
        ("bank_says", {**one, "code": None}), *days, ("payer_cancels", one), ("collect", one),
    )  # fmt: skip
    assert [payment.status for payment in end.payments.values()] == ["PAID"]
    assert [subscription.status for subscription in end.subscriptions.values()] == ["CANCELED"]
