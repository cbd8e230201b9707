"""The rules of an authorization. They give the location's content, the time to authorize, and the refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from lastro.standards.calendar import day_bounds
from lastro.standards.payload import Debtor
from lastro.standards.recurrence_payload import RecurrencePayload, Update
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.rules.creating import contract_of, purpose_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from lastro.core.money import Money
    from lastro.standards.recurrence_payload import Receiver, Status
    from lastro.subscriptions.model import AuthorizingPayer, Subscription, SubscriptionTerms, Timing

# The reasons to refuse a payer's authorization; the Central Bank gives no codes for them.
Unfit = Literal[
    "NOT_PENDING",  # it was authorized, declined or ended before
    "OTHER_JOURNEY",  # it is authorized by paying its first charge, or has none to pay
    "WINDOW_OVER",
    "OTHER_PAYER",  # another document was named as the only one that may pay
    "MAXIMUM_NOT_ALLOWED",  # the amount is fixed, so there is nothing to bound
    "BELOW_FLOOR",
]

# Our codes to the network. Nobody knows what its two codes for a refused recurrence mean (domain.md §3.3), so that one is
# as good as the other; MIDI is that of a recurrence that is not there.
_NO, _NO_RECURRENCE = "AP13", "MIDI"

_SHOWN: Final[dict[str, Status]] = {"PENDING_AUTHORIZATION": "CRIADA", "ACCEPTED": "APROVADA"}


def payload_of(subscription: Subscription, receiver: Receiver, history: Iterable[tuple[str, datetime]]) -> RecurrencePayload:
    """Returns what a subscription's location shows while it has not ended.

    history: each status it took and when, oldest first; those that the network has no word for are left out.
    """
    terms, debtor = subscription.terms, subscription.debtor
    kind: Any = debtor.document_type
    return RecurrencePayload(
        recurrence_id=subscription.provider_id,
        contract=contract_of(subscription.external_id, subscription.id),
        purpose=purpose_of(subscription.description),
        debtor=Debtor(name=debtor.name or "", document_type=kind, document=debtor.document_number),
        starts_on=terms.starts_on,
        ends_on=terms.ends_on,
        frequency=terms.frequency,
        retries=terms.charges_after_due,
        amount=None if terms.fixed is None else str(terms.fixed),
        floor=None if terms.floor is None else str(terms.floor),
        receiver=receiver,
        updates=tuple(Update(status=_SHOWN[status], at=at) for status, at in history if status in _SHOWN),
    )


def lapses_at(terms: SubscriptionTerms, created_at: datetime, timing: Timing = TIMING) -> datetime | None:
    """Returns when journey 2 can no longer be authorized; None: it never ends by itself. Its creation decides it.

    Its code lives until endDate is over (Central Bank's staff, pix-api#629): the 30 days are those of a request pushed to
    the payer (journey 1, IN BCB 436/2023 art. 3). An institution may set a shorter life.
    """
    ends = [] if terms.ends_on is None else [day_bounds(terms.ends_on)[1]]
    return min([*ends, *([] if timing.window is None else [created_at + timing.window])], default=None)


def window_ends(subscription: Subscription) -> datetime | None:
    """The first instant at which it cannot be authorized any more; None: there is none (states.md 1).

    Journey 3: when its order expires.
    """
    return subscription.order_expires_at or subscription.lapses_at


def maximum_problem(terms: SubscriptionTerms, maximum: Money | None) -> Unfit | None:
    """Returns the problem with a payer's maximum; None: no problem, or no maximum."""
    if maximum is None:
        return None
    if terms.fixed is not None:
        return "MAXIMUM_NOT_ALLOWED"
    return "BELOW_FLOOR" if terms.floor is not None and maximum < terms.floor else None


def authorization_problem(subscription: Subscription, accepted_at: datetime, maximum: Money | None) -> Unfit | None:
    """Returns the problem with an authorization of journey 2; None: it is taken. accepted_at: the network's time."""
    if subscription.state != "PENDING_AUTHORIZATION":
        return "NOT_PENDING"
    if subscription.is_paid_at_once:
        return "OTHER_JOURNEY"
    ends_at = window_ends(subscription)
    if ends_at is not None and accepted_at >= ends_at:
        return "WINDOW_OVER"
    return maximum_problem(subscription.terms, maximum)


def first_payment_problem(subscription: Subscription, payer_document: str, maximum: Money | None) -> Unfit | None:
    """Returns the problem with a payment that would authorize (journey 3). Its order judges time and amount."""
    if subscription.state != "PENDING_AUTHORIZATION":
        return "NOT_PENDING"
    if not subscription.is_paid_at_once:
        return "OTHER_JOURNEY"
    if subscription.only_payer not in (None, payer_document):
        return "OTHER_PAYER"
    return maximum_problem(subscription.terms, maximum)


def is_same_word(subscription: Subscription, payer: AuthorizingPayer, maximum: Money | None) -> bool:
    """Tells whether this payer has already authorized it so, without a payment. He repeats it since he has heard nothing."""
    known = subscription.payer
    if subscription.state != "ACCEPTED" or subscription.is_paid_at_once or known is None:
        return False
    said = (payer.person.document_number, payer.ispb, payer.branch, payer.account, maximum)
    return said == (known.person.document_number, known.ispb, known.branch, known.account, subscription.maximum)


def answer_code(problem: Unfit | None) -> str:
    """With which code an authorization is refused. problem None: there is no such recurrence."""
    return _NO_RECURRENCE if problem is None else _NO
