"""The messages of the SPI as JSON, in both directions.

A message that cannot be read is kept as it came, and blocks no other. Names follow the SPI message catalogue 5.13.1:
pacs.008 asks, pacs.002 answers and ends, pacs.004 returns, camt.054 tells of money that is in, admi.002 refuses a
message. A Pix that comes in is read by `arrival_wire`; those of Pix Automático are in `recurrence_wire` and
`charge_wire`.
"""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from lastro.core.money import Money, MoneyError
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, Original, Reader, decoded, facts_of, instant, unread
from lastro.rails.spi import arrival_wire, charge_wire, recurrence_wire
from lastro.rails.spi.parties import Document
from lastro.standards import pix_ids, recurrence_ids

_ID = re.compile(r"[A-Za-z0-9]{1,64}")
# The interface's words for the network's types of account.
ACCOUNT_TYPES = {
    "CHECKING_ACCOUNT": "CACC", "SAVINGS_ACCOUNT": "SVGS", "PAYMENT_ACCOUNT": "TRAN", "WAGE_ACCOUNT": "SLRY",
}  # fmt: skip
WORDS = {code: word for word, code in ACCOUNT_TYPES.items()}
_ENDS = {"ACCC": True, "ACSC": True, "RJCT": False}
NO_OTHERS: Mapping[str, Reader] = MappingProxyType({})


class _Batch(msgspec.Struct):
    messages: list[msgspec.Raw]


class _Head(msgspec.Struct, rename="camel"):
    msg_id: str
    type: str


class _Final(msgspec.Struct, rename="camel"):
    end_to_end_id: str
    status: str
    return_id: str | None = None
    code: str | None = None
    settled_at: Instant | None = None
    amount: str | None = None
    original_transaction: Original | None = None


class _Return(msgspec.Struct, rename="camel"):
    return_id: str
    end_to_end_id: str
    amount: str
    reason: str
    settled_at: Instant
    details: str | None = None
    original_transaction: Original | None = None


class _KeyOwner(msgspec.Struct):
    name: str
    document: Document


class _KeyAccount(msgspec.Struct, rename="camel"):
    ispb: str
    branch: str
    account: str
    account_type: str


class _Entry(msgspec.Struct):
    key: str
    type: str
    owner: _KeyOwner
    account: _KeyAccount


class _Participant(msgspec.Struct):
    ispb: str
    jku: str
    host: str


class _Participants(msgspec.Struct):
    data: list[_Participant]


class _Refusal(msgspec.Struct, rename="camel"):
    related_msg_id: str
    code: str | None = None
    description: str | None = None
    reason: str | None = None
    created_at: Instant | None = None


class _Status(msgspec.Struct, rename="camel"):
    status: str
    end_to_end_id: str
    code: str | None = None
    settled_at: Instant | None = None
    amount: str | None = None
    original_transaction: Original | None = None


def read_batch(body: bytes, ispb: str, also: Mapping[str, Reader] = NO_OTHERS) -> list[port.NetworkMessage]:
    """Returns every message of a pull, in its order.

    A pull that is no batch is one of unknown form. ispb, also: as in read.
    """
    try:
        messages = msgspec.json.decode(body, type=_Batch).messages
    except msgspec.DecodeError:
        return [unread(body)]
    return [read(bytes(raw), ispb, also) for raw in messages]


def read(raw: bytes, ispb: str, also: Mapping[str, Reader] = NO_OTHERS) -> port.NetworkMessage:
    """Reads one message for the rooms.

    A message that we do not understand has kind UNKNOWN, with the bytes as they came. ispb: ours; a message about an
    endToEndId that carries it is about a payment of ours. also: readers of other systems' messages, by their type.
    """
    try:
        head = msgspec.json.decode(raw, type=_Head)
    except msgspec.DecodeError:
        return unread(raw)
    if _ID.fullmatch(head.msg_id) is None:
        return unread(raw)
    reader = _READERS.get(head.type) or also.get(head.type)
    if reader is not None:
        try:
            return reader(head.msg_id, raw, ispb)
        except (Malformed, MoneyError):
            pass
    return port.NetworkMessage(port.UNKNOWN, head.msg_id, head.msg_id, raw)


def _final(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    final = decoded(raw, _Final)
    settled = _ENDS.get(final.status)
    if settled is None:
        raise Malformed("status")
    if final.return_id is not None:
        if not pix_ids.is_return_id(final.return_id):
            raise Malformed("returnId")
        ended = _return_end(final.return_id, final, settled=settled)
        return port.NetworkMessage(port.RETURN_FINAL, name, final.return_id, port.encode(ended))
    if not pix_ids.is_end_to_end_id(final.end_to_end_id):
        raise Malformed("endToEndId")
    of = facts_of(final.original_transaction)
    if _is_ours(final.end_to_end_id, ispb):
        ours = port.PaymentFinal(final.end_to_end_id, settled, final.code, final.settled_at, of=of)
        return port.NetworkMessage(port.PAYMENT_FINAL, name, final.end_to_end_id, port.encode(ours))
    body = port.encode(port.PixFinal(final.end_to_end_id, settled, final.code, final.settled_at, of))
    return port.NetworkMessage(port.PIX_FINAL, name, final.end_to_end_id, body)


def _returned(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads money of ours that its receiver gives back. It is in already."""
    back = decoded(raw, _Return)
    if not pix_ids.is_return_id(back.return_id):
        raise Malformed("returnId")
    if not pix_ids.is_end_to_end_id(back.end_to_end_id) or not _is_ours(back.end_to_end_id, ispb):
        raise Malformed("endToEndId")
    told = port.PaymentReturned(
        back.end_to_end_id, back.return_id, Money.parse(back.amount, "BRL"), back.reason, back.settled_at, back.details,
        facts_of(back.original_transaction),
    )  # fmt: skip
    return port.NetworkMessage(port.PAYMENT_RETURNED, name, back.end_to_end_id, port.encode(told))


def _is_ours(end_to_end_id: str, ispb: str) -> bool:
    return end_to_end_id[1:9] == ispb


def _refusal(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    refusal = decoded(raw, _Refusal)
    related = refusal.related_msg_id
    if _ID.fullmatch(related) is None:
        raise Malformed("relatedMsgId")
    if recurrence_ids.is_recurrence_id(related):  # a registration has no other name
        refused = port.RecurrenceRefused(name, related, refusal.code or "admi.002", refusal.created_at)
        return recurrence_wire.message_of(port.RECURRENCE_REFUSED, name, related, refused, ispb)
    return_id, company_number = _return_of_message(related), pix_ids.company_of_message_id(related)
    for kind, subject, company in (
        (port.RETURN_DOUBTED, _anew_of_message(related), None),
        (port.PAYMENT_DOUBTED, _payment_of_message(related), None),
        (port.RETURN_DOUBTED, return_id, None),
        (port.ORDER_DOUBTED, None if company_number is None else related, company_number),
    ):
        if subject is not None and _is_ours(subject, ispb):
            doubted = port.encode(port.PaymentDoubted(subject, refusal.code or "admi.002"))
            return port.NetworkMessage(kind, name, subject, doubted, company_number=company)
    body = port.MessageRefused(related, return_id, refusal.code, refusal.description or refusal.reason)
    return port.NetworkMessage(port.REFUSED, name, return_id or related, port.encode(body))


_READERS: Mapping[str, Reader] = {
    **arrival_wire.READERS, "pacs.002": _final, "pacs.004": _returned, "admi.002": _refusal,
    **recurrence_wire.READERS, **charge_wire.READERS,
}  # fmt: skip


def _message_of_return(return_id: str) -> str:
    # The same id on every send, and the return id can be read back from it.
    return "M" + return_id[1:]


def _return_of_message(message_id: str) -> str | None:
    # An answer's random id has the form of a date and a minute in its middle once in some thousand million.
    candidate = "D" + message_id[1:]
    return candidate if message_id.startswith("M") and pix_ids.is_return_id(candidate) else None


def _message_of_payment(end_to_end_id: str) -> str:
    # As of a return, but with the minute behind: it is taken for none.
    return f"M{end_to_end_id[1:9]}{end_to_end_id[21:]}{end_to_end_id[9:21]}"


def _payment_of_message(message_id: str) -> str | None:
    candidate = f"E{message_id[1:9]}{message_id[20:]}{message_id[9:20]}"
    return candidate if message_id.startswith("M") and pix_ids.is_end_to_end_id(candidate) else None


def _message_of_anew(end_to_end_id: str) -> str:
    # As of a return, with a letter for the first digit of the year: it is taken for that of no return and no payment.
    return f"M{end_to_end_id[1:9]}A{end_to_end_id[10:]}"


def _anew_of_message(message_id: str) -> str | None:
    candidate = f"E{message_id[1:9]}2{message_id[10:]}"
    return candidate if message_id[9:10] == "A" and pix_ids.is_end_to_end_id(candidate) else None


def written(kind: str, body: bytes) -> bytes:
    """Returns the message of an outbox row, always the same bytes. ValueError for a kind the SPI has not."""
    if (write := _WRITERS.get(kind)) is None:
        raise ValueError(f"the SPI has no message for {kind}")
    return msgspec.json.encode(write(body))


def _answer(body: bytes) -> dict[str, Any]:
    answer = port.pix_answer(body)
    return {
        "msgId": answer.message_id,
        "type": "pacs.002",
        "createdAt": instant(answer.created_at),
        "originalMsgId": answer.original_message_id,
        "endToEndId": answer.end_to_end_id,
        "status": "ACSP" if answer.accept else "RJCT",
        **({} if answer.code is None else {"code": answer.code}),
    }


def _return(body: bytes) -> dict[str, Any]:
    """Returns a pacs.004 of ours; a pacs.008 where somebody else than the payer is paid anew."""
    order = port.return_order(body)
    if order.anew is not None:
        assert order.created_at is not None
        paid = port.PaymentOrder(
            order.return_id, order.amount, order.anew.payer, order.anew.receiver, "MANU", order.created_at,
            remittance=order.details,
        )  # fmt: skip
        return _payment(paid) | {"msgId": _message_of_anew(order.return_id), "purpose": order.reason}
    return {
        "msgId": _message_of_return(order.return_id), "type": "pacs.004", "createdAt": instant(order.created_at),
        "returnId": order.return_id, "endToEndId": order.end_to_end_id, "amount": str(order.amount),
        "reason": order.reason, **({} if order.details is None else {"details": order.details}),
    }  # fmt: skip


def _payment(order: port.PaymentOrder) -> dict[str, Any]:
    """Returns a pacs.008 of ours."""
    payer, receiver = order.payer, order.receiver
    place = {
        "ispb": receiver.ispb, **({} if receiver.branch is None else {"branch": receiver.branch}),
        "account": receiver.account, "name": receiver.name,
        "accountType": ACCOUNT_TYPES.get(receiver.account_type, receiver.account_type),
        "document": {"type": receiver.document_type, "number": receiver.document_number},
        **({} if order.key is None else {"key": order.key}),
    }  # fmt: skip
    return {
        "msgId": _message_of_payment(order.end_to_end_id), "type": "pacs.008", "createdAt": instant(order.accepted_at),
        "endToEndId": order.end_to_end_id, "amount": str(order.amount), "acceptedAt": instant(order.accepted_at),
        "localInstrument": order.instrument, "purpose": "IPAY",
        "payer": {
            "name": payer.name, "document": {"type": payer.document_type, "number": payer.document_number},
            "ispb": payer.ispb, "branch": payer.branch, "account": payer.account, "accountType": payer.account_type,
        },
        "receiver": place,
        **({} if order.txid is None else {"txId": order.txid}),
        **({} if order.remittance is None else {"remittance": order.remittance}),
    }  # fmt: skip


_WRITERS: Mapping[str, Callable[[bytes], dict[str, Any]]] = {
    port.PIX_ANSWER: _answer,
    port.RETURN_SEND: _return,
    port.PAYMENT_SEND: lambda body: _payment(port.payment_order(body)),
    port.AUTHORIZATION_ANSWER: recurrence_wire.answer,
    port.CANCELLATION_SEND: recurrence_wire.cancellation,
    port.CHARGE_SEND: charge_wire.instruction,
    port.CHARGE_CANCEL_SEND: charge_wire.cancellation,
}


def key_entry(body: bytes) -> port.KeyEntry:
    """Returns the directory's answer about a key. Malformed where it is none."""
    entry = decoded(body, _Entry)
    key_type = "RANDOM" if entry.type == "EVP" else entry.type
    account_type = WORDS.get(entry.account.account_type)
    if account_type is None:
        raise Malformed("account.accountType")
    return port.KeyEntry(
        entry.key, key_type, entry.owner.name, entry.owner.document.type, entry.owner.document.number, entry.account.ispb,
        entry.account.branch, entry.account.account, account_type,
    )  # fmt: skip


def registered_hosts(body: bytes) -> dict[str, frozenset[str]]:
    """Returns each host of locations and keys, with its participants. Malformed: no list of them."""
    found: dict[str, frozenset[str]] = {}
    for one in decoded(body, _Participants).data:
        for host in {one.host.lower(), one.jku.partition("://")[2].partition("/")[0].lower()} - {""}:
            found[host] = found.get(host, frozenset()) | {one.ispb}
    return found


def payment_status(end_to_end_id: str, body: bytes) -> port.PixFinal | port.Pending:
    """Returns the SPI's answer about a payment. Malformed where it is none."""
    status = decoded(body, _Status)
    settled = _ENDS.get(status.status)
    if settled is None:
        return port.Pending()
    if status.end_to_end_id != end_to_end_id:
        raise Malformed("endToEndId")
    return port.PixFinal(end_to_end_id, settled, status.code, status.settled_at, facts_of(status.original_transaction))


def charge_status(message_id: str, body: bytes, ispb: str) -> port.NetworkMessage | port.Pending:
    """Returns the network's answer about an instruction to collect. Malformed where it is none."""
    return charge_wire.charge_status(message_id, body, ispb, arrival_wire.credit)


def return_status(return_id: str, body: bytes) -> port.ReturnFinal | port.Pending:
    """Returns the SPI's answer about a return. Malformed where it is none."""
    status = decoded(body, _Status)
    settled = _ENDS.get(status.status)
    if settled is None:
        return port.Pending()
    return _return_end(return_id, status, settled=settled)


def _return_end(return_id: str, said: _Final | _Status, *, settled: bool) -> port.ReturnFinal:
    amount = None if said.amount is None else Money.parse(said.amount, "BRL")
    return port.ReturnFinal(return_id, said.end_to_end_id, settled, said.code, said.settled_at, amount)
