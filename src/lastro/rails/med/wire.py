"""The wire forms of disputes at the DICT.

The DICT's names (DICT API 2.12.1) are on one side, the interface's on the other. Its TRACKED, AWAITING_ANALYSIS,
REFUNDING, ACKNOWLEDGED and CLOSED are TRACED, WAITING_ANALYSIS, WAITING_REFUND, RECEIVED and ANALYSED here (domain.md
§6.5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal
from uuid import UUID, uuid5

import msgspec
from msgspec import structs

from lastro.core.money import Money
from lastro.rails.messages import Instant, Malformed, decoded
from lastro.rails.port import NetworkMessage
from lastro.rails.port.codec import encode
from lastro.rails.port.med import MED, MED_NEWS, MedAccount, MedHop, MedNews, MedTask, med_news

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.rails.port.med import MedContest, Role

_BRL: Final = "BRL"
_RECEIVERS: Final = UUID("b1f6a0c4-0e0a-5d57-9a63-5f0c9c3f6b52")  # of the ids of receivers' sides
_TRANSACTION = re.compile(r"[ED][0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}")
_NOTHING = re.compile(r"0(\.00?)?")
MOST_TRANSACTIONS: Final = 5
_STATUSES: Mapping[str, str] = {
    "TRACKED": "TRACED", "AWAITING_ANALYSIS": "WAITING_ANALYSIS", "REFUNDING": "WAITING_REFUND",
    "ACKNOWLEDGED": "RECEIVED", "CLOSED": "ANALYSED",
}  # fmt: skip
_SITUATIONS: Mapping[str, str] = {
    "SCAM": "SCAM", "ACCOUNT_TAKEOVER": "UNAUTHORIZED_TRANSACTION", "COERCION": "CRIME_OF_COERCION",
    "FRAUDULENT_ACCESS": "FRAUDULENT_ACCESS_AND_AUTHORIZATION", "OTHER": "OTHERS",
}  # fmt: skip
_ACCOUNTS: Mapping[str, str] = {
    "CACC": "CHECKING_ACCOUNT", "SVGS": "SAVINGS_ACCOUNT", "TRAN": "PAYMENT_ACCOUNT", "SLRY": "WAGE_ACCOUNT",
}  # fmt: skip
_THEIRS = {ours: theirs for theirs, ours in _SITUATIONS.items()}


class _Hop(msgspec.Struct, rename="pascal"):
    transaction_id: str
    hop: int
    amount: str
    payer_participant: str
    receiver_participant: str


class _FundsRecovery(msgspec.Struct, rename="pascal"):
    id: UUID
    status: Literal["CREATED", "TRACKED", "AWAITING_ANALYSIS", "ANALYSED", "REFUNDING", "COMPLETED", "CANCELLED"]
    root_transaction_id: str
    situation_type: str
    last_modified: Instant
    reporter_participant: str
    tracking_graph: list[_Hop] = []
    analysis_result: Literal["AGREED", "DISAGREED"] | None = None


class _InfractionReport(msgspec.Struct, rename="pascal"):
    id: UUID
    status: Literal["OPEN", "ACKNOWLEDGED", "CLOSED", "CANCELLED"]
    transaction_id: str
    root_transaction_id: str
    reason: Literal["REFUND_REQUEST", "REFUND_CANCELLED"]
    situation_type: str
    infraction_amount: str
    reporter_participant: str
    counterparty_participant: str
    last_modified: Instant
    funds_recovery_id: UUID | None = None
    analysis_result: Literal["AGREED", "DISAGREED"] | None = None


class _RefundAccount(msgspec.Struct, rename="pascal"):
    tax_id_number: str
    participant: str
    account_number: str
    account_type: str
    branch: str | None = None


class _Refund(msgspec.Struct, rename="pascal"):
    id: UUID
    status: Literal["OPEN", "CLOSED", "CANCELLED"]
    transaction_id: str
    refund_reason: Literal["FRAUD", "OPERATIONAL_FLAW", "PIX_AUTOMATICO"]
    refund_amount: str
    requesting_participant: str
    contested_participant: str
    last_modified: Instant
    funds_recovery_id: UUID | None = None
    situation_type: str | None = None
    analysis_result: Literal["TOTALLY_ACCEPTED", "PARTIALLY_ACCEPTED", "REJECTED"] | None = None
    refund_rejection_reason: str | None = None
    effective_refunded_amount: str | None = None
    monitor_account: bool = True
    root_transaction_id: str | None = None
    refund_details: str | None = None
    refund_account: _RefundAccount | None = None


class _Event(msgspec.Struct, rename="pascal"):
    funds_recovery: _FundsRecovery | None = None
    infraction_report: _InfractionReport | None = None
    refund: _Refund | None = None


class _Contact(msgspec.Struct, rename="pascal"):
    email: str
    phone: str


class _Contested(msgspec.Struct, rename="pascal"):
    request_id: str
    root_transaction_id: str
    situation_type: str
    report_details: str | None
    contact_information: _Contact
    transaction_type: str | msgspec.UnsetType = msgspec.UNSET
    infraction_amount: str | msgspec.UnsetType = msgspec.UNSET


class _Closed(msgspec.Struct, rename="pascal", omit_defaults=True):
    """The body that ends a report or a refund."""

    analysis_result: str | None = None
    fraud_type: str | None = None
    analysis_details: str | None = None
    refund_analysis_result: str | None = None
    refund_analysis_details: str | None = None
    refund_rejection_reason: str | None = None
    refund_transaction_id: str | None = None
    effective_refunded_amount: str | None = None


def message_of(movement_id: str, raw: bytes, ispb: str) -> NetworkMessage:
    """Returns an event of the directory's stream.

    ispb: ours, by which our role is known. Malformed, MoneyError: cannot be read.

    Of an object which has us on both sides it is the payer's; `sides` has the other one, too.
    """
    event = decoded(raw, _Event)
    if event.funds_recovery is not None:
        news = _recovery(event.funds_recovery, ispb)
    elif event.infraction_report is not None:
        news = _report(event.infraction_report, ispb)
    elif event.refund is not None:
        news = _refund(event.refund, ispb)
    else:
        raise Malformed("an event about nothing")
    return _message(movement_id, news)


def sides(one: NetworkMessage) -> tuple[NetworkMessage, ...]:
    """Returns a message as each of our sides is told it: the payer's, and of an object which has us on both the
    receiver's, too.
    """
    if one.kind != MED_NEWS:
        return (one,)
    news = med_news(one.body)
    if news.received_id is None:
        return (one,)
    other = structs.replace(
        news, role="RECEIVER", reference_id=news.received_id, directory_id=news.reference_id, received_id=None
    )
    return (one, _message(f"{one.network_id}:receiver", other))


def recovery(raw: bytes, ispb: str) -> MedNews:
    """Returns a recovery as the directory answers about it. Malformed: it is none."""
    return _recovery(decoded(raw, _FundsRecovery), ispb)


def contested(wish: MedContest) -> bytes:
    """Returns the body that opens a recovery.

    Of what has settled in our own books alone it says how much: no network knows.
    """
    contact = _Contact(wish.contact.email, wish.contact.phone)
    body = _Contested(str(wish.request_id), wish.end_to_end_id, _THEIRS[wish.situation], wish.details, contact)
    if wish.within is not None:
        body = structs.replace(body, transaction_type="INTERNAL", infraction_amount=str(wish.within))
    return msgspec.json.encode(body)


def verdict(task: MedTask) -> bytes:
    """Returns the body that ends a report (closeInfractionReport).

    A bank that agrees marks the receiver by the kind of fraud.
    """
    return msgspec.json.encode(_Closed(task.result, task.fraud, analysis_details=task.details))


def answer(task: MedTask) -> bytes:
    """Returns the body that ends a refund.

    EffectiveRefundedAmount is of a recovery alone, and required there (DICT 2.12.1).
    """
    is_told = task.returned is not None and task.recovery_id is not None and task.return_id is not None
    returned = str(task.returned) if is_told else None
    return msgspec.json.encode(
        _Closed(
            refund_analysis_result=task.result, refund_analysis_details=task.details,
            refund_rejection_reason=task.rejection, refund_transaction_id=task.return_id, effective_refunded_amount=returned,
        )
    )  # fmt: skip


def _message(name: str, news: MedNews) -> NetworkMessage:
    """Returns the message, addressed by our transaction: the one that we sent, or the one that came to us."""
    is_received = news.role == "RECEIVER"
    subject = news.end_to_end_id if is_received else news.root_id or news.end_to_end_id
    return NetworkMessage(MED_NEWS, name, subject, encode(news), rail=MED, is_received=is_received)


def _recovery(one: _FundsRecovery, ispb: str) -> MedNews:
    if len(one.tracking_graph) > MOST_TRANSACTIONS:
        raise Malformed("TrackingGraph")
    path = tuple(
        MedHop(
            _transaction(h.transaction_id), h.hop, Money.parse(h.amount, _BRL), h.payer_participant, h.receiver_participant
        )
        for h in one.tracking_graph
    )
    return MedNews(
        object_type="RECOVERY_VALUE", reference_id=one.id, status=_status(one.status),
        role=_role(one.reporter_participant, ispb), end_to_end_id=_transaction(one.root_transaction_id),
        root_id=one.root_transaction_id, at=one.last_modified, situation=_situation(one.situation_type),
        result=one.analysis_result, path=path,
    )  # fmt: skip


def _report(one: _InfractionReport, ispb: str) -> MedNews:
    return MedNews(
        object_type="INFRINGEMENT_NOTIFICATION", reference_id=one.id, status=_status(one.status),
        role=_role(one.reporter_participant, ispb), end_to_end_id=_transaction(one.transaction_id),
        root_id=_transaction(one.root_transaction_id), at=one.last_modified, recovery_id=one.funds_recovery_id,
        situation=_situation(one.situation_type), reason="REFUND_REQUEST", amount=Money.parse(one.infraction_amount, _BRL),
        result=one.analysis_result, received_id=_received(one.id, one.reporter_participant, one.counterparty_participant),
    )  # fmt: skip


def _refund(one: _Refund, ispb: str) -> MedNews:
    """Reads a refund. The directory does not say with which transaction its case began; where it does, that is taken."""
    asked, to, root = Money.parse(one.refund_amount, _BRL), one.refund_account, one.root_transaction_id
    returned = None if one.effective_refunded_amount is None else _given_back(one.effective_refunded_amount)
    if returned is None and one.analysis_result == "TOTALLY_ACCEPTED":
        returned = asked  # of one without a recovery no amount is told
    return MedNews(
        object_type="REFUND_REQUEST", reference_id=one.id, status=_status(one.status),
        role=_role(one.requesting_participant, ispb), end_to_end_id=_transaction(one.transaction_id),
        root_id=None if root is None else _transaction(root), at=one.last_modified,
        recovery_id=one.funds_recovery_id,
        situation=None if one.situation_type is None else _situation(one.situation_type), reason=one.refund_reason,
        amount=asked, result=one.analysis_result, rejection=one.refund_rejection_reason, returned=returned,
        requester=one.requesting_participant, details=one.refund_details, monitor=one.monitor_account,
        account=None if to is None else _account(to),
        received_id=_received(one.id, one.requesting_participant, one.contested_participant),
    )  # fmt: skip


def _account(one: _RefundAccount) -> MedAccount:
    """Returns an account as it is told: a type that we do not know stops no refund, since a first layer does not pay
    there.
    """
    kind = _ACCOUNTS.get(one.account_type, one.account_type)
    return MedAccount(one.tax_id_number, one.participant, one.branch, one.account_number, kind)


def _given_back(text: str) -> Money:
    """Reads the amount given back; a rejected refund says 0.00. Elsewhere 0.00 is no amount."""
    return Money(0, _BRL) if _NOTHING.fullmatch(text) else Money.parse(text, _BRL)


def _received(object_id: UUID, opener: str, counterpart: str) -> UUID | None:
    """Returns the receiver's id of an object of one bank alone.

    Its opener is on both sides. The id is always the same, and never the payer's. None: they are two banks.
    """
    return uuid5(_RECEIVERS, str(object_id)) if opener == counterpart else None


def _role(opener: str, ispb: str) -> Role:
    """Returns our role: the opener of an object is the payer's bank."""
    return "PAYER" if opener == ispb else "RECEIVER"


def _status(theirs: str) -> str:
    return _STATUSES.get(theirs, theirs)


def _situation(theirs: str) -> str:
    """Returns the situation; UNKNOWN, of old data alone, counts as OTHERS."""
    return _SITUATIONS.get(theirs, "OTHERS")


def _transaction(text: str) -> str:
    if _TRANSACTION.fullmatch(text) is None:
        raise Malformed("TransactionId")
    return text
