"""The record of a backup, beside PostgreSQL's own manifest."""

from __future__ import annotations

import hashlib
from datetime import datetime  # noqa: TC003 msgspec reads the fields' types
from typing import TYPE_CHECKING

import msgspec

from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
NAME = "lastro.json"
FILES = "data"  # the folder of PostgreSQL's files within a backup
_MANIFEST = "backup_manifest"


class Record(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The manifest of a backup, `lastro.json`.

    made_at: machine time of the server as it began. migrations: those applied, the last one last. keys: ids of the keys that
    the database's sealed values need; the keys themselves are in no backup. is_spread: it is of one server of
    several. size: of its files, in bytes. manifest_sha256: of PostgreSQL's manifest, which holds size and SHA-256 of every
    file.
    """

    format: int
    lastro: str
    made_at: datetime
    mode: str
    database: str
    server: str
    major: int
    migrations: tuple[str, ...]
    keys: tuple[str, ...]
    is_spread: bool = False
    size: int
    files: int
    manifest_sha256: str


def write(folder: Path, record: Record) -> None:
    """Puts the record beside the files it is about."""
    text = msgspec.json.format(msgspec.json.encode(record), indent=2)
    (folder / NAME).write_bytes(text + b"\n")


def read(folder: Path) -> Record:
    """Reads the record of the backup in a folder. CommandFailed: none, another lastro's, or its manifest is another."""
    try:
        record = msgspec.json.decode((folder / NAME).read_bytes(), type=Record)
    except OSError as error:
        raise CommandFailed(f"There is no backup in {folder}: {NAME} cannot be read ({error.strerror}).") from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise CommandFailed(f"The file {folder / NAME} is damaged: {error}.") from error
    if record.format != FORMAT:
        raise CommandFailed(
            f"The backup in {folder} has format {record.format} and this lastro reads {FORMAT}: use the one that made it."
        )
    try:
        is_the_same = manifest_digest(folder) == record.manifest_sha256
    except OSError as error:
        raise CommandFailed(f"The backup in {folder} lacks its manifest of files ({error.strerror}).") from error
    if not is_the_same:
        raise CommandFailed(
            f"The backup in {folder} is damaged: its manifest of files is not the one that was written with it."
        )
    return record


def manifest_digest(folder: Path) -> str:
    """Returns the SHA-256 of PostgreSQL's manifest, in hexadecimal digits."""
    return hashlib.sha256((folder / FILES / _MANIFEST).read_bytes()).hexdigest()


def weigh(folder: Path) -> tuple[int, int]:
    """Returns the number of files below a folder, and their bytes."""
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    return len(sizes), sum(sizes)


def newest(folder: Path) -> datetime | None:
    """Returns when the newest backup in a folder of backups was made; None: there is none. OSError: it cannot be read."""
    found = [read(one).made_at for one in sorted(folder.iterdir()) if (one / NAME).exists()]
    return max(found, default=None)
