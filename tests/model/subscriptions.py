"""What a subscription is, in a few words: a model of states.md tables 1 to 3, seen once a day, at noon in Brasilia.

Days are counted from the walk's first. All are weekly, of 29.90, without an end, and may be charged after the due date.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.model.machine import Said, outcome
from tests.model.orders import brl

from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from tests.model.stage import Stage

PATH, CHARGES = "/order/v1/banking/subscriptions", "/public/v1/banking/subscriptions"
J2, J3 = "AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
CENTS, TERM, CYCLE = 2990, 1, 7
RETRIES, LAST_RETRY, MOST_RETRIES, LEAST_DAYS, SENT_BEFORE, LAST_SENT = (1, 3, 5), 7, 3, 3, 9, 2
KILLING, FOR_GOOD, MAY_PASS, FAILED = "AC05", "AM02", "AC06", "AB10"
MOST_SENT = 3  # of an instruction that is refused for a cause that may pass
OPEN = ("SCHEDULED", "PENDING")


@dataclass
class Subscription:
    """One subscription. cancellations: the statuses of what was asked, oldest first."""

    journey: str
    made_on: int
    status: str = "PENDING_AUTHORIZATION"
    cancellations: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)

    def tells(self, status: str) -> None:
        """It moves, and whoever listens is told."""
        self.status = status
        self.events.append(f"SUBSCRIPTION.{status}")


@dataclass
class Attempt:
    """One try to collect. status: REQUESTED, SCHEDULED, PAID, REJECTED or CANCELED.

    is_again: the same once more, because something failed. waits_on: on that day it waits for the evening, and is not sent.
    """

    day: int
    is_retry: bool = False
    status: str = "REQUESTED"
    is_again: bool = False
    waits_on: int = -1


@dataclass
class Payment:
    """The charge of one cycle."""

    of: str
    due: int
    status: str = "SCHEDULED"
    attempts: list[Attempt] = field(default_factory=list)
    is_called_off: bool = False  # the payer's bank was asked to drop it
    events: list[str] = field(default_factory=lambda: ["SUBSCRIPTION-PAYMENT.SCHEDULED"])

    @property
    def open_attempt(self) -> Attempt | None:
        """The one that has not ended."""
        return next((one for one in self.attempts if one.status in ("REQUESTED", "SCHEDULED")), None)

    def end(self, status: str, of_attempt: str = "CANCELED") -> None:
        """It ends without money."""
        if (attempt := self.open_attempt) is not None:
            attempt.status = of_attempt
        self.status, self.is_called_off = status, False
        self.events.append(f"SUBSCRIPTION-PAYMENT.{status}")


@dataclass
class Subscriptions:
    """All of one company."""

    today: int = 0
    available: int = 0
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)

    def seen(self) -> dict[str, Any]:
        """What can be seen of it from outside."""
        return {
            "available": self.available,
            **{name: (s.status, tuple(s.cancellations), tuple(s.events)) for name, s in self.subscriptions.items()},
            **{
                name: (p.status, tuple(a.status for a in p.attempts), tuple(sorted(p.events)))
                for name, p in self.payments.items()
            },
        }

    def rest(self) -> None:
        """What time alone does."""
        for sub in self.subscriptions.values():
            # The code of journey 2 has no end date here, and so no end.
            if sub.status == "PENDING_AUTHORIZATION" and sub.journey == J3 and self.today - sub.made_on >= TERM:
                sub.cancellations.append("ACCEPTED")
                sub.tells("CANCELED")
        for payment in self.payments.values():
            if payment.status == "SCHEDULED" and not payment.is_called_off:
                if not payment.attempts and self.today >= payment.due - SENT_BEFORE:
                    payment.attempts.append(Attempt(payment.due))
                attempt = payment.open_attempt
                if attempt is not None and attempt.status == "SCHEDULED" and self.today >= payment.due:
                    payment.status = "PENDING"

    def cancel(self, name: str) -> None:
        """A subscription is over: nothing is collected any more but what is being settled today."""
        sub = self.subscriptions[name]
        sub.cancellations = ["ACCEPTED" if one == "PENDING" else one for one in sub.cancellations]
        sub.tells("CANCELED")
        for payment in self.payments.values():
            attempt = payment.open_attempt
            is_settling = attempt is not None and attempt.day <= self.today
            if payment.status == "SCHEDULED" and (attempt is None or attempt.status == "REQUESTED"):
                is_settling = False
            if attempt is not None and attempt.status == "REQUESTED" and attempt.waits_on == self.today:
                is_settling = False
            if payment.of == name and payment.status in OPEN and not is_settling:
                payment.end("CANCELED")

    def unpaid(self, payment: Payment, code: str) -> None:
        """What follows an attempt that has ended without money."""
        attempt = payment.open_attempt
        assert attempt is not None
        payment.events.append("SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED")
        in_time = self.today <= payment.due - LAST_SENT
        if self.subscriptions[payment.of].status != "ACCEPTED" or payment.is_called_off:
            payment.end("CANCELED", "REJECTED")
        elif code == FAILED and self.is_sent_again(payment, attempt):
            attempt.status = "REJECTED"
            waits_on = self.today if attempt.day == self.today else -1
            payment.attempts.append(Attempt(attempt.day, is_again=True, waits_on=waits_on))
        elif code == KILLING or (payment.status == "SCHEDULED" and (code != MAY_PASS or not in_time)):
            payment.end("ERROR", "REJECTED")
        elif payment.status == "SCHEDULED":
            if sum(not one.is_again for one in payment.attempts) >= MOST_SENT:
                payment.end("ERROR", "REJECTED")
            else:
                attempt.status = "REJECTED"
                payment.attempts.append(Attempt(payment.due))
        elif code == FOR_GOOD:
            payment.end("EXPIRED", "REJECTED")
        else:
            tried, used = max(a.day for a in payment.attempts), sum(a.is_retry for a in payment.attempts)
            last = min(payment.due + LAST_RETRY, self.next_cycle(payment) - 1)
            days = [payment.due + n for n in RETRIES if max(self.today, tried) < payment.due + n <= last]
            if not days or used >= MOST_RETRIES:
                payment.end("EXPIRED", "REJECTED")
            else:
                attempt.status = "REJECTED"
                payment.attempts.append(Attempt(days[0], is_retry=True))

    def is_sent_again(self, payment: Payment, attempt: Attempt) -> bool:
        """Whether what failed is sent again: seen at noon, the evening's window of its day is still to come."""
        if attempt.day == self.today:
            return True
        return self.today < attempt.day and (payment.status == "PENDING" or self.today <= payment.due - LAST_SENT)

    def cycle(self, of: str, due: int) -> int:
        """Which cycle a due date is in; its first begins the day after the subscription was made."""
        return (due - self.subscriptions[of].made_on - 1) // CYCLE

    def next_cycle(self, payment: Payment) -> int:
        """The day on which the next cycle begins."""
        return self.subscriptions[payment.of].made_on + 1 + CYCLE * (self.cycle(payment.of, payment.due) + 1)


# ── what clients do ──


@dataclass(frozen=True)
class Create:
    """POST /order/v1/banking/subscriptions."""

    name: str
    journey: str

    async def play(self, stage: Stage) -> Said:
        starts = brasilia_day(await stage.now()) + timedelta(days=1)
        body: dict[str, Any] = {
            "accountId": str(stage.ana.account_id), "type": self.journey, "allowChargeAfterDueDate": True,
            "allowAdjustToBusinessDay": False, "frequencyType": "WEEKLY", "startDate": starts.isoformat(),
            "debtor": {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}},
            "webhookUrl": "https://ana.example/hook", "externalId": self.name, "fixedAmount": brl(CENTS),
        }  # fmt: skip
        if self.journey == J3:
            body["initialCharge"] = {"pixKey": stage.ana.pix_key, "amount": brl(CENTS)}
        answer = await stage.ask("POST", PATH, body)
        if answer.status == 201:
            stage.names[answer.json["id"]] = self.name
        return outcome(answer)

    def on(self, model: Subscriptions) -> Said:
        model.subscriptions[self.name] = Subscription(self.journey, model.today)
        return (201,)


@dataclass(frozen=True)
class Cancel:
    """POST /order/v1/banking/subscriptions/{id}/cancellations."""

    name: str

    async def play(self, stage: Stage) -> Said:
        return outcome(await stage.ask("POST", f"{PATH}/{stage.id_of(self.name)}/cancellations", {}))

    def on(self, model: Subscriptions) -> Said:
        sub = model.subscriptions.get(self.name)
        if sub is None:
            return (404,)
        if sub.status not in ("PENDING_AUTHORIZATION", "ACCEPTED") or "PENDING" in sub.cancellations:
            return 409, ("status", "CONFLICT")
        sub.cancellations.append("PENDING")
        if sub.status == "PENDING_AUTHORIZATION":
            model.cancel(self.name)
        return (202,)


@dataclass(frozen=True)
class Charge:
    """PUT /public/v1/banking/subscriptions/{id}/payments."""

    name: str
    of: str
    in_days: int

    async def play(self, stage: Stage) -> Said:
        due = brasilia_day(await stage.now()) + timedelta(days=self.in_days)
        body = {"externalId": self.name, "dueDate": due.isoformat()}
        answer = await stage.ask("PUT", f"{CHARGES}/{stage.id_of(self.of)}/payments", body)
        if answer.status == 200:
            stage.names[answer.json["id"]] = self.name
        return outcome(answer)

    def on(self, model: Subscriptions) -> Said:
        sub, due = model.subscriptions.get(self.of), model.today + self.in_days
        if sub is None:
            return (404,)
        if sub.status != "ACCEPTED":
            return 409, ("status", "CONFLICT")
        if self.in_days < LEAST_DAYS or due <= sub.made_on:
            return 400, ("dueDate", "OUT_OF_RANGE")
        others = [p for p in model.payments.values() if p.of == self.of and p.status not in ("CANCELED", "ERROR")]
        if any(model.cycle(self.of, p.due) == model.cycle(self.of, due) for p in others):
            return 409, ("dueDate", "CONFLICT")
        made = Payment(self.of, due, attempts=[Attempt(due)] if self.in_days <= SENT_BEFORE else [])
        model.payments[self.name] = made
        return (200,)


@dataclass(frozen=True)
class CallOff:
    """POST …/payments/{paymentId}/cancel. is_told: whether the payer's bank has been told of its open attempt."""

    name: str
    of: str
    is_told: bool

    async def play(self, stage: Stage) -> Said:
        path = f"{CHARGES}/{stage.id_of(self.of)}/payments/{stage.id_of(self.name)}/cancel"
        return outcome(await stage.ask("POST", path, {}))

    def on(self, model: Subscriptions) -> Said:
        payment = model.payments[self.name]
        if payment.status != "SCHEDULED" or payment.is_called_off or model.today >= payment.due:
            return 409, ("status", "CONFLICT")
        if payment.open_attempt is not None and self.is_told:
            payment.is_called_off = True
            return (202,)
        payment.end("CANCELED")
        return (200,)


@dataclass(frozen=True)
class Later:
    """Days pass, and some minutes with them."""

    days: int

    async def play(self, stage: Stage) -> Said:
        await stage.advance(timedelta(days=self.days, minutes=5))
        return ()

    def on(self, model: Subscriptions) -> Said:
        for _ in range(self.days):
            model.today += 1
            model.rest()
        return ()
