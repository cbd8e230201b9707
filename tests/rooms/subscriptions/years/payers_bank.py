"""The bank of all payers, and the network before it: they do what such banks may do, by chance, and keep their own record.

What is sent may get lost on its way, or the answer may; what is told may come late, twice, or out of turn. Nothing of lastro
is in here but the words of the port.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from lastro.rails import port
from lastro.standards import pix_ids, recurrence_ids

if TYPE_CHECKING:
    import asyncio
    import random
    from uuid import UUID

    from lastro.core.money import Money

ISPB = "87654321"
BRASILIA = ZoneInfo("America/Sao_Paulo")
LOST, ANSWER_LOST, LATE, TWICE = 0.04, 0.04, 0.06, 0.05
# Codes with which a bank refuses an instruction, or a charge on its day: some end the charge, others do not.
AT_ONCE = ("AB10", "AC06", "UDEI", "NITX", "AC05", "XXXX")
ON_THE_DAY = ("EXPR", "EXPR", "EXPR", "AC06", "AC05", "AB10", "ED05")
# Something failed: said at once, while the payer's money is looked for until the last window.
FAILED = ("AB03", "AB09", "AB10", "AB11", "ED05")
# What a bank is told, when it acts (at once, or on the day), and now: the code of its no.
Refusing = Callable[[port.ChargeInstruction, Literal["instructed", "collecting"], datetime], "str | None"]


@dataclass
class Authorization:
    """What holds, or has held. maximum: what the payer lets one charge be."""

    payer: port.Payer
    maximum: Money | None
    is_live: bool = True


@dataclass
class Charge:
    """An instruction as the bank has it. status: SCHEDULED, ASKED, PAID, REFUSED or CANCELED. at: when it acts next."""

    order: port.ChargeInstruction
    status: str
    at: datetime
    end_to_end_id: str = ""
    code: str | None = None
    arrival: port.PixArrival | None = None
    is_evening: bool = False


@dataclass
class PayersBank:
    """A rail. now: business time, as whoever plays with it says."""

    ispb: str
    chance: random.Random
    now: datetime
    calm: bool = False  # nothing goes wrong any more
    authorizations: dict[str, Authorization] = field(default_factory=dict)  # by idRec, once the receiver has said yes
    words: dict[str, port.Authorization] = field(default_factory=dict)  # payers' words that wait for that, by message id
    charges: dict[str, Charge] = field(default_factory=dict)
    firsts: dict[str, port.PixArrival] = field(default_factory=dict)  # first payments, by endToEndId, until they end
    paid: dict[str, port.PixArrival] = field(default_factory=dict)  # all money that was settled, by endToEndId
    returned: dict[str, Money] = field(default_factory=dict)
    finals: dict[str, tuple[str, msgspec.Struct]] = field(default_factory=dict)  # what became of orders of ours, by name
    telling: list[tuple[datetime, port.NetworkMessage]] = field(default_factory=list)
    refusing: Refusing | None = None  # the code with which it refuses what it is told, or collects nothing
    _count: int = 0

    # ── as a rail ──

    async def listen(self, keep: port.Keep, stop: asyncio.Event) -> None:
        """Nobody listens: what it tells is fetched when the walk comes by."""
        del keep
        await stop.wait()

    async def close(self) -> None:
        """There is nothing to close."""

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Takes a message, unless it gets lost."""
        del company_id
        if self._happens(LOST):
            raise port.Transient("lost on its way")
        take = {
            port.AUTHORIZATION_ANSWER: self._authorization_answered, port.PIX_ANSWER: self._pix_answered,
            port.CANCELLATION_SEND: self._cancellation_asked, port.CHARGE_SEND: self._instructed,
            port.CHARGE_CANCEL_SEND: self._charge_cancel_asked, port.RETURN_SEND: self._given_back,
        }[kind]  # fmt: skip
        take(body)
        if self._happens(ANSWER_LOST):
            raise port.Transient("its answer was lost")

    async def status_of(self, kind: str, network_id: str) -> port.NetworkMessage | port.Pending | port.Unknown:
        """What became of what we sent, or of a payment."""
        if self._happens(LOST):
            raise port.Transient("no answer")
        if kind == port.PIX_ASK:
            return self._payment_became(network_id)
        if kind == port.CHARGE_SEND:
            return self._charge_became(network_id)
        if network_id not in self.finals:
            return port.Unknown()
        final_kind, value = self.finals[network_id]
        return port.NetworkMessage(final_kind, "", getattr(value, "recurrence_id", None) or network_id, port.encode(value))

    def _payment_became(self, end_to_end_id: str) -> port.NetworkMessage | port.Pending:
        if end_to_end_id in self.paid:
            final = port.PixFinal(end_to_end_id, settled=True, settled_at=self.paid[end_to_end_id].settled_at)
            return port.NetworkMessage(port.PIX_FINAL, "", end_to_end_id, port.encode(final))
        if end_to_end_id in self.finals:
            return port.NetworkMessage(port.PIX_FINAL, "", end_to_end_id, port.encode(self.finals[end_to_end_id][1]))
        return port.Pending()

    def _charge_became(self, message_id: str) -> port.NetworkMessage | port.Pending | port.Unknown:
        charge = self.charges.get(message_id)
        if charge is None:
            return port.Unknown()
        order, of = charge.order, charge.order.recurrence_id
        if charge.status == "ASKED":
            return port.Pending()
        if charge.status == "PAID":
            arrival = self.paid[charge.end_to_end_id]
            return port.NetworkMessage(
                port.PIX_SETTLED, "", arrival.end_to_end_id, port.encode(arrival), txid=arrival.txid,
                account=arrival.receiver_account,
            )  # fmt: skip
        kind, value = {
            "SCHEDULED": (
                port.CHARGE_SCHEDULED,
                port.ChargeScheduled(message_id, of, order.txid, charge.end_to_end_id, self.now),
            ),
            "REFUSED": (port.CHARGE_REFUSED, port.ChargeRefused(message_id, of, order.txid, charge.code or "", self.now)),
            "CANCELED": (
                port.CHARGE_CANCELED,
                port.ChargeCanceled("", message_id, of, order.txid, charge.code or "", self.now),
            ),
        }[charge.status]
        return port.NetworkMessage(kind, "", of, port.encode(value), company_number=_company(of))

    # ── payers ──

    def authorize(self, recurrence_id: str, payer: port.Payer, maximum: Money | None) -> None:
        """A payer agrees without paying."""
        asked = port.Authorization(self._name(), recurrence_id, payer, self.now, maximum)
        self.words[asked.message_id] = asked
        self._tell(port.AUTHORIZATION_ASK, recurrence_id, asked)

    def pay_first(self, arrival: port.PixArrival) -> None:
        """A payer pays a first charge, and agrees by that."""
        self.firsts[arrival.end_to_end_id] = arrival
        self._ask_payment(arrival)

    def decline(self, recurrence_id: str, payer: port.Payer) -> None:
        """A payer says no."""
        said = port.AuthorizationDeclined(self._name(), recurrence_id, payer, self.now, "AP14")
        self._tell(port.AUTHORIZATION_DECLINED, recurrence_id, said)

    def cancel(self, recurrence_id: str) -> bool:
        """A payer takes his agreement back; whether there was one."""
        if (known := self.authorizations.get(recurrence_id)) is None or not known.is_live:
            return False
        self._over(recurrence_id)
        who = port.Requester("USUARIO_PAGADOR", known.payer.document_type, known.payer.document_number, known.payer.name)
        said = port.AuthorizationCanceled(self._name(), recurrence_id, "SLDB", who, self.now)
        self._tell(port.AUTHORIZATION_CANCELED, recurrence_id, said)
        return True

    def cancel_charge(self, charge: Charge) -> bool:
        """A payer cancels one charge, while he may: until 23:59 of the day before."""
        last = datetime.combine(charge.order.collect_on - timedelta(days=1), time(23, 59), BRASILIA)
        if charge.status != "SCHEDULED" or charge.order.kind == "NTAG" or self.now >= last:
            return False
        self.drop(charge, "SLBD")
        return True

    # ── time ──

    def next_at(self) -> datetime | None:
        """When something happens here next."""
        acting = [c.at for c in self.charges.values() if c.status == "SCHEDULED"]
        return min([*acting, *(at for at, _ in self.telling)], default=None)

    def act(self) -> None:
        """What falls due by now: charges are collected, or are not."""
        for charge in [c for c in self.charges.values() if c.status == "SCHEDULED" and c.at <= self.now]:
            if self._is_over_for_today(charge):
                self._refuse(charge, charge.code or "EXPR")
            else:
                self._try_to_collect(charge)

    def told_by_now(self) -> list[port.NetworkMessage]:
        """What arrives now."""
        now = [told for at, told in self.telling if at <= self.now]
        self.telling = [(at, told) for at, told in self.telling if at > self.now]
        return now

    def _is_over_for_today(self, charge: Charge) -> bool:
        return self.now >= datetime.combine(charge.order.collect_on, time(21), BRASILIA)

    def _try_to_collect(self, charge: Charge) -> None:
        known = self.authorizations[charge.order.recurrence_id]
        wanted = None if self.refusing is None else self.refusing(charge.order, "collecting", self.now)
        if wanted is not None or self._happens(0.3):
            charge.code = wanted or self.chance.choice(ON_THE_DAY)
            if charge.code in FAILED:
                self._refuse(charge, charge.code)
                return
            charge.at = _at(charge.order.collect_on, self._hour(18, 20.9) if not charge.is_evening else 21.01)
            charge.is_evening = True
            return
        who, order = known.payer, charge.order
        charge.arrival = port.PixArrival(
            self._name(), charge.end_to_end_id, order.txid, order.amount, self.now, who, order.collector.branch,
            order.collector.account, order.collector.document, None, "AUTO", charging=order.recurrence_id,
        )  # fmt: skip
        charge.status = "ASKED"
        self._ask_payment(charge.arrival)

    # ── what we send ──

    def _authorization_answered(self, body: bytes) -> None:
        answer = port.authorization_answer(body)
        word = self.words.pop(answer.original_message_id, None)
        if word is not None and answer.accept:
            self.authorizations[word.recurrence_id] = Authorization(word.payer, word.maximum)

    def _pix_answered(self, body: bytes) -> None:
        answer = port.pix_answer(body)
        name = answer.end_to_end_id
        if name in self.paid or name in self.finals:
            return
        charge = next((c for c in self.charges.values() if c.end_to_end_id == name), None)
        arrival = self.firsts.get(name) or (None if charge is None else charge.arrival)
        assert arrival is not None
        settled = answer.accept and not self._happens(0.06)
        code = None if settled else answer.code or "ED05"
        final = port.PixFinal(name, settled=settled, code=code, settled_at=self.now if settled else None)
        if settled:
            self.paid[name] = msgspec.structs.replace(arrival, settled_at=self.now)
        else:
            self.finals[name] = (port.PIX_FINAL, final)
        self._tell(port.PIX_FINAL, name, final)
        if charge is not None:
            charge.status = "PAID" if settled else charge.status
            if not settled:
                self._refuse(charge, "AB10")
        elif arrival.authorizing is not None and settled:
            agreed = Authorization(arrival.payer, arrival.authorizing.maximum)
            self.authorizations[arrival.authorizing.recurrence_id] = agreed

    def _cancellation_asked(self, body: bytes) -> None:
        order = port.cancellation_order(body)
        if order.message_id in self.finals:
            return
        refuses = self._happens(0.3)
        if not refuses:
            self._over(order.recurrence_id)
        outcome: port.CancellationOutcome = "REFUSED" if refuses else "CONFIRMED"
        final = port.CancellationFinal(order.message_id, order.recurrence_id, outcome, "AP13" if refuses else None, self.now)
        self.finals[order.message_id] = (port.CANCELLATION_FINAL, final)
        self._tell(port.CANCELLATION_FINAL, order.recurrence_id, final)

    def _instructed(self, body: bytes) -> None:
        order = port.charge_instruction(body)
        if order.message_id in self.charges:
            return
        known = self.authorizations.get(order.recurrence_id)
        charge = Charge(order, "SCHEDULED", _at(order.collect_on, self._hour(0.1, 7.9)))
        self.charges[order.message_id] = charge
        if known is None or not known.is_live:
            self._refuse(charge, "MSUC")
        elif known.maximum is not None and order.amount.minor > known.maximum.minor:
            self._refuse(charge, "AM02")
        elif self.refusing is not None and (code := self.refusing(order, "instructed", self.now)) is not None:
            self._refuse(charge, code)
        elif self._happens(0.12):
            self._refuse(charge, self.chance.choice(AT_ONCE))
        else:
            self._count += 1
            charge.at = max(charge.at, self.now + timedelta(minutes=1))
            charge.end_to_end_id = pix_ids.end_to_end_id(ISPB, self.now.astimezone(UTC), 7, self._count)
            said = port.ChargeScheduled(order.message_id, order.recurrence_id, order.txid, charge.end_to_end_id, self.now)
            self._tell(port.CHARGE_SCHEDULED, order.recurrence_id, said)

    def _charge_cancel_asked(self, body: bytes) -> None:
        order = port.charge_cancel_order(body)
        if order.message_id in self.finals:
            return
        charge = self.charges.get(order.original_message_id)
        can = charge is None or charge.status in ("SCHEDULED", "REFUSED", "CANCELED")
        if charge is not None and charge.status == "SCHEDULED":
            charge.status, charge.code = "CANCELED", "SLCR"
        outcome: port.ChargeCancelOutcome = "CONFIRMED" if can else "REFUSED"
        final = port.ChargeCancelFinal(
            order.message_id, order.original_message_id, outcome, None if can else "NIPA", self.now
        )
        self.finals[order.message_id] = (port.CHARGE_CANCEL_FINAL, final)
        self._tell(port.CHARGE_CANCEL_FINAL, order.recurrence_id, final)

    def _given_back(self, body: bytes) -> None:
        order = port.return_order(body)
        self.returned.setdefault(order.return_id, order.amount)
        final = port.ReturnFinal(order.return_id, order.end_to_end_id, settled=True, settled_at=self.now)
        self.finals[order.return_id] = (port.RETURN_FINAL, final)
        self._tell(port.RETURN_FINAL, order.return_id, final)

    # ── what they tell ──

    def _over(self, recurrence_id: str) -> None:
        """An authorization ends, and what is scheduled under it; what is being collected is collected."""
        if recurrence_id in self.authorizations:
            self.authorizations[recurrence_id].is_live = False
        for charge in self.charges.values():
            if charge.order.recurrence_id == recurrence_id and charge.status == "SCHEDULED":
                self.drop(charge, "CCLD")

    def drop(self, charge: Charge, code: str) -> None:
        """What was scheduled is not, any more."""
        charge.status, charge.code, order = "CANCELED", code, charge.order
        said = port.ChargeCanceled(self._name(), order.message_id, order.recurrence_id, order.txid, code, self.now)
        self._tell(port.CHARGE_CANCELED, order.recurrence_id, said)

    def _refuse(self, charge: Charge, code: str) -> None:
        charge.status, charge.code, order = "REFUSED", code, charge.order
        said = port.ChargeRefused(order.message_id, order.recurrence_id, order.txid, code, self.now)
        self._tell(port.CHARGE_REFUSED, order.recurrence_id, said)

    def _ask_payment(self, arrival: port.PixArrival) -> None:
        self._tell(port.PIX_ASK, arrival.end_to_end_id, arrival, txid=arrival.txid, account=arrival.receiver_account)

    def _tell(self, kind: str, subject: str, value: msgspec.Struct, **about: Any) -> None:
        """Now as a rule; late or twice by chance. Of money the end never overtakes the question: it is of one stream."""
        number = None if kind.startswith(("pix", "return")) else _company(subject)
        told = port.NetworkMessage(kind, self._name(), subject, port.encode(value), company_number=number, **about)
        late = timedelta(minutes=self.chance.uniform(1, 600)) if self._happens(LATE) else timedelta(0)
        if kind in (port.PIX_ASK, port.PIX_FINAL):
            late = min(late, timedelta(minutes=5))
        self.telling.append((self.now + late, told))
        if self._happens(TWICE):
            self.telling.append((self.now + late + timedelta(minutes=self.chance.uniform(0, 600)), told))

    def _name(self) -> str:
        return pix_ids.message_id(ISPB, self.chance.randbytes(24))

    def _hour(self, opens: float, closes: float) -> float:
        """When it tries in a window: at any time, or with all others where it is calm."""
        return opens if self.calm else self.chance.uniform(opens, closes)

    def _happens(self, share: float) -> bool:
        return self.chance.random() < share and not self.calm


def _at(day: date, hour: float) -> datetime:
    return datetime.combine(day, time(0), BRASILIA) + timedelta(hours=hour)


def _company(recurrence_id: str) -> int | None:
    return recurrence_ids.company_of_recurrence_id(recurrence_id)
