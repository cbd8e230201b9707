"""PostgreSQL's own programs: where those of a server's version are, and how they are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlencode

from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

NEEDED = ("pg_basebackup", "pg_verifybackup", "pg_waldump", "initdb", "postgres")
_SHARE = re.compile(r"\((\d+)%\)")
_MAJOR = re.compile(r"\(PostgreSQL\) (\d+)")
_KEPT_LINES = 5


@dataclass(frozen=True)
class Programs:
    """The programs of one major version of PostgreSQL, all in one folder."""

    folder: Path

    def run(
        self,
        program: str,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        progress: Callable[[int], object] = lambda _percent: None,
    ) -> None:
        """Runs a program to its end. progress: called with percentages. CommandFailed: it failed, with its last output."""
        with subprocess.Popen(  # noqa: S603 a program of PostgreSQL's, by its full path
            [str(self.folder / program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=plain_environment() | dict(environment or {}),
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            words: list[str] = []
            for line in process.stdout:  # a program that sees no terminal ends each line of its progress
                if share := _SHARE.search(line):
                    progress(int(share[1]))
                elif line.strip():
                    words = [*words, line.strip()][-_KEPT_LINES:]
        if process.returncode:
            raise CommandFailed(f"{program} failed: {'; '.join(words) or f'status {process.returncode}'}.")


def programs_of(major: int, given: Path | None, brought: Callable[[], Path] | None) -> Programs:
    """Finds PostgreSQL's programs of a version.

    given: the folder that the operator named; brought: the sandbox's own folder. CommandFailed: there are none of this
    version, or some are missing.
    """
    seen = []
    for folder in _places(major, given, brought):
        found = _major_in(folder)
        if found == major:
            missing = [name for name in NEEDED if not (folder / name).exists()]
            if missing:
                raise CommandFailed(f"The folder {folder} lacks {', '.join(missing)}: install PostgreSQL {major} whole.")
            return Programs(folder)
        seen.append(f"{folder} ({'none' if found is None else found})")
    raise CommandFailed(
        f"This needs the programs of PostgreSQL {major}, server and client; name their folder with --programs. "
        f"Looked at: {', '.join(seen) or 'nothing'}."
    )


def _places(major: int, given: Path | None, brought: Callable[[], Path] | None) -> Iterable[Path]:
    if given is not None:
        yield given.absolute()
        return
    if brought is not None:
        yield brought()
    # The folders of Debian's and of Red Hat's packages.
    yield Path(f"/usr/lib/postgresql/{major}/bin")
    yield Path(f"/usr/pgsql-{major}/bin")
    if (found := shutil.which("postgres")) is not None:
        yield Path(found).resolve().parent


def _major_in(folder: Path) -> int | None:
    try:
        said = subprocess.run(  # noqa: S603 its version is asked
            [str(folder / "postgres"), "--version"],
            capture_output=True,
            text=True,
            check=True,
            env=plain_environment(),
            cwd="/",
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = _MAJOR.search(said)
    return None if found is None else int(found[1])


def plain_environment() -> dict[str, str]:
    """Returns our environment without PostgreSQL's and lastro's variables. Its language is English."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LASTRO_", "LC_"))}
    return kept | {"LC_ALL": "C"}


def passwords_around(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables that give PostgreSQL's programs a login's password."""
    return {name: environment[name] for name in ("PGPASSFILE", "PGPASSWORD") if name in environment}


def without_password(url: str) -> tuple[str, dict[str, str]]:
    """Returns the address without its password, and the password's variable. It is safe in a list of processes then."""
    # Put together by hand: urlunsplit loses the slashes of an address without a host.
    head, _, query = url.partition("?")
    scheme, _, rest = head.partition("://")
    netloc, slash, name = rest.partition("/")
    login, at, place = netloc.rpartition("@")
    user, colon, password = login.partition(":")
    given = parse_qsl(query, keep_blank_values=True)
    secrets = [value for key, value in given if key == "password"] + ([unquote(password)] if colon else [])
    if not secrets:
        return url, {}
    kept = urlencode([one for one in given if one[0] != "password"])
    address = f"{scheme}://{user}{at}{place}{slash}{name}" + (f"?{kept}" if kept else "")
    return address, {"PGPASSWORD": secrets[0]}
