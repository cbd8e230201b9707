"""How long what waits in the outbox is needed: each kind of message says when its reason has ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ARRIVES_WITHIN = timedelta(minutes=5)  # a copy whose answer is missing has come there by then, or never comes


@dataclass(frozen=True, slots=True)
class Need:
    """Until when messages of a kind are sent. over: says of an outbox row that its reason has ended; it is withdrawn then.

    asks: whether its network can say what became of a copy that may have left, and is asked before that. False: its end is
    the network's own word, or a copy that comes there changes nothing.
    """

    over: str
    asks: bool = True

    @classmethod
    def until(cls, table: str, condition: str, *, key: str = "id", asks: bool = True) -> Need:
        """Ends where the row x of this table that a message is about is so. key: the column that the message names."""
        found = f"x.company_id = outbox.company_id AND x.{key} = outbox.reference_id"
        return cls(f"EXISTS (SELECT 1 FROM {table} x WHERE {found} AND {condition})", asks)  # noqa: S608 our own code


# What it tells is so for good, and is owed to who hears it.
ALWAYS = Need("false", asks=False)


def over_sql(needs: Mapping[str, Need]) -> str:
    """Says of an outbox row of any kind that its reason has ended."""
    whens = [f"WHEN '{kind}' THEN {need.over}" for kind, need in needs.items() if need is not ALWAYS]
    return f"CASE outbox.kind {' '.join(whens)} ELSE false END" if whens else "false"
