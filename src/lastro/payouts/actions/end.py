"""Ends payouts: by the network's result, or because it never got them. The holds end with them, and the client is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from msgspec import structs

from lastro import ledger
from lastro.core.runner import Act, Done, Query
from lastro.core.write import Row, Touch, Withdrawn, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.actions.send import is_of_another, renewed, sent
from lastro.payouts.notifications import pay_out
from lastro.payouts.reasons import reason_of
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import ALARMED, OWN, RETURN_FINAL, TED, as_return, encode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime
    from typing import TypeAlias
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout
    from lastro.rails.port import Claimed, PaymentDoubted, PaymentFinal, PaymentNever

    # Tells by company and endToEndId that a payment of ours is a return. The orders package provides it.
    IsReturn: TypeAlias = Callable[[Session, UUID, str], Awaitable[bool]]

REVIEW_REFUSED = "REVIEW_REFUSED"
RECEIVER_CHANGED = "RECEIVER_CHANGED"
NOT_PAYABLE = "NOT_PAYABLE"
NEVER_TAKEN = "NEVER_TAKEN"
CHILD_MOVED = "payout.child_moved"  # an inbox kind of our own: the batch named by its subject is summed up
_POSTS = frozenset({"settle"})
_ASK_AGAIN = timedelta(seconds=1)  # the worker that has leased the message needs a moment
_OWN_REASONS = {
    "INSUFFICIENT_FUNDS": "the account had too little when the payout was to begin",
    "LIMIT_EXCEEDED": "the account's limit was used up when the payout was to begin",
    RECEIVER_CHANGED: "the key or QR led to another account or holder when the payout was to begin",
    NOT_PAYABLE: "the key or QR could not be paid any more when the payout was to begin",
    NEVER_TAKEN: "the network has another payment under its id, and never took this one",
    REVIEW_REFUSED: "the institution refused the payout in its review",
}


def ended(
    p: Payout, trigger: str, institution: Institution, context: RequestContext, *, code: str | None = None,
    settled_at: datetime | None = None, number: str | None = None, reason: str | None = None,
) -> Write:  # fmt: skip
    """Ends a payout: move, holds, limits and the client's event.

    The holds are posted or voided, the limits of a voided one freed; a child tells its batch. code: the network's, of a
    refusal. number: the STR's. reason: for the history, in place of the code.
    """
    after, write = _end(p, trigger, context, code=code, settled_at=settled_at, number=number, reason=reason)
    return write + tell_client(after, institution, context)


def ended_whole(
    payouts: Sequence[Payout], trigger: str, of_batch: str, institution: Institution, context: RequestContext, *,
    code: str | None = None, reason: str | None = None,
) -> Write:  # fmt: skip
    """Ends a payout, or a batch with all its transfers at once.

    The batch's event counts all of them as ended. trigger: of each transfer. of_batch: of the batch.
    """
    ends = [_end(p, of_batch if p.is_batch else trigger, context, code=code, reason=reason) for p in payouts]
    children = [after for after, _ in ends[1:]]
    write = Write(context.company_id)
    for after, end in ends:
        write += end + tell_client(after, institution, context, children=children if after.is_batch else ())
    return write


def _end(
    p: Payout, trigger: str, context: RequestContext, *, code: str | None = None, settled_at: datetime | None = None,
    number: str | None = None, reason: str | None = None,
) -> tuple[Payout, Write]:  # fmt: skip
    """Returns a payout after its end, and the Write without its event."""
    kind = "posted" if trigger in _POSTS else "voided"
    sets: dict[str, Any] = {"ask_at": None, "start_at": None}
    if trigger in _POSTS:
        # It may have been doubted before, as the network would not process its message; now it is paid.
        sets |= {"paid_at": settled_at or context.now, "error_code": None, "error_message": None}
    if number is not None:
        sets |= {"str_control_number": number}
    if code is not None:
        sets |= {"error_code": code, "error_message": message_of(p, code)}
    move = PAYOUTS.move(p, trigger, context.now, reason=reason or code, **sets)
    transfers = (*postings.end_hold(context, p, kind), *postings.end_fee(context, p, kind))
    after = replace(p, state=move.to_state, **sets)
    write = Write(context.company_id, moves=(move,), transfers=transfers)
    if kind == "voided" and p.quota_period is not None:
        period = (p.quota_period, p.is_at_night)
        write += Write(context.company_id, quotas=rules.quotas(p.account_id, p.method, period, -p.amount.minor))
    if kind == "voided" and p.message_id is not None and not p.closed:
        assert p.sends is not None
        write += Write(context.company_id, withdrawn=(Withdrawn(p.message_id, p.sends, context.now),))
    return after, write


def tell_client(
    after: Payout,
    institution: Institution,
    context: RequestContext,
    *,
    children: Sequence[Payout] = (),
    returned: Money | None = None,
) -> Write:
    """Makes the event of a payout that has moved; of a child, a message to its batch instead."""
    if after.batch_id is None:
        return Write(
            context.company_id, events=(pay_out(context, after, institution, children=children, returned=returned),)
        )  # fmt: skip
    row = {
        "id": context.chance.uuid(context.now), "rail": OWN, "kind": CHILD_MOVED,
        "network_id": f"moved:{after.id}:{after.version + 1}", "subject": str(after.batch_id), "body": after.state.encode(),
        "received_at": context.now, "due_at": context.now,
    }  # fmt: skip
    return Write(context.company_id, rows=(Row("inbox", row),))


def message_of(p: Payout, code: str) -> str:
    """Returns a refusal as clients read it: the raw code and a sentence."""
    if code in _OWN_REASONS:
        return f"{code}: {_OWN_REASONS[code]}"
    return reason_of(code, "TED" if p.rail == TED else "PIX").message


@dataclass(frozen=True)
class Meant:
    """The transfer that a network's message is about.

    available: its account's balance, where it has not begun. is_return: there is no such transfer, and a return left under
    its id.
    """

    payout: Payout | None
    available: Money | None = None
    is_return: bool = False


@dataclass(frozen=True)
class Ended(Act[Meant]):
    """Ends a payment by the network's result. A second message changes nothing."""

    final: PaymentFinal
    claimed: Claimed
    institution: Institution
    is_return: IsReturn | None = None

    def query(self) -> Query[Meant]:
        """Queries the transfer."""
        found = store.by_network_id_query(self.final.subject)
        return Query(found.sql, found.arguments, lambda rows: Meant(found.known(rows)))

    async def read_more(self, session: Session, context: RequestContext, known: Meant) -> Meant:
        """Reads the account's balance for a paid transfer without a hold."""
        p = known.payout
        if p is None and self.is_return is not None:
            return replace(known, is_return=await self.is_return(session, context.company_id, self.final.subject))
        if p is None or not self.final.settled or not _is_to_begin(p):
            return known
        (balance,) = await ledger.balances_of(session, context.company_id, [p.account_id], p.amount.currency)
        return replace(known, available=balance.available)

    def decide(self, meant: Meant, context: RequestContext) -> Done:
        """Moves it to PAID or ERROR, and ends the hold. A message about another payment under its id moves nothing."""
        final, known = self.final, meant.payout
        if meant.is_return:
            return self.claimed.done("handled", context, _of_return(final, self.claimed, context))
        if known is not None and is_of_another(final.of, final.settled_at, known, self.institution, context):
            return self.claimed.done(ALARMED, context)
        trigger = "settle" if final.settled else "refuse"
        if known is None or not PAYOUTS.allows(known.state, trigger):
            paid = known is not None and known.paid_at is not None
            agrees = known is not None and (paid if final.settled else known.state == "ERROR")
            return self.claimed.done("known" if agrees else ALARMED, context)
        write = self.claimed.settled("handled", context)
        if meant.available is not None and _is_to_begin(known):
            return Done(write + self._proved(known, meant.available, context), b"")
        code = None if final.settled else final.code or "REFUSED"
        end = ended(known, trigger, self.institution, context, code=code, settled_at=final.settled_at, number=final.number)
        return Done(write + structs.replace(end, withdrawn=()), b"")

    def on_insufficient_funds(self, short: InsufficientFunds) -> Ended:
        """Retries with the account's new balance."""
        return self

    def _proved(self, p: Payout, available: Money, context: RequestContext) -> Write:
        """Books a payment that was sent in time lost by a restore. The account owes us the money that it lacks."""
        at = self.final.settled_at or context.now
        sets: dict[str, Any] = {"start_at": None, "paid_at": at}
        if self.final.number is not None:
            sets["str_control_number"] = self.final.number
        move = PAYOUTS.move(p, "prove", context.now, reason="sent in a time that a restore has lost", **sets)
        write = Write(context.company_id, moves=(move,), transfers=postings.proved(context, p, available))
        return write + tell_client(replace(p, state=move.to_state, **sets), self.institution, context)


def _of_return(final: PaymentFinal, claimed: Claimed, context: RequestContext) -> Write:
    """Passes the message on as the result of a return of ours."""
    row = {
        "id": context.chance.uuid(context.now), "rail": OWN, "kind": RETURN_FINAL, "network_id": f"again:{claimed.row_id}",
        "subject": final.subject, "body": encode(as_return(final.subject, final)), "received_at": context.now,
        "due_at": context.now,
    }  # fmt: skip
    return Write(context.company_id, rows=(Row("inbox", row),))


def _is_to_begin(p: Payout) -> bool:
    """Tells whether the payout waits for its day, without a hold."""
    return p.state == "PENDING" and p.start_at is not None and p.hold_id is None


@dataclass(frozen=True)
class Doubted(Act["Payout | None"]):
    """Doubts a payment whose message the network would not process. It asks at once for an earlier copy."""

    doubted: PaymentDoubted
    claimed: Claimed

    def query(self) -> Query[Payout | None]:
        """Queries the transfer."""
        return store.by_network_id_query(self.doubted.subject)

    def decide(self, known: Payout | None, context: RequestContext) -> Done:
        """Keeps it PENDING, with the code: a payment that the network then does not know will never arrive."""
        if known is None or not PAYOUTS.allows(known.state, "doubt"):
            return self.claimed.done("known" if known else ALARMED, context)
        code = self.doubted.code
        move = PAYOUTS.move(known, "doubt", context.now, reason=code, error_code=code, ask_at=context.now)
        return self.claimed.done("handled", context, Write(context.company_id, moves=(move,)))


@dataclass(frozen=True)
class Never(Act["Payout | None"]):
    """Ends a payment that the network does not know: long overdue, or its message was not processed."""

    never: PaymentNever
    claimed: Claimed
    institution: Institution

    def query(self) -> Query[Payout | None]:
        """Queries the transfer."""
        return store.by_network_id_query(self.never.subject)

    def decide(self, known: Payout | None, context: RequestContext) -> Done:
        """Ends it: ERROR after a refused message, else EXPIRED.

        It is asked again where it may have been sent since the question. A Pix whose time is not over, but whose id has
        become too old to be sent, goes with another id if it never left.
        """
        nothing = self.claimed.settled("known", context)
        if known is None or known.state != "PENDING":
            return Done(nothing, b"")
        code = known.error_code
        # One of several copies may still be on its way, even if another was refused; a single refused one is not.
        is_open = code is None or (known.sends or 0) > 1
        is_in_time = is_open and (known.send_until is None or known.send_until > context.now)
        if is_in_time and rules.dated_now(known, context.now) == known.end_to_end_id:
            return Done(nothing, b"")
        sends = self.never.sends
        if not rules.is_proof(sends, known.sends, is_in_hand=known.is_in_hand):
            again = Touch("payouts", known.id, known.version, {"ask_at": context.now + _ASK_AGAIN})
            return Done(nothing + Write(context.company_id, touches=(again,)), b"")
        assert known.message_id is not None
        assert sends is not None
        if is_in_time:
            return Done(nothing if sends else nothing + _renewed(known, self.institution, context), b"")
        end = ended(known, "expire" if code is None else "refuse", self.institution, context, code=code)
        # The message is withdrawn in the same write, even if it was sent: no worker may send it again.
        taken_back = Withdrawn(known.message_id, sends, context.now, is_unsent=False)
        return self.claimed.done("handled", context, structs.replace(end, withdrawn=(taken_back,)))


def _renewed(p: Payout, institution: Institution, context: RequestContext) -> Write:
    """Replaces an unsent message by one with an id of now. The deadline for sending it (send_until) stays."""
    assert p.message_id is not None
    (made,), messages = sent([p], institution, context)
    move = PAYOUTS.move(
        p, "renew", context.now, reason=renewed(p, made), end_to_end_id=made.end_to_end_id, message_id=made.message_id,
        ask_at=made.ask_at,
    )  # fmt: skip
    return Write(context.company_id, moves=(move,), withdrawn=(Withdrawn(p.message_id, 0, context.now),)) + messages
