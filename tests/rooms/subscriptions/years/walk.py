"""Two years at a desk: Ana subscribes people and charges them, they agree, pay, lack money and change their minds.

Everything that lastro does is done by its own lanes, as in a worker; only the clock and the bank are the walk's.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.cast import BENTO, PLACE, Cast, Seller

from lastro.app import inbox_handlers
from lastro.app.outbox_lines import WAITING
from lastro.app.scheduled_jobs import dues_of
from lastro.banks import Banks
from lastro.companies import FoundCompany
from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.core.secrets import Secret
from lastro.payouts import Ways
from lastro.rails import port
from lastro.rails.catch_up import CatchUp
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.port import RAILS
from lastro.rails.sending import Sender
from lastro.rails.spi import Spi
from lastro.rails.spi import SpiEndpoint as SpiPlace
from lastro.rails.status_poller import StatusPoller
from lastro.standards import pix_ids
from lastro.standards.calendar import brasilia_day
from lastro.worker.sweeper import Sweep
from lastro_sandbox.clock import NEXT

from ..desk import JOURNEY_2, JOURNEY_3, Desk, brl
from .payers_bank import ISPB, PayersBank

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import tests.databases

    from lastro.core.queue_worker import QueueWorker

_JUMP = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1"
_ENOUGH = 200  # rounds in which one instant has to come to rest
REGISTRY = Spi(SpiPlace("http://127.0.0.1:1", ISPB, Secret("none")))  # no key of hers goes
_NOBODY: Any = None
_PAYS_NOBODY = Ways(PLACE.institution, _NOBODY, _NOBODY, Banks(sandbox=True))
_UNAVOIDABLE = timedelta(milliseconds=1)  # so that what is due at an instant is due when it is looked for
FREQUENCIES = ("WEEKLY", "MONTHLY", "MONTHLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL")
AMOUNTS = ("10.00", "29.90", "100.00", "999.99")


@dataclass
class Walk:
    """One walk. Every choice is the seed's."""

    cast: Cast
    ana: Seller
    desk: Desk
    work: Database
    bank: PayersBank
    chance: random.Random
    made: list[dict[str, Any]] = field(default_factory=list)
    refused: int = 0
    _charge_number: int = 0

    @classmethod
    async def begin(cls, database: tests.databases.Database, seed: int) -> Walk:
        """Ana's company, the institution's own, and a bank."""
        cast, chance = Cast.of(database.app), random.Random(seed)
        institution = cast.id()
        await cast.act(institution, FoundCompany("Instituicao", cast.key_ring, RAILS, 0))
        ana = await cast.ana()
        bank = PayersBank(PLACE.institution.ispb, chance, datetime.now(UTC))
        work = Database(database.work, size=4, settings=PLANNED_ONCE)
        walk = cls(cast, ana, Desk.open(cast, ana), work, bank, chance)
        walk._assemble()
        return walk

    async def close(self) -> None:
        """Lets go of the database."""
        await self.work.close()
        await self.cast.close()

    def _assemble(self) -> None:
        """The lanes of a worker that concern Pix."""
        cast, work = self.cast, self.work
        runner = cast.another_process()
        self._inbox = Inbox(cast.database, work, cast.chance, PLACE.institution.ispb)
        self._sender = Sender(cast.database, work, runner, cast.chance, port.PIX, self.bank)
        self._handler = Handler(cast.database, work, runner, cast.chance, inbox_handlers.inbox_verbs(PLACE))
        self._asker = StatusPoller(cast.database, work, self._inbox, port.PIX, self.bank, WAITING[port.PIX])
        dues = dues_of(PLACE, REGISTRY, _PAYS_NOBODY, CatchUp({}))
        self._rounds: list[Callable[[], Awaitable[bool]]] = [
            partial(_worked_off, self._sender.queue), partial(_worked_off, self._handler.queue), self._asker.round,
            *[Sweep(due, work, runner).round for due in dues],
        ]  # fmt: skip
        asked = " UNION ALL ".join(f"({sql})" for sql in self._asker.first_sql)
        finds = [self._sender.queue.first_sql, self._handler.queue.first_sql, asked, *[due.find_sql for due in dues]]
        # Which of them have something to do: most have nothing at most instants, and to ask each takes longer than all else.
        self._busy = " UNION ALL ".join(f"SELECT {n} WHERE EXISTS ({sql})" for n, sql in enumerate(finds))

    # ── time ──

    async def now(self) -> datetime:
        """Business time."""
        async with self.cast.database.session() as session:
            now: datetime = await session.value("SELECT business_now()")
        return now

    async def pass_until(self, target: datetime) -> None:
        """Goes from one due instant to the next, and does at each what is due."""
        while (now := await self.now()) < target:
            async with self.work.session() as session:
                ours: datetime | None = await session.value(NEXT, now)
            instants = [at for at in (ours, self.bank.next_at(), target) if at is not None]
            await self._jump(max(min(instants) - now, timedelta(0)) + _UNAVOIDABLE)
            await self.rest()

    async def sleep_until(self, target: datetime) -> None:
        """Nobody here works meanwhile; the bank does."""
        while (now := await self.now()) < target:
            await self._jump(max(min(at for at in (self.bank.next_at(), target) if at is not None) - now, timedelta(0)))
            self.bank.now = await self.now()
            self.bank.act()
            if (following := self.bank.next_at()) is not None and following <= self.bank.now:
                break  # it has something to say, and nobody listens
        await self._jump(max(target - await self.now(), timedelta(0)))

    async def _jump(self, ahead: timedelta) -> None:
        async with self.cast.database.session() as session:
            await session.fetch(_JUMP, ahead // timedelta(microseconds=1))

    async def rest(self) -> None:
        """Works until nothing is due."""
        for _ in range(_ENOUGH):
            self.bank.now = await self.now()
            self.bank.act()
            told = self.bank.told_by_now()
            await self._inbox.keep(told)
            async with self.work.session() as session:
                busy = sorted([number for (number,) in await session.fetch(self._busy, 1)])
            worked = [await self._rounds[number]() for number in busy]
            if not told and not any(worked):
                return
        raise AssertionError("this instant never comes to rest")

    async def restart(self) -> None:
        """A worker that remembers nothing takes over."""
        self._assemble()

    # ── acts ──

    async def subscribe(self) -> dict[str, Any] | None:
        """A new subscription of any kind; None where it is refused."""
        chance, today = self.chance, await self.today()
        starts = today + timedelta(days=chance.randint(0, 40))
        if chance.random() < 0.3:  # where months are hard
            starts = date(starts.year + (starts.month == 12), starts.month % 12 + 1, 1) - timedelta(
                days=chance.randint(1, 3)
            )
            starts = max(starts, today)
        journey = chance.choice((JOURNEY_2, JOURNEY_3))
        kind = chance.choice(("fixed", "fixed", "fixed", "floor", "open"))
        wish = self.desk.body(
            journey, startDate=starts.isoformat(), frequencyType=chance.choice(FREQUENCIES),
            endDate=None if chance.random() < 0.5 else (starts + timedelta(days=chance.randint(20, 700))).isoformat(),
            fixedAmount=brl(chance.choice(AMOUNTS)) if kind == "fixed" else None,
            maxAmountFloor=brl("20.00") if kind == "floor" else None,
            autoSchedule=True if kind == "fixed" and chance.random() < 0.7 else None,
            allowChargeAfterDueDate=chance.random() < 0.6, allowAdjustToBusinessDay=chance.random() < 0.5,
        )  # fmt: skip
        made = await self._ask("create_subscription", wish)
        if made is None:
            return None
        self.made.append({**wish, **made})
        return self.made[-1]

    async def today(self) -> date:
        """In Brasilia."""
        return brasilia_day(await self.now())

    async def answer_of_payer(self, made: dict[str, Any]) -> None:
        """He authorizes, pays, or says no; whatever the subscription is by now."""
        fixed = made.get("fixedAmount") is not None
        most = None if fixed else self.chance.choice((None, "25.00", "50.00", "500.00"))
        maximum = None if most is None else Money.parse(most, "BRL")
        luck = self.chance.random()
        if luck < 0.1:
            self.bank.decline(made["providerId"], BENTO)
        elif made["type"] == JOURNEY_3:
            await self._pay_first(made, maximum)
        else:
            self.bank.authorize(made["providerId"], BENTO, maximum)

    async def _pay_first(self, made: dict[str, Any], maximum: Money | None) -> None:
        async with self.cast.database.session(self.ana.company_id) as session:
            order = await session.row("SELECT txid FROM orders WHERE id = $1", UUID(made["initialCharge"]["orderId"]))
        assert order is not None
        at = await self.now()
        self._charge_number += 1
        end_to_end_id = pix_ids.end_to_end_id(ISPB, at, 8, self._charge_number)
        amount = Money.parse(made["initialCharge"]["amount"]["value"], "BRL")
        self.bank.now = at
        self.bank.pay_first(
            port.PixArrival(
                pix_ids.message_id(ISPB, self.chance.randbytes(24)), end_to_end_id, order["txid"], amount, at, BENTO,
                PLACE.institution.branch, self.ana.account_number, self.ana.holder.document_number, self.ana.pix_key, "QRDN",
                authorizing=port.Authorizing(made["providerId"], maximum),
            )
        )  # fmt: skip

    async def schedule(self, made: dict[str, Any]) -> None:
        """Ana asks for a charge on some day, which may be allowed or not."""
        day = await self.today() + timedelta(days=self.chance.choice((1, 2, 3, 4, 6, 10, 15, 31, 45)))
        wish: dict[str, Any] = {"externalId": f"c{self._charge_number}", "dueDate": day.isoformat()}
        self._charge_number += 1
        if made.get("fixedAmount") is None or self.chance.random() < 0.1:
            wish["amount"] = brl(self.chance.choice(AMOUNTS))
        if self.chance.random() < 0.4:
            wish["autoRetry"] = False
        await self._ask("create_subscription_payment", wish, id=made["id"])

    async def meddle(self, made: dict[str, Any]) -> None:
        """Somebody does something with a charge, or with the subscription."""
        async with self.cast.database.session(self.ana.company_id) as session:
            rows = await session.fetch(
                "SELECT id FROM subscription_payments WHERE subscription_id = $1 ORDER BY due_on DESC LIMIT 3",
                UUID(made["id"]),
            )
        luck = self.chance.random()
        if luck < 0.45 and rows:
            day = (await self.today() + timedelta(days=self.chance.randint(0, 4))).isoformat()
            payment = str(self.chance.choice(rows)["id"])
            await self._ask("retry_subscription_payment", {"date": day}, id=made["id"], paymentId=payment)
        elif luck < 0.7 and rows:
            await self._ask("cancel_subscription_payment", {}, id=made["id"], paymentId=str(self.chance.choice(rows)["id"]))
        elif luck < 0.94:
            self.bank.now = await self.now()
            theirs = [c for c in self.bank.charges.values() if c.order.recurrence_id == made["providerId"]]
            if theirs:
                self.bank.cancel_charge(theirs[-1])
        elif luck < 0.97:
            self.bank.now = await self.now()
            self.bank.cancel(made["providerId"])
        else:
            await self._ask("cancel_subscription", {}, id=made["id"])

    async def _ask(self, operation: str, body: Any, **path: Any) -> dict[str, Any] | None:
        """As a client asks. A refusal is an answer, too."""
        outcome = await self.desk.ask(operation, body, key=f"k{self.chance.getrandbits(60)}", **path)
        if isinstance(outcome, Refused):
            self.refused += 1
            return None
        assert isinstance(outcome, Reply)
        found: dict[str, Any] = msgspec.json.decode(outcome.body)
        return found


async def _worked_off(queue: QueueWorker) -> bool:
    found = await queue.round()
    await queue.rest()
    return found
