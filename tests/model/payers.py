"""What payers and their bank do with subscriptions: acts of the model in subscriptions.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.cast import BENTO, INSTITUTION
from tests.model.network import message_id, told
from tests.model.orders import end_to_end_id
from tests.model.subscriptions import CENTS, J2, Subscriptions

from lastro.core.money import Money
from lastro.rails import port

if TYPE_CHECKING:
    from tests.model.machine import Said
    from tests.model.stage import Stage


@dataclass(frozen=True)
class Authorizes:
    """The payer says yes (journey 2); what is answered."""

    name: str

    async def play(self, stage: Stage) -> Said:
        of, at = await recurrence(stage, self.name), await stage.now()
        asked = port.Authorization(message_id(), of, BENTO, at)
        await stage.tell(told(port.AUTHORIZATION_ASK, asked, of, company_number=stage.ana.number))
        answers = stage.network.of(port.AUTHORIZATION_ANSWER, port.authorization_answer)
        (answer,) = [one for one in answers if one.original_message_id == asked.message_id]
        return (answer.accept,)

    def on(self, model: Subscriptions) -> Said:
        sub = model.subscriptions[self.name]
        if sub.journey == J2 and sub.status == "PENDING_AUTHORIZATION":
            sub.tells("ACCEPTED")
        return (sub.journey == J2 and sub.status == "ACCEPTED",)


@dataclass(frozen=True)
class PaysFirst:
    """The payer pays the composite QR (journey 3): asked, and settled where we say yes."""

    name: str

    async def play(self, stage: Stage) -> Said:
        of, at, ana = await recurrence(stage, self.name), await stage.now(), stage.ana
        ((txid,),) = await stage.look(
            "SELECT txid FROM orders WHERE company_id = $1 AND subscription_id = $2::text::uuid ORDER BY created_at LIMIT 1",
            ana.company_id, stage.id_of(self.name),
        )  # fmt: skip
        arrival = port.PixArrival(
            message_id(), end_to_end_id(at), txid, Money(CENTS, "BRL"), at, BENTO, INSTITUTION.branch, ana.account_number,
            None, ana.pix_key, "QRDN", authorizing=port.Authorizing(of),
        )  # fmt: skip
        return await paid(stage, arrival)

    def on(self, model: Subscriptions) -> Said:
        sub = model.subscriptions[self.name]
        if sub.status != "PENDING_AUTHORIZATION":
            return (False,)
        sub.tells("ACCEPTED")
        model.available += CENTS
        return (True,)


@dataclass(frozen=True)
class Declines:
    """The payer says no."""

    name: str

    async def play(self, stage: Stage) -> Said:
        of, at = await recurrence(stage, self.name), await stage.now()
        said = port.AuthorizationDeclined(message_id(), of, BENTO, at, "AP14")
        await stage.tell(told(port.AUTHORIZATION_DECLINED, said, of, company_number=stage.ana.number))
        return ()

    def on(self, model: Subscriptions) -> Said:
        if model.subscriptions[self.name].status == "PENDING_AUTHORIZATION":
            model.subscriptions[self.name].tells("REJECTED")
        return ()


@dataclass(frozen=True)
class PayerCancels:
    """The payer takes it back at his bank."""

    name: str

    async def play(self, stage: Stage) -> Said:
        of, at = await recurrence(stage, self.name), await stage.now()
        by = port.Requester("USUARIO_PAGADOR", BENTO.document_type, BENTO.document_number, BENTO.name)
        said = port.AuthorizationCanceled(message_id(), of, "SLDB", by, at)
        await stage.tell(told(port.AUTHORIZATION_CANCELED, said, of, company_number=stage.ana.number))
        return ()

    def on(self, model: Subscriptions) -> Said:
        sub = model.subscriptions[self.name]
        if sub.status in ("PENDING_AUTHORIZATION", "ACCEPTED"):
            model.cancel(self.name)
            sub.cancellations.append("ACCEPTED")
        return ()


@dataclass(frozen=True)
class Decides:
    """The payer's bank says what became of the cancellation that its receiver asked for last."""

    name: str
    outcome: Any

    async def play(self, stage: Stage) -> Said:
        of, at = await recurrence(stage, self.name), await stage.now()
        ((asked,),) = await stage.look(
            "SELECT message_id FROM subscription_cancellations WHERE company_id = $1 AND subscription_id = $2::text::uuid"
            " AND message_id IS NOT NULL ORDER BY created_at DESC LIMIT 1", stage.ana.company_id, stage.id_of(self.name),
        )  # fmt: skip
        final = port.CancellationFinal(asked, of, self.outcome, None if self.outcome == "CONFIRMED" else "MD20", at)
        await stage.tell(told(port.CANCELLATION_FINAL, final, of, company_number=stage.ana.number))
        return ()

    def on(self, model: Subscriptions) -> Said:
        sub = model.subscriptions[self.name]
        if "PENDING" in sub.cancellations and self.outcome == "CONFIRMED":
            model.cancel(self.name)
        refused = {"REFUSED": "REJECTED", "FAILED": "ERROR"}.get(self.outcome, "ACCEPTED")
        sub.cancellations = [refused if one == "PENDING" else one for one in sub.cancellations]
        return ()


@dataclass(frozen=True)
class Bank:
    """The payer's bank says something of the newest attempt: that it has it, or a code why it does not collect."""

    name: str
    code: str | None

    async def play(self, stage: Stage) -> Said:
        instruction, at = await instruction_of(stage, self.name), await stage.now()
        name, of, txid = instruction.message_id, instruction.recurrence_id, instruction.txid
        if self.code is None:
            value: Any = port.ChargeScheduled(name, of, txid, end_to_end_id(at), at)
        else:
            value = port.ChargeRefused(name, of, txid, self.code, at)
        kind = port.CHARGE_REFUSED if self.code else port.CHARGE_SCHEDULED
        await stage.tell(told(kind, value, of, company_number=stage.ana.number))
        return ()

    def on(self, model: Subscriptions) -> Said:
        payment = model.payments[self.name]
        attempt = payment.open_attempt
        if attempt is not None and self.code is not None:
            model.unpaid(payment, self.code)
        elif attempt is not None and attempt.status == "REQUESTED":
            attempt.status = "SCHEDULED"
        return ()


@dataclass(frozen=True)
class Collects:
    """The payer's bank pays the newest attempt, on its day: asked, and settled where we say yes."""

    name: str

    async def play(self, stage: Stage) -> Said:
        instruction, at, ana = await instruction_of(stage, self.name), await stage.now(), stage.ana
        ((known,),) = await stage.look(
            "SELECT end_to_end_id FROM payment_attempts WHERE company_id = $1 AND message_id = $2",
            ana.company_id, instruction.message_id,
        )  # fmt: skip
        arrival = port.PixArrival(
            message_id(), known or end_to_end_id(at), instruction.txid, Money(CENTS, "BRL"), at, BENTO, INSTITUTION.branch,
            ana.account_number, None, None, "AUTO", charging=instruction.recurrence_id,
        )  # fmt: skip
        return await paid(stage, arrival)

    def on(self, model: Subscriptions) -> Said:
        payment = model.payments[self.name]
        attempt = payment.open_attempt
        if attempt is None:
            return (False,)
        attempt.status, payment.status, payment.is_called_off = "PAID", "PAID", False
        model.available += CENTS
        return (True,)


@dataclass(frozen=True)
class Drops:
    """The payer's bank says whether it drops a charge that its receiver has called off."""

    name: str
    outcome: Any

    async def play(self, stage: Stage) -> Said:
        at = await stage.now()
        orders = stage.network.of(port.CHARGE_CANCEL_SEND, port.charge_cancel_order)
        asked = (await instruction_of(stage, self.name)).message_id
        order = [one for one in orders if one.original_message_id == asked][-1]
        code = None if self.outcome == "CONFIRMED" else "NIPA"
        final = port.ChargeCancelFinal(order.message_id, asked, self.outcome, code, at)
        await stage.tell(told(port.CHARGE_CANCEL_FINAL, final, order.recurrence_id, company_number=stage.ana.number))
        return ()

    def on(self, model: Subscriptions) -> Said:
        payment = model.payments[self.name]
        if payment.is_called_off:
            payment.is_called_off = False
            if self.outcome == "CONFIRMED":
                payment.end("CANCELED")
        return ()


async def recurrence(stage: Stage, name: str) -> str:
    """What the network calls a subscription."""
    ((found,),) = await stage.look("SELECT provider_id FROM subscriptions WHERE id = $1::text::uuid", stage.id_of(name))
    return str(found)


async def instruction_of(stage: Stage, name: str) -> port.ChargeInstruction:
    """What the payer's bank was told of the newest attempt of a payment."""
    ((body,),) = await stage.look(
        "SELECT o.body FROM payment_attempts a JOIN outbox o ON o.company_id = a.company_id AND o.reference_id = a.id"
        " WHERE a.company_id = $1 AND a.payment_id = $2::text::uuid ORDER BY a.number DESC LIMIT 1",
        stage.ana.company_id, stage.id_of(name),
    )  # fmt: skip
    return port.charge_instruction(bytes(body))


async def paid(stage: Stage, arrival: port.PixArrival) -> Said:
    """Money is asked about, and settled where we say yes; what we said."""
    about: dict[str, Any] = {"txid": arrival.txid, "account": arrival.receiver_account}
    await stage.tell(told(port.PIX_ASK, arrival, arrival.end_to_end_id, **about))
    answers = {one.end_to_end_id: one.accept for one in stage.network.of(port.PIX_ANSWER, port.pix_answer)}
    if answers[arrival.end_to_end_id]:
        final = port.PixFinal(arrival.end_to_end_id, True, settled_at=arrival.accepted_at)
        await stage.tell(told(port.PIX_FINAL, final, arrival.end_to_end_id))
    return (answers[arrival.end_to_end_id],)
