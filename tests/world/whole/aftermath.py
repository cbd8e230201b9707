"""What must be true when a storm is over: what was acknowledged is there, nothing is there twice, and everything has its end."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from tests.event_contract import hold
from tests.journeys.play import Answer
from tests.journeys.stage import until
from tests.laws import broken, connected, repaired
from tests.world.whole import keys, outages, promises, recurring
from tests.world.whole.crowd import AWAY, Crowd, Request
from tests.world.whole.ends import EXPLAINED, STATES
from tests.world.whole.matching import matched
from tests.world.whole.town import PROCESSES
from tests.world.whole.weather import deaths, filled, later, settled

from lastro.core.due_work import both
from lastro.due_work import DUE_WORK
from lastro_sandbox.clock import NEXT, PENDING
from lastro_sim.merchant.receiver import MOST_KEPT

if TYPE_CHECKING:
    from uuid import UUID

# How far the clock goes each time nothing is left to do: further and further, so that what waits for years is waited for too.
_STEPS = (
    timedelta(minutes=20), timedelta(hours=2), timedelta(hours=13), timedelta(hours=11), timedelta(days=2),
    timedelta(days=4), timedelta(days=8),
)  # fmt: skip
_MOST_STEPS = 40
# A charge is sent some days before its own, tried again some days behind it, and asked for a month ahead at most.
_A_STEP_TO_CHARGES, _STEPS_TO_CHARGES = timedelta(days=2), 18
_DEATHS_BESIDE_CHARGES = 2
_TO_BE_CHARGED = "SELECT count(*) FROM subscription_payments WHERE status NOT IN ('PAID', 'CANCELED', 'EXPIRED', 'ERROR')"
_COMPARED_AT = 4  # steps: a day and more after the storm, by when partners have settled
# Longer than a worker's longest pause after failures (60 s) and, behind that, the lease of one that died (30 s).
_PATIENCE_SECONDS = 120.0
_TAKEN = """
SELECT bool_or(day = (business_now() AT TIME ZONE 'America/Sao_Paulo')::date - 1) AND bool_and(state = 'TAKEN') FROM statements
"""
# A worker looks once a minute whether a day is over: until then no statement of it is due.
_TO_BEGIN = """
SELECT count(*) FROM (SELECT max(day) AS last FROM statements GROUP BY rail) s
 WHERE last < (business_now() AT TIME ZONE 'America/Sao_Paulo')::date - 1
"""
_DUE = "SELECT to_jsonb(w)::text FROM {} w WHERE {} LIMIT 1"


class Restless(Exception):  # noqa: N818 it is what the world is
    """Something is due and nobody does it."""


class Aftermath:
    """Of one storm. broken: what does not hold. ends: how many rows of each table ended how. faults: that befell it, too.

    explained: where else than at its end an object may be at rest.
    """

    explained: ClassVar[Mapping[tuple[str, str], str]] = EXPLAINED

    def __init__(self, crowd: Crowd) -> None:
        self.crowd, self.play = crowd, crowd.play
        self.broken: list[str] = []
        self.ends: Counter[str] = Counter()
        self.faults: list[str] = []

    # ── to rest ──

    async def rest(self) -> None:
        """No faults any more, everybody is up, whoever waits for an answer has it, and the clock goes on until nothing is due."""
        await self.crowd.part()
        self.crowd.town.renew()
        await asyncio.gather(*(self._up(name) for name in PROCESSES))
        await settled(self.crowd)
        self.play.books.terminate()
        self.play.books = await connected(self.play.stage.dsn("lastro_audit"))
        await self.crowd.act("/faults", method="DELETE")
        await self._quiet()
        await self._answered()
        await self._said_again()
        await self._settled_by_people()
        await self._charged()
        await self._unsubscribed()
        await self._paid_meanwhile()
        is_compared = False
        for step in range(_MOST_STEPS):
            await self._quiet()
            is_over = await self._next() is None
            if not is_compared and (is_over or step == _COMPARED_AT):
                await self._compared()
                is_compared = True
                continue
            if is_over:
                return
            await filled(self.crowd)
            await later(self.crowd, _STEPS[min(step, len(_STEPS) - 1)])
        self.broken.append(f"after {_MOST_STEPS} steps of time there is still something to do")

    async def _up(self, name: str) -> None:
        stage = self.play.stage
        if stage.is_running(name):
            return
        await stage.start(name)

    async def _answered(self) -> None:
        """Requests whose outcome nobody knows are asked again under their keys until it is known."""
        waiting, self.crowd.unanswered = self.crowd.unanswered, []
        for request in waiting:
            answer = await self.crowd.insist(request)
            if answer is None:
                self.broken.append(f"{request.method} {request.target} is not answered in peace")
            self.crowd.heard(request, answer)

    async def _settled_by_people(self) -> None:
        """Of the money that could not be given back people decide about some; the rest waits on."""
        chance = self.crowd.chance
        for one in await self.crowd.operator("unmatched", "list") or ():
            if chance.random() < 0.5:
                await self.crowd.operator(
                    "unmatched", chance.choice(("credit", "pay-out")), one["id"], "--reason", "a storm"
                )

    async def _charged(self) -> None:
        """The days of what is to be charged come, while processes die. What is made anew each week ends with its payer's word."""
        chance = self.crowd.chance
        falling = deaths(chance, _DEATHS_BESIDE_CHARGES)
        steps = chance.sample(range(_STEPS_TO_CHARGES // 2), len(falling))
        for step in range(_STEPS_TO_CHARGES):
            if not await self.play.books.fetchval(_TO_BE_CHARGED):
                return
            await filled(self.crowd)
            await later(self.crowd, _A_STEP_TO_CHARGES)
            if step in steps:
                fault = falling[steps.index(step)]
                self.faults.append(f"beside charges: {fault.name}")
                await fault.happen(self.crowd)
            await self._quiet()

    async def _unsubscribed(self) -> None:
        """Subscriptions end, so that something is at its end some day."""
        await recurring.ends_all(self.crowd)

    async def _paid_meanwhile(self) -> None:
        """Slips, whose terms are longer than a week."""
        chance = self.crowd.chance
        if chance.random() < 0.5:
            self.faults.append("beside slips: outage")
            await outages.paid_meanwhile(self.crowd, random.Random(chance.random()), [outages.SLIP] * 2, None)

    async def _quiet(self) -> None:
        """Nothing is due, here or in the network, whose clock is ours."""

        seen = ""

        async def look() -> bool:
            nonlocal seen
            with suppress(*AWAY):
                now = await self.play.books.fetchval("SELECT business_now()")
                theirs = await self.play.ask("GET", f"{self.play.stage.simulator_url}/clock")
                busy = [await self._counted(sql) for sql in (PENDING, _TO_BEGIN)]
                seen = f"{busy} are due at {now}, the network says {theirs.body!r}"
                if theirs.status != 200 or abs(datetime.fromisoformat(theirs.json["now"]) - now) > timedelta(seconds=2):
                    return False
                return bool(theirs.json["quiet"]) and not any(busy)
            return False

        try:
            await until(look, "rest", _PATIENCE_SECONDS)
        except AssertionError:
            raise Restless(f"after {_PATIENCE_SECONDS:.0f} s {seen}: {await self._due()}") from None

    async def _due(self) -> list[str]:
        """A row of each kind of work that is due, by the work's name."""
        rows = [
            (work.name, await self.play.books.fetchval(_DUE.format(work.table, both(work.may_begin(), work.ready))))
            for work in DUE_WORK
        ]
        return [f"{name}: {row}" for name, row in rows if row is not None]

    async def _compared(self) -> None:
        """A day is over: every network and partner says of each day since the storm what it did, and a worker compares it."""

        async def stepped() -> bool:
            # The coordinator of a cluster may meet here that a node has died. Two days are as good as one.
            url = f"{self.play.stage.base_url}/sandbox/clock"
            answer = await self.play.ask("PUT", url, {"advance": "P1D"})
            assert answer.status in (200, 503), answer.body
            return answer.status == 200

        await until(stepped, "the next day")
        await self.play.rest()

        async def taken() -> bool:
            if await self.play.books.fetchval(_TAKEN):
                return True
            if not await self._counted(PENDING):  # a partner was away: it is asked again later
                await later(self.crowd, timedelta(minutes=10))
            return False

        await until(taken, "the statements", _PATIENCE_SECONDS)
        self.crowd.done["statement lines"] += await self.play.books.fetchval("SELECT sum(lines) FROM statements")

    async def _next(self) -> datetime | None:
        """When something falls due, here or in the network."""
        now = await self.play.books.fetchval("SELECT business_now()")
        theirs = (await self.play.ask("GET", f"{self.play.stage.simulator_url}/clock")).json["nextDue"]
        known = [row[0] for row in await self.play.books.fetch(NEXT, now)]
        known += [None if theirs is None else datetime.fromisoformat(theirs)]
        return min((one for one in known if one is not None), default=None)

    async def _counted(self, sql: str) -> int:
        """A count of all companies, wherever they are."""
        return sum(row[0] for row in await self.play.books.fetch(sql))

    # ── what holds ──

    async def look(self) -> None:
        """Everything is looked at, so that a storm says all that it has broken."""
        for law in (self._promises, self._states, self._money, self._keys, self._feed, self._deliveries, self._laws):
            try:
                await law()
            except Exception as error:  # noqa: BLE001 the others are looked at all the same
                self.broken.append(f"{law.__name__}: {type(error).__name__}: {error}"[:3000])

    async def _said_again(self) -> None:
        """A request that was acknowledged is answered by the same bytes when it is sent again under its key."""
        gate = asyncio.Semaphore(6)

        async def one(request: Request, first: Answer) -> None:
            async with gate:
                again = await self.crowd.insist(request)
            if again is None or (again.status, again.body) != (first.status, first.body):
                said = None if again is None else (again.status, again.body[:300])
                self.broken.append(f"another answer to {request.operation}: {first.body[:300]!r}, then {said}")

        kept = [pair for pair in self.crowd.kept if pair[0].method != "DELETE" and pair[0].operation not in _NOT_KEPT]
        await asyncio.gather(*(one(request, first) for request, first in kept))

    async def _promises(self) -> None:
        """Every write that was acknowledged is there."""
        self.broken += await promises.unkept(self.crowd)

    async def _states(self) -> None:
        """Every object is at its end, or where a rule says that it may stay; nothing waits in a queue."""
        for table, (column, final) in STATES.items():
            found = Counter[str]()
            for row in await self.play.books.fetch(f"SELECT {column} AS state, count(*) AS n FROM {table} GROUP BY 1"):
                found[row["state"]] += row["n"]
            self.ends.update({f"{table} {state}": count for state, count in found.items()})
            for state in found.keys() - final:
                why = self.explained.get((table, state), "false")
                sql = f"SELECT o.id, to_jsonb(o)::text AS row FROM {table} o WHERE {column} = '{state}' AND NOT ({why})"
                for stray in await self.play.books.fetch(sql):
                    if not await self._is_so_there(table, str(stray["id"]), state):
                        self.broken.append(f"{table} {stray['id']} stays {state}: {stray['row']}"[:1500])

    async def _is_so_there(self, table: str, name: str, status: str) -> bool:
        """Whether the directory has it where we have it: then it is another bank's turn, which has no term here. A bank that
        was told to be silent acknowledges no claim, and completes none that we have confirmed; who made the claim may cancel
        it at any time.
        """
        if table == "key_claims":
            theirs = (await self.play.act("/directory/claims", method="GET"))["data"]
            is_theirs = status == "OPEN" or (
                status == "CONFIRMED"
                and await self.play.books.fetchval("SELECT role = 'DONOR' FROM key_claims WHERE id::text = $1", name)
            )
            return is_theirs and any((one["claimId"], one["status"]) == (name, status) for one in theirs)
        if table != "med_objects":
            return False
        shown = await self.play.act(f"/med/{name}", method="GET")
        return bool(_DIRECTORY.get(shown["status"], shown["status"]) == status)

    async def _money(self) -> None:
        """Our books against the network's own record: each transfer in and out is on both sides, once. What was paid in time is."""
        self.broken += await matched(self.play)
        self.broken += await outages.ended_unheard(self.crowd)

    async def _keys(self) -> None:
        """No key is ACTIVE here that the directory has elsewhere, and none of its entries for us is unknown here."""
        self.broken += await keys.compared(self.play)

    async def _feed(self) -> None:
        """1, 2, 3 and so on to the last event, each once, of either company."""
        for who in ("ana", "dora"):
            seen: list[dict[str, Any]] = []
            while True:
                after = seen[-1]["sequence"] if seen else 0
                page = await self.crowd.read("read_feed", who=who, after=str(after), limit="200")
                if not page["data"]:
                    break
                seen += page["data"]
            if [event["sequence"] for event in seen] != list(range(1, len(seen) + 1)):
                self.broken.append(f"the feed of {who} is not dense")
            client = self.play.stage.client(dora=who == "dora")["clientId"]
            sql = "SELECT e.id::text FROM events e JOIN clients c ON c.company_id = e.company_id WHERE c.client_id = $1"
            if sorted(event["id"] for event in seen) != sorted(r["id"] for r in await self.play.books.fetch(sql, client)):
                self.broken.append(f"the feed of {who} is not complete")
        await hold(self.play.stage.dsn("lastro_audit"))

    async def _deliveries(self) -> None:
        """Each event that goes to an address has arrived, or was tried as often as it is; of an object one after the other."""
        came = (await self.play.act("/merchant/webhooks", method="GET"))["data"]
        first: dict[str, int] = {}
        for place, one in enumerate(came):
            first.setdefault(one["eventId"], place)
        lines: defaultdict[tuple[UUID, str], list[Any]] = defaultdict(list)
        for row in await self.play.books.fetch("SELECT * FROM deliveries ORDER BY sequence"):
            lines[row["reference_id"], row["url"]].append(row)
            name, is_dead = str(row["id"]), row["url"].startswith("http://127.0.0.1:1/")
            self.ends[f"deliveries {row['status']}"] += 1
            if row["status"] == "DELIVERED" and name not in first and len(came) < MOST_KEPT:
                self.broken.append(f"event {name} is DELIVERED and has not come")
            if row["status"] == "FAILED" and row["attempts"] < 5:
                self.broken.append(f"event {name} was given up after {row['attempts']} attempts")
            if row["status"] == "DELIVERED" and is_dead:
                self.broken.append(f"event {name} is DELIVERED where nobody is")
            if row["status"] not in ("DELIVERED", "FAILED"):
                self.broken.append(f"event {name} stays {row['status']}")
        for line in lines.values():
            for one, other in pairwise([str(row["id"]) for row in line]):
                if one in first and other in first and first[one] > first[other]:
                    self.broken.append(f"event {other} came before {one} of the same object")

    async def _laws(self) -> None:
        """As `lastro verify` reads them."""
        if self.crowd.town.manner.is_spread:
            await repaired(self.play.stage.dsn("lastro_app"), self.play.stage.dsn("lastro_audit"))
        for law, rows in (await broken(self.play.books.fetch)).items():
            self.broken.append(f"{law}: {rows[:2]}")


# The directory's words for what we call otherwise.
_DIRECTORY = {
    "TRACKED": "TRACED",
    "AWAITING_ANALYSIS": "WAITING_ANALYSIS",
    "REFUNDING": "WAITING_REFUND",
    "ACKNOWLEDGED": "RECEIVED",
}
# Of the sandbox alone, and answered anew each time.
# A list that is asked for by POST shows what there is by then.
_NOT_KEPT: frozenset[str] = frozenset({"play_order", "list_account_closes"})
