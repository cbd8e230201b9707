"""The meaning of a bank's recurrences and their charges. Pure functions of what the bank shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lastro.rails import port
from lastro.rails.api_pix import recurring_wire as wire
from lastro.rails.api_pix.polling import settled
from lastro.rails.api_pix.wire import payment
from lastro.rails.messages import Malformed
from lastro.rails.port import NetworkMessage, Pending, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.recurring_wire import BankAttempt, BankRecurrence, BankRecurringCharge

CLOSE_PREFIX = "close:"
OVER = frozenset({wire.REJECTED, wire.EXPIRED, wire.CANCELED})
_BANK = "PSP_RECEBEDOR"  # who ends a recurrence that nobody is named for
_FIRST, _RETRY, _AGAIN = "AGND", "NTAG", "RIFL"
_UNPAID_DAY: Final = "EXPR"  # the network's word for a day without funds; the bank says EXPIRADA


def owned(message: NetworkMessage, company: int) -> NetworkMessage:
    """Returns a message with its company's number and its inbox name."""
    named = message.network_id or f"{message.kind}:{message.subject}"
    return replace(message, company_number=company, network_id=named)


def of_recurrence(found: BankRecurrence, clock: Clock, *, is_held: bool) -> NetworkMessage | Pending:
    """Returns what has become of a recurrence. is_held: we know that it is authorized, and ask if it still is.

    Without a time that can be read it stays as it was. A payer who paid in the act of agreeing has authorized, whatever
    became of it since: his payment is good.
    """
    name, status = found.id_rec or "", found.status or ""
    if was_paid_first(found, clock) and not is_held:
        status = wire.APPROVED
    at = found.became_at(status, clock)
    if status not in OVER and (status != wire.APPROVED or is_held):
        return Pending()
    if at is None:
        return Pending()
    if status == wire.APPROVED:
        return NetworkMessage(port.AUTHORIZATION_MADE, "", name, port.encode(_made(found, name, at)))
    closing, word = found.encerramento, f"{name}:{status}"
    if status == wire.REJECTED:
        code = None if closing is None else wire.reason_code(closing.rejeicao)
        declined = port.AuthorizationDeclined(word, name, None, at, code)
        return NetworkMessage(port.AUTHORIZATION_DECLINED, "", name, port.encode(declined))
    reason = None if closing is None else closing.cancelamento
    role = (None if reason is None else reason.solicitante) or _BANK
    code = port.OVER_BY_TIME if status == wire.EXPIRED else wire.reason_code(reason) or status
    canceled = port.AuthorizationCanceled(word, name, code, port.Requester(role), at)
    return NetworkMessage(port.AUTHORIZATION_CANCELED, "", name, port.encode(canceled))


def was_paid_first(found: BankRecurrence, clock: Clock) -> bool:
    """Tells whether a canceled recurrence was authorized by a payment (journey 3)."""
    is_canceled = found.status == wire.CANCELED and found.first_txid is not None
    return is_canceled and found.became_at(wire.APPROVED, clock) is not None


def _made(found: BankRecurrence, name: str, at: datetime) -> port.AuthorizationMade:
    payer = found.pagador
    if payer is None or not (payer.cpf or payer.cnpj):
        return port.AuthorizationMade(name, at)
    kind, number = ("CPF", payer.cpf) if payer.cpf else ("CNPJ", payer.cnpj)
    return port.AuthorizationMade(name, at, kind, number, payer.ispb_participante, payer.cod_mun)


def of_cancellation(found: BankRecurrence, order_name: str, clock: Clock) -> NetworkMessage | Unknown:
    """Returns the end of a cancellation that we have asked for; Unknown: the bank has not taken it."""
    if found.status not in OVER:
        return Unknown()
    final = port.CancellationFinal(order_name, found.id_rec or "", "CONFIRMED", None, found.became_at(found.status, clock))
    return NetworkMessage(port.CANCELLATION_FINAL, "", found.id_rec or "", port.encode(final))


def of_charge_cancellation(
    found: BankRecurringCharge, order_name: str, clock: Clock
) -> NetworkMessage | Unknown:  # fmt: skip
    """Returns the end of a charge's cancellation that we have asked for; Unknown: the bank has not taken it."""
    status = found.status or ""
    if status in {wire.CREATED, wire.ACTIVE}:
        return Unknown()
    is_done = status == wire.CANCELED
    final = port.ChargeCancelFinal(
        order_name, first_name(found), "CONFIRMED" if is_done else "REFUSED", None if is_done else status,
        found.became_at(status, clock), found.id_rec,
    )  # fmt: skip
    return NetworkMessage(port.CHARGE_CANCEL_FINAL, "", found.id_rec or "", port.encode(final))


def first_name(found: BankRecurringCharge) -> str:
    """Returns the name that the rooms give a charge's first attempt."""
    return f"{found.txid}.{_FIRST}"


def has_attempt(found: BankRecurringCharge, told: port.ChargeInstruction) -> bool:
    """Tells whether the bank has what an instruction orders: the charge, or a try of it on the day."""
    if found.id_rec != told.recurrence_id:
        return False
    return told.kind == _FIRST or bool(_tries(found, told.kind, told.collect_on.isoformat()))


def of_attempt(found: BankRecurringCharge, name: str, clock: Clock) -> NetworkMessage | Pending | Unknown:
    """Returns what has become of an attempt. Unknown: the bank has no such attempt, and the charge goes on."""
    _, kind, *days = name.split(".")
    tries = _tries(found, kind, days[0] if days else None)
    if tries:
        return _of_tries(found, name, tries, clock)
    if found.status in {wire.CREATED, wire.ACTIVE, None}:
        return Pending() if kind == _FIRST else Unknown()
    return _of_end(found, name, clock)


def of_charge(found: BankRecurringCharge, clock: Clock) -> tuple[NetworkMessage, ...]:
    """Returns the news of a charge, of each of its attempts."""
    names = dict.fromkeys([first_name(found), *(
        f"{found.txid}.{_RETRY}.{one.data_liquidacao}" for one in found.tentativas or () if one.tipo == _RETRY
    )])  # fmt: skip
    told = (of_attempt(found, name, clock) for name in names)
    return tuple(one for one in told if isinstance(one, NetworkMessage))


def _tries(found: BankRecurringCharge, kind: str, day: str | None) -> list[BankAttempt]:
    """Returns the bank's tries of one attempt: itself, and what the bank has sent again on its day after a failure."""
    own = [one for one in found.tentativas or () if one.tipo == kind and day in {None, one.data_liquidacao}]
    days = {one.data_liquidacao for one in own}
    return own + [one for one in found.tentativas or () if one.tipo == _AGAIN and one.data_liquidacao in days]


def _of_tries(
    found: BankRecurringCharge, name: str, tries: Sequence[BankAttempt], clock: Clock
) -> NetworkMessage | Pending:  # fmt: skip
    last = next((one for one in tries if one.status in {wire.PAID, wire.SCHEDULED, wire.REQUESTED}), tries[-1])
    at = wire.became_at(last.atualizacao or (), last.status or "", clock)
    recurrence_id, txid = found.id_rec or "", found.txid or ""
    if last.status == wire.PAID:
        return _paid(found, clock)
    if last.status == wire.SCHEDULED and last.end_to_end_id is not None:
        if at is None:
            return Pending()
        scheduled = port.ChargeScheduled(name, recurrence_id, txid, last.end_to_end_id, at)
        return NetworkMessage(port.CHARGE_SCHEDULED, f"{name}:{wire.SCHEDULED}", recurrence_id, port.encode(scheduled))
    if last.status in {wire.REQUESTED, wire.SCHEDULED}:
        return Pending()
    if last.status == wire.CANCELED:
        return _canceled(found, name, clock)
    code = wire.reason_code(last.rejeicao) or (_UNPAID_DAY if last.status == wire.EXPIRED else last.status or "")
    refused = port.ChargeRefused(name, recurrence_id, txid, code, at)
    return NetworkMessage(port.CHARGE_REFUSED, f"{name}:{last.status}", recurrence_id, port.encode(refused))


def _of_end(found: BankRecurringCharge, name: str, clock: Clock) -> NetworkMessage | Pending:
    """Returns the end of a charge that tells of no such attempt."""
    if found.status == wire.CONCLUDED:
        return _paid(found, clock)
    if found.status == wire.CANCELED:
        return _canceled(found, name, clock)
    closing = found.encerramento
    word = None if closing is None else wire.reason_code(closing.rejeicao)
    code = word or (_UNPAID_DAY if found.status == wire.EXPIRED else found.status or "")
    at = found.became_at(found.status or "", clock)
    refused = port.ChargeRefused(name, found.id_rec or "", found.txid or "", code, at)
    return NetworkMessage(port.CHARGE_REFUSED, f"{name}:{found.status}", found.id_rec or "", port.encode(refused))


def _canceled(found: BankRecurringCharge, name: str, clock: Clock) -> NetworkMessage | Pending:
    at = found.became_at(wire.CANCELED, clock)
    if at is None:
        return Pending()
    code = (None if found.encerramento is None else wire.reason_code(found.encerramento.cancelamento)) or wire.CANCELED
    told = port.ChargeCanceled("", name, found.id_rec or "", found.txid or "", code, at)
    return NetworkMessage(port.CHARGE_CANCELED, f"{name}:{wire.CANCELED}", found.id_rec or "", port.encode(told))


def _paid(found: BankRecurringCharge, clock: Clock) -> NetworkMessage | Pending:
    """Returns the payment of a charge; Pending: the bank does not show it yet, and polling finds it."""
    for raw in found.pix or ():
        try:
            one = payment(bytes(raw), clock)
        except Malformed:
            continue
        if one.txid in {None, found.txid}:
            return settled(one, found.txid or "")
    return Pending()
