"""What a payout is, in a few words: a model of states.md table 5, and of contract.md §4 on what is refused.

Money is in cents, time in seconds since noon in Brasilia of the walk's first day. Whatever is said here is said of Pix.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tests.cast import INSTITUTION
from tests.model.machine import Said, outcome
from tests.model.network import told
from tests.model.orders import brl

from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.payouts import Approve, Refuse
from lastro.rails import port
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from tests.model.stage import Stage

PATH = "/order/v1/banking/order-payouts"
FEE, REVIEWED_ABOVE, SAME_WITHIN, DAY, UNSENT = 30, 5000, 600, 86_400, 86_400
EVENING, HALF_AN_HOUR, SEVEN = 21_600, 1800, 25_200  # 18:00 and 19:00, from noon on
KEY = "fabio@fora.example"
RECEIVER = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
_FORA = {"accountType": "CHECKING_ACCOUNT", "branchNumber": "0001", "accountNumber": "300003", "ispb": "99999030"}
WAYS: dict[str, dict[str, Any]] = {
    "key": {"paymentData": {"pixKey": KEY}},
    "account": {"paymentData": {"bankAccount": _FORA}, "receiver": RECEIVER},
    "lost key": {"paymentData": {"pixKey": "nobody@fora.example"}},
}
OVER = ("ERROR", "CANCELED", "EXPIRED")


@dataclass
class Payout:
    """One payout. begins: the day on which it is to be sent, counted from the walk's first; None once it has begun. again_at:
    when it is tried next, once its money was short.
    """

    code: str
    way: str
    cents: int
    made_at: int
    status: str = "PENDING"
    begins: int | None = None
    is_sent: bool = False
    again_at: int | None = None
    returned: int = 0
    events: list[str] = field(default_factory=list)

    def tells(self, status: str) -> None:
        """It moves, and whoever listens is told."""
        self.status = status
        self.events.append(f"ORDER-PAYOUT.{status}")


@dataclass
class Payouts:
    """All of one office. works: whether a worker is there to send what is to be sent."""

    available: int
    now: int = 0
    works: bool = True
    payouts: dict[str, Payout] = field(default_factory=dict)
    keys: dict[str, tuple[Any, str, tuple[str, ...]]] = field(default_factory=dict)

    def seen(self) -> dict[str, Any]:
        """What can be seen of it from outside."""
        held = [p for p in self.payouts.values() if p.status in ("PENDING", "ANALYSIS") and p.begins is None]
        return {
            "money": (self.available, sum(p.cents + FEE for p in held)),
            "newest first": tuple(reversed(self.payouts)),
            **{name: (p.status, p.returned, tuple(p.events)) for name, p in self.payouts.items()},
        }

    def begin(self, payout: Payout) -> None:
        """Its money is held, and it is sent or reviewed."""
        self.available -= payout.cents + FEE
        payout.begins = None
        payout.status = "ANALYSIS" if payout.cents > REVIEWED_ABOVE else "PENDING"

    def end(self, payout: Payout, status: str) -> None:
        """It ends without having been paid, and what was held is free again."""
        if payout.begins is None:
            self.available += payout.cents + FEE
        payout.begins = None
        payout.tells(status)

    def _try(self, payout: Payout, day: int) -> None:
        """It begins, or waits for the evening of its day; there it is tried each half hour, and told of once."""
        if payout.cents + FEE <= self.available:
            self.begin(payout)
            return
        if payout.again_at is None:
            payout.events.append("ORDER-PAYOUT.RETRY_SCHEDULED")
        evening = day * DAY + EVENING
        tries = 0 if self.now < evening else (self.now - evening) // HALF_AN_HOUR + 1
        payout.again_at = evening + tries * HALF_AN_HOUR

    def rest(self) -> None:
        """What time and the worker do: days begin, what can be sent is, what could not be for a day never will be."""
        for payout in self.payouts.values():
            today = (self.now + DAY // 2) // DAY
            if payout.status == "PENDING" and payout.begins is not None and payout.begins <= today:
                if payout.again_at is not None and payout.begins < today:
                    self.end(payout, "ERROR")  # nothing of it was held
                elif payout.again_at is None or payout.again_at <= self.now:
                    self._try(payout, payout.begins)
        for payout in self.payouts.values():
            if payout.status == "PENDING" and payout.begins is None and self.works:
                payout.is_sent = True


# ── what clients do ──


@dataclass(frozen=True)
class Create:
    """POST /order/v1/banking/order-payouts. in_days: 0 for now."""

    name: str
    code: str
    way: str
    cents: int
    key: str
    in_days: int = 0
    is_meant: bool = False  # allowDuplicate

    async def play(self, stage: Stage) -> Said:
        day = brasilia_day(await stage.now()) + timedelta(days=self.in_days)
        body = {
            "externalId": self.code, "accountId": str(stage.ana.account_id), "paymentMethod": "PIX", "amount": brl(self.cents),
            "description": "Salary", **WAYS[self.way], **({"scheduledDate": day.isoformat()} if self.in_days else {}),
            **({"allowDuplicate": True} if self.is_meant else {}),
        }  # fmt: skip
        answer = await stage.ask("POST", PATH, body, self.key)
        if answer.status >= 400:
            return outcome(answer)
        return outcome(answer, stage.names.setdefault(answer.json["id"], self.name))

    def on(self, model: Payouts) -> Said:
        request = (self.code, self.way, self.cents, self.in_days and self.in_days + model.now // DAY, self.is_meant)
        if self.key in model.keys:
            known, name, _ = model.keys[self.key]
            return (201, name, "again") if known == request else (409, ("idempotency-key", "CONFLICT"))
        if any(p.code == self.code for p in model.payouts.values()):
            return 409, ("externalId", "DUPLICATE")
        if self.way == "lost key":
            return 400, ("paymentData.pixKey", "INVALID")
        alike = [  # key and account are of one receiver
            p for p in model.payouts.values()
            if p.cents == self.cents and p.status not in OVER and model.now < p.made_at + SAME_WITHIN
        ]  # fmt: skip
        if alike and not self.is_meant:
            return 409, ("amount", "DUPLICATE")
        if not self.in_days and self.cents + FEE > model.available:
            return 400, ("amount", "INSUFFICIENT_FUNDS")
        made = Payout(self.code, self.way, self.cents, model.now)
        model.payouts[self.name] = made
        model.keys[self.key] = (request, self.name, ())
        if self.in_days:
            made.begins = (model.now + DAY // 2) // DAY + self.in_days
        else:
            model.begin(made)
        return 201, self.name


@dataclass(frozen=True)
class Cancel:
    """POST /order/v1/banking/order-payouts/{id}/cancel."""

    name: str

    async def play(self, stage: Stage) -> Said:
        return outcome(await stage.ask("POST", f"{PATH}/{stage.id_of(self.name)}/cancel", {}))

    def on(self, model: Payouts) -> Said:
        payout = model.payouts.get(self.name)
        if payout is None:
            return (404,)
        if payout.status not in ("PENDING", "ANALYSIS") or payout.is_sent:
            return 409, ("status", "CONFLICT")
        model.end(payout, "CANCELED")
        return (200,)


@dataclass(frozen=True)
class Decide:
    """A person of the institution approves a payout in review, or refuses it."""

    name: str
    is_good: bool

    async def play(self, stage: Stage) -> Said:
        payout_id = UUID(stage.id_of(self.name))
        verb = Approve(payout_id, "bia", INSTITUTION) if self.is_good else Refuse(payout_id, "bia", "no", INSTITUTION)
        done = await stage.cast.runner.act(stage.ana.company_id, verb)
        return ("no",) if isinstance(done, Refused) else ("yes",)

    def on(self, model: Payouts) -> Said:
        payout = model.payouts.get(self.name)
        if payout is None or payout.status != "ANALYSIS":
            return ("no",)
        if self.is_good:
            payout.status = "PENDING"
        else:
            model.end(payout, "CANCELED")
        return ("yes",)


@dataclass(frozen=True)
class List:
    """GET /order/v1/banking/order-payouts?status=."""

    status: str

    async def play(self, stage: Stage) -> Said:
        answer = await stage.ask("GET", f"{PATH}?status={self.status}&limit=100")
        return (200, *(stage.names[one["id"]] for one in answer.json["data"]))

    def on(self, model: Payouts) -> Said:
        return (200, *(name for name, p in reversed(model.payouts.items()) if p.status == self.status))


# ── what the network, the worker and time do ──


@dataclass(frozen=True)
class Ends:
    """The network says what became of a payout that was sent, perhaps for the second time, perhaps something else."""

    name: str
    settled: bool

    async def play(self, stage: Stage) -> Said:
        at, name = await stage.now(), await end_to_end_id(stage, self.name)
        final = port.PaymentFinal(name, self.settled, None if self.settled else "AC03", at if self.settled else None)
        return (await stage.tell(told(port.PAYMENT_FINAL, final, name, company_number=stage.ana.number)),)

    def on(self, model: Payouts) -> Said:
        payout = model.payouts[self.name]
        if payout.status != "PENDING":
            agrees = payout.status not in OVER if self.settled else payout.status == "ERROR"
            return ("known" if agrees else "alarmed",)
        if self.settled:
            payout.tells("PAID")
        else:
            model.end(payout, "ERROR")
        return ("handled",)


@dataclass(frozen=True)
class ComesBack:
    """A receiver gives back some of a payout that has ended."""

    name: str
    cents: int

    async def play(self, stage: Stage) -> Said:
        at, name = await stage.now(), await end_to_end_id(stage, self.name)
        return_id = f"D99999030{at:%Y%m%d%H%M}{os.urandom(8).hex()[:11]}"
        back = port.PaymentReturned(name, return_id, Money(self.cents, "BRL"), "MD06", at)
        return (await stage.tell(told(port.PAYMENT_RETURNED, back, name, company_number=stage.ana.number)),)

    def on(self, model: Payouts) -> Said:
        payout = model.payouts[self.name]
        left = payout.cents - payout.returned
        if payout.status in OVER or self.cents > left:
            return ("alarmed",)
        payout.returned += self.cents
        model.available += self.cents
        payout.tells("REFUNDED" if self.cents == left else "PARTIAL_REFUNDED")
        return ("handled",)


@dataclass(frozen=True)
class Works:
    """A worker comes, or is away from here on."""

    works: bool

    async def play(self, stage: Stage) -> Said:
        stage.is_sending = self.works
        await stage.rest()
        return ()

    def on(self, model: Payouts) -> Said:
        model.works = self.works
        model.rest()
        return ()


@dataclass(frozen=True)
class Later:
    """Time passes."""

    seconds: int

    async def play(self, stage: Stage) -> Said:
        await stage.advance(timedelta(seconds=self.seconds))
        return ()

    def on(self, model: Payouts) -> Said:
        model.now += self.seconds
        model.rest()
        return ()


async def end_to_end_id(stage: Stage, name: str) -> str:
    """Under which id the network knows a payout."""
    ((found,),) = await stage.look("SELECT end_to_end_id FROM payouts WHERE id = $1::text::uuid", stage.id_of(name))
    return str(found)
