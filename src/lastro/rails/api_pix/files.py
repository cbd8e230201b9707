"""The files that a connection names: secrets, certificates, authorities."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

LARGEST_BYTES = 1_000_000  # of one file; a chain of certificates has some thousands
_WRITES = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXO | stat.S_IWGRP  # a group may read: secrets of systemd and of containers are given so


class FileRead(NamedTuple):
    """A file: its bytes, and its mode as the system tells it."""

    content: bytes
    mode: int


class FileUnfit(Exception):  # noqa: N818 it says what the file is
    """A file that cannot be used. Its text ends a sentence that begins with the setting, and holds nothing of the file."""


def from_disk(path: Path) -> FileRead:
    """Reads a file of at most 1 MB. OSError: it cannot be read."""
    with path.open("rb") as file:
        # The open file is asked, not the path, so that nobody can swap it between the look and the read.
        return FileRead(file.read(LARGEST_BYTES + 1), os.fstat(file.fileno()).st_mode)


def public(path: Path, read: Callable[[Path], FileRead]) -> bytes:
    """Returns a file that everybody may read. FileUnfit: it cannot be read, or is too large."""
    return _read(path, read).content


def settings_text(path: Path, read: Callable[[Path], FileRead] = from_disk) -> str:
    """Returns a file of settings, which only its owner may write. FileUnfit: it cannot be read, or others may write it."""
    found = _read(path, read)
    if found.mode & _WRITES:
        raise FileUnfit(
            f"names a file with mode {stat.S_IMODE(found.mode):04o} that others may write: run chmod go-w on {path}"
        )
    try:
        return found.content.decode()
    except UnicodeDecodeError:
        raise FileUnfit(f"names a file that is no text: {path}") from None


def private(path: Path, read: Callable[[Path], FileRead]) -> bytes:
    """Returns a file with a secret. FileUnfit: it cannot be read, or others may read it too."""
    found = _read(path, read)
    demand_private(path, found.mode)
    return found.content


def demand_private(path: Path, mode: int) -> None:
    """Raises FileUnfit where others than owner and group may read a file."""
    if mode & _OTHERS:
        raise FileUnfit(f"names a file with mode {stat.S_IMODE(mode):04o} that others may read: run chmod 600 on {path}")


def _read(path: Path, read: Callable[[Path], FileRead]) -> FileRead:
    try:
        found = read(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise FileUnfit(f"names a file that cannot be read ({why}): {path}") from None
    if len(found.content) > LARGEST_BYTES:
        raise FileUnfit(f"names a file that is too large: {path}")
    return found


def marks(paths: Iterable[Path]) -> tuple[tuple[int, ...] | None, ...]:
    """Returns what differs once a file is written anew: device, inode, time in nanoseconds, size. None: there is no file."""
    return tuple(_mark(path) for path in paths)


def _mark(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size
