"""The ends of orders that the network never takes, for verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails import port
from lastro.rails.port import NetworkMessage
from lastro.rails.port.claims import ClaimRefused
from lastro.rails.port.med import MedRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _return(body: bytes, code: str) -> NetworkMessage:
    order = port.return_order(body)
    end = port.ReturnFinal(order.return_id, order.end_to_end_id, settled=False, code=code)
    return NetworkMessage(port.RETURN_FINAL, "", order.return_id, port.encode(end))


def _payment(body: bytes, code: str) -> NetworkMessage:
    name = port.payment_order(body).end_to_end_id
    return NetworkMessage(port.PAYMENT_FINAL, "", name, port.encode(port.PaymentFinal(name, settled=False, code=code)))


def _ted(body: bytes, code: str) -> NetworkMessage:
    name = port.ted_order(body).control_number
    return NetworkMessage(port.PAYMENT_FINAL, "", name, port.encode(port.PaymentFinal(name, settled=False, code=code)))


def _cancellation(body: bytes, code: str) -> NetworkMessage:
    """Returns a cancellation's end: the payer's bank was not asked. Nobody has refused, and it may be asked anew."""
    order = port.cancellation_order(body)
    end = port.CancellationFinal(order.message_id, order.recurrence_id, "FAILED", code)
    return NetworkMessage(port.CANCELLATION_FINAL, "", order.recurrence_id, port.encode(end))


def _charge(body: bytes, code: str) -> NetworkMessage:
    """Returns a charge's end: the payer's bank has not decided. It tells no time of its own."""
    order = port.charge_instruction(body)
    end = port.ChargeRefused(order.message_id, order.recurrence_id, order.txid, code)
    return NetworkMessage(port.CHARGE_REFUSED, "", order.recurrence_id, port.encode(end))


def _charge_cancellation(body: bytes, code: str) -> NetworkMessage:
    order = port.charge_cancel_order(body)
    end = port.ChargeCancelFinal(order.message_id, order.original_message_id, "FAILED", code)
    return NetworkMessage(port.CHARGE_CANCEL_FINAL, "", order.recurrence_id, port.encode(end))


def _card(body: bytes, code: str) -> NetworkMessage:
    name = port.card_authorize(body).reference
    return NetworkMessage(port.COLLECTION_REFUSED, "", name, port.encode(port.CollectionRefused(name, code)))


def _analysis(body: bytes, code: str) -> NetworkMessage:
    """Returns that the partner will not look at a request. This says nothing about the holder: people look at it."""
    name = port.analysis_order(body).reference
    return NetworkMessage(port.ANALYSIS_FINAL, "", name, port.encode(port.AnalysisFinal(name, "NOT_TAKEN", code)))


def _collection(body: bytes, code: str) -> NetworkMessage:
    name = port.collection_order(body).reference
    return NetworkMessage(port.COLLECTION_REFUSED, "", name, port.encode(port.CollectionRefused(name, code)))


def _dispute(body: bytes, code: str) -> NetworkMessage:
    """Returns that the directory refused an act on one of its objects. Its state of the object and ours differ."""
    task = port.med_task(body)
    return NetworkMessage(port.REFUSED, "", str(task.reference_id), port.encode(MedRefused(task, code)))


def _claim(body: bytes, code: str) -> NetworkMessage:
    """Returns that the directory refused an act on a claim."""
    task = port.claim_task(body)
    return NetworkMessage(port.REFUSED, "", str(task.claim_id), port.encode(ClaimRefused(task, code)))


# Outbox kinds that order something: asked about before they are sent again, and whose refusal for good is their end.
# Of the order's body and the refusal's code: the end.
REFUSED_ENDS: Mapping[str, Callable[[bytes, str], NetworkMessage]] = {
    port.RETURN_SEND: _return,
    port.PAYMENT_SEND: _payment,
    port.TED_SEND: _ted,
    port.CANCELLATION_SEND: _cancellation,
    port.CHARGE_SEND: _charge,
    port.CHARGE_CANCEL_SEND: _charge_cancellation,
    port.COLLECTION_SEND: _collection,
    port.CARD_AUTHORIZE: _card,
    port.ANALYSIS_SEND: _analysis,
    **dict.fromkeys((port.MED_ACKNOWLEDGE, port.MED_VERDICT, port.MED_ORDER, port.MED_ANSWER), _dispute),
    **dict.fromkeys((port.CLAIM_ACKNOWLEDGE, port.CLAIM_CONFIRM, port.CLAIM_CANCEL, port.CLAIM_COMPLETE), _claim),
}
