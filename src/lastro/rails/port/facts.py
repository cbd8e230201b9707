"""The facts that a network repeats of our message, compared with ours.

An id can lie: a restored backup may have given it out a second time, a partner may have mixed up two. Amount, both ends,
our own number of it and its time cannot all lie alike. A word that differs is about something else: people look at it,
and it moves nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from lastro.core.money import Money  # noqa: TC001

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.runner import RequestContext
    from lastro.rails.port.pix import Payer, Receiver

CLOCKS_DIFFER = timedelta(minutes=1)  # so far a network's clock may be behind ours


class Side(msgspec.Struct, frozen=True):
    """A payer or payee: bank, branch, account, document of the holder. None: the word does not say it."""

    ispb: str | None = None
    branch: str | None = None
    account: str | None = None
    document: str | None = None


NOWHERE = Side()


class Facts(msgspec.Struct, frozen=True):
    """The facts of a sent message, as the network repeats them. None: the word does not say it.

    number: our own number of it beside its id: of an order at a partner the client's code, of a return the payment that
    it gives back, of a TED's return the STR's number of the TED, of a charge its txid.
    """

    amount: Money | None = None
    debtor: Side = NOWHERE
    creditor: Side = NOWHERE
    number: str | None = None

    def differ(self, ours: Facts) -> tuple[str, ...]:
        """Returns the names of the fields that differ; a field that one of them does not say is no difference."""
        pairs = {
            "amount": (self.amount, ours.amount), "number": (self.number, ours.number),
            **{f"creditor {name}": pair for name, pair in _pairs(self.creditor, ours.creditor)},
            **{f"debtor {name}": pair for name, pair in _pairs(self.debtor, ours.debtor)},
        }  # fmt: skip
        return tuple(name for name, (said, sent) in pairs.items() if None not in (said, sent) and said != sent)


def contradicts(said: Facts | None, ours: Facts) -> bool:
    """Tells whether a word is about something else than our message."""
    return said is not None and bool(said.differ(ours))


def is_before(at: datetime | None, since: datetime | None, context: RequestContext) -> bool:
    """Tells whether a network's event is from before its object existed here.

    at: by the network's clock.
    """
    return at is not None and since is not None and not was_stepped(context) and at < since - CLOCKS_DIFFER


def was_stepped(context: RequestContext) -> bool:
    """Tells whether a sandbox's clock was stepped: its network hears of a step a moment later."""
    return (context.caller.clock_version or 1) > 1


def side_of(party: Payer | Receiver) -> Side:
    """Returns one side of a payment of ours."""
    return Side(party.ispb, party.branch, party.account, party.document_number)


def _pairs(said: Side, sent: Side) -> tuple[tuple[str, tuple[str | None, str | None]], ...]:
    return (
        ("ispb", (said.ispb, sent.ispb)), ("branch", (_bare(said.branch), _bare(sent.branch))),
        ("account", (_bare(said.account), _bare(sent.account))), ("document", (said.document, sent.document)),
    )  # fmt: skip


def _bare(number: str | None) -> str | None:
    """Returns a branch or account without zeros in front. Banks write them with or without."""
    return None if number is None else number.lstrip("0")
