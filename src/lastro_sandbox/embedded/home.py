"""The parts of one LASTRO_HOME: its lock, its process name, its socket folder."""

import fcntl
import hashlib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from .account import SystemAccount
from .refusal import StartRefused, refused_by_disk

_LEAST_FREE_BYTES = 100 * 1024 * 1024
# A socket's address ends after 107 bytes, and PostgreSQL adds its file's name to the folder's.
_LONGEST_SOCKET_FOLDER = 107 - len("/.s.PGSQL.5432.lock")


def mark_of(home: Path) -> str:
    """Returns the name that marks this home's processes and socket folders."""
    return "lastro-" + hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:12]


class HomeLock:
    """Exclusive use of a home for as long as this process lives: the kernel lets go when it dies, however it dies."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, home: Path) -> Self:
        """Takes the lock of `home`, which is made when there is none. Raises StartRefused with the holder's name."""
        try:
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise refused_by_disk(home, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _signed(descriptor)
            os.close(descriptor)
            raise StartRefused(
                f"The folder {home} is in use by {holder}; stop that one first or set LASTRO_HOME to another folder."
            ) from None
        except OSError as error:
            os.close(descriptor)
            raise refused_by_disk(home, error) from error
        lock = cls(descriptor)
        try:
            lock._sign()
            _demand_room(home)
        except OSError as error:
            lock.release()
            raise refused_by_disk(home, error) from error
        except StartRefused:
            lock.release()
            raise
        return lock

    @staticmethod
    def holder(home: Path) -> str | None:
        """Returns the signature of the lock's holder. None: nobody holds it, or it cannot be known."""
        try:
            descriptor = os.open(home / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _signed(descriptor)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        return None

    def _sign(self) -> None:
        """Signs the lock file, so that a refusal can name the holder."""
        # Only the program's first words: what follows may be long, and is nobody's business.
        command = shlex.join([Path(sys.argv[0]).name or "python", *sys.argv[1:3]])[:120]
        text = f"process {os.getpid()} ({command}) since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC\n"
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def release(self) -> None:
        """Releases the home's lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _signed(descriptor: int) -> str:
    return os.pread(descriptor, 400, 0).decode(errors="replace").strip() or "another process"


def _demand_room(home: Path) -> None:
    free = shutil.disk_usage(home).free
    if free < _LEAST_FREE_BYTES:
        raise StartRefused(
            f"The disk of {home} has only {free // 1024**2} MB free and {_LEAST_FREE_BYTES // 1024**2} MB are needed; "
            "make room or set LASTRO_HOME to a folder on another disk."
        )


def make_socket_folder(home: Path, account: SystemAccount) -> Path:
    """Creates a private folder with a short path, and removes stale ones.

    Stale are those that killed runs of this home left behind.
    """
    # The caller holds the home's lock and has seen the last run's server gone, so what is found is stale.
    prefix = mark_of(home) + "-"
    for place in _places(account):
        for stale in place.glob(prefix + "*"):
            shutil.rmtree(stale, ignore_errors=True)
    for place in _places(account):
        try:
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
            account.own(folder)
        except OSError:
            continue
        if len(os.fsencode(folder)) <= _LONGEST_SOCKET_FOLDER and account.reaches(folder):
            return folder
        shutil.rmtree(folder, ignore_errors=True)
    raise StartRefused(
        "No folder is short enough for the database's socket and writable; make /tmp writable or set TMPDIR to one."
    )


def _places(account: SystemAccount) -> Iterator[Path]:
    """Yields the folders that a socket may be in, best first."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and account.is_caller:
        yield Path(runtime)
    yield Path(tempfile.gettempdir())
    yield Path("/tmp")  # noqa: S108 - the folder made in it is new, unguessable and 0700
    yield Path("/dev/shm")  # noqa: S108 - likewise
