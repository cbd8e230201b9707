"""Asks a bank for one payment as it is at this moment: GET /pix/{endToEndId}."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from lastro.rails.api_pix import wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.messages import Malformed
from lastro.rails.port import PaymentNow, Transient, Unknown

if TYPE_CHECKING:
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.exchange import Line

_log = structlog.get_logger(__name__)


async def payment_now(rail: str, line: Line, clock: Clock, payment_id: str, seconds: float) -> PaymentNow | Unknown:
    """Returns a payment as the bank has it. Unknown: the bank itself does not know it. Transient: it does not say.

    seconds: the longest wait. An answer that cannot be read, or about another payment, says nothing, and is told.
    """
    answer = await line.ask("GET", f"/pix/{quote(payment_id, safe='')}", None, seconds)
    verdict = alarmed(judge(answer, "GET pix"), rail, "GET pix", payment_id)
    if verdict.meaning is Meaning.UNKNOWN:
        return Unknown()
    if verdict.meaning is not Meaning.DONE:
        raise verdict.transient
    try:
        found = wire.payment(answer.body, clock)
    except Malformed as wrong:
        raise _unusable(rail, payment_id, str(wrong)) from wrong
    if found.payment_id != payment_id:
        raise _unusable(rail, payment_id, "endToEndId")
    return PaymentNow(payment_id, found.amount, found.txid, found.key, _is_given_back(found.returns, clock))


def _unusable(rail: str, payment_id: str, field: str) -> Transient:
    """Tells that an answer cannot be used, and returns why."""
    _log.critical("bank.answer_invalid", rail=rail, network_id=payment_id, code=field)
    return Transient("the answer about the payment cannot be used")


def _is_given_back(returns: bytes, clock: Clock) -> bool:
    """Tells whether any money of it went back, or may go.

    A return that cannot be read may have.
    """
    try:
        return any(wire.return_(one, clock).status != wire.RETURN_FAILED for one in wire.return_rows(returns))
    except Malformed:
        return True
