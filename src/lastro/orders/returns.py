"""The time limits of telling, asking about and giving up a return."""

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

# A return that its network does not know is given up a day after its order: no copy is on its way any more, since none was
# sent in the last two hours. If the network says neither yes nor no for another day, people must look.
RETURN_WITHIN, RETURN_SENT_WITHIN, RETURN_LATE = timedelta(hours=24), timedelta(hours=22), timedelta(hours=48)
# A payment made anew has the id of a payment, which its network takes for twelve hours after the minute in it.
ANEW_WITHIN, ANEW_SENT_WITHIN = timedelta(hours=11), timedelta(hours=9)
# The STR is shut at night, on weekends and on holidays, at carnival for five days: a TED's return has so much longer.
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
    """Returns the time after which an unknown return is given up. It runs from the order of the return."""
    if is_anew:
        return ANEW_WITHIN
    return RETURN_WITHIN + (STR_SHUT if rail == TED else timedelta())


def _past(after: timedelta, rail: str, row: str = "") -> str:
    """Returns SQL: a refund of this rail was ordered `after` ago. It is longer where the rail's network shuts."""
    seconds = (after + (return_within(rail) - RETURN_WITHIN)).total_seconds()
    return f"{row}created_at + interval '{seconds:.0f} seconds' <= (SELECT business_now())"


def _past_anew(after: timedelta, row: str = "") -> str:
    """Returns the same SQL for payments made anew."""
    is_anew = f"{row}reason_code IN ('{IPRT}', '{REFU}')"
    seconds = after.total_seconds()
    return f"({is_anew} AND {row}created_at + interval '{seconds:.0f} seconds' <= (SELECT business_now()))"


def returns_of(rail: str) -> Waiting:
    """Returns a rail's returns that wait for the network's end."""
    return Waiting(
        RETURN_SEND, RETURNS_TO_ASK, "return_id", only=f"rail = '{rail}'",
        over=f"(called_off_at IS NOT NULL OR {_past(RETURN_WITHIN, rail)} OR {_past_anew(ANEW_WITHIN)})",
        late=_past(RETURN_LATE, rail),
        sends=_RETURN_SENDS, doubts=_RETURN_DOUBTS,
    )  # fmt: skip


# Of an outbox row: a return that is soon given up, or whose dispute was called off. Returns that we carry ourselves go on.
RETURN_HELD_BACK = (
    f"(outbox.kind = '{RETURN_SEND}' AND outbox.rail <> '{BOOK}' AND EXISTS (SELECT 1 FROM refunds r"  # noqa: S608 ours
    " WHERE r.company_id = outbox.company_id AND r.return_id = outbox.network_id AND r.state = 'PENDING'"
    f" AND (r.called_off_at IS NOT NULL OR {_past_anew(ANEW_SENT_WITHIN, 'r.')}"
    f" OR CASE r.rail WHEN '{TED}' THEN {_past(RETURN_SENT_WITHIN, TED, 'r.')}"
    f" ELSE {_past(RETURN_SENT_WITHIN, PIX, 'r.')} END)))"
)
# Of an outbox row: the close of an instrument whose registration is about to be sent.
EARLY = (
    "kind = 'collection.close' AND EXISTS (SELECT 1 FROM outbox o WHERE o.company_id = outbox.company_id"
    " AND o.reference_id = outbox.reference_id AND o.kind = 'collection.send' AND o.due_at IS NOT NULL)"
)
# An instrument that nobody pays any more is not registered; one that was not registered is not closed.
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
    """The state of an outbox message. sends: the times it was leased; is_in_hand: it is leased now.

    answered: of these copies, those that never left or that the network itself did not take. doubts: of a return, the
    copies that the network has refused to process; doubt: its code for the last of them.
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
        """Tells whether a message unknown to the network was not resent since. asked_at: `sends` at that time."""
        return asked_at == self.sends and not self.is_in_hand
