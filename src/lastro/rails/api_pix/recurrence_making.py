"""Makes a recurrence at a bank: its location, itself, and its code. POST /rec cannot be repeated: it is looked for first."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

import structlog

from lastro.rails.api_pix import recurring_wire as wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.api_pix.wire import asked_instant
from lastro.rails.messages import Malformed
from lastro.rails.port import AnswerInvalid, IssueRefused, Transient
from lastro.rails.port.bank_recurrences import MAKE_SECONDS, MadeRecurrence
from lastro.standards import brcode

if TYPE_CHECKING:
    from lastro.rails.api_pix.errors import Verdict, Where
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.issuing import ApiPixIssuer
    from lastro.rails.api_pix.recurring_wire import BankRecurrence
    from lastro.rails.network_client import NetworkAnswer
    from lastro.rails.port import IssuedCharge
    from lastro.rails.port.bank_recurrences import RecurrenceRequest

# How far back a recurrence is looked for that an earlier try has left, and how far the bank's clock may be ahead.
_LOOK_BACK = timedelta(days=1)
_AHEAD = timedelta(minutes=15)
_CANCEL_SECONDS = 2.0  # what a client waits longer, where the bank's answer was wrong
_FIELDS = {
    "vinculo.contrato": "contract", "vinculo.devedor": "payer", "vinculo.objeto": "text", "calendario": "starts_on",
    "valor": "amount",
}  # fmt: skip
_AROUND = "rec."
_log = structlog.get_logger(__name__)


class ApiPixRecurrences:
    """The recurrences of one connection, for new subscriptions. issuer: makes a first charge there."""

    def __init__(self, rail: str, line: Line, issuer: ApiPixIssuer) -> None:
        self._rail = rail
        self._line = line
        self._issuer = issuer

    async def make(self, request: RecurrenceRequest) -> MadeRecurrence:
        """Makes the recurrence within MAKE_SECONDS; as the port says."""
        ends_at = asyncio.get_running_loop().time() + MAKE_SECONDS
        first = None if request.first is None else await self._issuer.issue(request.first)
        found = await self._earlier(request, ends_at) or await self._created(request, ends_at)
        shown = await self._shown(found, request, ends_at)
        try:
            return MadeRecurrence(shown.id_rec or "", code_of(shown, first), first)
        except Malformed as wrong:
            await self._refuse(shown.id_rec or "", str(wrong))

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()

    async def _earlier(self, request: RecurrenceRequest, ends_at: float) -> BankRecurrence | None:
        """Returns a recurrence like this one that an earlier try has left; None: there is none.

        Nobody has its code, so that no payer can have answered it. A day's recurrences of one debtor fill no page.
        """
        debtor = request.debtor
        query = {
            "inicio": asked_instant(request.now - _LOOK_BACK), "fim": asked_instant(request.now + _AHEAD),
            debtor.document_type.lower(): debtor.document_number, "status": wire.CREATED,
        }  # fmt: skip
        answer = await self._line.ask("GET", "/rec", None, _left(ends_at), query=query)
        self._done(answer, "GET list", request.contract)
        try:
            rows = wire.recurrences(answer.body)
        except Malformed as unread:
            raise Transient(f"the recurrences cannot be read: {unread}") from unread
        return next((one for one in rows if _is_it(request, one)), None)

    async def _created(self, request: RecurrenceRequest, ends_at: float) -> BankRecurrence:
        """Creates the recurrence on a location of its own; looks for it once, if its answer is lost."""
        answer = await self._line.ask("POST", "/locrec", None, _left(ends_at))
        self._done(answer, "POST locrec", request.contract)
        try:
            location_id, _ = wire.location(answer.body)
            body = wire.new_recurrence(request, location_id)
        except Malformed as unread:
            raise Transient(f"the location cannot be read: {unread}") from unread
        try:
            answer = await self._line.ask("POST", "/rec", body, _left(ends_at))
            self._done(answer, "POST rec", request.contract)
            return wire.recurrence(answer.body)
        except (Transient, Malformed) as lost:
            found = await self._earlier(request, ends_at)
            if found is None:
                raise lost if isinstance(lost, Transient) else Transient(f"cannot be read: {lost}") from lost
            return found

    async def _shown(self, made: BankRecurrence, request: RecurrenceRequest, ends_at: float) -> BankRecurrence:
        """Returns the recurrence with its code, once it is what was asked; what is not is cancelled there."""
        name = made.id_rec or ""
        query = {} if request.first is None else {"txid": request.first.txid}
        answer = await self._line.ask("GET", wire.recurrence_path(name), None, _left(ends_at), query=query or None)
        self._done(answer, "GET rec", name)
        try:
            shown = wire.recurrence(answer.body)
        except Malformed as unread:
            raise Transient(f"the recurrence cannot be read: {unread}") from unread
        wrong = "idRec" if shown.id_rec != name else wire.difference(request, shown)
        if wrong is None and shown.status != wire.CREATED:
            wrong = "status"
        if wrong is not None:
            await self._refuse(name, wrong)
        return shown

    async def _refuse(self, name: str, field: str) -> NoReturn:
        """Cancels what the bank has made otherwise than asked, and tells it."""
        _log.critical("bank.answer_invalid", rail=self._rail, network_id=name, code=field)
        try:
            await self._line.ask("PATCH", wire.recurrence_path(name), wire.cancellation(), _CANCEL_SECONDS)
        except Transient as left:
            _log.error("bank.recurrence_not_canceled", rail=self._rail, network_id=name, reason=left.reason)
        raise AnswerInvalid(field)

    def _done(self, answer: NetworkAnswer, where: Where, name: str) -> Verdict:
        """Returns the verdict of an answer that did it. IssueRefused: the bank will not. Transient: anything else."""
        verdict = alarmed(judge(answer, where), self._rail, where, name)
        if verdict.meaning is Meaning.DONE:
            return verdict
        if verdict.meaning is Meaning.PERMANENT and where == "POST rec":
            found = tuple((_field_of(told), why) for told, why in verdict.violations)
            raise IssueRefused(verdict.code, found or ((None, verdict.reason),))
        raise verdict.transient


def _is_it(request: RecurrenceRequest, one: BankRecurrence) -> bool:
    return one.status == wire.CREATED and wire.difference(request, one) is None


def _left(ends_at: float) -> float:
    """Returns the seconds left. Transient: none is."""
    left = ends_at - asyncio.get_running_loop().time()
    if left <= 0:
        raise Transient(f"no answer within {MAKE_SECONDS:g} s")
    return left


def _field_of(name: str) -> str | None:
    """Returns the port's field for a property that the bank complains of; None: it is none that we know."""
    plain = name.removeprefix(_AROUND)
    return next((field for begins, field in _FIELDS.items() if plain.startswith(begins)), None)


def code_of(found: BankRecurrence, first: IssuedCharge | None) -> str:
    """Returns the code of a recurrence: as the bank gives it.

    Malformed: there is none, or it is damaged, or leads to another recurrence or charge. Source: the Central
    Bank's manual of initiation, composed codes; API Pix 2.9.0, dadosQR.
    """
    location = None if found.loc is None or not found.loc.location else wire.bare(found.loc.location)
    text = (found.dados_qr.pix_copia_e_cola if found.dados_qr is not None else None) or ""
    if not text.strip():
        raise Malformed("dadosQR.pixCopiaECola")
    try:
        code = brcode.decode(text.strip())
    except brcode.BrCodeError as error:
        raise Malformed(f"dadosQR.pixCopiaECola ({error.reason})") from error
    if code.recurrence_location is None or (location is not None and code.recurrence_location != location):
        raise Malformed("loc.location")
    if code.location != (None if first is None else first.location):
        raise Malformed("dadosQR.pixCopiaECola (TARGET)")
    return text.strip()
