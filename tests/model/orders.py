"""What an order is, in a few words: a model of states.md tables 4 and 7, and of contract.md §1 on repeating.

Money is in cents, time in seconds since the walk began. Whatever is said here is said of Pix.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec
from tests.cast import BENTO, INSTITUTION
from tests.model.machine import Said, outcome
from tests.model.network import message_id, told

from lastro.core.money import Money
from lastro.rails import port
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from datetime import datetime

    from tests.model.stage import Stage

PATH, REFUNDS = "/order/v2/transparent", "/order/v1/banking/order-refunds"
TERM, GRACE, WINDOW = 3600, 60, 90 * 86_400
FEE = 25
ENDED = ("EXPIRED", "CANCELED", "ERROR")
BACK = ("PAID", "PARTIAL_REFUNDED", "REFUNDED")
_OTHER = "87654321"  # the payer's bank
_CUSTOMER = {
    "name": "Bento Braga", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "11144477735"},
    "email": "bento@example.com",
}  # fmt: skip


@dataclass
class Order:
    """One order. cents: None, where the payer says how much. reserved: by which payment."""

    code: str
    cents: int | None
    made_at: int
    status: str = "INITIAL"
    reserved: str | None = None
    paid: int = 0
    paid_at: int = 0
    events: list[str] = field(default_factory=list)

    def tells(self, status: str, event: str | None = None) -> None:
        """It moves, and whoever listens is told."""
        self.status = status
        self.events.append(f"ORDER-PAYIN.{event or status}")


@dataclass
class Payment:
    """Money that came for an order. state: ACCEPTED, REFUSED, FAILED, SETTLED or RETURNING."""

    order: str
    cents: int
    state: str
    code: str | None = None


@dataclass
class Refund:
    """Money that goes back."""

    order: str
    code: str
    cents: int
    status: str = "PENDING"


@dataclass
class Orders:
    """All of one shop."""

    now: int = 0
    available: int = 0
    orders: dict[str, Order] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    refunds: dict[str, Refund] = field(default_factory=dict)
    keys: dict[str, tuple[Any, str]] = field(default_factory=dict)  # the request, and what it made

    def seen(self) -> dict[str, Any]:
        """What can be seen of it from outside."""
        held = sum(r.cents for r in self.refunds.values() if r.status == "PENDING")
        return {
            "money": (self.available, held),
            "newest first": tuple(reversed(self.orders)),
            **{name: (o.status, tuple(o.events)) for name, o in self.orders.items()},
            **{name: (r.status, r.cents) for name, r in self.refunds.items()},
        }

    def rest(self) -> None:
        """What time alone does: nobody came, and a late message had its minute."""
        for order in self.orders.values():
            if order.status == "INITIAL" and order.reserved is None and self.now > order.made_at + TERM + GRACE:
                order.tells("EXPIRED")

    def judge(self, name: str, cents: int) -> str | None:
        """Why money may not come in."""
        order = self.orders[name]
        if order.status == "PAID" or order.reserved is not None:
            return "DUPL"
        if order.status != "INITIAL" or self.now > order.made_at + TERM or order.cents not in (None, cents):
            return "BE17"
        return None

    def paid(self, name: str, cents: int) -> None:
        """An order is paid, and we keep our fee."""
        order = self.orders[name]
        order.tells("PAID")
        order.paid, order.paid_at, order.reserved = cents, self.now, None
        self.available += cents - FEE


# ── what clients do ──


@dataclass(frozen=True)
class Create:
    """PUT /order/v2/transparent."""

    name: str
    code: str
    cents: int | None
    key: str | None = None

    async def play(self, stage: Stage) -> Said:
        order = {
            "externalId": self.code, "paymentMethod": "PIX", "description": "A book", "expiration": TERM,
            "notificationUrl": "https://ana.example/hook",
        } | ({} if self.cents is None else {"amount": brl(self.cents)})  # fmt: skip
        answer = await stage.ask("PUT", PATH, {"order": order, "customer": _CUSTOMER}, self.key)
        if answer.status >= 400:
            return outcome(answer)
        return outcome(answer, stage.names.setdefault(answer.json["id"], self.name))

    def on(self, model: Orders) -> Said:
        request = (self.code, self.cents)
        if self.key in model.keys:
            known, name = model.keys[self.key]
            return (200, name, "again") if known == request else (409, ("idempotency-key", "CONFLICT"))
        if any(o.code == self.code and o.status not in ENDED for o in model.orders.values()):
            return 409, ("order.externalId", "DUPLICATE")
        model.orders[self.name] = Order(self.code, self.cents, model.now)
        if self.key is not None:
            model.keys[self.key] = (request, self.name)
        return 200, self.name


@dataclass(frozen=True)
class Cancel:
    """POST /order/v2/transparent/{id}/cancel."""

    name: str

    async def play(self, stage: Stage) -> Said:
        return outcome(await stage.ask("POST", f"{PATH}/{stage.id_of(self.name)}/cancel", {}))

    def on(self, model: Orders) -> Said:
        order = model.orders.get(self.name)
        if order is None:
            return (404,)
        if order.status != "INITIAL" or order.reserved is not None:
            return 409, ("status", "CONFLICT")
        order.status = "CANCELED"
        order.events.append("ORDER-PAYIN.CANCELED")
        return (200,)


@dataclass(frozen=True)
class List:
    """GET /order/v2/transparent?status=."""

    status: str

    async def play(self, stage: Stage) -> Said:
        answer = await stage.ask("GET", f"{PATH}?status={self.status}&limit=100")
        return (200, *(stage.names[one["id"]] for one in answer.json["data"]))

    def on(self, model: Orders) -> Said:
        return (200, *(name for name, o in reversed(model.orders.items()) if o.status == self.status))


@dataclass(frozen=True)
class GiveBack:
    """POST /order/v1/banking/order-refunds."""

    name: str
    order: str
    code: str
    cents: int
    key: str | None = None

    async def play(self, stage: Stage) -> Said:
        body = {
            "orderId": stage.id_of(self.order), "externalId": self.code, "amount": brl(self.cents), "refundCode": "MD06",
        }  # fmt: skip
        answer = await stage.ask("POST", REFUNDS, body, self.key)
        if answer.status >= 400:
            return outcome(answer)
        return outcome(answer, stage.names.setdefault(answer.json["id"], self.name))

    def on(self, model: Orders) -> Said:
        order, request = model.orders.get(self.order), (self.order, self.code, self.cents)
        if (key := f"refund {self.key}") in model.keys:
            known, name = model.keys[key]
            return (201, name, "again") if known == request else (409, ("idempotency-key", "CONFLICT"))
        if order is None:
            return 400, ("orderId", "INVALID")
        conflicts = [("externalId", "DUPLICATE")] if any(r.code == self.code for r in model.refunds.values()) else []
        conflicts += [("status", "CONFLICT")] if order.status not in BACK else []
        if conflicts:
            return 409, *conflicts
        counted = sum(r.cents for r in model.refunds.values() if r.order == self.order and r.status != "ERROR")
        problems = [("orderId", "EXPIRED")] if model.now > order.paid_at + WINDOW else []
        problems += [("amount", "LIMIT_EXCEEDED")] if counted + self.cents > order.paid else []
        if not problems and self.cents > model.available:
            problems = [("amount", "INSUFFICIENT_FUNDS")]
        if problems:
            return 400, *problems
        model.available -= self.cents
        model.refunds[self.name] = Refund(self.order, self.code, self.cents)
        if self.key is not None:
            model.keys[key] = (request, self.name)
        return 201, self.name


# ── what the network does ──


@dataclass(frozen=True)
class Arrives:
    """Somebody pays an order. asked: the network asks us before it settles; else the money is in."""

    name: str
    order: str
    cents: int
    asked: bool

    async def play(self, stage: Stage) -> Said:
        at, ana = await stage.now(), stage.ana
        ((txid,),) = await stage.look("SELECT txid FROM orders WHERE id = $1::text::uuid", stage.id_of(self.order))
        name = end_to_end_id(at)
        arrival = port.PixArrival(
            message_id(), name, txid, Money(self.cents, "BRL"), at, BENTO, INSTITUTION.branch, ana.account_number, None,
            ana.pix_key, "QRDN",
        )  # fmt: skip
        stage.names[name] = self.name
        if not self.asked:
            arrival = msgspec.structs.replace(arrival, settled_at=at)
        kind = port.PIX_ASK if self.asked else port.PIX_SETTLED
        settled = await stage.tell(told(kind, arrival, name, txid=txid, account=ana.account_number))
        answers = {a.end_to_end_id: a.code for a in stage.network.of(port.PIX_ANSWER, port.pix_answer)}
        return (settled, answers[name]) if self.asked else (settled,)

    def on(self, model: Orders) -> Said:
        code = model.judge(self.order, self.cents)
        if not self.asked:
            model.payments[self.name] = Payment(self.order, self.cents, "SETTLED" if code is None else "RETURNING")
            if code is None:
                model.paid(self.order, self.cents)
            return ("handled",)
        model.payments[self.name] = Payment(self.order, self.cents, "REFUSED" if code else "ACCEPTED", code)
        if code is None:
            model.orders[self.order].reserved = self.name
        return "answered", code


@dataclass(frozen=True)
class Ends:
    """The network says how a payment ended that it had asked us about, perhaps for the second time, or against our no."""

    payment: str
    settled: bool

    async def play(self, stage: Stage) -> Said:
        at, name = await stage.now(), stage.id_of(self.payment)
        final = port.PixFinal(name, self.settled, None if self.settled else "AB03", at if self.settled else None)
        return (await stage.tell(told(port.PIX_FINAL, final, name)),)

    def on(self, model: Orders) -> Said:
        payment = model.payments[self.payment]
        order = model.orders[payment.order]
        if self.settled and payment.state == "ACCEPTED":
            payment.state = "SETTLED"
            model.paid(payment.order, payment.cents)
            return ("handled",)
        if self.settled and payment.state in ("REFUSED", "FAILED"):
            payment.state = "RETURNING"
            return ("handled",)
        if not self.settled and payment.state == "ACCEPTED":
            payment.state, order.reserved = "FAILED", None
            return ("handled",)
        known = payment.state in (("SETTLED", "RETURNING") if self.settled else ("REFUSED", "FAILED"))
        return ("known" if known else "alarmed",)


@dataclass(frozen=True)
class ReturnEnds:
    """The network says what became of money that we gave back."""

    refund: str
    settled: bool

    async def play(self, stage: Stage) -> Said:
        at = await stage.now()
        (row,) = await stage.look(
            "SELECT r.return_id, p.end_to_end_id FROM refunds r JOIN pix_payments p USING (company_id)"
            " WHERE p.id = r.payment_id AND r.id = $1::text::uuid", stage.id_of(self.refund),
        )  # fmt: skip
        final = port.ReturnFinal(
            row["return_id"], row["end_to_end_id"], self.settled, None if self.settled else "AC03",
            at if self.settled else None,
        )  # fmt: skip
        return (await stage.tell(told(port.RETURN_FINAL, final, row["return_id"])),)

    def on(self, model: Orders) -> Said:
        refund = model.refunds[self.refund]
        order = model.orders[refund.order]
        if refund.status != "PENDING":
            return ("known" if (refund.status == "PAID") == self.settled else "alarmed",)
        refund.status = "PAID" if self.settled else "ERROR"
        if not self.settled:
            model.available += refund.cents
            order.events.append("ORDER-PAYIN.REFUND_ERROR")
            return ("handled",)
        back = sum(r.cents for r in model.refunds.values() if r.order == refund.order and r.status == "PAID")
        order.tells("REFUNDED" if back == order.paid else "PARTIAL_REFUNDED", "REFUNDED")
        return ("handled",)


@dataclass(frozen=True)
class Later:
    """Time passes."""

    seconds: int

    async def play(self, stage: Stage) -> Said:
        await stage.advance(timedelta(seconds=self.seconds))
        return ()

    def on(self, model: Orders) -> Said:
        model.now += self.seconds
        return ()


def brl(cents: int) -> dict[str, str]:
    """An amount as the interface prints it."""
    return {"currency": "BRL", "value": f"{cents // 100}.{cents % 100:02}"}


def end_to_end_id(at: datetime) -> str:
    """An id of the payer's bank that no other payment has."""
    return pix_ids.end_to_end_id(_OTHER, at, 1, int.from_bytes(os.urandom(4)))
