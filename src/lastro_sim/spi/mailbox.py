"""Mailboxes: messages wait until a participant's stream confirms them, at least once.

A pull leases messages to its stream and gives a cursor. Using the cursor confirms everything that was given up to it,
so that a batch whose answer got lost on the way is not confirmed by asking again: it is given again.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any

import msgspec

from lastro.standards import pix_ids
from lastro_sim import faults
from lastro_sim.clock import SECOND, printed
from lastro_sim.network import Network
from lastro_sim.settings import COMPANY_BANK_ISPB, SIMULATED_BANKS, SPI_ISPB

# A bank played here that reads its post, for these kinds of messages alone.
READ_HERE = {COMPANY_BANK_ISPB: frozenset({"pain.011", "pain.012", "pain.014", "camt.055"})}

_TIME_DIGITS = 9  # microseconds since 1970, until the year 2399


@dataclass(frozen=True)
class Cursor:
    """A position in a stream; all up to this pull has arrived."""

    stream: str
    pull: int

    @classmethod
    def read(cls, text: str) -> "Cursor | None":
        """Parses the cursor in a path; None if it is none."""
        stream, _, pull = text.rpartition("-")
        return cls(stream, int(pull)) if stream and pull.isdecimal() and len(pull) < 16 else None

    def __str__(self) -> str:
        return f"{self.stream}-{self.pull}"


def put(
    network: Network,
    ispb: str,
    kind: str,
    fields: dict[str, Any],
    *,
    is_twice: bool = False,
    available_at: int | None = None,
) -> None:
    """Puts a message into a participant's mailbox, each copy with an id. Banks played here get what they read."""
    if ispb in SIMULATED_BANKS and kind not in READ_HERE.get(ispb, ()):
        return
    now, about = network.clock.business(), fields.get("endToEndId", fields.get("idRec"))
    if network.tracer is not None:
        network.tracer.told(kind, about)
    for _ in range(2 if is_twice else 1):
        msg_id = _new_id(network)
        body = msgspec.json.encode({"msgId": msg_id, "type": kind, "createdAt": printed(now), **fields}).decode()
        at = now if available_at is None else available_at
        network.store.insert("message", msg_id=msg_id, ispb=ispb, type=kind, end_to_end_id=about, body=body, available_at=at)
    network.bells.ring(f"out:{ispb}")


def _new_id(network: Network) -> str:
    """Returns a message's id. It begins with the time, so that ids of one moment are neighbours in the index over them."""
    at = pix_ids.base62(network.clock.machine(), _TIME_DIGITS)
    head = 1 + len(SPI_ISPB)
    name = pix_ids.message_id(SPI_ISPB, network.chance.octets(32))
    return name[:head] + at + name[head + _TIME_DIGITS :]


def put_struck(
    network: Network, ispb: str, kind: str, fields: dict[str, Any], fault: faults.Fault | None, at: int | None = None
) -> None:
    """Puts a message as a fault says: twice, or late. at: when it is available otherwise; None: now."""
    behaviour = faults.behaviour_of(fault)
    late = fault.delay if fault is not None and behaviour == "late" else 0
    available_at = (network.clock.business() if at is None else at) + late
    put(network, ispb, kind, fields, is_twice=behaviour == "twice", available_at=available_at)


def arrived(network: Network, ispb: str) -> list[sqlite3.Row]:
    """Returns the unread messages of a bank played here, oldest first."""
    sql = "SELECT * FROM message WHERE ispb = ? AND confirmed = 0 AND available_at <= ? ORDER BY seq"
    return network.store.rows(sql, ispb, network.clock.business())


def confirm_one(network: Network, row: sqlite3.Row) -> None:
    """Confirms one message that was read."""
    network.store.change("message", row, confirmed=1)


def asked(network: Network, ispb: str, msg_id: str, about: str, kind: str = "pacs.008") -> bool:
    """Tells whether this message asked the participant about that payment or recurrence."""
    return network.store.find("message", msg_id=msg_id, ispb=ispb, end_to_end_id=about, type=kind) is not None


def start(network: Network, ispb: str, name: str | None) -> Cursor:
    """Opens a stream, and frees the messages of its namesake. A stream of the same name is taken to have died."""
    stream = network.chance.letters(20)
    with network.store.writing():
        if name is not None:
            for old in network.store.every("stream", ispb=ispb, name=name):
                _drop(network, old["id"])
                network.bells.ring(f"stream:{old['id']}")
        network.store.insert("stream", id=stream, ispb=ispb, name=name)
    network.bells.ring(f"out:{ispb}")
    return Cursor(stream, 0)


def confirm(network: Network, ispb: str, cursor: Cursor) -> bool:
    """Confirms all messages up to the cursor; False without such a stream."""
    known = network.store.find("stream", id=cursor.stream, ispb=ispb)
    if known is None or cursor.pull > known["pulls"]:
        return False
    network.store.run(
        "UPDATE message SET confirmed = 1 WHERE stream = ? AND pull <= ? AND confirmed = 0", cursor.stream, cursor.pull
    )
    return True


def end(network: Network, ispb: str, cursor: Cursor) -> bool:
    """Confirms up to the cursor and closes the stream; later messages are free."""
    with network.store.writing():
        if not confirm(network, ispb, cursor):
            return False
        _drop(network, cursor.stream)
    network.bells.ring(f"out:{ispb}")
    network.bells.ring(f"stream:{cursor.stream}")
    return True


def take(network: Network, ispb: str, stream: str, limit: int) -> tuple[Cursor, list[msgspec.Raw]] | None:
    """Leases the oldest free messages to a stream; None if it was closed."""
    with network.store.sharing():
        known = network.store.find("stream", id=stream, ispb=ispb)
        if known is None:
            return None
        pull = known["pulls"] + 1
        found = _leased(network, ispb, stream, pull, limit)
        if not found:
            return Cursor(stream, known["pulls"]), []
        network.store.run("UPDATE stream SET pulls = ? WHERE id = ?", pull, stream)
    return Cursor(stream, pull), [msgspec.Raw(row["body"].encode()) for row in found]


def next_available(network: Network) -> int | None:
    """Returns the business time of the next withheld message."""
    row = network.store.row(
        "SELECT min(available_at) AS due FROM message WHERE confirmed = 0 AND available_at > ?", network.clock.business()
    )
    return None if row is None else row["due"]


def quiet(network: Network) -> bool:
    """Tells whether every available message has been given and confirmed."""
    sql = "SELECT 1 FROM message WHERE confirmed = 0 AND available_at <= ? LIMIT 1"
    return network.store.row(sql, network.clock.business()) is None


def _leased(network: Network, ispb: str, stream: str, pull: int, limit: int) -> list[sqlite3.Row]:
    """Leases and returns messages that are free, or this stream's.

    Free ones are unleased, or past their lease; its own were in an answer that got lost.
    """
    now = network.clock.machine()
    found = network.store.rows(
        "UPDATE message SET stream = ?, pull = ?, lease_until = ? WHERE seq IN (SELECT seq FROM message"
        " WHERE ispb = ? AND confirmed = 0 AND available_at <= ? AND (stream IS NULL OR stream = ? OR lease_until <= ?)"
        " ORDER BY seq LIMIT ?) RETURNING seq, body",
        stream, pull, now + int(network.settings.lease_seconds * SECOND),
        ispb, network.clock.business(), stream, now, limit,
    )  # fmt: skip
    return sorted(found, key=lambda row: row["seq"])  # RETURNING promises no order


def _drop(network: Network, stream: str) -> None:
    network.store.run(
        "UPDATE message SET stream = NULL, pull = NULL, lease_until = NULL WHERE stream = ? AND confirmed = 0", stream
    )
    network.store.run("DELETE FROM stream WHERE id = ?", stream)
