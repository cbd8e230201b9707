"""Charges at a bank after they were made: what became of one, and its end (GET and PATCH /cob/{txid})."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from lastro.rails import port
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.api_pix.lists import TIMEOUT_SECONDS
from lastro.rails.api_pix.polling import settled
from lastro.rails.messages import Malformed
from lastro.rails.port import Pending, Transient, Unknown

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.wire import BankPayment
    from lastro.rails.port import NetworkMessage

_STATUSES = frozenset({wire.ACTIVE, wire.CONCLUDED, wire.REMOVED_BY_US, wire.REMOVED_BY_BANK})
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ChargeState:
    """A charge as the bank has it. status: its word. payments: those that it names; a CONCLUIDA may name none yet.

    ends_at: until when it may be paid; None: the bank does not say. was_over: it was, before we asked for its end.
    """

    txid: str
    status: str
    amount: Money
    payments: tuple[BankPayment, ...] = ()
    ends_at: datetime | None = None
    was_over: bool = False

    @property
    def is_open(self) -> bool:
        """True if it may be paid, and shows no payment."""
        return self.status == wire.ACTIVE and not self.payments


class StillOpen(Transient):
    """The charge can be paid, although the bank took its end. state: as it has it then."""

    def __init__(self, state: ChargeState) -> None:
        super().__init__("the bank keeps the charge open", is_on_its_way=False)
        self.state = state


class Charges:
    """The charges of one connection. seconds: the longest wait for an answer."""

    def __init__(self, rail: str, line: Line, clock: Clock, seconds: float = TIMEOUT_SECONDS) -> None:
        self._rail = rail
        self._line = line
        self._clock = clock
        self._seconds = seconds

    async def state(self, txid: str) -> ChargeState | Unknown:
        """Returns a charge's state; Unknown: the bank itself does not know it. Transient: it does not say."""
        answer = await self._line.ask("GET", wire.charge_path(txid), None, self._seconds)
        verdict = alarmed(judge(answer, "GET cob"), self._rail, "GET cob", txid)
        if verdict.meaning is Meaning.UNKNOWN:
            return Unknown()
        if verdict.meaning is not Meaning.DONE:
            raise verdict.transient
        try:
            return state_of(txid, answer.body, self._clock)
        except Malformed as unread:
            raise Transient(f"the charge cannot be read: {unread}") from unread

    async def remove(self, txid: str) -> ChargeState | Unknown:
        """Ends a charge, and returns what it is then: removed, or paid. The same again changes nothing there.

        It has ended only where the bank says so; an answer that does not is followed by a question. Permanent: the bank will
        not end it, although nobody has paid it. StillOpen: it did not end it. Transient: it is not known if it took effect.
        """
        answer = await self._line.ask("PATCH", wire.charge_path(txid), wire.removal(), self._seconds)
        verdict = judge(answer, "PATCH cob")
        if verdict.meaning is Meaning.DONE and wire.is_json(answer.body):
            try:
                shown = state_of(txid, answer.body, self._clock)
            except Malformed:
                shown = None  # it is asked what it has
            if shown is not None and not shown.is_open:
                return shown
        elif verdict.meaning is not Meaning.DONE and not verdict.is_worded:
            raise alarmed(verdict, self._rail, "PATCH cob", txid).transient
        found = await self.state(txid)
        if isinstance(found, Unknown) or not found.is_open:
            is_refused = verdict.meaning is not Meaning.DONE
            return replace(found, was_over=True) if is_refused and not isinstance(found, Unknown) else found
        if verdict.meaning is Meaning.PERMANENT:
            raise verdict.permanent
        if verdict.meaning is Meaning.DONE:
            raise StillOpen(found)
        raise alarmed(verdict, self._rail, "PATCH cob", txid).transient


def state_of(txid: str, body: bytes, clock: Clock) -> ChargeState:
    """Reads a charge of ours. Malformed: it is another one, or in no state that we know.

    A payment that it names without txid is its own; one that names another is not.
    """
    charge = wire.charge(body)
    if charge.txid != txid:
        raise Malformed("txid")
    if charge.status not in _STATUSES:
        raise Malformed("status")
    amount = wire.money(None if charge.valor is None else charge.valor.original, "valor.original")
    named = [wire.payment(bytes(raw), clock) for raw in charge.pix or ()]
    its = (replace(one, txid=txid) for one in named if one.txid in {None, txid})
    payments = tuple(sorted(its, key=lambda one: one.at))
    return ChargeState(txid, charge.status, amount, payments, wire.ends_at(charge, clock))


def told(state: ChargeState | Unknown) -> NetworkMessage | Pending | Unknown:
    """Returns a charge's state as the rooms hear it. The payment decides, and not the status."""
    if isinstance(state, Unknown):
        return state
    if state.payments:
        return settled(state.payments[0], state.txid)
    if state.status in {wire.REMOVED_BY_US, wire.REMOVED_BY_BANK}:
        refused = port.CollectionRefused(state.txid, state.status)
        return port.NetworkMessage(port.COLLECTION_REFUSED, "", state.txid, port.encode(refused), instrument=state.txid)
    return Pending()
