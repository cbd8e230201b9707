"""Books the returns of a payout, and sums up a batch's children."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro.core.errors import NotYet
from lastro.core.money import Money
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Row, Touch, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.actions.end import tell_client
from lastro.payouts.actions.send import is_of_another
from lastro.payouts.reasons import reason_of
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import ALARMED, OWN, PAYMENT_RETURNED, TED

if TYPE_CHECKING:
    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout
    from lastro.rails.port import Claimed, InboxRow, PaymentReturned

_AGAIN_SECONDS = 1.0
_BACK = frozenset({"PARTIAL_REFUNDED", "REFUNDED"})


@dataclass(frozen=True)
class Returned(Act["tuple[Payout | None, bool]"]):
    """Books a return: the receiver has given back part or all. The money is in already."""

    back: PaymentReturned
    claimed: Claimed
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> tuple[Payout | None, bool]:
        """Reads the transfer, and whether the return is booked already. NotYet: the transfer has no result yet."""
        found = await store.by_network_id(session, context.company_id, self.back.subject)
        is_booked = await store.has_return(session, context.company_id, self.back.return_id)
        if found is not None and found.state == "PENDING" and not is_booked and not self._is_of_another(found, context):
            # A returned payment has left: its result is on its way, or will be asked for.
            raise NotYet(_AGAIN_SECONDS)
        return found, is_booked

    def decide(self, known: tuple[Payout | None, bool], context: RequestContext) -> Done:
        """Moves the payout to PARTIAL_REFUNDED or REFUNDED.

        More than was left to return goes to suspense and raises an alarm for people. So does a return to a closed account:
        nothing is credited there any more (states.md 8). A return of another payment under this one's id moves nothing here.
        """
        p, is_booked = known
        if is_booked:
            return self.claimed.done("known", context)
        if p is not None and self._is_of_another(p, context):
            return self.claimed.done(ALARMED, context)
        if p is None or not PAYOUTS.allows(p.state, "return too much"):
            # A failed payment's return is reprocessed once that is proven to have left. The guard: not proven meanwhile.
            guard = () if p is None else (Touch("payouts", p.id, p.version, {"ask_at": None}),)
            return Done(self.claimed.settled(ALARMED, context) + Write(context.company_id, touches=guard), b"")
        amount = self.back.amount
        left = p.amount - p.returned
        is_unfit = amount > left or p.account.status == "CLOSED"
        trigger = "return too much" if is_unfit else "return rest" if amount == left else "return part"
        total = p.returned if is_unfit else p.returned + amount
        why = {} if is_unfit else _why(p, self.back.reason)
        move = PAYOUTS.move(p, trigger, context.now, reason=self.back.reason, returned_minor=total.minor, **why)
        row = {
            "id": context.chance.uuid(context.now), "payout_id": p.id, "return_id": self.back.return_id,
            "amount_minor": amount.minor, "reason_code": self.back.reason, "details": self.back.details,
            "is_unfit": is_unfit, "settled_at": self.back.settled_at, "created_at": context.now,
        }  # fmt: skip
        write = Write(
            context.company_id, relies=(Relied("accounts", p.account_id, p.account.version),),
            rows=(Row("payout_returns", row),), moves=(move,),
            transfers=(postings.returned(context, p, amount, is_unfit=is_unfit),),
        )  # fmt: skip
        if is_unfit:
            return Done(self.claimed.settled(ALARMED, context) + write, b"")
        after = replace(p, state=move.to_state, returned=total, **why)
        write += tell_client(after, self.institution, context, returned=total)
        return self.claimed.done("handled", context, write)

    def _is_of_another(self, p: Payout, context: RequestContext) -> bool:
        return is_of_another(self.back.of, self.back.settled_at, p, self.institution, context)


@dataclass(frozen=True)
class TakenUp(Act["list[tuple[UUID, bytes]]"]):
    """Reprocesses the returns of a payment now proven to have left. They came while it was taken for failed."""

    control_number: str
    claimed: Claimed

    async def read(self, session: Session, context: RequestContext) -> list[tuple[UUID, bytes]]:
        """Reads the alarmed messages; a repeated one is booked once all the same."""
        return await store.set_aside(session, context.company_id, self.control_number, PAYMENT_RETURNED)

    def decide(self, known: list[tuple[UUID, bytes]], context: RequestContext) -> Done:
        """Puts each message into the inbox again, under a unique name."""
        rows = tuple(
            Row(
                "inbox",
                {
                    "id": context.chance.uuid(context.now), "rail": OWN, "kind": PAYMENT_RETURNED,
                    "network_id": f"again:{row_id}",
                    "subject": self.control_number, "body": body, "received_at": context.now, "due_at": context.now,
                },
            )
            for row_id, body in known
        )  # fmt: skip
        return self.claimed.done("handled", context, Write(context.company_id, rows=rows))


def _why(p: Payout, code: str) -> dict[str, Any]:
    """Returns the error columns: a TED's receiver could not be credited; a Pix's gave it back, without error."""
    if p.rail != TED:
        return {}
    return {"error_code": code, "error_message": reason_of(code, "TED_RETURN").message}


@dataclass(frozen=True)
class Summed(Act["list[Payout]"]):
    """Moves a batch after one of its children (states.md 6).

    The child sends it a message, so that children do not queue on it. state: the child's, after its move.
    """

    batch_id: UUID
    child_id: UUID
    state: str
    claimed: Claimed
    institution: Institution

    @classmethod
    def by(cls, row: InboxRow, institution: Institution) -> Summed:
        """Parses the message of `told_client` to the batch: `moved:<child>:<version>`. Its body is the child's state."""
        _, child_id, _ = row.network_id.split(":")
        return cls(UUID(row.subject), UUID(child_id), row.body.decode(), row.claimed, institution)

    async def read(self, session: Session, context: RequestContext) -> list[Payout]:
        """Reads the batch and all of its children."""
        return await store.whole(session, context.company_id, self.batch_id)

    def decide(self, known: list[Payout], context: RequestContext) -> Done:
        """Moves the batch after its children. Its fee is charged with the first of them paid, dropped where none is."""
        write = self.claimed.settled("handled", context)
        if not known:
            return Done(write, b"")
        batch, children = known[0], known[1:]
        trigger = rules.summed([c.state for c in children])
        paid = [c.paid_at for c in children if c.paid_at is not None]
        if trigger is None:
            if paid and batch.fee_hold_id is not None and not batch.fee_is_charged:
                move = PAYOUTS.move(batch, "charge", context.now, paid_at=min(paid))
                write += Write(context.company_id, moves=(move,), transfers=postings.end_fee(context, batch, "posted"))
            return Done(write, b"")
        is_return = self.state in _BACK
        if not is_return and any(c.state in _BACK and (c.id == self.child_id or batch.state != "PENDING") for c in children):
            # Its return has a message of its own, and is told once: of a batch that had ended before, or of this child.
            return Done(write, b"")
        if not PAYOUTS.allows(batch.state, trigger):
            return Done(write, b"")
        to = PAYOUTS.after(batch.state, trigger)
        if to == batch.state and not is_return:
            return Done(write, b"")
        return Done(write + self._follow(batch, children, trigger, context), b"")

    def _follow(self, batch: Payout, children: list[Payout], trigger: str, context: RequestContext) -> Write:
        paid = [c.paid_at for c in children if c.paid_at is not None]
        total = sum((c.returned for c in children), Money(0, batch.amount.currency))
        failed = next((c for c in children if c.error_code is not None), None)
        sets: dict[str, Any] = {
            "paid_at": max(paid, default=None),
            "returned_minor": total.minor,
            "start_at": None,
        }
        if not paid and failed is not None:
            sets |= {"error_code": failed.error_code, "error_message": failed.error_message}
        move = PAYOUTS.move(batch, trigger, context.now, **sets)
        after = replace(
            batch, state=move.to_state, paid_at=sets["paid_at"], returned=total,
            error_code=sets.get("error_code", batch.error_code),
            error_message=sets.get("error_message", batch.error_message),
        )  # fmt: skip
        fee = () if batch.fee_is_charged else postings.end_fee(context, batch, "posted" if paid else "voided")
        has_come_back = total if total.minor else None
        return Write(context.company_id, moves=(move,), transfers=fee) + tell_client(
            after, self.institution, context, children=children, returned=has_come_back
        )
