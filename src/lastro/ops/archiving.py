"""Archives old events, with their deliveries, in files before it deletes them.

Lines of JSON, compressed, each with the hash of its body.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import os
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID  # noqa: TC003 msgspec reads the fields' types

import msgspec
from msgspec.structs import replace

from lastro.api_kit.routes import stamp
from lastro.core.declined import CommandFailed
from lastro.webhooks import feed_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta
    from pathlib import Path

    from lastro.core.db import Database, Session
    from lastro.webhooks import Numbered

# The cursor is locked before it is read, so that nobody else who forgets moves where the feed begins between this look and
# the forgetting: never anything beyond the last number that is in a file. Then the events and their deliveries are locked
# and compared with the file: a person may have been erased from one meanwhile, or one sent again. forgotten NULL: so it is,
# and nothing was forgotten.
_FORGET = """
WITH here AS MATERIALIZED (
  SELECT forgotten_below FROM event_cursors WHERE company_id = $1 AND forgotten_below <= $3 FOR UPDATE),
now AS MATERIALIZED (
  SELECT e.id, e.body FROM events e
   WHERE e.company_id = $1 AND e.id = ANY ($4::uuid[]) AND EXISTS (SELECT 1 FROM here) ORDER BY e.id FOR UPDATE),
sent AS MATERIALIZED (
  SELECT d.id, d.version FROM deliveries d
   WHERE d.company_id = $1 AND d.id = ANY ($4::uuid[]) AND EXISTS (SELECT 1 FROM here) ORDER BY d.id FOR NO KEY UPDATE),
other AS MATERIALIZED (
  SELECT count(*) AS n
    FROM now JOIN unnest($4::uuid[], $5::bytea[], $6::bigint[]) AS filed(id, sha256, version) ON filed.id = now.id
    LEFT JOIN sent ON sent.id = now.id
   WHERE sha256(now.body) <> filed.sha256 OR sent.version IS DISTINCT FROM filed.version)
SELECT CASE WHEN other.n = 0 THEN forget_events($1, $2, ($3::bigint + 1 - here.forgotten_below)::integer) END AS forgotten,
       here.forgotten_below AS first
  FROM here, other
"""
# Receivers' answers are deleted with the body: a file is the only place that keeps them.
_SENT = """
SELECT d.id, d.version, d.url, d.status, a.number, a.requested_at, a.status_code, a.duration_ms, a.failure, a.message
  FROM deliveries d LEFT JOIN delivery_attempts a ON a.company_id = d.company_id AND a.event_id = d.id
 WHERE d.company_id = $1 AND d.id = ANY ($2::uuid[]) ORDER BY d.id, a.number
"""
_HASHES = """
SELECT e.id, coalesce(f.sha256, sha256(e.body)) AS sha256
  FROM events e LEFT JOIN forgotten_bodies f ON f.company_id = e.company_id AND f.event_id = e.id
 WHERE e.company_id = $1 AND e.id = ANY ($2::uuid[])
"""
_BEGINS = "SELECT forgotten_below FROM event_cursors WHERE company_id = $1"
_ENDING = ".jsonl.gz"


class Tried(msgspec.Struct, frozen=True, rename="camel"):
    """An attempt in a file. status_code 0: no HTTP answer. failure None: acknowledged. message: what was said to it."""

    number: int
    requested_at: str
    status_code: int
    duration_ms: int
    failure: str | None
    message: str


class Sent(msgspec.Struct, frozen=True):
    """The delivery of an event in a file."""

    url: str
    status: str
    attempts: tuple[Tried, ...]


class ArchivedEvent(msgspec.Struct, frozen=True, rename="camel"):
    """An event in a file.

    body: its bytes as they were sent, as text. sha256: of those bytes, in hexadecimal digits. delivery: None if it was in
    the feed alone, and in older files.
    """

    sequence: int
    id: UUID
    type: str
    reference_id: UUID
    created_at: str
    sha256: str
    body: str
    delivery: Sent | None = None


@dataclass(frozen=True)
class ReadEvents:
    """Events as they were read: the lines of a file. versions: of the delivery of each, None where it has none."""

    lines: list[ArchivedEvent]
    versions: list[int | None]


@dataclass(frozen=True)
class ArchivedFiles:
    """The contents of a company's archive. missing: numbers below the start of its feed that no file has."""

    files: int
    events: int
    missing: int


async def archive(database: Database, company_id: UUID, folder: Path, age: timedelta, step: int) -> tuple[int, int]:
    """Archives and deletes old events, oldest first; returns both counts.

    It stops at the first event that may still be sent. folder: the company's own. step: events in a file, at most. The
    counts are files written and events deleted. It may be cut off anywhere: a deleted event is in a file that is on the
    disk. CommandFailed: another process writes to the folder.
    """
    with _alone(folder):
        return await _archive(database, company_id, folder, age, step)


async def _archive(database: Database, company_id: UUID, folder: Path, age: timedelta, step: int) -> tuple[int, int]:
    files = events = 0
    while True:
        async with database.session(company_id) as session:
            oldest = await session.value("SELECT business_now()") - age
            part = await feed_after(session, company_id, 0, step)
            old = [event for event in part.events if event.created_at < oldest]
            if not old:
                return files, events
            as_read = await read(session, company_id, old)
            file = write(folder, as_read.lines)
            row = await session.row(_FORGET, company_id, age, old[-1].sequence, *_as_filed(as_read))
        if row is None:
            return files + 1, events  # somebody else has forgotten them meanwhile: the file may be all there is
        # Fewer where one of them may still be sent.
        gone = [line for line in as_read.lines if line.sequence < row["first"] + (row["forgotten"] or 0)]
        if len(gone) < len(as_read.lines):
            kept = write(folder, gone) if gone else None
            _remove(file)
            file = kept or file
        if not gone and row["forgotten"] is None:
            continue  # they are read anew, as they are now
        if not gone:
            return files, events
        _remove_within(file)
        files, events = files + 1, events + len(gone)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Locks the folder for this process.

    Two processes that write the same files would each think that the other's are its own, and remove them.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise CommandFailed(f"The archive {folder} cannot be written: {error.strerror}.") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise CommandFailed(f"Another archive is being written to {folder}.") from None
    finally:
        os.close(held)


async def read(session: Session, company_id: UUID, events: Sequence[Numbered]) -> ReadEvents:
    """Reads these events with their deliveries."""
    sent = await _sent(session, company_id, [event.id for event in events])
    lines = [
        ArchivedEvent(
            e.sequence, e.id, e.type, e.reference_id, stamp(e.created_at), hashlib.sha256(e.body).hexdigest(),
            e.body.decode(), sent[e.id][0] if e.id in sent else None,
        )
        for e in events
    ]  # fmt: skip
    return ReadEvents(lines, [sent[e.id][1] if e.id in sent else None for e in events])


async def _sent(session: Session, company_id: UUID, ids: Sequence[UUID]) -> dict[UUID, tuple[Sent, int]]:
    """Returns the delivery of each event that has one, and its version."""
    rows = await session.fetch(_SENT, company_id, ids)
    tried: defaultdict[UUID, list[Tried]] = defaultdict(list)
    for row in rows:
        if row["number"] is not None:
            tried[row["id"]].append(
                Tried(
                    row["number"], stamp(row["requested_at"]), row["status_code"], row["duration_ms"], row["failure"],
                    row["message"],
                )
            )  # fmt: skip
    return {row["id"]: (Sent(row["url"], row["status"], tuple(tried[row["id"]])), row["version"]) for row in rows}


def _as_filed(filed: ReadEvents) -> tuple[list[UUID], list[bytes], list[int | None]]:
    """Returns the events' ids, body hashes and delivery versions, for comparison."""
    return [line.id for line in filed.lines], [bytes.fromhex(line.sha256) for line in filed.lines], filed.versions


def write(folder: Path, lines: Sequence[ArchivedEvent]) -> Path:
    """Writes events to a file named by their numbers.

    Its SHA-256 is beside it, as by `sha256sum`. CommandFailed: it cannot.
    """
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:  # the same lines make the same bytes
        stream.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    content = packed.getvalue()
    file = folder / f"{lines[0].sequence:012d}-{lines[-1].sequence:012d}{_ENDING}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _put(_sum_of(file), f"{hashlib.sha256(content).hexdigest()}  {file.name}\n".encode())  # a file never lacks its own
        _put(file, content)
    except OSError as error:
        raise CommandFailed(f"The archive {folder} cannot be written: {error.strerror}.") from error
    return file


async def checked(database: Database, company_id: UUID, folder: Path) -> ArchivedFiles:
    """Compares every archived event of a company with the database.

    It compares the hash and the attempts. CommandFailed: a file or an event is not what it was.
    """
    found: set[int] = set()
    files = _files(folder)
    async with database.session(company_id) as session:
        for file in files:
            lines = list(_lines(file))
            ids = [line.id for line in lines]
            known = {row["id"]: row["sha256"].hex() for row in await session.fetch(_HASHES, company_id, ids)}
            sent = await _sent(session, company_id, ids)
            for line in lines:
                if not hashlib.sha256(line.body.encode()).hexdigest() == line.sha256 == known.get(line.id):
                    raise CommandFailed(f"The event {line.sequence} in {file} is not the one that was told.")
                if line.delivery and not _was_made(line.delivery, sent.get(line.id)):
                    raise CommandFailed(f"The attempts of the event {line.sequence} in {file} are not those that were made.")
                found.add(line.sequence)
        begins = await session.value(_BEGINS, company_id) or 1
    return ArchivedFiles(len(files), len(found), sum(number not in found for number in range(1, begins)))


def _was_made(filed: Sent, known: tuple[Sent, int] | None) -> bool:
    """Tells whether the database has each of these attempts.

    Receivers' answers do not count, since the database deletes them. It may have more attempts: an event in the file of a
    run that was cut off may have been sent again before it was deleted.
    """
    if known is None or known[0].url != filed.url:
        return False
    return _unsaid(known[0])[: len(filed.attempts)] == _unsaid(filed)


def _unsaid(sent: Sent) -> list[Tried]:
    return [replace(tried, message="") for tried in sent.attempts]


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_ENDING}"))


def _lines(file: Path) -> Iterator[ArchivedEvent]:
    try:
        content = file.read_bytes()
        said = _sum_of(file).read_text(encoding="ascii").split()[0]
    except (OSError, IndexError) as error:
        raise CommandFailed(f"The file {file} or its sum cannot be read.") from error
    if hashlib.sha256(content).hexdigest() != said:
        raise CommandFailed(f"The file {file} is damaged: its SHA-256 is another.")
    for line in gzip.decompress(content).splitlines():
        yield msgspec.json.decode(line, type=ArchivedEvent)


def _sum_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _put(file: Path, content: bytes) -> None:
    """Writes a file whole under its name, and on the disk."""
    fresh = file.with_name(f".{file.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove(file: Path) -> None:
    for one in (file, _sum_of(file)):
        one.unlink(missing_ok=True)


def _remove_within(file: Path) -> None:
    """Files of a run that was cut off before it forgot: this one holds the same, less who was erased since."""
    first, last = file.name.removesuffix(_ENDING).split("-")
    for other in _files(file.parent):
        begins, _, ends = other.name.removesuffix(_ENDING).partition("-")
        if other != file and first <= begins and ends <= last:
            _remove(other)
