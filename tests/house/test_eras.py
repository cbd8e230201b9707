"""A database that has lost what it had acknowledged is known, whoever put it back; a standby that took over is not taken for one."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from tests.cast import Cast

from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.declined import CommandFailed, StartRefused
from lastro.core.errors import DatabaseAway
from lastro.core.heartbeats import Beat, Witness
from lastro.ops import eras
from lastro.ops.rollback_check import NOW, Heart, Memory, trouble

_AT = datetime(2026, 11, 27, 12, tzinfo=UTC)
_SEEN = Beat(_AT - timedelta(days=9), 100, _AT)
_ROW = {
    "era": _SEEN.era, "beat": 100, "at": _AT, "server": "7", "timeline": 1, "age": timedelta(seconds=3), "here_server": "7",
    "here_timeline": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "seen", "mode", "said"),
    [
        ({}, _SEEN, "production", None),
        ({"beat": 99}, _SEEN, "production", "a copy from before 2026-11-27 12:00:00 UTC"),
        ({"beat": 99}, _SEEN, "sandbox", "a copy from before"),
        # An era that began since is above all that anybody remembers.
        ({"era": _AT, "beat": 0, "server": None}, _SEEN, "production", None),
        # A standby has what was acknowledged, and who remembers it was there until a moment before.
        ({"timeline": None, "here_timeline": 2, "beat": 103, "at": _AT + timedelta(seconds=9)}, _SEEN, "production", None),
        ({"here_timeline": 2, "beat": 103, "at": _AT + timedelta(seconds=9)}, _SEEN, "production", None),
        # Recovered to a moment of long after this machine saw it last, or by one that never did: nobody knows what was lost.
        ({"here_timeline": 2, "beat": 9000, "at": _AT + timedelta(hours=9)}, _SEEN, "production", "promoted, or recovered"),
        ({"here_timeline": 2}, None, "sandbox", "promoted, or recovered"),
        ({"here_server": "8"}, _SEEN, "production", "come into another server"),
        # A new machine beside others that work; one that finds nobody.
        ({}, None, "production", None),
        ({"age": timedelta(hours=2)}, None, "production", "never seen this database"),
        ({"age": timedelta(hours=2)}, None, "sandbox", None),
        ({"age": timedelta(hours=2)}, _SEEN, "production", None),
        ({"server": None, "age": timedelta(days=2)}, None, "production", None),
    ],
)
def test_what_a_database_has_lost_is_known_by_what_is_remembered(
    change: dict[str, Any], seen: Beat | None, mode: str, said: str | None
) -> None:
    found: Any = {**_ROW, **change}
    told = trouble(found, seen, mode, has_worked=True)
    assert (told is None) if said is None else (told is not None and said in told)


def test_what_a_machine_kept_in_a_file_vouches_for_no_other_timeline() -> None:
    """It may have been off while others worked on, and the server was recovered to a moment just after its last beat."""
    found: Any = {**_ROW, "here_timeline": 2, "beat": 103, "at": _AT + timedelta(seconds=9)}
    told = trouble(found, _SEEN, "production")
    assert told is not None
    assert "promoted, or recovered" in told


class _SlowAnswer:
    """A connection whose answer comes after a beat that the process made meanwhile."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    async def fetchrow(self, _: str) -> dict[str, Any]:
        assert self._witness.seen is not None
        self._witness.seen = replace(self._witness.seen, number=self._witness.seen.number + 1)
        return {"era": _SEEN.era, "beat": _SEEN.number}


async def test_an_answer_that_a_beat_has_overtaken_is_no_older_copy() -> None:
    witness = Witness()
    witness.seen = _SEEN
    assert await witness.admits(cast("Any", _SlowAnswer(witness)))
    assert not witness.went_back


@pytest.fixture
async def app(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.app, size=2)
    yield made
    await made.close()


async def _went_back(own_database: Any, beats: int = 1) -> None:
    """As a copy from before the last beats is."""
    admin = await own_database.connect()
    await admin.execute("UPDATE beats SET beat = beat - $1", beats)
    await admin.close()


async def test_a_process_remembers_across_its_restarts(own_database: Any, app: Database, tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for _ in range(3):
        await Heart(app, memory, "sandbox").start()
    await _went_back(own_database)
    with pytest.raises(StartRefused, match="Say lastro era begin"):
        await Heart(app, memory, "sandbox").start()
    await Heart(app, Memory(tmp_path / "another"), "sandbox").start()


async def test_a_process_that_lives_sends_nothing_to_an_older_copy(own_database: Any, app: Database, tmp_path: Path) -> None:
    heart, stop = Heart(app, Memory(tmp_path), "sandbox"), asyncio.Event()
    await heart.start()
    app.watch(heart.witness)
    await heart.round(stop)
    assert not stop.is_set()
    await _went_back(own_database)
    await app.close()  # a server that was put back has none of the connections
    with pytest.raises(DatabaseAway, match="an older copy"):
        async with app.session() as session:
            await session.fetch("SELECT 1")
    await heart.round(stop)
    assert stop.is_set()
    with pytest.raises(StartRefused, match="an older copy of itself"):
        heart.demand()


class _Looked(Memory):
    """Says when a process that starts has looked."""

    looked = asyncio.Event()

    def read(self, now: Any) -> Beat | None:
        self.looked.set()
        return super().read(now)


async def test_a_process_that_starts_waits_for_one_that_lives_to_say_so(
    own_database: Any, app: Database, tmp_path: Path
) -> None:
    living = Heart(app, Memory(tmp_path / "living"), "production")
    await living.start()
    admin = await own_database.connect()
    await admin.execute("UPDATE beats SET timeline = 77")
    heart, stop = Heart(app, _Looked(tmp_path), "production", patience_seconds=60), asyncio.Event()
    starting = asyncio.ensure_future(heart.start(stop))
    await _Looked.looked.wait()
    await living.beat()  # it has worked since before the promotion
    stop.set()  # its patience is over
    await starting
    await admin.close()


async def test_a_beat_is_not_made_in_an_older_copy(own_database: Any, app: Database, tmp_path: Path) -> None:
    heart, stop = Heart(app, Memory(tmp_path), "sandbox"), asyncio.Event()
    await heart.start()
    await _went_back(own_database)
    await heart.round(stop)
    assert stop.is_set()
    assert await _value(own_database, "SELECT beat FROM beats") == 0


async def test_an_era_puts_every_number_above_what_can_have_been_given_out(own_database: Any, tmp_path: Path) -> None:
    cast = Cast.of(own_database.app)
    ana = await cast.ana()
    await cast.close()
    admin = await own_database.connect()
    await admin.execute("SELECT nextval('network_ids_seq') FROM generate_series(1, 70)")
    await admin.execute("UPDATE beats SET at = machine_now() - interval '1 hour'")
    await admin.execute("UPDATE event_cursors SET last_sequence = 0")
    made = await eras.begin(admin)
    numbers = {name: (before, begins) for name, before, begins in made.numbers}
    assert numbers["Numbers for networks"][0] >= 70
    assert numbers["Numbers for networks"][1] >= 70 + 3600 * 4000
    assert await admin.fetchval("SELECT nextval('network_ids_seq')") == numbers["Numbers for networks"][1]
    assert await admin.fetchval("SELECT nextval('account_numbers_seq')") == numbers["Account numbers"][1] >= 10_000 + 3600
    (gap,) = await admin.fetch("SELECT * FROM event_eras WHERE company_id = $1", ana.company_id)
    assert (gap["last_before"], gap["told_at"]) == (0, None)
    assert gap["first_sequence"] >= 1_000_000 + 3600 * 1000
    # The same copy put back once more, which knows nothing of that era: its numbers are above those that it gave out.
    first = numbers["Numbers for networks"][1]
    await admin.execute("SELECT setval('network_ids_seq', $1)", numbers["Numbers for networks"][0])
    await admin.execute("DELETE FROM event_eras")
    await admin.execute(
        "UPDATE beats SET era = (SELECT min(began_at) FROM eras), at = machine_now() - interval '61 minutes'"
    )
    await admin.execute("DELETE FROM eras WHERE lost_from IS NOT NULL")
    again = await eras.begin(admin)
    assert again.numbers[0][2] >= first + 50 * 4000
    await admin.close()


async def test_a_server_that_gives_out_every_so_manieth_number_leaves_out_as_many_of_its_own(own_database: Any) -> None:
    """Of several servers of one database none gives out another's."""
    admin = await own_database.connect()
    await admin.execute("ALTER SEQUENCE network_ids_seq INCREMENT BY 64 RESTART WITH 3")
    await admin.execute("SELECT nextval('network_ids_seq') FROM generate_series(1, 70)")
    await admin.execute("UPDATE beats SET at = machine_now() - interval '1 hour'")
    _, before, begins = (await eras.begin(admin)).numbers[0]
    following = await admin.fetchval("SELECT nextval('network_ids_seq')")
    await admin.close()
    assert (before % 64, following % 64, following) == (3, 3, begins)
    assert begins >= before + 64 * 3600 * 4000


async def test_a_company_is_founded_above_those_that_were_lost(own_database: Any) -> None:
    admin = await own_database.connect()
    made = await eras.begin(admin)
    await admin.close()
    cast = Cast.of(own_database.app)
    ana = await cast.ana()
    await cast.close()
    number = await _value(own_database, f"SELECT number FROM company_numbers WHERE company_id = '{ana.company_id}'")
    assert number == made.numbers[2][2] > 1000


async def test_the_command_begins_and_keeps(own_database: Any, app: Database, tmp_path: Path) -> None:
    settings = read({"LASTRO_HOME": str(tmp_path), "LASTRO_DATABASE_URL": own_database.admin.url})
    said: list[str] = []

    def types(*words: str) -> int:
        said.clear()
        return eras.perform(words, lambda: settings, said.append)

    memory = Memory(tmp_path)
    for _ in range(2):
        await Heart(app, memory, "sandbox", 0).start()
    with pytest.raises(CommandFailed, match="knows of nothing that this database lacks"):
        await asyncio.to_thread(types, "begin")
    await _went_back(own_database)
    with pytest.raises(StartRefused):
        await Heart(app, memory, "sandbox", 0).start()
    with pytest.raises(CommandFailed, match="a copy from before"):
        await asyncio.to_thread(types, "keep")
    assert await asyncio.to_thread(types, "begin") == 0
    assert said[0].startswith("An era began at ")
    await Heart(app, memory, "sandbox", 0).start()
    await asyncio.to_thread(types, "list", "--json")
    assert said[0].count('"beganAt"') == 2
    # A server that was promoted while nobody looked.
    admin = await own_database.connect()
    await admin.execute("UPDATE beats SET timeline = 77, at = at + interval '1 hour'")
    with pytest.raises(StartRefused, match="was promoted"):
        await Heart(app, memory, "sandbox", 0).start()
    assert await asyncio.to_thread(types, "keep") == 0
    await Heart(app, memory, "sandbox", 0).start()
    await admin.close()


async def _value(own_database: Any, sql: str) -> Any:
    connection = await own_database.connect()
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_a_copy_within_one_server_is_a_database_of_its_own(own_database: Any, app: Database, tmp_path: Path) -> None:
    connection = await own_database.connect()
    now = await connection.fetchrow(NOW)
    assert now is not None
    memory = Memory(tmp_path)
    memory.write(now, _SEEN)
    assert memory.read(now) == _SEEN
    assert memory.read({**dict(now), "place": now["place"] + 1}) is None  # type: ignore[arg-type]
    (file,) = (tmp_path / "beats").iterdir()
    file.write_bytes(b"{")
    assert memory.read(now) is None, "one that was cut off is none"
    await connection.close()
    assert replace(_SEEN, number=101) > _SEEN
