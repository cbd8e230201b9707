"""The messages about charges of Pix Automático as JSON, in both directions.

Names follow the SPI message catalogue: pain.013 instructs, pain.014 says that it is scheduled or refused, camt.055 asks for
a cancellation or tells of one, camt.029 answers. The money of a charge comes as a pacs.008 of instrument AUTO that names
its recurrence.
"""

import re
from typing import Any

import msgspec

from lastro.core.money import MoneyError
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, Original, Reader, decoded, facts_of, instant
from lastro.rails.spi.recurrence_wire import Recurrence, checked_code, checked_id, checked_recurrence_id, message_of
from lastro.standards import pix_ids

INSTRUMENT = "AUTO"
_YES, _NO = "ACCP", "RJCT"
_TXID = re.compile(r"[A-Za-z0-9]{26,35}")
_CPF_DIGITS = 11


class _Answer(msgspec.Struct, rename="camel"):
    original_msg_id: str
    id_rec: str
    tx_id: str
    status: str
    decided_at: Instant
    end_to_end_id: str | None = None
    code: str | None = None
    original_transaction: Original | None = None


class _Cancellation(msgspec.Struct, rename="camel"):
    original_msg_id: str
    id_rec: str
    tx_id: str
    reason: str
    canceled_at: Instant
    original_transaction: Original | None = None


class _Resolution(msgspec.Struct, rename="camel"):
    original_msg_id: str
    instruction_msg_id: str
    id_rec: str
    status: str
    decided_at: Instant
    code: str | None = None
    original_transaction: Original | None = None


class _Status(msgspec.Struct, rename="camel"):
    id_rec: str
    tx_id: str
    status: str
    end_to_end_id: str | None = None
    code: str | None = None
    decided_at: Instant | None = None
    payment: msgspec.Raw = msgspec.Raw()
    original_transaction: Original | None = None


class _CancelStatus(msgspec.Struct, rename="camel"):
    id_rec: str
    instruction_msg_id: str
    status: str
    code: str | None = None
    decided_at: Instant | None = None
    original_transaction: Original | None = None


def _answered(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads a pain.014. An instruction of ours is scheduled, or has ended without money."""
    answer = decoded(raw, _Answer)
    if answer.status not in (_YES, _NO):
        raise Malformed("status")
    original, of, txid = (
        checked_id(answer.original_msg_id, "originalMsgId"),
        checked_recurrence_id(answer.id_rec),
        _txid(answer.tx_id),
    )
    what = facts_of(answer.original_transaction)
    if answer.status == _YES:
        scheduled = port.ChargeScheduled(original, of, txid, _end_to_end_id(answer.end_to_end_id), answer.decided_at, what)
        return message_of(port.CHARGE_SCHEDULED, name, of, scheduled, ispb)
    refused = port.ChargeRefused(original, of, txid, _required(answer.code), answer.decided_at, what)
    return message_of(port.CHARGE_REFUSED, name, of, refused, ispb)


def _canceled(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads a camt.055 that comes to us. The payer's side has cancelled a scheduled charge."""
    told = decoded(raw, _Cancellation)
    original, of = checked_id(told.original_msg_id, "originalMsgId"), checked_recurrence_id(told.id_rec)
    gone = port.ChargeCanceled(
        name, original, of, _txid(told.tx_id), _required(told.reason), told.canceled_at, facts_of(told.original_transaction)
    )
    return message_of(port.CHARGE_CANCELED, name, of, gone, ispb)


def _resolved(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads a camt.029: the end of a cancellation of ours."""
    told = decoded(raw, _Resolution)
    ours, of = checked_id(told.original_msg_id, "originalMsgId"), checked_recurrence_id(told.id_rec)
    ended = _ended(ours, told)
    if ended is None:
        raise Malformed("status")
    return message_of(port.CHARGE_CANCEL_FINAL, name, of, ended, ispb)


READERS: dict[str, Reader] = {"pain.014": _answered, "camt.055": _canceled, "camt.029": _resolved}


def charge_status(message_id: str, body: bytes, ispb: str, credit: Reader) -> port.NetworkMessage | port.Pending:
    """Returns the network's answer about an instruction of ours. Malformed where it is none.

    credit: what reads a payment that has settled. A charge that was collected is told as that payment, whole, so that it
    can be booked by somebody who never heard of it; to him who did it is known.
    """
    status = decoded(body, _Status)
    of, txid, at = checked_recurrence_id(status.id_rec), _txid(status.tx_id), status.decided_at
    what = _facts(status)
    if status.status == "PENDING":
        return port.Pending()
    if at is None:
        raise Malformed("decidedAt")
    if status.status == "SCHEDULED":
        scheduled = port.ChargeScheduled(message_id, of, txid, _end_to_end_id(status.end_to_end_id), at, what)
        return message_of(port.CHARGE_SCHEDULED, "", of, scheduled, ispb)
    if status.status == "SETTLED":
        try:
            return credit("", bytes(status.payment), ispb)
        except MoneyError as error:
            raise Malformed("payment.amount") from error
    if status.status == "CANCELED":
        gone = port.ChargeCanceled("", message_id, of, txid, _required(status.code), at, what)
        return message_of(port.CHARGE_CANCELED, "", of, gone, ispb)
    if status.status != _NO:
        raise Malformed("status")
    refused = port.ChargeRefused(message_id, of, txid, _required(status.code), at, what)
    return message_of(port.CHARGE_REFUSED, "", of, refused, ispb)


def charge_cancel_status(message_id: str, body: bytes, ispb: str) -> port.NetworkMessage | port.Pending:
    """Reads the answer about our cancellation of a charge. Malformed: it is none."""
    status = decoded(body, _CancelStatus)
    of = checked_recurrence_id(status.id_rec)
    ended = _ended(message_id, status)
    return port.Pending() if ended is None else message_of(port.CHARGE_CANCEL_FINAL, "", of, ended, ispb)


def instruction(body: bytes) -> dict[str, Any]:
    """Returns the pain.013 that a charge.send stands for."""
    told = port.charge_instruction(body)
    who = told.collector
    return {
        "msgId": told.message_id, "type": "pain.013", "createdAt": instant(told.created_at), "idRec": told.recurrence_id,
        "txId": told.txid, "kind": told.kind, "amount": str(told.amount), "dueDate": told.due_on.isoformat(),
        "settlementDate": told.collect_on.isoformat(),
        "payer": {"ispb": told.payer_ispb, "document": _document(told.payer_document)},
        "receiver": {
            "name": who.name, "document": _document(who.document), "branch": who.branch, "account": who.account,
            "accountType": "TRAN",
        },
        **({} if told.details is None else {"remittance": told.details}),
    }  # fmt: skip


def cancellation(body: bytes) -> dict[str, Any]:
    """Returns the camt.055 that a charge-cancel.send stands for."""
    order = port.charge_cancel_order(body)
    return {
        "msgId": order.message_id, "type": "camt.055", "createdAt": instant(order.created_at),
        "originalMsgId": order.original_message_id, "idRec": order.recurrence_id, "txId": order.txid, "reason": order.code,
    }  # fmt: skip


def charging(instrument: str, recurrence: Recurrence | None) -> str | None:
    """Returns the recurrence that a payment is a charge of; None for any other payment. Malformed: it cannot be read."""
    return checked_recurrence_id(recurrence.id_rec) if instrument == INSTRUMENT and recurrence is not None else None


def _facts(status: _Status | _Resolution | _CancelStatus) -> port.Facts | None:
    try:
        return facts_of(status.original_transaction)
    except MoneyError as error:
        raise Malformed("originalTransaction.amount") from error


def _ended(message_id: str, told: _Resolution | _CancelStatus) -> port.ChargeCancelFinal | None:
    original, of = checked_id(told.instruction_msg_id, "instructionMsgId"), checked_recurrence_id(told.id_rec)
    what = _facts(told)
    if told.status == _YES:
        return port.ChargeCancelFinal(message_id, original, "CONFIRMED", None, told.decided_at, of, what)
    if told.status != _NO:
        return None
    return port.ChargeCancelFinal(message_id, original, "REFUSED", checked_code(told.code), told.decided_at, of, what)


def _document(number: str) -> dict[str, str]:
    return {"type": "CPF" if len(number) == _CPF_DIGITS else "CNPJ", "number": number}


def _txid(text: str) -> str:
    if _TXID.fullmatch(text) is None:
        raise Malformed("txId")
    return text


def _end_to_end_id(text: str | None) -> str:
    if text is None or not pix_ids.is_end_to_end_id(text):
        raise Malformed("endToEndId")
    return text


def _required(code: str | None) -> str:
    if code is None or checked_code(code) is None:
        raise Malformed("code")
    return code
