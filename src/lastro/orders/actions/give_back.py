"""Money that is in and fits nothing goes back: through suspense, to the cent, under an id fixed before it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.base.run import Act, Done, Door
from lastro.base.write import Move, Row, Write
from lastro.orders import postings, store
from lastro.orders.states import PIX_PAYMENTS, REFUNDS
from lastro.rails.port import ALARMED, FIRST_ASK, ReturnOrder, return_message
from lastro.standards import pix_ids

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Session
    from lastro.base.money import Money
    from lastro.orders.model import Refund
    from lastro.rails.port import Claimed, ReturnFinal

REASON = "MD06"  # asked by the receiver's side; the other reasons of a return belong to disputes and withdrawals


@dataclass(frozen=True, slots=True)
class Return:
    """What a return's id is made of. number: used once."""

    ispb: str
    company_number: int
    number: int | None


def give_back(
    payment_id: UUID, end_to_end_id: str, amount: Money, payment: Move | tuple[Row, ...], made_of: Return, door: Door
) -> Write:
    """The payment (moved, or born as money to be returned), NET→SUSP, the hold SUSP→NET, and the order to the network."""
    assert made_of.number is not None
    return_id = pix_ids.return_id(made_of.ispb, door.now, made_of.company_number, made_of.number)
    refund_id = door.chance.uuid(door.now)
    hold = postings.giving_back(door, refund_id, amount)
    refund = {
        "id": refund_id, "origin": "AUTOMATIC", "payment_id": payment_id, "return_id": return_id, "reason_code": REASON,
        "amount_minor": amount.minor, "hold_id": hold.id, "ask_at": door.now + FIRST_ASK,
        "created_at": door.now, "updated_at": door.now,
    }  # fmt: skip
    order = ReturnOrder(return_id, end_to_end_id, amount, REASON)
    message = return_message(order, refund_id, door.chance.uuid(door.now), door.now)
    write = Write(
        door.company_id,
        rows=REFUNDS.born(refund, door.now),
        transfers=(postings.unfit(door, payment_id, amount), hold),
        messages=(message,),
    )
    if isinstance(payment, Move):
        return Write(door.company_id, moves=(payment,)) + write
    return Write(door.company_id, rows=payment) + write


@dataclass(frozen=True)
class ReturnEnded(Act["Refund | None"]):
    """The network says what became of a return."""

    final: ReturnFinal
    claimed: Claimed

    async def read(self, session: Session, door: Door) -> Refund | None:
        """The return and the payment it gives back."""
        return await store.refund_by_return_id(session, door.company_id, self.final.return_id)

    def decide(self, known: Refund | None, door: Door) -> Done:
        """Posted, or stranded in suspense for people to look at; a second message changes nothing."""
        trigger = "confirm" if self.final.settled else "refuse"
        if known is None or not REFUNDS.allows(known.state, trigger):
            ended_so = known is not None and (known.state == "PAID") == self.final.settled
            return Done(self._write(door, "known" if ended_so else ALARMED), b"")
        booked = postings.given_back if self.final.settled else postings.kept
        transfer = booked(door, known.id, known.amount, known.hold_id)
        error = None if self.final.settled else f"{self.final.code}: refused by the network"
        moves = (
            REFUNDS.move(known, trigger, door.now, reason=self.final.code, error_message=error, ask_at=None),
            PIX_PAYMENTS.move(
                known.payment, "returned" if self.final.settled else "strand", door.now, reason=self.final.code
            ),
        )
        return Done(self._write(door, "handled") + Write(door.company_id, moves=moves, transfers=(transfer,)), b"")

    def _write(self, door: Door, outcome: str) -> Write:
        return Write(door.company_id, finished=(self.claimed.finished(outcome, door.now),))
