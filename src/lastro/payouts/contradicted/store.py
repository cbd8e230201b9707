"""The SQL of network messages that contradict a payout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.payouts.store import by_network_id
from lastro.rails.port import ASKED, PAYMENT_FINAL, PAYMENT_RETURNED, payment_final, payment_returned

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.payouts.model import Payout
    from lastro.rails.port import Facts

_SAID = f"i.kind IN ('{PAYMENT_FINAL}', '{PAYMENT_RETURNED}') AND i.outcome = 'alarmed'"
_WORDS = f"""
SELECT i.kind, i.network_id, i.received_at, i.body FROM inbox i
 WHERE i.company_id = $1 AND i.subject = $2 AND {_SAID} ORDER BY i.received_at, i.id
"""  # noqa: S608 kinds of ours
_WAITING = f"""
SELECT coalesce(p.control_number, p.end_to_end_id) AS name FROM payouts p
 WHERE p.company_id = $1 AND p.status = 'PENDING' AND p.ask_at IS NOT NULL AND p.children = 0
   AND EXISTS (SELECT 1 FROM inbox i WHERE i.company_id = p.company_id
                  AND i.subject = coalesce(p.control_number, p.end_to_end_id) AND {_SAID})
 ORDER BY p.created_at, p.id LIMIT $2
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Word:
    """An alarmed message of a network.

    of: the facts of the payment it repeats. happened_at: its settlement by the network. heard_at: its arrival.
    """

    message_id: str
    of: Facts | None
    happened_at: datetime | None
    heard_at: datetime

    @property
    def is_answer(self) -> bool:
        """True where it answers our question; false: it came unasked."""
        return self.message_id.startswith(ASKED)


async def words_about(session: Session, company_id: UUID, name: str) -> list[Word]:
    """Reads the alarmed messages under an endToEndId or control number, oldest first."""
    return [
        _word(row["kind"], row["network_id"], row["received_at"], bytes(row["body"]))
        for row in await session.fetch(_WORDS, company_id, name)
    ]


async def contradicted_in(session: Session, company_id: UUID, most: int) -> list[tuple[Payout, list[Word]]]:
    """Reads payouts with contradicting messages, longest waiting first, and these messages."""
    found = []
    for row in await session.fetch(_WAITING, company_id, most):
        payout = await by_network_id(session, company_id, row["name"])
        if payout is not None:
            found.append((payout, await words_about(session, company_id, row["name"])))
    return found


def _word(kind: str, message_id: str, heard_at: datetime, body: bytes) -> Word:
    said = payment_final(body) if kind == PAYMENT_FINAL else payment_returned(body)
    return Word(message_id, said.of, said.settled_at, heard_at)
