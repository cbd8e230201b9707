"""Books a payment as paid, by its network's statement: it was failed here, or another payment there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.api_kit.routes import render, stamp
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Withdrawn, Write
from lastro.payouts import postings, rules, store
from lastro.payouts.actions.end import ended, tell_client
from lastro.payouts.contradicted import contradictions, words_about
from lastro.payouts.problems import NAME_UNKNOWN, NOT_PROVABLE, SETTLED_AT_OUT_OF_RANGE
from lastro.payouts.rendering import in_full
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import BOOK, OWN, PAYMENT_FINAL, PaymentFinal, encode, proof

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds, Refused
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.payouts.contradicted import Word
    from lastro.payouts.model import Payout

PROVED = "payout.proved"  # an inbox kind of our own: the alarmed returns of the payment so named are reprocessed


@dataclass(frozen=True, slots=True)
class ProvePayoutContext:
    """The transfer, its account's balance, and the network's contradicting messages."""

    payout: Payout
    available: Money
    words: Sequence[Word]


@dataclass(frozen=True)
class Proved(Act["ProvePayoutContext | None"]):
    """Books a failed or expired payment that the statement proves (states.md 5).

    Also one that waits because the network's message under its id fits another payment. name: its endToEndId, or its control
    number.
    """

    name: str
    settled_at: datetime
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> ProvePayoutContext | None:
        """Reads the transfer, its account's balance and the network's messages."""
        found = await store.by_network_id(session, context.company_id, self.name)
        if found is None or found.rail == BOOK:
            return None
        (balance,) = await ledger.balances_of(session, context.company_id, [found.account_id], found.amount.currency)
        words = await words_about(session, context.company_id, self.name) if found.state == "PENDING" else ()
        return ProvePayoutContext(found, balance.available, words)

    def decide(self, known: ProvePayoutContext | None, context: RequestContext) -> Done | Refused:
        """Moves it to PAID; the account owes us its lack. The proof is kept as a message of the network."""
        if known is None:
            return NAME_UNKNOWN.refused()
        p = known.payout
        if not PAYOUTS.allows(p.state, "prove") or p.message_id is None:
            return NOT_PROVABLE.refused(
                why=f"the payment is {p.state}{'' if p.message_id else ' and was never sent'}: nothing is to be proved"
            )
        if not p.created_at.replace(microsecond=0) <= self.settled_at <= context.now:  # statements have whole seconds
            return SETTLED_AT_OUT_OF_RANGE.refused(created_at=stamp(p.created_at))
        says = encode(PaymentFinal(self.name, settled=True, settled_at=self.settled_at))
        proved = proof(context.chance.uuid(context.now), PAYMENT_FINAL, self.name, says, context.now)
        write = Write(context.company_id, rows=(proved, self._news(context)))
        if p.state == "PENDING":
            return self._held(p, known.words, write, context)
        move = PAYOUTS.move(p, "prove", context.now, paid_at=self.settled_at, error_code=None, error_message=None)
        after = replace(p, state="PAID", paid_at=self.settled_at, error_code=None, error_message=None)
        write += Write(context.company_id, moves=(move,), transfers=postings.proved(context, p, known.available))
        if p.quota_period is not None:
            used = rules.quotas(p.account_id, p.method, (p.quota_period, p.is_at_night), p.amount.minor)
            write += Write(context.company_id, quotas=used)
        write += tell_client(after, self.institution, context)
        return Done(write, render(in_full(replace(after, updated_at=context.now), [])), p.id)

    def _held(self, p: Payout, words: Sequence[Word], write: Write, context: RequestContext) -> Done | Refused:
        """Posts what is held for it. A payment that nobody doubts ends by its network's own word."""
        no = None
        if not contradictions(words, p, self.institution, context):
            no = "the payment is PENDING, and nothing was said under its id that fits another: its network is asked about it"
        elif not p.sends or p.is_in_hand:
            no = f"the message of the payment is {'being sent at this moment' if p.is_in_hand else 'not sent yet'}"
        if no is not None:
            return NOT_PROVABLE.refused(why=no)
        write += ended(p, "settle", self.institution, context, settled_at=self.settled_at)
        if not p.closed and p.message_id is not None and p.sends is not None:
            # It has left: no copy of it may be sent any more.
            write += Write(context.company_id, withdrawn=(Withdrawn(p.message_id, p.sends, context.now),))
        return Done(
            write, render(in_full(replace(p, state="PAID", paid_at=self.settled_at, updated_at=context.now), [])), p.id
        )

    def on_insufficient_funds(self, short: InsufficientFunds) -> Proved:
        """Retries with the account's new balance."""
        return self

    def _news(self, context: RequestContext) -> Row:
        row = {
            "id": context.chance.uuid(context.now), "rail": OWN, "kind": PROVED, "network_id": f"proved:{self.name}",
            "subject": self.name, "body": b"", "received_at": context.now, "due_at": context.now,
        }  # fmt: skip
        return Row("inbox", row)
