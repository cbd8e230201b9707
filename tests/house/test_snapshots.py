"""Snapshots as files: what they hold, what is refused, and that a restore killed anywhere leaves the old or the new whole."""

import os
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lastro.core.declined import CommandFailed
from lastro_sandbox import jobs, snapshots

NOW = datetime(2027, 1, 31, 12, tzinfo=UTC)


def lay(home: Path, word: str) -> None:
    """A sandbox's files as they stand when nothing runs, each with a word in it."""
    for name in ("postgres/base/1", "postgres/PG_VERSION", "simulator/network.db", "keys", "network.token"):
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("18" if name.endswith("VERSION") else word)
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "api.log").write_text(word)


def held(home: Path) -> dict[str, str]:
    found = (one for item in snapshots.ITEMS for one in ((home / item), *(home / item).rglob("*")) if one.is_file())
    return {str(one.relative_to(home)): one.read_text() for one in found}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An old state, kept as a snapshot, and a new one with one file more in it."""
    lay(tmp_path, "then")
    snapshots.take(tmp_path, "first", NOW)
    lay(tmp_path, "now")
    (tmp_path / "demo.json").write_text("now")
    (tmp_path / "postgres" / "base" / "2").write_text("now")
    return tmp_path


def test_everything_is_as_it_was_and_the_logs_go_on(home: Path) -> None:
    (found,) = snapshots.everything(home)
    assert (found.name, found.business_now) == ("first", NOW)
    assert found.size == len("then") * 4 + len("18")
    snapshots.prepare(home, "first")
    snapshots.commit(home)
    snapshots.finish(home)
    assert set(held(home).values()) == {"then", "18"}
    assert not (home / "demo.json").exists(), "what the snapshot has not is gone"
    assert (home / "logs" / "api.log").read_text() == "now"
    assert snapshots.restored_at(home) == NOW
    snapshots.clock_is_set(home)
    assert snapshots.restored_at(home) is None
    assert [one.name for one in snapshots.everything(home)] == ["first"]


def killed_at(step: int, act: Callable[[], object]) -> bool:
    """Runs it in a process that is killed before its step-th change of the disk; whether it was."""
    child = os.fork()
    if child == 0:
        left = [step]

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
            if writes or event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"):
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_a_restore_that_is_killed_leaves_the_old_or_the_new_and_never_both(tmp_path: Path) -> None:
    seen: list[str] = []
    for step in range(400):
        home = tmp_path / str(step)
        home.mkdir()
        lay(home, "then")
        snapshots.take(home, "first", NOW)
        lay(home, "now")
        (home / "demo.json").write_text("now")
        then, now = (
            {name: "18" if name.endswith("VERSION") else "then" for name in held(home) if name != "demo.json"},
            held(home),
        )

        def restore(home: Path = home) -> None:
            snapshots.prepare(home, "first")
            snapshots.commit(home)
            snapshots.finish(home)

        was_killed = killed_at(step, restore)
        # The start after it is killed as well, at each of its own first steps, and the one after that is not.
        killed_at(step % 7, lambda home=home: snapshots.finish(home))  # type: ignore[misc]
        snapshots.finish_alone(home, lambda _: None)
        snapshots.finish(home)
        assert held(home) in (then, now), f"killed before change {step}: {held(home)}"
        assert snapshots.restored_at(home) == (NOW if held(home) == then else None)
        assert not list(home.glob("restoring*"))
        seen.append("then" if held(home) == then else "now")
        if not was_killed:
            break
    assert seen[0] == "now"
    assert seen[-1] == "then"
    assert seen == sorted(seen), "up to one instant it is the old one, and from there on the new one"
    assert len(seen) > 20


def test_a_snapshot_that_is_killed_is_none(home: Path) -> None:
    for step in (0, 1, 3, 5, 8):
        assert killed_at(step, lambda: snapshots.take(home, "second", NOW))
        assert [one.name for one in snapshots.everything(home)] == ["first"]
    snapshots.take(home, "second", NOW)
    assert len(snapshots.everything(home)) == 2


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "A", "-x", "a" * 41, "a\n", ".first.new", "é"])
def test_a_name_that_is_no_folder_of_ours_is_refused(home: Path, name: str) -> None:
    acts: list[Callable[[], object]] = [
        lambda: snapshots.take(home, name, NOW), lambda: snapshots.demand(home, name), lambda: snapshots.forget(home, name),
        lambda: jobs.ask(home, "restore", name),
    ]  # fmt: skip
    for act in acts:
        with pytest.raises(CommandFailed, match="small letters"):
            act()


def test_what_is_taken_unknown_or_too_many_is_refused(home: Path) -> None:
    with pytest.raises(CommandFailed, match="already"):
        snapshots.take(home, "first", NOW)
    with pytest.raises(CommandFailed, match="no snapshot second"):
        snapshots.prepare(home, "second")
    (home / "postgres" / "PG_VERSION").write_text("19")
    with pytest.raises(CommandFailed, match="PostgreSQL 18"):
        snapshots.demand(home, "first")
    for number in range(snapshots.MOST - 1):
        snapshots.take(home, f"n{number}", NOW)
    with pytest.raises(CommandFailed, match="forget one first"):
        snapshots.take(home, "one-more", NOW)
    snapshots.forget(home, "n0")
    snapshots.take(home, "one-more", NOW)
    with pytest.raises(CommandFailed, match="no snapshot n0"):
        snapshots.forget(home, "n0")


def test_the_database_server_of_others_is_not_copied(home: Path) -> None:
    (home / "database.json").write_text('{"url": "postgresql://elsewhere", "login": "switch"}')
    with pytest.raises(CommandFailed, match="LASTRO_DATABASE_URL"):
        jobs.ask(home, "snapshot", "second")
    (home / "database.json").write_text('{"url": "postgresql://here", "login": "role"}')
    asked = jobs.ask(home, "snapshot", "second")
    assert jobs.is_asked(home, asked)
    with pytest.raises(CommandFailed, match="another snapshot"):
        jobs.ask(home, "restore", "first")
