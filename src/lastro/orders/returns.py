"""How long a return is told to its network, when it is asked about, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lastro.orders.due_work import RETURNS_TO_ASK
from lastro.rails.port import (
    ALWAYS,
    ARRIVES_WITHIN,
    BOOK,
    CARD_AUTHORIZE,
    COLLECTING,
    COLLECTION_CLOSE,
    COLLECTION_SEND,
    IPRT,
    PIX,
    PIX_ANSWER,
    REFU,
    RETURN_DOUBTED,
    RETURN_SEND,
    TED,
    Need,
    Waiting,
)

if TYPE_CHECKING:
    from uuid import UUID

# A return that its network does not know a day after it was ordered is given up: no copy of it is on its way any more, since
# in the last two hours none was sent. One of which the network says neither yes nor no for another day is for people.
RETURN_WITHIN, RETURN_SENT_WITHIN, RETURN_LATE = timedelta(hours=24), timedelta(hours=22), timedelta(hours=48)
# What is paid anew has the id of a payment, which its network takes for twelve hours after the minute in it.
ANEW_WITHIN, ANEW_SENT_WITHIN = timedelta(hours=11), timedelta(hours=9)
# The STR is shut at night, on weekends and on holidays, at carnival for five days: a return of a TED has so much longer.
STR_SHUT = timedelta(days=9)
RETURN_ARRIVES_WITHIN = ARRIVES_WITHIN
_RETURN_DOUBTS = (
    "(SELECT count(*) FROM inbox d WHERE d.company_id = refunds.company_id AND d.subject = refunds.return_id"  # noqa: S608 ours
    f" AND d.kind = '{RETURN_DOUBTED}')"
)
_RETURN_SENDS = (
    "(SELECT m.sends FROM outbox m WHERE m.company_id = refunds.company_id AND m.rail = refunds.rail"
    " AND m.network_id = refunds.return_id AND m.lease_token IS NULL)"
)


def return_within(rail: str, *, is_anew: bool = False) -> timedelta:
    """How long after it was ordered a return that its network does not know is given up."""
    if is_anew:
        return ANEW_WITHIN
    return RETURN_WITHIN + (STR_SHUT if rail == TED else timedelta())


def _past(after: timedelta, rail: str, row: str = "") -> str:
    """Says of a refund of this rail that it was ordered so long ago, or longer where its network shuts."""
    seconds = (after + (return_within(rail) - RETURN_WITHIN)).total_seconds()
    return f"{row}created_at + interval '{seconds:.0f} seconds' <= (SELECT business_now())"


def _past_anew(after: timedelta, row: str = "") -> str:
    """The same of what is paid anew."""
    is_anew = f"{row}reason_code IN ('{IPRT}', '{REFU}')"
    seconds = after.total_seconds()
    return f"({is_anew} AND {row}created_at + interval '{seconds:.0f} seconds' <= (SELECT business_now()))"


# What the network of each rail has to end.
RETURNS = {
    rail: Waiting(
        RETURN_SEND, RETURNS_TO_ASK, "return_id", only=f"rail = '{rail}'",
        over=f"(called_off_at IS NOT NULL OR {_past(RETURN_WITHIN, rail)} OR {_past_anew(ANEW_WITHIN)})",
        late=_past(RETURN_LATE, rail),
        sends=_RETURN_SENDS, doubts=_RETURN_DOUBTS,
    )
    for rail in (PIX, TED, *COLLECTING)
}  # fmt: skip
# Of an outbox row: a return that is soon given up, or whose dispute was called off; what we carry ourselves goes on.
RETURN_HELD_BACK = (
    f"(outbox.kind = '{RETURN_SEND}' AND outbox.rail <> '{BOOK}' AND EXISTS (SELECT 1 FROM refunds r"  # noqa: S608 ours
    " WHERE r.company_id = outbox.company_id AND r.return_id = outbox.network_id AND r.state = 'PENDING'"
    f" AND (r.called_off_at IS NOT NULL OR {_past_anew(ANEW_SENT_WITHIN, 'r.')}"
    f" OR CASE r.rail WHEN '{TED}' THEN {_past(RETURN_SENT_WITHIN, TED, 'r.')}"
    f" ELSE {_past(RETURN_SENT_WITHIN, PIX, 'r.')} END)))"
)
# Of an outbox row: its partner cannot end what it has not heard of, and is about to be told of.
EARLY = (
    "kind = 'collection.close' AND EXISTS (SELECT 1 FROM outbox o WHERE o.company_id = outbox.company_id"
    " AND o.reference_id = outbox.reference_id AND o.kind = 'collection.send' AND o.due_at IS NOT NULL)"
)
# What nobody pays any more is not registered, and what was not registered need not be ended.
NEEDS = {
    PIX_ANSWER: ALWAYS,
    RETURN_SEND: Need.until("refunds", "x.state <> 'PENDING'"),
    CARD_AUTHORIZE: Need.until(
        "card_payments", "x.charge_id = outbox.network_id AND x.state <> 'AUTHENTICATED'", key="order_id"
    ),
    COLLECTION_SEND: Need.until("orders", "x.status NOT IN ('INITIAL', 'PENDING', 'AUTHENTICATING')"),
    COLLECTION_CLOSE: Need.until(
        "outbox", f"x.kind = '{COLLECTION_SEND}' AND x.outcome = 'withdrawn'", key="reference_id", asks=False
    ),
}


@dataclass(frozen=True, slots=True)
class Sending:
    """How the message that orders something stands. sends: how often it was taken in hand; is_in_hand: it is so now.

    answered: of these copies, those that never left or that the network itself did not take. doubts: of a return, those that
    it has refused to process; doubt: its code for the last of them.
    """

    id: UUID
    sends: int
    is_in_hand: bool
    answered: int = 0
    doubts: int = 0
    doubt: str | None = None

    @property
    def is_nowhere(self) -> bool:
        """Tells whether no copy of it can be on its way: what the network does not know now it will never have.

        The network may refuse one copy twice, so its refusals account for one copy and no more.
        """
        return not self.is_in_hand and self.sends - self.answered <= min(self.doubts, 1)

    def proves(self, asked_at: int | None) -> bool:
        """Whether what the network did not know was not sent since. asked_at: `sends` as it was then."""
        return asked_at == self.sends and not self.is_in_hand
