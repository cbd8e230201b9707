"""The inbox of all e-mails and text messages."""

import re
import sqlite3
from typing import Any

from lastro_sim import faults
from lastro_sim.clock import printed
from lastro_sim.faults import Fault
from lastro_sim.network import Network

EMAIL, SMS = "EMAIL", "SMS"
CODE = re.compile(r"(?<![0-9])[0-9]{6}(?![0-9])")
LONGEST = 64 * 1024


def strike(network: Network, to: str) -> Fault | None:
    """Returns the ordered fault for a message to this address."""
    return faults.strike(network, "message", {"key": to}, faults.BEHAVIOURS["message"])


def keep(network: Network, message_id: str, channel: str, to: str, text: str) -> bool:
    """Keeps a message; False for a repeated id at this address."""
    if network.store.find("letter", id=message_id, address=to) is not None:
        return False
    found, at = CODE.search(text), network.clock.business()
    code = None if found is None else found[0]
    network.store.insert("letter", id=message_id, channel=channel, address=to, text=text, code=code, sent_at=at)
    return True


def listed(network: Network, to: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists the messages, newest first; at one address if it is given."""
    return [_shown(row) for row in network.store.newest("letter", limit, address=to)[::-1]]


def _shown(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "to": row["address"], "channel": row["channel"], "text": row["text"], "code": row["code"],
        "sentAt": printed(row["sent_at"]),
    }  # fmt: skip
