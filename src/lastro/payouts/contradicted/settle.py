"""Ends payouts as failed, once their id is proved another payment's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from lastro.core.write import Withdrawn, Write
from lastro.payouts.actions.end import NEVER_TAKEN, ended
from lastro.payouts.actions.send import facts_sent, is_of_another
from lastro.payouts.contradicted.rules import may_be_taken_until
from lastro.rails.port import PAYMENT_FINAL, PaymentFinal, encode, proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.accounts import Institution
    from lastro.core.runner import RequestContext
    from lastro.payouts.contradicted.store import Word
    from lastro.payouts.model import Payout


def contradictions(words: Sequence[Word], p: Payout, institution: Institution, context: RequestContext) -> list[Word]:
    """Returns the messages that are about another payment than the one sent."""
    return [word for word in words if is_of_another(word.of, word.happened_at, p, institution, context)]


def disproved(p: Payout, by: str, reason: str, institution: Institution, context: RequestContext) -> Write:
    """Ends it as ERROR: people have proved that the network never took it.

    Its money is freed and its message withdrawn. The proof is kept as a message of the network, with its messages.
    """
    name = p.network_id
    assert name is not None
    assert p.message_id is not None
    assert p.sends is not None
    end = ended(p, "disprove", institution, context, code=NEVER_TAKEN, reason=f"by {by}: {reason}")
    says = encode(PaymentFinal(name, settled=False, code=NEVER_TAKEN))
    proved = proof(context.chance.uuid(context.now), PAYMENT_FINAL, name, says, context.now, "disproof")
    # Withdrawn in the same write, even if it was sent: no worker may send it again.
    taken_back = Withdrawn(p.message_id, p.sends, context.now, is_unsent=False)
    return structs.replace(end, withdrawn=(taken_back,)) + Write(context.company_id, rows=(proved,))


def shown(p: Payout, words: Sequence[Word], institution: Institution) -> dict[str, Any]:
    """Renders it for the operator. differs: the fields that the last message contradicts; empty: its time alone."""
    last, ours = words[-1], facts_sent(p, institution)
    return {
        "id": str(p.id), "name": p.network_id, "rail": p.rail, "amount": str(p.amount), "account": p.account.number,
        "externalId": p.external_id, "since": words[0].heard_at, "words": len(words), "lastWord": last.heard_at,
        "message": last.message_id, "differs": [] if last.of is None else list(last.of.differ(ours)),
        "settledAt": last.happened_at, "sent": p.sends or 0, "mayBeTakenUntil": may_be_taken_until(p),
    }  # fmt: skip
