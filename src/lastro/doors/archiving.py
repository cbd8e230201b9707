"""Events that are old are written to files, and only then forgotten: lines of JSON, compressed, each with its hash."""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import io
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID  # noqa: TC003 msgspec reads the fields' types

import msgspec

from lastro.base.api import stamp
from lastro.doors.declined import Declined
from lastro.webhooks import feed_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import timedelta
    from pathlib import Path

    from lastro.base.db import Database
    from lastro.webhooks import Numbered

# The cursor is locked before it is read, so that nobody else who forgets moves where the feed begins between this look and
# the forgetting: never anything beyond the last number that is in a file. Then the events are locked and compared with the
# file: a person may have been erased from one meanwhile. forgotten NULL: so it is, and nothing was forgotten.
_FORGET = """
WITH here AS MATERIALIZED (
  SELECT forgotten_below FROM event_cursors WHERE company_id = $1 AND forgotten_below <= $3 FOR UPDATE),
now AS MATERIALIZED (
  SELECT e.id, e.body FROM events e
   WHERE e.company_id = $1 AND e.id = ANY ($4::uuid[]) AND EXISTS (SELECT 1 FROM here) ORDER BY e.id FOR UPDATE),
other AS MATERIALIZED (
  SELECT count(*) AS n FROM now JOIN unnest($4::uuid[], $5::bytea[]) AS filed(id, sha256) USING (id)
   WHERE sha256(now.body) <> filed.sha256)
SELECT CASE WHEN other.n = 0 THEN forget_events($1, $2, ($3::bigint + 1 - here.forgotten_below)::integer) END AS forgotten,
       here.forgotten_below AS first
  FROM here, other
"""
_HASHES = """
SELECT e.id, coalesce(f.sha256, sha256(e.body)) AS sha256
  FROM events e LEFT JOIN forgotten_bodies f ON f.company_id = e.company_id AND f.event_id = e.id
 WHERE e.company_id = $1 AND e.id = ANY ($2::uuid[])
"""
_BEGINS = "SELECT forgotten_below FROM event_cursors WHERE company_id = $1"
_ENDING = ".jsonl.gz"


class Line(msgspec.Struct, frozen=True, rename="camel"):
    """An event in a file. body: its bytes as they were sent, as text. sha256: of those bytes, in hexadecimal digits."""

    sequence: int
    id: UUID
    type: str
    reference_id: UUID
    created_at: str
    sha256: str
    body: str


@dataclass(frozen=True)
class Kept:
    """What a company's files hold. missing: numbers below where its feed begins that no file has."""

    files: int
    events: int
    missing: int


async def archive(database: Database, company_id: UUID, folder: Path, age: timedelta, step: int) -> tuple[int, int]:
    """Writes and forgets what is older, oldest first, up to the first event that may still be sent.

    folder: the company's own. step: events in a file, at most. How many files were written, and events forgotten. It may be
    cut off anywhere: what is forgotten is in a file that is on the disk. Declined: another writes to the folder.
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
            file = write(folder, old)
            hashes = [hashlib.sha256(event.body).digest() for event in old]
            row = await session.row(_FORGET, company_id, age, old[-1].sequence, [event.id for event in old], hashes)
        if row is None:
            return files + 1, events  # somebody else has forgotten them meanwhile: the file may be all there is
        # Fewer where one of them may still be sent.
        gone = [event for event in old if event.sequence < row["first"] + (row["forgotten"] or 0)]
        if len(gone) < len(old):
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
    """Two that write the same files would each think that the other's are its own, and remove them."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise Declined(f"The archive {folder} cannot be written: {error.strerror}.") from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Declined(f"Another archive is being written to {folder}.") from None
    finally:
        os.close(held)


def write(folder: Path, events: Sequence[Numbered]) -> Path:
    """Writes events to a file of their numbers, and its SHA-256 beside it as `sha256sum` has it. Declined: it cannot."""
    lines = (
        Line(
            e.sequence,
            e.id,
            e.type,
            e.reference_id,
            stamp(e.created_at),
            hashlib.sha256(e.body).hexdigest(),
            e.body.decode(),
        )
        for e in events
    )
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:  # the same events make the same bytes
        stream.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    content = packed.getvalue()
    file = folder / f"{events[0].sequence:012d}-{events[-1].sequence:012d}{_ENDING}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _put(_sum_of(file), f"{hashlib.sha256(content).hexdigest()}  {file.name}\n".encode())  # a file never lacks its own
        _put(file, content)
    except OSError as error:
        raise Declined(f"The archive {folder} cannot be written: {error.strerror}.") from error
    return file


async def checked(database: Database, company_id: UUID, folder: Path) -> Kept:
    """Reads every file of a company and compares each event with the hash that the database has of it.

    Declined: a file or an event is not what it was.
    """
    found: set[int] = set()
    files = _files(folder)
    async with database.session(company_id) as session:
        for file in files:
            lines = list(_lines(file))
            rows = await session.fetch(_HASHES, company_id, [line.id for line in lines])
            known = {row["id"]: row["sha256"].hex() for row in rows}
            for line in lines:
                if not hashlib.sha256(line.body.encode()).hexdigest() == line.sha256 == known.get(line.id):
                    raise Declined(f"The event {line.sequence} in {file} is not the one that was told.")
                found.add(line.sequence)
        begins = await session.value(_BEGINS, company_id) or 1
    return Kept(len(files), len(found), sum(number not in found for number in range(1, begins)))


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{_ENDING}"))


def _lines(file: Path) -> Iterator[Line]:
    try:
        content = file.read_bytes()
        said = _sum_of(file).read_text(encoding="ascii").split()[0]
    except (OSError, IndexError) as error:
        raise Declined(f"The file {file} or its sum cannot be read.") from error
    if hashlib.sha256(content).hexdigest() != said:
        raise Declined(f"The file {file} is damaged: its SHA-256 is another.")
    for line in gzip.decompress(content).splitlines():
        yield msgspec.json.decode(line, type=Line)


def _sum_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _put(file: Path, content: bytes) -> None:
    """Whole under its name, and on the disk."""
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
