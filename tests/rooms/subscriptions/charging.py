"""Subscriptions that are ACCEPTED, their charges, and what the payer's bank says about those, at any time of the clock."""

import os
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import PLACE
from tests.rooms.orders.test_arrivals import arrives

from lastro.api_kit.routes import Incoming
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext, Verb
from lastro.core.write import Row, Write
from lastro.orders import Ask, Final, Settled
from lastro.rails import port
from lastro.standards.calendar import brasilia_day, instant
from lastro.subscriptions import (
    Advance,
    Authorize,
    CancelAnswered,
    ChargeCycle,
    PayerCanceled,
    PayerCancels,
    Scheduled,
    SubscriptionOrders,
    Unpaid,
)  # fmt: skip

from .desk import Desk, brl

BENTO = port.Payer("Bento Braga", "CPF", "11144477735", "99999020", "0001", "123456", "CACC", "3550308")
TODAY = brasilia_day(datetime.now(UTC))


def day(days: int) -> date:
    """So many days after today in Brasilia."""
    return TODAY + timedelta(days=days)


def at(days: int, hour: int = 0, minute: int = 0) -> datetime:
    """That hour in Brasilia, so many days after today."""
    return instant(day(days), time(hour, minute))


@dataclass
class Bank:
    """The payer's bank, and the clock."""

    desk: Desk

    @property
    def company(self) -> UUID:
        return self.desk.ana.company_id

    async def act(self, verb: Verb[Any], moment: datetime | None = None) -> Done | Refused:
        """Decides with what is known at that moment, and writes it."""
        cast = self.desk.cast
        context = RequestContext(self.company, moment or datetime.now(UTC), cast.chance)
        async with cast.database.session(self.company) as session:
            known = await verb.read(session, context)
        outcome = verb.decide(known, context)
        if outcome.write is not None:
            await commit(cast.database, outcome.write)
        return outcome

    async def accepted(self, moment: datetime | None = None, **changes: Any) -> str:
        """A subscription that Bento has authorized; of 29.90 from tomorrow on, monthly. Its id."""
        body = {"fixedAmount": brl("29.90"), **changes}
        made = await self.desk.make(**body)
        await self.authorize(made["id"], moment)
        return str(made["id"])

    async def authorize(self, subscription_id: str, moment: datetime | None = None) -> None:
        """Bento says yes at his bank."""
        moment = moment or datetime.now(UTC)
        (recurrence_id,) = await self.desk.column(
            "SELECT provider_id FROM subscriptions WHERE company_id = tenant() AND id = $1", UUID(subscription_id)
        )
        said = port.Authorization("M" + os.urandom(15).hex(), recurrence_id, BENTO, moment)
        assert await self.tell(port.AUTHORIZATION_ASK, said, moment) == "answered"

    async def asked(self, operation: str, moment: datetime, body: Any = None, **path: str) -> Done | Refused:
        """A client asks at that moment."""
        raw = b"" if body is None else msgspec.json.encode(body)
        verb = self.desk.routes[operation].parse(Incoming(self.company, path, {}, raw, body or {}, None))
        return verb if isinstance(verb, Refused) else await self.act(verb, moment)

    async def charge(
        self, subscription_id: str, due: date, moment: datetime | None = None, **changes: Any
    ) -> dict[str, Any]:
        """A payment that its client has made, as it was answered."""
        body = {"externalId": os.urandom(8).hex(), "dueDate": due.isoformat(), **changes}
        outcome = await self.asked("create_subscription_payment", moment or datetime.now(UTC), body, id=subscription_id)
        assert isinstance(outcome, Done), outcome
        made: dict[str, Any] = msgspec.json.decode(outcome.body)
        return made

    async def time(self, payment: dict[str, Any], moment: datetime) -> bool:
        """A worker finds the payment at that moment; whether anything was done."""
        outcome = await self.act(Advance(UUID(payment["id"]), PLACE), moment)
        return outcome.write is not None and bool(outcome.write.moves)

    async def cycle(self, subscription_id: str, moment: datetime) -> bool:
        """A worker finds the subscription at that moment; whether a charge was made."""
        outcome = await self.act(ChargeCycle(UUID(subscription_id), PLACE), moment)
        return outcome.write is not None and bool(outcome.write.rows)

    async def read(self, payment: dict[str, Any]) -> dict[str, Any]:
        path = {"id": payment["subscriptionId"], "paymentId": payment["id"]}
        return await self.desk.done("read_subscription_payment", **path)

    async def attempt(self, payment: dict[str, Any]) -> dict[str, Any]:
        """The instruction of its last attempt, as it was told to the network."""
        (body,) = await self.desk.column(
            "SELECT o.body FROM payment_attempts a JOIN outbox o ON o.company_id = a.company_id AND o.reference_id = a.id"
            " WHERE a.company_id = tenant() AND a.payment_id = $1 ORDER BY a.number DESC LIMIT 1",
            UUID(payment["id"]),
        )
        found: dict[str, Any] = msgspec.json.decode(body)
        return found

    async def tell(self, kind: str, value: Any, moment: datetime) -> str:
        """What the network tells, handled at that moment; with what it was settled."""
        cast = self.desk.cast
        row_id, token = cast.id(), cast.id()
        values = {
            "id": row_id, "rail": "pix", "kind": kind, "network_id": str(row_id),
            "subject": value.end_to_end_id if kind.startswith("pix") else getattr(value, "recurrence_id", None) or "R",
            "body": port.encode(value),
            "received_at": moment, "due_at": moment, "lease_token": token, "leased_until": moment + timedelta(hours=1),
        }  # fmt: skip
        await commit(cast.database, Write(self.company, rows=(Row("inbox", values),)))
        claimed, tie = port.Claimed(row_id, token), SubscriptionOrders()
        verbs: dict[str, Any] = {
            port.AUTHORIZATION_ASK: lambda: Authorize(value, claimed, PLACE),
            port.AUTHORIZATION_CANCELED: lambda: PayerCancels(value, claimed, PLACE),
            port.CHARGE_SCHEDULED: lambda: Scheduled(value, claimed),
            port.CHARGE_REFUSED: lambda: Unpaid(value, claimed, PLACE),
            port.CHARGE_CANCELED: lambda: PayerCanceled(value, claimed, PLACE),
            port.CHARGE_CANCEL_FINAL: lambda: CancelAnswered(value, claimed),
            port.PIX_ASK: lambda: Ask(value, claimed, PLACE, tie=tie),
            port.PIX_SETTLED: lambda: Settled(value, claimed, PLACE, tie),
            port.PIX_FINAL: lambda: Final(value, claimed, PLACE, tie),
        }
        outcome = await self.act(verbs[kind](), moment)
        assert outcome.write is not None
        (finished,) = outcome.write.finished
        return finished.outcome

    async def sent(self, payment: dict[str, Any]) -> None:
        """A worker has sent the instruction of its last attempt, where it had not."""
        told = await self.attempt(payment)
        await self.desk.column(
            "UPDATE outbox SET due_at = NULL, done_at = business_now(), sends = 1, outcome = 'sent'"
            " WHERE company_id = tenant() AND network_id = $1 AND due_at IS NOT NULL RETURNING id",
            told["message_id"],
        )

    async def schedules(self, payment: dict[str, Any], moment: datetime, name: str | None = None) -> str:
        """The bank will collect the last attempt. The endToEndId that it gave."""
        await self.sent(payment)
        told = await self.attempt(payment)
        end_to_end_id = name or f"E99999020{moment:%Y%m%d%H%M}{os.urandom(6).hex()[:11]}"
        said = port.ChargeScheduled(told["message_id"], told["recurrence_id"], told["txid"], end_to_end_id, moment)
        assert await self.tell(port.CHARGE_SCHEDULED, said, moment) == "handled"
        return end_to_end_id

    async def refuses(self, payment: dict[str, Any], code: str, moment: datetime) -> str:
        await self.sent(payment)
        told = await self.attempt(payment)
        said = port.ChargeRefused(told["message_id"], told["recurrence_id"], told["txid"], code, moment)
        return await self.tell(port.CHARGE_REFUSED, said, moment)

    async def cancels(self, payment: dict[str, Any], code: str, moment: datetime) -> str:
        told = await self.attempt(payment)
        said = port.ChargeCanceled(
            "M" + os.urandom(8).hex(), told["message_id"], told["recurrence_id"], told["txid"], code, moment
        )
        return await self.tell(port.CHARGE_CANCELED, said, moment)

    async def answers(
        self, payment: dict[str, Any], outcome: Any, moment: datetime, code: str | None = None, **says: Any
    ) -> str:
        """What it says to the receiver's cancellation."""
        (body,) = await self.desk.column(
            "SELECT body FROM outbox WHERE company_id = tenant() AND reference_id = $1 AND kind = 'charge-cancel.send'"
            " ORDER BY created_at DESC LIMIT 1",
            UUID(payment["id"]),
        )
        order = port.charge_cancel_order(bytes(body))
        said = port.ChargeCancelFinal(order.message_id, order.original_message_id, outcome, code, moment, **says)
        return await self.tell(port.CHARGE_CANCEL_FINAL, said, moment)

    async def pays(
        self, payment: dict[str, Any], name: str, moment: datetime, *, ends: bool = True, **says: Any
    ) -> str | None:
        """The money of the last attempt is asked about, and settled where we say yes. Why not, where we say no."""
        told = await self.attempt(payment)
        values = {
            "end_to_end_id": name, "txid": told["txid"], "amount": Money(told["amount"]["minor"], "BRL"),
            "accepted_at": moment, "charging": told["recurrence_id"], "instrument": "AUTO", **says,
        }  # fmt: skip
        asked = await arrives(self.desk.cast, self.desk.ana, **values)
        assert await self.tell(port.PIX_ASK, asked, moment) == "answered"
        (answer,) = await self.desk.column(
            "SELECT o.body FROM pix_payments p JOIN outbox o ON o.company_id = p.company_id AND o.reference_id = p.id"
            " WHERE p.company_id = tenant() AND p.end_to_end_id = $1",
            name,
        )
        code = port.pix_answer(bytes(answer)).code
        if code is None and ends:
            final = port.PixFinal(name, settled=True, settled_at=moment)
            assert await self.tell(port.PIX_FINAL, final, moment) == "handled"
        return code

    async def told(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of the events of a type."""
        return [body for name, body, _ in await self.desk.events() if name == kind]
