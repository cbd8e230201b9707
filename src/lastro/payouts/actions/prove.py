"""A payment that we took for failed has left: its statement proves it, and it is booked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.base.api import render, stamp
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Act, Done
from lastro.base.write import Row, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.actions.end import told
from lastro.payouts.rendering import in_full
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import BOOK, OWN, PAYMENT_FINAL, PaymentFinal, encode, proof

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Institution
    from lastro.base.db import Session
    from lastro.base.errors import InsufficientFunds
    from lastro.base.money import Money
    from lastro.base.run import Door
    from lastro.payouts.model import Payout

PROVED = "payout.proved"  # an inbox kind of our own: what came back of the payment so named, and was set aside, is taken up


@dataclass(frozen=True)
class Proved(Act["tuple[Payout, Money] | None"]):
    """The statement proves that a payment which was taken for failed, or expired, has left (states.md 5).

    name: its endToEndId, or its control number.
    """

    name: str
    settled_at: datetime
    institution: Institution

    async def read(self, session: Session, door: Door) -> tuple[Payout, Money] | None:
        """The transfer, and what its account has now."""
        found = await store.by_network_id(session, door.company_id, self.name)
        if found is None or found.rail == BOOK:
            return None
        (balance,) = await ledger.balances_of(session, door.company_id, [found.account_id], found.amount.currency)
        return found, balance.available

    def decide(self, known: tuple[Payout, Money] | None, door: Door) -> Done | Refused:
        """PAID; what the account lacks it owes us. The proof is kept as what the network has said, with its messages."""
        if known is None:
            return Refused(Kind.NOT_FOUND, (Problem("name", "INVALID", "is that of no Pix or TED that we sent"),))
        p, available = known
        if not PAYOUTS.allows(p.state, "prove") or p.message_id is None:
            text = f"the payment is {p.state}{'' if p.message_id else ' and was never sent'}: nothing is to be proved"
            return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", text),))
        if not p.created_at.replace(microsecond=0) <= self.settled_at <= door.now:  # statements know no smaller part
            text = f"must lie between the payment's creation, {stamp(p.created_at)}, and now"
            return Refused(Kind.INVALID, (Problem("settledAt", "OUT_OF_RANGE", text),))
        move = PAYOUTS.move(p, "prove", door.now, paid_at=self.settled_at, error_code=None, error_message=None)
        after = replace(p, state="PAID", paid_at=self.settled_at, error_code=None, error_message=None)
        transfers = postings.proved(door, p, available)
        says = encode(PaymentFinal(self.name, settled=True, settled_at=self.settled_at))
        proved = proof(door.chance.uuid(door.now), PAYMENT_FINAL, self.name, says, door.now)
        write = Write(door.company_id, rows=(proved, self._news(door)), moves=(move,), transfers=transfers)
        if p.quota_period is not None:
            used = rules.quotas(p.account_id, p.method, (p.quota_period, p.is_at_night), p.amount.minor)
            write += Write(door.company_id, quotas=used)
        write += told(after, self.institution, door)
        return Done(write, render(in_full(replace(after, updated_at=door.now), [])), p.id)

    def insufficient(self, short: InsufficientFunds) -> Proved:
        """The account has paid something else meanwhile: decided again, by what it has now."""
        return self

    def _news(self, door: Door) -> Row:
        row = {
            "id": door.chance.uuid(door.now), "rail": OWN, "kind": PROVED, "network_id": f"proved:{self.name}",
            "subject": self.name, "body": b"", "received_at": door.now, "due_at": door.now,
        }  # fmt: skip
        return Row("inbox", row)
