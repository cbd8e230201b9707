"""The JSON of a subscription and its cancellation, for its client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import BrlMoney, Day, Document, Id, Paged, Timestamp, Url, words
from lastro.api_kit.routes import Answer, stamp
from lastro.orders import merchant, picture
from lastro.standards.brcode import MAX_CITY, MAX_NAME, BrCode, encode
from lastro.subscriptions.model import CANCELLATION_STATUSES, FREQUENCIES, STATUSES, TYPES
from lastro.subscriptions.payments.rendering import SubscriptionPayment  # noqa: TC001 msgspec reads the annotations
from lastro.subscriptions.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.orders import Installation
    from lastro.subscriptions import model
    from lastro.subscriptions.model import FirstCharge, NamedParty, Passed, SubscriptionShown
    from lastro.subscriptions.rules.next_actions import NextAction
    from lastro.subscriptions.store import Past

_CODE = "The code's text (EMV BR Code), to copy and paste."
_PNG = "The code's picture, a PNG in base64 without a `data:` prefix."
_ACTIONS = (
    "AUTHORIZE", "SCHEDULE_PAYMENT", "SKIP_CYCLE", "AWAIT_ACCOUNT", "SEND_CHARGE", "COLLECT", "RETRY_PAYMENT", "END",
)  # fmt: skip


class InitialCharge(Answer, frozen=True, kw_only=True):
    """The charge that is paid in the same act as the authorization."""

    order_id: Annotated[
        Id | None, msgspec.Meta(description="Left out where none was made: the subscription was refused at once, as ERROR.")
    ] = None
    expire_date_time: Annotated[Timestamp, msgspec.Meta(description="The last instant at which a bank may pay it.")]
    conciliation_id: Annotated[
        str, msgspec.Meta(description="The txid that the network knows the charge by.", pattern="^[0-9A-Za-z]{26,35}$")
    ]
    amount: BrlMoney
    leads_here: Annotated[
        bool | None,
        msgspec.Meta(
            description="Whether its Pix key still leads to the account. Once it does not, `qrcode` is left out and its"
            " location answers 410: cancel the subscription and make another one, with another key."
        ),
    ] = None


class CreatedSubscription(Answer, frozen=True, kw_only=True):
    """A subscription as its create answers it."""

    id: Id
    status: Annotated[str, words(*STATUSES)]
    qrcode_image_base64: Annotated[str, msgspec.Meta(description=_PNG, examples=["iVBORw0KGgo="])]
    qrcode_data: Annotated[str, msgspec.Meta(description=_CODE)]
    initial_charge: InitialCharge | None = None
    provider_id: Annotated[
        str,
        msgspec.Meta(
            description="What the network knows it by (idRec).", pattern="^R[RN][0-9A-Z]{8}[0-9]{8}[0-9A-Za-z]{11}$"
        ),
    ]  # fmt: skip
    external_id: Annotated[str, msgspec.Meta(description="The subscription's id in your system.")]


class Debtor(Answer, frozen=True, kw_only=True):
    """The contract's debtor."""

    document: Document
    name: str


class Receiver(Answer, frozen=True, kw_only=True):
    """The receiver of the charges."""

    id: Annotated[Id, msgspec.Meta(description="The account that its charges credit.")]
    full_name: str
    document: Document


class PayersBank(Answer, frozen=True, kw_only=True):
    """The account that pays."""

    ispb: Annotated[str, msgspec.Meta(description="The institution's id of 8 characters.", examples=["99999020"])]
    account_number: str
    branch_number: str | None = None


class SubscriptionPayer(Answer, frozen=True, kw_only=True):
    """The payer who authorized it, as the payer's bank says."""

    name: str | None = None
    document: Document
    bank_data: Annotated[
        PayersBank | None, msgspec.Meta(description="Left out where the receiver's own bank collects and does not tell it.")
    ] = None


class Subscription(Answer, frozen=True, kw_only=True):
    """A subscription."""

    id: Id
    provider_id: Annotated[str, msgspec.Meta(description="What the network knows it by (idRec).")]
    type: Annotated[str, words(*TYPES)]
    status: Annotated[str, words(*STATUSES)]
    allow_charge_after_due_date: bool
    allow_adjust_to_business_day: bool
    frequency_type: Annotated[str, words(*FREQUENCIES)]
    start_date: Annotated[Day, msgspec.Meta(description="The first day of its first cycle.")]
    end_date: Annotated[
        Day | None, msgspec.Meta(description="The last day on which a charge may be due; left out: it is open-ended.")
    ] = None
    fixed_amount: Annotated[BrlMoney | None, msgspec.Meta(description="What each charge is of.")] = None
    max_amount_floor: Annotated[
        BrlMoney | None, msgspec.Meta(description="The least maximum that the payer may set for a charge.")
    ] = None
    auto_schedule: Annotated[bool, msgspec.Meta(description="Whether the service itself schedules each cycle's charge.")]
    debtor: Debtor
    receiver: Receiver
    payer: Annotated[SubscriptionPayer | None, msgspec.Meta(description="There once it was ACCEPTED.")] = None
    description: str | None = None
    webhook_url: Url
    external_id: Annotated[str, msgspec.Meta(description="The subscription's id in your system.")]
    created_at: Timestamp
    updated_at: Timestamp


class StatusEntry(Answer, frozen=True, kw_only=True):
    """A status that was taken, and when."""

    status: str
    created_at: Timestamp


class Requester(Answer, frozen=True, kw_only=True):
    """The party that asked for the cancellation."""

    document: Document


class Cancellation(Answer, frozen=True, kw_only=True):
    """A request to cancel a subscription, and its result."""

    id: Id
    idempotency_key: Annotated[str, msgspec.Meta(description="As it was sent; where none was, the cancellation's id.")]
    status: Annotated[str, words(*CANCELLATION_STATUSES)]
    status_history: Annotated[list[StatusEntry], msgspec.Meta(description="Oldest first.")]
    reason: Annotated[
        str,
        words("REQUESTED_BY_RECEIVER", "FRAUD_SUSPECTED", "OTHER", "REQUESTED_BY_PAYER", "ACCOUNT_CLOSED",
              "AUTHORIZATION_EXPIRED", "RECURRENCE_ENDED"),
    ]  # fmt: skip
    requested_by: Requester
    error_code: Annotated[
        str | None,
        msgspec.Meta(description="Why it was REJECTED, or is in ERROR, in the network's code.", examples=["AP13"]),
    ] = None
    error_message: Annotated[str | None, msgspec.Meta(description="The same in words.")] = None
    created_at: Timestamp
    updated_at: Timestamp


class Code(Answer, frozen=True, kw_only=True):
    """The code that the payer reads."""

    image_base64: Annotated[str, msgspec.Meta(description=_PNG, examples=["iVBORw0KGgo="])]
    data: Annotated[str, msgspec.Meta(description=_CODE)]


class NextStep(Answer, frozen=True, kw_only=True):
    """Something that is to come: who does what, and when."""

    action: Annotated[
        str,
        words(
            *_ACTIONS,
            description="SKIP_CYCLE: the cycle of `firstDueDate` gets no charge by itself. AWAIT_ACCOUNT: no"
            " charge is made before the account is ACTIVE again, that of `firstDueDate` by itself only until `until`.",
        ),
    ]
    by: Annotated[str, words("PAYER", "RECEIVER", "SERVICE")]
    at: Annotated[Timestamp | None, msgspec.Meta(description="When it happens, or from when on it can be done.")] = None
    until: Annotated[Timestamp | None, msgspec.Meta(description="When it is too late for it.")] = None
    first_due_date: Annotated[Day | None, msgspec.Meta(description="The first `dueDate` that a charge may have.")] = None
    last_due_date: Annotated[Day | None, msgspec.Meta(description="The last one.")] = None
    payment_id: Annotated[Id | None, msgspec.Meta(description="The scheduled payment that it is about.")] = None


class FullSubscription(Subscription, frozen=True, kw_only=True):
    """A subscription, and what has happened and will happen to it."""

    status_history: Annotated[list[StatusEntry], msgspec.Meta(description="Oldest first.")]
    qrcode: Annotated[
        Code | None, msgspec.Meta(description="Left out while the first charge's Pix key leads to somebody else.")
    ] = None
    initial_charge: InitialCharge | None = None
    cancellations: Annotated[list[Cancellation], msgspec.Meta(description="Oldest first.")]
    payments: Annotated[list[SubscriptionPayment], msgspec.Meta(description="The last 20 scheduled payments, oldest first.")]
    next_actions: Annotated[list[NextStep], msgspec.Meta(description="What comes next; empty once it has ended.")]


class Subscriptions(Paged, frozen=True, kw_only=True):
    """A page of subscriptions."""

    data: list[Subscription]


def payload(shown: SubscriptionShown, place: Installation) -> str:
    """The text of the code (API Pix 2.9.0). Journey 2 has the recurrence's location alone; journey 3 also its charge's.

    A connection's bank has made its own.
    """
    first, by_bank = shown.first_charge, shown.subscription.bank_code
    if by_bank is not None:
        return by_bank
    assert shown.location_token is not None, "without a bank's code it has a location here"
    return encode(
        BrCode(
            location=None if first is None else _location(first, place),
            recurrence_location=place.recurrence_location(shown.location_token),
            merchant_name=merchant(shown.account.holder.full_name, MAX_NAME),
            merchant_city=merchant(shown.account.city, MAX_CITY),
            single_use=first is not None,
        )
    )


def _location(first: FirstCharge, place: Installation) -> str:
    assert first.location_token is not None, "of no connection's charge"
    return place.location(first.location_token)


def created(shown: SubscriptionShown, place: Installation) -> CreatedSubscription:
    """The answer to a create."""
    subscription, text = shown.subscription, payload(shown, place)
    return CreatedSubscription(
        id=str(subscription.id), status=subscription.state, qrcode_image_base64=picture(text), qrcode_data=text,
        initial_charge=_initial_charge(shown), provider_id=subscription.provider_id, external_id=subscription.external_id,
    )  # fmt: skip


def listed(shown: SubscriptionShown) -> Subscription:
    """The Subscription of interface.md."""
    return Subscription(**_fields(shown))


def in_full(
    shown: SubscriptionShown,
    past: Past,
    payments: list[SubscriptionPayment],
    coming: Iterable[NextAction],
    place: Installation,
) -> FullSubscription:
    """The same with the blocks of a read by id."""
    text = payload(shown, place)
    return FullSubscription(
        **_fields(shown),
        status_history=_statuses(past.statuses),
        qrcode=Code(image_base64=picture(text), data=text) if shown.code_leads_here else None,
        initial_charge=_initial_charge(shown),
        cancellations=[cancellation(one, past.of_cancellations[one.id]) for one in past.cancellations],
        payments=payments,
        next_actions=[step_shown(one) for one in coming],
    )


def cancellation(one: model.Cancellation, statuses: Iterable[Passed]) -> Cancellation:
    """The record of a cancellation (contract.md §3)."""
    code = one.raw_reason if one.state in ("REJECTED", "ERROR") else None
    return Cancellation(
        id=str(one.id), idempotency_key=one.idempotency_key, status=one.state, status_history=_statuses(statuses),
        reason=one.reason, requested_by=Requester(document=_document(one.requested_by)), error_code=code,
        error_message=None if code is None else reason_of(code, "AUTHORIZATION").message,
        created_at=stamp(one.created_at), updated_at=stamp(one.updated_at),
    )  # fmt: skip


def _fields(shown: SubscriptionShown) -> dict[str, Any]:
    subscription, holder = shown.subscription, shown.account.holder
    terms, debtor = subscription.terms, subscription.debtor
    return {
        "id": str(subscription.id), "provider_id": subscription.provider_id, "type": subscription.type,
        "status": subscription.state, "allow_charge_after_due_date": terms.charges_after_due,
        "allow_adjust_to_business_day": terms.adjusts, "frequency_type": terms.frequency,
        "start_date": terms.starts_on.isoformat(),
        "end_date": None if terms.ends_on is None else terms.ends_on.isoformat(),
        "fixed_amount": BrlMoney.maybe(terms.fixed), "max_amount_floor": BrlMoney.maybe(terms.floor),
        "auto_schedule": terms.is_automatic, "debtor": Debtor(document=_document(debtor), name=debtor.name or ""),
        "receiver": Receiver(
            id=str(shown.account.id), full_name=holder.full_name,
            document=Document(type=holder.document_type, number=holder.document_number),
        ),
        "payer": _payer(subscription), "description": subscription.description, "webhook_url": subscription.webhook_url,
        "external_id": subscription.external_id, "created_at": stamp(subscription.created_at),
        "updated_at": stamp(subscription.updated_at),
    }  # fmt: skip


def _payer(subscription: model.Subscription) -> SubscriptionPayer | None:
    payer = subscription.payer
    if payer is None or subscription.state == "PENDING_AUTHORIZATION":
        return None
    bank = None
    if payer.ispb is not None and payer.account is not None:
        bank = PayersBank(ispb=payer.ispb, account_number=payer.account, branch_number=payer.branch)
    return SubscriptionPayer(name=payer.person.name, document=_document(payer.person), bank_data=bank)


def _initial_charge(shown: SubscriptionShown) -> InitialCharge | None:
    first = shown.first_charge
    if first is None:
        return None
    return InitialCharge(
        order_id=None if first.order_id is None else str(first.order_id), expire_date_time=stamp(first.expires_at),
        conciliation_id=first.conciliation_id,
        amount=BrlMoney.of(first.amount), leads_here=None if first.order_id is None else first.leads_here,
    )  # fmt: skip


def _statuses(passed: Iterable[Passed]) -> list[StatusEntry]:
    return [StatusEntry(status=one.status, created_at=stamp(one.at)) for one in passed]


def step_shown(one: NextAction) -> NextStep:
    """Returns the JSON of a next action."""
    return NextStep(
        action=one.action, by=one.by, at=None if one.at is None else stamp(one.at),
        until=None if one.until is None else stamp(one.until),
        first_due_date=None if one.first_due is None else one.first_due.isoformat(),
        last_due_date=None if one.last_due is None else one.last_due.isoformat(),
        payment_id=None if one.payment_id is None else str(one.payment_id),
    )  # fmt: skip


def _document(person: NamedParty) -> Document:
    return Document(type=person.document_type, number=person.document_number)
