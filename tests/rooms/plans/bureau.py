"""What one test of plans does: a plan comes in, a worker looks at it, clients decide, a worker makes its payouts."""

import os
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import Cast, Client, Seller
from tests.rooms.payouts.office import FABIO, FORA, KEY, Office

from lastro.core import work_queue
from lastro.core.errors import Problem, Refused
from lastro.core.runner import Reply, Verb
from lastro.plans import LANE, Planner
from lastro.plans.actions.create import MakePlan
from lastro.plans.actions.decide import Apply, Approve, CancelPlan
from lastro.plans.actions.list import Lines, Result
from lastro.plans.actions.read import ReadPlan
from lastro.plans.rules import sheets_of
from lastro.plans.unresponsive_hosts import Silences

TO_FABIO = {
    "bankAccount": {
        "ispb": FORA.ispb, "branchNumber": FORA.branch, "accountNumber": FORA.account, "accountType": FORA.account_type,
    }
}  # fmt: skip
BY_KEY = {"pixKey": KEY}
FABIO_FORM = {"name": FABIO.name, "document": {"type": FABIO.document_type, "number": FABIO.document_number}}


@dataclass
class Bureau:
    """Ana plans, another client of hers approves. office: of her payouts."""

    cast: Cast
    ana: Seller
    office: Office
    approver: Client
    silences: Silences = field(default_factory=Silences)

    @classmethod
    async def open(cls, cast: Cast, ana: Seller) -> "Bureau":
        return cls(cast, ana, await Office.open(cast, ana), await cast.add_client(ana.company_id, "approver"))

    @property
    def planner(self) -> Planner:
        return Planner(self.cast.database, self.cast.runner, self.office.ways, 1000.0, _silences=self.silences)

    def payout(self, value: str = "10.50", **other: Any) -> dict[str, Any]:
        """A body of a create, to Fabio's account unless another way is given."""
        body = {
            "externalId": os.urandom(8).hex(), "accountId": str(self.ana.account_id), "paymentMethod": "PIX",
            "amount": {"currency": "BRL", "value": value}, "description": "Salary", "paymentData": TO_FABIO,
            "receiver": FABIO_FORM,
        }  # fmt: skip
        return {**body, **other}

    def differing(self, count: int) -> list[dict[str, Any]]:
        """So many payouts, none of them like another."""
        return [self.payout(f"{n}.01") for n in range(1, count + 1)]

    async def take(self, payouts: list[Any] | bytes) -> dict[str, Any]:
        """A plan that is taken in. payouts: a list, or a CSV."""
        form, body = ("CSV", payouts) if isinstance(payouts, bytes) else ("JSON", msgspec.json.encode({"payouts": payouts}))
        sheets = sheets_of(form, body)
        assert isinstance(sheets, list), sheets
        return await self.done(MakePlan(form, body, len(sheets)), operation="create_payout_plan", status=202)

    async def an_hour_later(self) -> None:
        """What has been silent until now is so for an hour, and every plan is due."""
        since = self.silences._since
        self.silences._since = OrderedDict((line, at - timedelta(minutes=61)) for line, at in since.items())
        await self.due()

    async def work(self, rounds: int = 500) -> None:
        """A worker looks, until nothing is due."""
        for _ in range(rounds):
            rows = await self.claim()
            if not rows:
                return
            for row in rows:
                await self.planner.row(row)

    async def claim(self) -> list[Any]:
        """Takes plans in hand."""
        return await work_queue.claim(self.cast.database, LANE, self.ana.company_id, self.cast.id(), 5)

    def another_planner(self) -> Planner:
        """Of another worker process."""
        return Planner(self.cast.database, self.cast.another_process(), self.office.ways, 1000.0)

    async def due(self) -> None:
        """Whoever worked has lost its lease, and it is time to look again."""
        await self.office.column(
            "UPDATE payout_plans SET due_at = business_now(), lease_token = NULL, leased_until = NULL"
            " WHERE company_id = tenant() AND due_at IS NOT NULL RETURNING 1"
        )

    async def end_leases(self) -> None:
        """The lease of a worker that died has run out."""
        sql = "UPDATE payout_plans SET leased_until = machine_now() - interval '1 second' WHERE company_id = tenant() RETURNING 1"
        assert await self.office.column(sql)

    async def aged(self, by: timedelta) -> None:
        """Every plan was checked so much earlier."""
        sql = "UPDATE payout_plans SET expires_at = expires_at - $1::interval, due_at = due_at - $1::interval WHERE company_id = tenant() RETURNING 1"
        assert await self.office.column(sql, by)

    async def events(self, plan: dict[str, Any]) -> list[str]:
        return await self.office.events(plan["id"])

    async def checked(self, payouts: list[Any] | bytes) -> dict[str, Any]:
        plan = await self.take(payouts)
        await self.work()
        return await self.read(plan)

    async def approved(self, payouts: list[Any] | bytes) -> dict[str, Any]:
        plan = await self.checked(payouts)
        assert plan["status"] == "READY", await self.lines(plan)
        return await self.approve(plan)

    async def applied(self, payouts: list[Any] | bytes) -> dict[str, Any]:
        plan = await self.approved(payouts)
        await self.apply(plan)
        await self.work()
        return await self.read(plan)

    async def approve(self, plan: dict[str, Any]) -> dict[str, Any]:
        verb = Approve(UUID(plan["id"]), plan["hash"])
        return await self.done(verb, self.approver, operation="approve_payout_plan", status=201)

    async def apply(self, plan: dict[str, Any]) -> dict[str, Any]:
        return await self.done(Apply(UUID(plan["id"])), operation="apply_payout_plan", status=202)

    async def cancel(self, plan: dict[str, Any]) -> dict[str, Any]:
        return await self.done(CancelPlan(UUID(plan["id"])), operation="cancel_payout_plan")

    async def read(self, plan: dict[str, Any]) -> dict[str, Any]:
        return await self.done(ReadPlan(UUID(plan["id"])), permission="payouts:read", key=None)

    async def lines(self, plan: dict[str, Any], status: str | None = None) -> list[dict[str, Any]]:
        verb = Lines(UUID(plan["id"]), status, 0, 5000)
        found: list[dict[str, Any]] = (await self.done(verb, permission="payouts:read", key=None))["data"]
        return found

    async def result(self, plan: dict[str, Any]) -> list[str]:
        reply = await self.call(Result(UUID(plan["id"])), permission="payouts:read", key=None)
        assert isinstance(reply, Reply), reply
        assert reply.media == "text/csv"
        return reply.body.decode().splitlines()

    async def done(self, verb: Verb[Any], client: Client | None = None, **call: Any) -> dict[str, Any]:
        reply = await self.call(verb, client, **call)
        assert isinstance(reply, Reply), reply
        found: dict[str, Any] = msgspec.json.decode(reply.body)
        return found

    async def refused(self, verb: Verb[Any], client: Client | None = None, **call: Any) -> Problem:
        """The one thing that stands in its way."""
        refused = await self.call(verb, client, **call)
        assert isinstance(refused, Refused), refused
        (problem,) = refused.problems
        return problem

    async def call(self, verb: Verb[Any], client: Client | None = None, **call: Any) -> Reply | Refused:
        given = {"permission": "payouts:write", "key": os.urandom(8).hex(), **call}
        return await self.cast.run(client or self.ana.client, verb, request=os.urandom(8), **given)

    async def payouts(self) -> int:
        """How many there are."""
        async with self.cast.database.session(self.ana.company_id) as session:
            found: int = await session.value(
                "SELECT count(*) FROM payouts WHERE company_id = $1 AND batch_id IS NULL", self.ana.company_id
            )
            return found
