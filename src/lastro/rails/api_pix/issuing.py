"""Makes an order's charge at a bank: PUT /cob/{txid}. An answer that is not exactly what was asked is not used."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from lastro.rails.api_pix import codes, wire
from lastro.rails.api_pix.charges import Charges, StillOpen
from lastro.rails.api_pix.errors import Meaning, Verdict, alarmed, judge
from lastro.rails.api_pix.exchange import SetUpWrongly
from lastro.rails.api_pix.payment_now import payment_now
from lastro.rails.api_pix.polling import OVERLAP, is_at_key
from lastro.rails.messages import Malformed
from lastro.rails.port import Permanent, Transient, Unknown
from lastro.rails.port.issuing import (
    ISSUE_SECONDS,
    AnswerInvalid,
    ChargeEnd,
    ChargeRequest,
    IssuedCharge,
    IssueRefused,
)
from lastro.standards.pix_keys import names_key

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.api_pix.charges import ChargeState
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.errors import Where
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.wire import BankCharge
    from lastro.rails.network_client import NetworkAnswer
    from lastro.rails.port import Person
    from lastro.rails.port.foreign import PaymentNow

    Hint = Callable[[Sequence[str]], Awaitable[bool]]

_MOST_SECONDS = 2**31 - 1  # API Pix 2.9.0, calendario.expiracao
LONGEST_TEXT = 140
LONGEST_NAME = 200  # API Pix 2.9.0, devedor.nome
LONGEST_KEY = 77
# The bank's time of a new charge from ours. So much later or earlier each poll still finds a payment; a wrong zone is more.
CLOCKS_DIFFER = OVERLAP
_MOST_ASKED = 10_000
_LEAST_SECONDS = 0.3  # to look, once the answer to the charge itself was none
_REMOVE_SECONDS = 2.0  # what a client waits longer, where the bank's answer was wrong
_FIELDS = {
    "valor": "amount", "chave": "key", "devedor": "payer", "solicitacaoPagador": "text", "calendario": "seconds",
}  # fmt: skip
_DOCUMENTS = {"cpf": re.compile(r"[0-9]{11}"), "cnpj": re.compile(r"[0-9A-Z]{12}[0-9]{2}")}
_AROUND = ("body", "cob", "$", "")
_log = structlog.get_logger(__name__)


class ApiPixIssuer:
    """An Issuer: one connection to a bank.

    rail: its name. hint: notes payments for whoever polls, by endToEndId. tell: takes a mistake of set-up.
    """

    def __init__(
        self, rail: str, line: Line, clock: Clock, hint: Hint | None = None,
        tell: Callable[[SetUpWrongly], None] | None = None,
    ) -> None:  # fmt: skip
        self._rail = rail
        self._line = line
        self._clock = clock
        self._hint = hint
        self._tell = tell
        self._asked: dict[str, None] = {}  # txids whose removal was asked for, and may have taken effect unanswered
        self._charges = Charges(rail, line, clock, ISSUE_SECONDS)

    async def issue(self, request: ChargeRequest) -> IssuedCharge:
        """Makes the charge within ISSUE_SECONDS, as the port says. ValueError: the request breaks its bounds."""
        body = charge_body(request)
        ends_at = asyncio.get_running_loop().time() + ISSUE_SECONDS
        answer = await self._made(request, body, ends_at)
        charge = wire.BankCharge()
        try:
            charge = wire.charge(answer)
            return issued(request, charge, self._clock)
        except Malformed as wrong:
            field = str(wrong)
            _log.critical("bank.answer_invalid", rail=self._rail, network_id=request.txid, code=field)
            if isinstance(wrong, ClockDiffers) and self._tell is not None:
                self._tell(SetUpWrongly("clock", f"a charge made now is {wrong.seconds} s from our time"))
            if charge.status in {None, wire.ACTIVE}:
                await self._remove(request.txid)
            raise AnswerInvalid(field) from wrong

    async def remove(self, txid: str, key: str | None, amount: Money, now: datetime) -> ChargeEnd:
        """Removes a charge; where the bank will not, looks what became of it; as the port says."""
        is_ours = txid in self._asked
        self._remember(txid)
        found = await self._removed(txid)
        if isinstance(found, Unknown):
            _log.error("bank.charge_unknown", rail=self._rail, network_id=txid)
            return ChargeEnd.ENDED
        if found.payments and self._hint is not None:  # a bank may list them too late for any poll
            await self._hint([one.payment_id for one in found.payments])
        end = end_of(found, key, amount, now, is_ours=is_ours)
        if end is None:
            raise Transient("the bank keeps the charge open", is_on_its_way=False)
        self._asked.pop(txid, None)
        if end in {ChargeEnd.REMOVED_BY_OTHERS, ChargeEnd.REMOVED_BY_BANK}:
            _log.error("bank.charge_removed_there", rail=self._rail, network_id=txid, code=end.value)
        return end

    async def payment(self, payment_id: str) -> PaymentNow | Unknown:
        """Returns a payment as the bank has it at this moment; as the port says."""
        return await payment_now(self._rail, self._line, self._clock, payment_id, ISSUE_SECONDS)

    async def _removed(self, txid: str) -> ChargeState | Unknown:
        """Has the bank end a charge, and returns what it is then. It may still be open."""
        try:
            return await self._charges.remove(txid)
        except StillOpen as kept:
            return kept.state
        except Permanent:  # some banks end no charge whose time is over
            return await self._charges.state(txid)

    def _remember(self, txid: str) -> None:
        if len(self._asked) >= _MOST_ASKED:
            del self._asked[next(iter(self._asked))]
        self._asked[txid] = None

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()

    async def _made(self, request: ChargeRequest, body: bytes, ends_at: float) -> bytes:
        """Makes the charge and returns it; where the bank did not show it, it is asked once what it has."""
        path = wire.charge_path(request.txid)
        try:
            answer = await self._line.ask("PUT", path, body, ISSUE_SECONDS)
        except Transient as away:
            if not away.is_on_its_way:
                raise
            return await self._seen(path, away, ends_at)
        verdict = self._told(answer, "PUT cob", request.txid)
        if verdict.meaning is Meaning.PERMANENT and answer.status in {400, 422}:
            found = tuple((field_of(name), why) for name, why in verdict.violations)
            raise IssueRefused(verdict.code, found or ((None, verdict.reason),))
        if verdict.alarms:
            raise verdict.transient
        if verdict.meaning is Meaning.DONE:
            if wire.is_json(answer.body):
                return answer.body
            return await self._seen(path, Transient("the answer is no JSON"), ends_at)
        return await self._seen(path, verdict.transient, ends_at)

    async def _seen(self, path: str, why: Transient, ends_at: float) -> bytes:
        """Returns the charge as the bank has it. Transient: it has none, does not say, or there is no time left."""
        left = ends_at - asyncio.get_running_loop().time()
        if left < _LEAST_SECONDS:
            raise why
        answer = await self._line.ask("GET", path, None, left)
        verdict = self._told(answer, "GET cob", path.rpartition("/")[2])
        if verdict.meaning is not Meaning.DONE:
            raise why
        if not wire.is_json(answer.body):
            raise Transient("the answer is no JSON")
        return answer.body

    async def _remove(self, txid: str) -> None:
        """Removes a charge that nobody may pay. The sweep of orphans removes it, where this fails."""
        try:
            async with asyncio.timeout(_REMOVE_SECONDS):
                await self._charges.remove(txid)
        except (Permanent, Transient, TimeoutError) as left:
            reason = str(left) or f"no answer within {_REMOVE_SECONDS:g} s"
            _log.error("bank.charge_not_removed", rail=self._rail, network_id=txid, reason=reason)

    def _told(self, answer: NetworkAnswer, where: Where, txid: str) -> Verdict:
        return alarmed(judge(answer, where), self._rail, where, txid)


def end_of(found: ChargeState, key: str | None, amount: Money, now: datetime, *, is_ours: bool) -> ChargeEnd | None:
    """Returns the end of a charge. None: it is open. is_ours: an answer to our own removal may have been lost."""
    if any(one.amount == amount and is_at_key(one, key) for one in found.payments):
        return ChargeEnd.PAID
    if found.status == wire.CONCLUDED:  # none is shown yet, or others than were asked for
        return ChargeEnd.ENDED if found.payments else ChargeEnd.UNSHOWN
    if found.status == wire.REMOVED_BY_BANK:
        return ChargeEnd.REMOVED_BY_BANK
    if found.status == wire.REMOVED_BY_US:
        return ChargeEnd.REMOVED_BY_OTHERS if found.was_over and not is_ours else ChargeEnd.ENDED
    return ChargeEnd.ENDED if found.ends_at is not None and found.ends_at < now else None


class ClockDiffers(Malformed):
    """The bank's time of a new charge is not ours. seconds: what it differs by, more than nought if it is ahead."""

    def __init__(self, seconds: int) -> None:
        super().__init__("calendario.criacao")
        self.seconds = seconds


def charge_body(request: ChargeRequest) -> bytes:
    """Returns the body of a charge. ValueError: something of it is beyond the bounds of API Pix."""
    if not 1 <= request.seconds <= _MOST_SECONDS:
        raise ValueError("seconds")
    if request.amount.currency != "BRL" or not 1 <= request.amount.minor <= 999_999_999_999:
        raise ValueError("amount")
    if not 1 <= len(request.key) <= LONGEST_KEY:
        raise ValueError("key")
    text = None if request.text is None else unicodedata.normalize("NFC", request.text)
    if text is not None and len(text) > LONGEST_TEXT:
        raise ValueError("text")
    return wire.new_charge(request.amount, request.key, request.seconds, _payer(request.payer), text or None)


def _payer(payer: Person | None) -> dict[str, str] | None:
    """Returns the devedor: a document and a name, and nothing else of him. ValueError: the document is none of Brazil's."""
    if payer is None:
        return None
    kind = payer.document_type.lower()
    name = unicodedata.normalize("NFC", payer.name)[:LONGEST_NAME].strip()
    if kind not in _DOCUMENTS or _DOCUMENTS[kind].fullmatch(payer.document_number) is None or not name:
        raise ValueError("payer")
    return {kind: payer.document_number, "nome": name}


def issued(request: ChargeRequest, charge: BankCharge, clock: Clock) -> IssuedCharge:
    """Returns the charge, once it is what was asked. Malformed: it is not; its text names the field."""
    if charge.txid != request.txid:
        raise Malformed("txid")
    value = charge.valor
    if value is None or wire.money(value.original, "valor.original") != request.amount:
        raise Malformed("valor.original")
    if wire.number(value.modalidade_alteracao) not in {None, 0}:
        raise Malformed("valor.modalidadeAlteracao")  # the payer would choose the amount
    if value.retirada is not None:
        raise Malformed("valor.retirada")
    if charge.chave is None or not names_key(charge.chave, request.key):
        raise Malformed("chave")
    if charge.status != wire.ACTIVE:
        raise Malformed("status")
    calendar = charge.calendario
    if calendar is None:
        raise Malformed("calendario")
    seconds = wire.number(calendar.expiracao)
    if seconds is None or not 1 <= seconds <= _MOST_SECONDS:
        raise Malformed("calendario.expiracao")
    made_at = wire.instant(calendar.criacao, clock, "calendario.criacao")
    if request.now is not None and abs(made_at - request.now) > CLOCKS_DIFFER:
        raise ClockDiffers(round((made_at - request.now).total_seconds()))
    code, location = codes.code_of(charge, request.amount, codes.Merchant(request.receiver_name, request.receiver_city))
    location_id = None if charge.loc is None or charge.loc.id is None else str(charge.loc.id)[:64]
    return IssuedCharge(
        request.txid, code, location, made_at + timedelta(seconds=seconds), location_id, wire.number(charge.revisao) or 0
    )


def field_of(name: str) -> str | None:
    """Returns the port's field for a property that the bank complains of; None: it is none that we know."""
    parts = name.replace("/", ".").split(".")
    while parts and parts[0] in _AROUND:
        parts = parts[1:]
    return _FIELDS.get(parts[0]) if parts else None
