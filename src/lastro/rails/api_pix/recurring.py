"""Recurrences at a bank after they were made: charged, ended, and asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import structlog

from lastro.rails import port
from lastro.rails.api_pix import recurring_news as news
from lastro.rails.api_pix import recurring_wire as wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.api_pix.lists import TIMEOUT_SECONDS
from lastro.rails.messages import Malformed
from lastro.rails.port import Transient, Unknown
from lastro.standards.recurrence_ids import is_recurrence_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.errors import Verdict, Where
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.recurring_wire import BankRecurrence, BankRecurringCharge
    from lastro.rails.port import NetworkMessage, Pending

OUT_KINDS = frozenset({
    port.CHARGE_SEND, port.CHARGE_CANCEL_SEND, port.CANCELLATION_SEND, port.RECURRENCE_CLOSE,
})  # fmt: skip
KINDS = OUT_KINDS | {port.AUTHORIZATION_MADE, port.AUTHORIZATION_CANCELED}
T = TypeVar("T")
_log = structlog.get_logger(__name__)


class Unreadable(Transient):
    """An answer of the bank that is not about what was asked."""


class Recurring:
    """The recurrences of one connection. company: its number here. account: the receiver's, as a charge names it."""

    def __init__(self, rail: str, line: Line, clock: Clock, company: int, account: Mapping[str, str] | None = None) -> None:
        self._rail = rail
        self._line = line
        self._clock = clock
        self._company = company
        self._account = account

    async def send(self, kind: str, body: bytes) -> None:
        """Tells the bank what an outbox row says; the same again changes nothing there. As the port says."""
        if kind == port.CHARGE_SEND:
            await self._charge(port.charge_instruction(body))
        elif kind == port.CHARGE_CANCEL_SEND:
            await self._cancel_charge(port.charge_cancel_order(body).txid)
        elif kind == port.CANCELLATION_SEND:
            await self._cancel(port.cancellation_order(body).recurrence_id)
        else:
            await self._cancel(port.recurrence_close(body).recurrence_id, is_close=True)

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the bank's word on an order or a recurrence; as the port says."""
        if kind in {port.CHARGE_SEND, port.CHARGE_CANCEL_SEND}:
            charge = await self._charge_now(port.named_in(network_id))
            if isinstance(charge, Unknown):
                return charge
            read = news.of_attempt if kind == port.CHARGE_SEND else news.of_charge_cancellation
            return read(charge, network_id, self._clock)
        found = await self._recurrence_now(port.named_in(network_id.removeprefix(news.CLOSE_PREFIX)))
        if isinstance(found, Unknown):
            return found
        if kind == port.CANCELLATION_SEND:
            return news.of_cancellation(found, network_id, self._clock)
        if kind == port.RECURRENCE_CLOSE:
            return port.Pending() if found.status in news.OVER else Unknown()
        return news.of_recurrence(found, self._clock, is_held=kind == port.AUTHORIZATION_CANCELED)

    async def told(self, name: str) -> tuple[NetworkMessage, ...]:
        """Returns the news of what a webhook has named: an idRec, or the txid of a cycle's charge.

        Transient: not now. An answer that is none is no news.
        """
        try:
            return await self._told(name)
        except Unreadable as unread:
            _log.warning("bank.hint_unread", rail=self._rail, network_id=name, reason=unread.reason)
            return ()

    async def _told(self, name: str) -> tuple[NetworkMessage, ...]:
        if is_recurrence_id(name):
            found = await self._recurrence_now(name)
            messages = () if isinstance(found, Unknown) else self._told_of(found)
        else:
            charge = await self._charge_now(name)
            messages = () if isinstance(charge, Unknown) else news.of_charge(charge, self._clock)
        return tuple(news.owned(one, self._company) for one in messages)

    def _told_of(self, found: BankRecurrence) -> tuple[NetworkMessage, ...]:
        """Returns the news of a recurrence, in their order; of one that was paid first, that it was, and its end."""
        both = (False, True) if news.was_paid_first(found, self._clock) else (False,)
        told = (news.of_recurrence(found, self._clock, is_held=is_held) for is_held in both)
        return tuple(one for one in told if isinstance(one, port.NetworkMessage))

    async def _charge(self, told: port.ChargeInstruction) -> None:
        """Makes a cycle's charge, or has it tried again on a day; leaves what is there already."""
        if self._account is None:  # its table was changed since it made subscriptions
            raise Transient("the connection names no bank_account", is_on_its_way=False)
        path = wire.recurring_charge_path(told.txid)
        where: Where = "PUT cobr" if told.kind == "AGND" else "POST retry"
        if told.kind == "AGND":
            body = wire.new_recurring_charge(told, self._account)
            answer = await self._line.ask("PUT", path, body, TIMEOUT_SECONDS)
        else:
            retry = f"{path}/retentativa/{told.collect_on.isoformat()}"
            answer = await self._line.ask("POST", retry, None, TIMEOUT_SECONDS)
        verdict = judge(answer, where)
        if verdict.meaning is Meaning.DONE:
            return
        if verdict.meaning not in {Meaning.PERMANENT, Meaning.LOOK}:
            raise alarmed(verdict, self._rail, where, told.txid).transient
        there = await self._charge_now(told.txid)
        if not isinstance(there, Unknown) and news.has_attempt(there, told):
            return
        if verdict.meaning is Meaning.PERMANENT:
            raise alarmed(verdict, self._rail, where, told.txid).permanent
        raise verdict.transient

    async def _cancel_charge(self, txid: str) -> None:
        answer = await self._line.ask("PATCH", wire.recurring_charge_path(txid), wire.cancellation(), TIMEOUT_SECONDS)
        verdict = judge(answer, "PATCH cobr")
        if verdict.meaning is Meaning.PERMANENT:
            found = await self._charge_now(txid)
            if not isinstance(found, Unknown) and found.status == wire.CANCELED:
                return
        self._demand(verdict, "PATCH cobr", txid)

    async def _cancel(self, recurrence_id: str, *, is_close: bool = False) -> None:
        path = wire.recurrence_path(recurrence_id)
        answer = await self._line.ask("PATCH", path, wire.cancellation(), TIMEOUT_SECONDS)
        verdict = judge(answer, "PATCH rec")
        if verdict.meaning is Meaning.UNKNOWN and is_close:
            return  # what the bank does not know nobody can authorize
        if verdict.meaning is Meaning.PERMANENT:
            found = await self._recurrence_now(recurrence_id)
            if not isinstance(found, Unknown) and found.status in news.OVER:
                return
        self._demand(verdict, "PATCH rec", recurrence_id)

    def _demand(self, verdict: Verdict, where: Where, name: str) -> None:
        if verdict.meaning is Meaning.DONE:
            return
        alarmed(verdict, self._rail, where, name)
        raise verdict.permanent if verdict.meaning is Meaning.PERMANENT else verdict.transient

    async def _charge_now(self, txid: str) -> BankRecurringCharge | Unknown:
        body = await self._now(wire.recurring_charge_path(txid), "GET cobr", txid)
        if body is None:
            return Unknown()
        found = _read(body, wire.recurring_charge)
        self._demand_same(found.txid, txid, "txid")
        return found

    async def _recurrence_now(self, recurrence_id: str) -> BankRecurrence | Unknown:
        body = await self._now(wire.recurrence_path(recurrence_id), "GET rec", recurrence_id)
        if body is None:
            return Unknown()
        found = _read(body, wire.recurrence)
        self._demand_same(found.id_rec, recurrence_id, "idRec")
        return found

    def _demand_same(self, told: str | None, asked: str, field: str) -> None:
        if told != asked:
            _log.critical("bank.answer_invalid", rail=self._rail, network_id=asked, code=field)
            raise Unreadable("the bank answered about something else")

    async def _now(self, path: str, where: Where, name: str) -> bytes | None:
        """Returns the bank's object; None: the bank itself does not know it. Transient: it does not say."""
        answer = await self._line.ask("GET", path, None, TIMEOUT_SECONDS)
        verdict = alarmed(judge(answer, where), self._rail, where, name)
        if verdict.meaning is Meaning.UNKNOWN:
            return None
        if verdict.meaning is Meaning.PERMANENT:
            raise Unreadable(f"{verdict.code}: {verdict.reason}")
        if verdict.meaning is not Meaning.DONE:
            raise verdict.transient
        return answer.body


def _read(body: bytes, reader: Callable[[bytes], T]) -> T:
    try:
        return reader(body)
    except Malformed as unread:
        raise Unreadable(f"the answer cannot be read: {unread}") from unread
