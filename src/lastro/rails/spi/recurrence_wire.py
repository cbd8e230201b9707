"""The messages of Pix Automático as JSON, in both directions.

Names follow the SPI message catalogue: pain.012 carries a payer's word on a recurrence and the answer to what was asked,
pain.011 cancels. A pain.012 that names no message of ours is the payer's word. The first payment of journey 3 is a pacs.008
with `recurrence`, so that paying and authorizing are one question with one answer.
"""

import re
from typing import Any

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, Reader, decoded, instant
from lastro.rails.spi.parties import Document, Payer
from lastro.standards import recurrence_ids

_YES, _NO = "ACCP", "RJCT"
_ID = re.compile(r"[A-Za-z0-9]{1,64}")
_CODE = re.compile(r"[A-Z0-9]{1,35}")
_ROLES = frozenset({"USUARIO_PAGADOR", "PSP_PAGADOR", "USUARIO_RECEBEDOR", "PSP_RECEBEDOR"})


class Recurrence(msgspec.Struct, rename="camel"):
    """The recurrence that a first payment authorizes."""

    id_rec: str
    maximum_amount: str | None = None


class _Head(msgspec.Struct, rename="camel"):
    original_msg_id: str | None = None


class _Word(msgspec.Struct, rename="camel"):
    id_rec: str
    status: str
    payer: Payer
    decided_at: Instant
    maximum_amount: str | None = None
    code: str | None = None


class _Answer(msgspec.Struct, rename="camel"):
    original_msg_id: str
    id_rec: str
    status: str
    decided_at: Instant
    code: str | None = None


class _Requester(msgspec.Struct):
    role: str
    document: Document | None = None
    name: str | None = None


class _Cancellation(msgspec.Struct, rename="camel"):
    id_rec: str
    reason: str
    requested_by: _Requester
    canceled_at: Instant


class _Status(msgspec.Struct, rename="camel"):
    id_rec: str
    status: str
    code: str | None = None
    decided_at: Instant | None = None


def authorizing(recurrence: Recurrence | None) -> port.Authorizing | None:
    """Reads the recurrence that a payment authorizes; None: it only pays. Malformed, MoneyError: it cannot be read."""
    if recurrence is None:
        return None
    return port.Authorizing(checked_recurrence_id(recurrence.id_rec), _maximum(recurrence.maximum_amount))


def _word(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads a pain.012: a payer's or his bank's answer.

    A payer answers about a recurrence, his bank about a cancellation of ours.
    """
    if decoded(raw, _Head).original_msg_id is not None:
        return _answer(name, raw, ispb)
    word = decoded(raw, _Word)
    recurrence_id, payer, maximum = checked_recurrence_id(word.id_rec), word.payer.ported, _maximum(word.maximum_amount)
    if word.status == _YES:
        asked = port.Authorization(name, recurrence_id, payer, word.decided_at, maximum)
        return message_of(port.AUTHORIZATION_ASK, name, recurrence_id, asked, ispb)
    if word.status != _NO:
        raise Malformed("status")
    declined = port.AuthorizationDeclined(name, recurrence_id, payer, word.decided_at, checked_code(word.code))
    return message_of(port.AUTHORIZATION_DECLINED, name, recurrence_id, declined, ispb)


def _answer(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    answer = decoded(raw, _Answer)
    original, of = checked_id(answer.original_msg_id, "originalMsgId"), checked_recurrence_id(answer.id_rec)
    ended = _ended(original, of, answer.status, answer.code, answer.decided_at)
    if ended is None:
        raise Malformed("status")
    return message_of(port.CANCELLATION_FINAL, name, of, ended, ispb)


def _canceled(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads a pain.011 that comes to us: the payer's side has cancelled."""
    told = decoded(raw, _Cancellation)
    code, asked = checked_code(told.reason), told.requested_by
    if code is None or asked.role not in _ROLES:
        raise Malformed("reason" if code is None else "requestedBy.role")
    recurrence_id, document = checked_recurrence_id(told.id_rec), asked.document
    kind, number = (None, None) if document is None else (document.type, document.number)
    requester = port.Requester(asked.role, kind, number, asked.name)
    canceled = port.AuthorizationCanceled(name, recurrence_id, code, requester, told.canceled_at)
    return message_of(port.AUTHORIZATION_CANCELED, name, recurrence_id, canceled, ispb)


READERS: dict[str, Reader] = {"pain.012": _word, "pain.011": _canceled}


def cancellation_status(message_id: str, body: bytes) -> port.CancellationFinal | port.Pending:
    """Returns the network's answer about a cancellation of ours. Malformed where it is none."""
    status = decoded(body, _Status)
    ended = _ended(message_id, checked_recurrence_id(status.id_rec), status.status, status.code, status.decided_at)
    return ended or port.Pending()


def answer(body: bytes) -> dict[str, Any]:
    """Returns the pain.012 that an authorization.answer stands for."""
    told = port.authorization_answer(body)
    return {
        "msgId": told.message_id, "type": "pain.012", "createdAt": instant(told.created_at),
        "originalMsgId": told.original_message_id, "idRec": told.recurrence_id, "status": _YES if told.accept else _NO,
        **({} if told.code is None else {"code": told.code}),
    }  # fmt: skip


def cancellation(body: bytes) -> dict[str, Any]:
    """Returns the pain.011 that a cancellation.send stands for."""
    order = port.cancellation_order(body)
    asked = order.requester
    requester: dict[str, Any] = {"role": asked.role}
    if asked.document_number is not None:
        requester["document"] = {"type": asked.document_type, "number": asked.document_number}
    if asked.name is not None:
        requester["name"] = asked.name
    return {
        "msgId": order.message_id, "type": "pain.011", "createdAt": instant(order.created_at), "idRec": order.recurrence_id,
        "reason": order.code, "requestedBy": requester,
    }  # fmt: skip


def message_of(kind: str, name: str, recurrence_id: str, value: msgspec.Struct, ispb: str) -> port.NetworkMessage:
    """A message about a recurrence. All about one has one subject, so that it is handled in the order in which it came.

    An idRec that another institution made names none of our companies: its message is the institution's own.
    """
    found = recurrence_ids.read_recurrence_id(recurrence_id)
    is_ours = found is not None and found.maker == ispb
    number = recurrence_ids.company_of_recurrence_id(recurrence_id) if is_ours else None
    return port.NetworkMessage(kind, name, recurrence_id, port.encode(value), company_number=number)


def _ended(message_id: str, recurrence_id: str, status: str, code: str | None, at: Any) -> port.CancellationFinal | None:
    if status == _YES:
        return port.CancellationFinal(message_id, recurrence_id, "CONFIRMED", None, at)
    return port.CancellationFinal(message_id, recurrence_id, "REFUSED", checked_code(code), at) if status == _NO else None


def checked_id(text: str, field: str) -> str:
    """Returns `text`, the id of a message. Malformed, naming the field: it can be none."""
    if _ID.fullmatch(text) is None:
        raise Malformed(field)
    return text


def checked_recurrence_id(text: str) -> str:
    """Returns `text`, an idRec. Malformed: it is none."""
    if not recurrence_ids.is_recurrence_id(text):
        raise Malformed("idRec")
    return text


def _maximum(text: str | None) -> Money | None:
    return None if text is None else Money.parse(text, "BRL")


def checked_code(text: str | None) -> str | None:
    """Returns a code of the network, or none. Malformed: it cannot be one."""
    if text is not None and _CODE.fullmatch(text) is None:
        raise Malformed("code")
    return text
