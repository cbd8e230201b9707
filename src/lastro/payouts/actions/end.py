"""A payout ends as its network says, or because it was never there; its holds end with it, and whoever asked is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.base.api import render, stamp
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done
from lastro.base.write import Row, Touch, Withdrawn, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.notifications import pay_out
from lastro.payouts.reasons import reason_of
from lastro.payouts.rendering import in_full
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import ALARMED, OWN, PAYMENT_FINAL, TED, PaymentFinal, encode

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Institution
    from lastro.base.db import Session
    from lastro.base.errors import InsufficientFunds
    from lastro.base.money import Money
    from lastro.base.run import Door, Glance
    from lastro.payouts.model import Payout
    from lastro.rails.port import Claimed, PaymentDoubted, PaymentNever

REVIEW_REFUSED = "REVIEW_REFUSED"
CHILD_MOVED = "payout.child_moved"  # an inbox kind of our own: the batch named by its subject has to be looked at
PROVED = "payout.proved"  # another: what came back of the TED of this control number, and was set aside, is taken up
_POSTS = frozenset({"settle"})
_ASK_AGAIN = timedelta(seconds=1)  # whoever has the message in hand needs a moment
_OWN_REASONS = {
    "INSUFFICIENT_FUNDS": "the account had too little when the payout was to begin",
    "LIMIT_EXCEEDED": "the account's limit was used up when the payout was to begin",
    REVIEW_REFUSED: "the institution refused the payout in its review",
}


def ended(
    p: Payout, trigger: str, institution: Institution, door: Door, *, code: str | None = None,
    settled_at: datetime | None = None, number: str | None = None, reason: str | None = None,
) -> Write:  # fmt: skip
    """The end of a payout: its move, its holds posted or voided, its limits given back, its event, or its batch's concern.

    code: the network's, of a refusal. number: the STR's. reason: what the history keeps in place of the code.
    """
    kind = "posted" if trigger in _POSTS else "voided"
    sets: dict[str, Any] = {"ask_at": None, "start_at": None}
    if trigger in _POSTS:
        # What the network would not process at first may have been doubted; now it is paid.
        sets |= {"paid_at": settled_at or door.now, "error_code": None, "error_message": None}
    if number is not None:
        sets |= {"str_control_number": number}
    if code is not None:
        sets |= {"error_code": code, "error_message": message_of(p, code)}
    move = PAYOUTS.move(p, trigger, door.now, reason=reason or code, **sets)
    transfers = (*postings.end_hold(door, p, kind), *postings.end_fee(door, p, kind))
    after = replace(p, state=move.to_state, **sets)
    write = Write(door.company_id, moves=(move,), transfers=transfers) + told(after, institution, door)
    if kind == "voided" and p.quota_period is not None:
        period = (p.quota_period, p.is_at_night)
        write += Write(door.company_id, quotas=rules.quotas(p.account_id, p.method, period, -p.amount.minor))
    if kind == "voided" and p.message_id is not None and not p.closed:
        assert p.sends is not None
        write += Write(door.company_id, withdrawn=(Withdrawn(p.message_id, p.sends, door.now),))
    return write


def told(after: Payout, institution: Institution, door: Door, returned: Money | None = None) -> Write:
    """The event of a payout that has moved; of a child none, but a message to whom it concerns: its batch."""
    if after.batch_id is None:
        return Write(door.company_id, facts=(pay_out(door, after, institution, returned=returned),))
    row = {
        "id": door.chance.uuid(door.now), "rail": OWN, "kind": CHILD_MOVED,
        "network_id": f"moved:{after.id}:{after.version + 1}", "subject": str(after.batch_id), "body": after.state.encode(),
        "received_at": door.now, "due_at": door.now,
    }  # fmt: skip
    return Write(door.company_id, rows=(Row("inbox", row),))


def message_of(p: Payout, code: str) -> str:
    """A refusal as clients read it: the raw code and a sentence."""
    if code in _OWN_REASONS:
        return f"{code}: {_OWN_REASONS[code]}"
    return reason_of(code, "TED" if p.rail == TED else "PIX").message


@dataclass(frozen=True)
class Ended(Act["Payout | None"]):
    """The network says what became of a payment of ours. A second message changes nothing."""

    final: PaymentFinal
    claimed: Claimed
    institution: Institution

    def glance(self) -> Glance[Payout | None]:
        """The transfer it is about."""
        return store.by_network_id_at_a_glance(self.final.subject)

    def decide(self, known: Payout | None, door: Door) -> Done:
        """PAID and posted, or ERROR and given back."""
        final = self.final
        trigger = "settle" if final.settled else "refuse"
        if known is None or not PAYOUTS.allows(known.state, trigger):
            paid = known is not None and known.paid_at is not None
            agrees = known is not None and (paid if final.settled else known.state == "ERROR")
            return Done(settled_row(self.claimed, "known" if agrees else ALARMED, door), b"")
        write = settled_row(self.claimed, "handled", door)
        code = None if final.settled else final.code or "REFUSED"
        end = ended(known, trigger, self.institution, door, code=code, settled_at=final.settled_at, number=final.number)
        return Done(write + replace(end, withdrawn=()), b"")


@dataclass(frozen=True)
class Doubted(Act["Payout | None"]):
    """The network would not process the message about a payment: it is asked at once whether an earlier copy arrived."""

    doubted: PaymentDoubted
    claimed: Claimed

    def glance(self) -> Glance[Payout | None]:
        """The transfer it is about."""
        return store.by_network_id_at_a_glance(self.doubted.subject)

    def decide(self, known: Payout | None, door: Door) -> Done:
        """Still PENDING; the code is kept, since what the network then does not know will never be there."""
        if known is None or not PAYOUTS.allows(known.state, "doubt"):
            return Done(settled_row(self.claimed, "known" if known else ALARMED, door), b"")
        code = self.doubted.code
        move = PAYOUTS.move(known, "doubt", door.now, reason=code, error_code=code, ask_at=door.now)
        return Done(settled_row(self.claimed, "handled", door) + Write(door.company_id, moves=(move,)), b"")


@dataclass(frozen=True)
class Never(Act["Payout | None"]):
    """The network does not know a payment that was due to arrive long ago, or whose message it would not process."""

    never: PaymentNever
    claimed: Claimed
    institution: Institution

    def glance(self) -> Glance[Payout | None]:
        """The transfer it is about."""
        return store.by_network_id_at_a_glance(self.never.subject)

    def decide(self, known: Payout | None, door: Door) -> Done:
        """ERROR after a refused message, else EXPIRED; asked again where it may have been sent since the question."""
        nothing = settled_row(self.claimed, "known", door)
        if known is None or known.state != "PENDING":
            return Done(nothing, b"")
        code = known.error_code
        if code is None and (known.send_until is None or known.send_until > door.now):
            return Done(nothing, b"")
        sends = self.never.sends
        if not rules.is_proof(sends, known.sends, is_in_hand=known.is_in_hand):
            again = Touch("payouts", known.id, known.version, {"ask_at": door.now + _ASK_AGAIN})
            return Done(nothing + Write(door.company_id, touches=(again,)), b"")
        assert known.message_id is not None
        assert sends is not None
        end = ended(known, "expire" if code is None else "refuse", self.institution, door, code=code)
        # Taken back in the same write, also where it was sent: nobody may send it, or have it sent again, any more.
        taken_back = Withdrawn(known.message_id, sends, door.now, is_unsent=False)
        return Done(settled_row(self.claimed, "handled", door) + replace(end, withdrawn=(taken_back,)), b"")


@dataclass(frozen=True)
class Proved(Act["tuple[Payout, Money] | None"]):
    """The statement proves that a TED which was taken for failed has left (states.md 5)."""

    control_number: str
    settled_at: datetime
    institution: Institution

    async def read(self, session: Session, door: Door) -> tuple[Payout, Money] | None:
        """The transfer, and what its account has now."""
        found = await store.by_network_id(session, door.company_id, self.control_number)
        if found is None or found.rail != TED:
            return None
        (balance,) = await ledger.balances_of(session, door.company_id, [found.account_id], found.amount.currency)
        return found, balance.available

    def decide(self, known: tuple[Payout, Money] | None, door: Door) -> Done | Refused:
        """PAID; what the account lacks it owes us. The proof is kept as what the network has said, with its messages."""
        if known is None:
            return Refused(Kind.NOT_FOUND, (Problem("controlNumber", "INVALID", "is that of no TED of ours"),))
        p, available = known
        if not PAYOUTS.allows(p.state, "prove") or p.message_id is None:
            text = f"the TED is {p.state}{'' if p.message_id else ' and was never sent'}: nothing is to be proved"
            return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", text),))
        if not p.created_at.replace(microsecond=0) <= self.settled_at <= door.now:  # statements know no smaller part
            text = f"must lie between the TED's creation, {stamp(p.created_at)}, and now"
            return Refused(Kind.INVALID, (Problem("settledAt", "OUT_OF_RANGE", text),))
        move = PAYOUTS.move(p, "prove", door.now, paid_at=self.settled_at, error_code=None, error_message=None)
        after = replace(p, state="PAID", paid_at=self.settled_at, error_code=None, error_message=None)
        transfers = postings.proved(door, p, available)
        write = Write(door.company_id, rows=(self._proof(door), self._news(door)), moves=(move,), transfers=transfers)
        if p.quota_period is not None:
            used = rules.quotas(p.account_id, p.method, (p.quota_period, p.is_at_night), p.amount.minor)
            write += Write(door.company_id, quotas=used)
        write += told(after, self.institution, door)
        return Done(write, render(in_full(replace(after, updated_at=door.now), [])), p.id)

    def insufficient(self, short: InsufficientFunds) -> Proved:
        """The account has paid something else meanwhile: decided again, by what it has now."""
        return self

    def _proof(self, door: Door) -> Row:
        name = self.control_number
        row = {
            "id": door.chance.uuid(door.now), "rail": OWN, "kind": PAYMENT_FINAL, "network_id": f"proof:{name}",
            "subject": name, "body": encode(PaymentFinal(name, settled=True, settled_at=self.settled_at)),
            "received_at": door.now, "due_at": None, "done_at": door.now, "outcome": "handled",
        }  # fmt: skip
        return Row("inbox", row)

    def _news(self, door: Door) -> Row:
        row = {
            "id": door.chance.uuid(door.now), "rail": OWN, "kind": PROVED, "network_id": f"proved:{self.control_number}",
            "subject": self.control_number, "body": b"", "received_at": door.now, "due_at": door.now,
        }  # fmt: skip
        return Row("inbox", row)


def settled_row(claimed: Claimed, outcome: str, door: Door) -> Write:
    """The message that a verb was called for is done."""
    return Write(door.company_id, finished=(claimed.finished(outcome, door.now),))
