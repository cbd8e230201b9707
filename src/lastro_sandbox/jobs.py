"""Jobs for the process that runs a sandbox: take or restore a snapshot.

A command or a page writes `job.json`; the supervisor takes it, and writes the job's state to `job.state.json`, which
outlives the restart of everything else. Both are for the owner of the home alone.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol
from uuid import uuid4

import asyncpg

from lastro.core.declined import CommandFailed
from lastro_sandbox import snapshots

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

JobKind = Literal["snapshot", "restore"]
_ASKED: Final = "job.json"
_TOLD: Final = "job.state.json"
ANOTHERS_SERVER: Final = (
    "Snapshots are made of the sandbox's own database server, and this sandbox uses that of LASTRO_DATABASE_URL: copy its"
    " database with PostgreSQL's own programs, or run a sandbox without that variable."
)
_LOOK_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 120.0


@dataclass(frozen=True)
class JobReport:
    """The state of a job. sentence: for people, once it is done or declined."""

    id: str
    kind: str
    name: str
    state: Literal["DOING", "DONE", "DECLINED"]
    sentence: str = ""


class Runner(Protocol):
    """The sandbox, as far as a job stops and starts it."""

    def pause(self) -> datetime:
        """Stops every process and then the database. Returns the clock's time when nothing moved any more."""

    def resume(self) -> None:
        """Restarts the database and every process, on the home's present files."""


def ask(home: Path, kind: JobKind, name: str, job_id: str | None = None) -> str:
    """Leaves a job for the sandbox of `home`, and returns its id. Declined: it cannot be done, or one is being done."""
    if kind == "snapshot":
        snapshots.demand_new(home, name)
    else:
        snapshots.demand(home, name)
    if json.loads((home / "database.json").read_text(encoding="utf-8"))["login"] != "role":
        raise CommandFailed(ANOTHERS_SERVER)
    told, asked = report_of(home), home / _ASKED
    if asked.exists() or (told is not None and told.state == "DOING"):
        raise CommandFailed("The sandbox is at another snapshot: wait until that is done.")
    made = job_id or uuid4().hex
    _write(asked, {"id": made, "action": kind, "name": name})
    return made


def report_of(home: Path) -> JobReport | None:
    """Returns the state of the last job; None: there was none."""
    try:
        return JobReport(**json.loads((home / _TOLD).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def is_asked(home: Path, job_id: str) -> bool:
    """Tells whether this job waits to be taken."""
    try:
        return bool(json.loads((home / _ASKED).read_text(encoding="utf-8"))["id"] == job_id)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return False


def waited_for(home: Path, job_id: str) -> JobReport:
    """Waits for a job's end. Declined: no progress for two minutes."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        told = report_of(home)
        if told is not None and told.id == job_id and told.state != "DOING":
            return told
        time.sleep(_LOOK_SECONDS)
    raise CommandFailed("The sandbox said nothing of it for two minutes: look at the terminal in which it runs.")


def clear(home: Path) -> None:
    """Removes the request, and an unfinished report, of an earlier run."""
    (home / _ASKED).unlink(missing_ok=True)
    told = report_of(home)
    if told is not None and told.state == "DOING":
        (home / _TOLD).unlink(missing_ok=True)


def tend(home: Path, runner: Runner, say: Callable[[str], None]) -> None:
    """Does the job that was asked for, if any; called over and over by the supervisor.

    A snapshot that cannot be made leaves the sandbox as it was. An exception of `resume` goes on: then it does not run any
    more.
    """
    try:
        asked = json.loads((home / _ASKED).read_text(encoding="utf-8"))
        told = JobReport(str(asked["id"]), str(asked["action"]), str(asked["name"]), "DOING")
    except FileNotFoundError:
        return
    except (ValueError, KeyError, TypeError):
        (home / _ASKED).unlink(missing_ok=True)
        return
    _write(home / _TOLD, asdict(told))
    (home / _ASKED).unlink()
    say(f"{told.kind} {told.name}: the sandbox stops for it")
    begin = time.monotonic()
    try:
        sentence, state = _done(home, told, runner), "DONE"
    except (CommandFailed, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        sentence, state = _sentence(error), "DECLINED"
    if state == "DONE":
        sentence += f", in {time.monotonic() - begin:.1f} s"
    say(sentence)
    _write(home / _TOLD, asdict(told) | {"state": state, "sentence": sentence})


def _done(home: Path, told: JobReport, runner: Runner) -> str:
    if told.kind == "snapshot":
        snapshots.demand_new(home, told.name)
        try:
            business_now = runner.pause()
            made = snapshots.take(home, told.name, business_now)
        except Exception:
            runner.resume()
            raise
        runner.resume()
        return f"snapshot {told.name} made: {made.size // 1024**2} MB, business time {business_now:%Y-%m-%d %H:%M:%S} UTC"
    found = snapshots.prepare(home, told.name)
    try:
        runner.pause()
        snapshots.commit(home)
        snapshots.finish(home)
    except Exception:
        runner.resume()
        raise
    runner.resume()
    return f"snapshot {told.name} restored: business time {found.business_now:%Y-%m-%d %H:%M:%S} UTC"


def _sentence(error: Exception) -> str:
    if isinstance(error, CommandFailed):
        return str(error)
    # An OSError's own text names files; its reason alone is for whoever asked.
    return f"It could not be done: {error.strerror if isinstance(error, OSError) else 'unknown'}."


def _write(file: Path, content: dict[str, str]) -> None:
    fresh = file.with_name(f".{file.name}.new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        json.dump(content, stream)
    fresh.replace(file)
