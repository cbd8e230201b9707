"""The end of each outbox message's reason, by its kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ARRIVES_WITHIN = timedelta(minutes=5)  # a copy whose answer is missing has come there by then, or never comes


@dataclass(frozen=True, slots=True)
class Need:
    """The need to send messages of a kind.

    over: says of an outbox row that its reason has ended; it is withdrawn then. asks: its network can tell the status of
    a copy that may have left, and is asked before that. False: its end is the network's own word, or a copy that comes
    there changes nothing.
    """

    over: str
    asks: bool = True

    @classmethod
    def until(cls, table: str, condition: str, *, key: str = "id", asks: bool = True) -> Need:
        """Returns a need that ends with a condition on the row x.

        x: the row of this table that a message is about. key: the column that the message names.
        """
        found = f"x.company_id = outbox.company_id AND x.{key} = outbox.reference_id"
        return cls(f"EXISTS (SELECT 1 FROM {table} x WHERE {found} AND {condition})", asks)  # noqa: S608 our own code


# A fact for good, which is owed to its receiver.
ALWAYS = Need("false", asks=False)


def over_sql(needs: Mapping[str, Need]) -> str:
    """Returns SQL: tells of an outbox row whether its reason has ended."""
    whens = [f"WHEN '{kind}' THEN {need.over}" for kind, need in needs.items() if need is not ALWAYS]
    return f"CASE outbox.kind {' '.join(whens)} ELSE false END" if whens else "false"
