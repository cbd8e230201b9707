"""The worker: every lane together, woken by hints, never ended by a failure, stopped in time."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest

from lastro.app import worker_process
from lastro.banks import Banks
from lastro.config.settings import read
from lastro.core import crash, failpoints, notify
from lastro.core.declined import StartRefused
from lastro.core.errors import DatabaseAway, Kind, Refused
from lastro.core.notify import Hinter, Signals
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Event, Row, Write
from lastro.ops.start_checks import admit
from lastro.orders import WAITING
from lastro.rails import port
from lastro.worker.sweeper import Due, Sweep
from lastro.worker.upkeep import Upkeep

from .conftest import AT, DEADLINE_SECONDS, House, Note, Scene, until
from .network import ISPB, ask


@dataclass
class Deliveries:
    """Stands where the deliverer does, and hears the same hints."""

    hinted: list[UUID] = field(default_factory=list)
    woken: int = 0

    def hint(self, company_ids: list[UUID]) -> None:
        self.hinted += company_ids

    async def run(self, stop: asyncio.Event, wake: asyncio.Event) -> None:
        while not stop.is_set():
            await wake.wait()
            wake.clear()
            self.woken += 1


class Idle:
    """Stands where the planner and the reconciler do; the scene has neither plans nor statements."""

    async def row(self, row: Any) -> None:
        raise AssertionError(row)

    async def begin(self) -> bool:
        return False


@dataclass
class Assembled:
    scene: Scene
    inbox_verbs: dict[str, port.InboxVerb]
    dues: list[Due] = field(default_factory=list)
    deliverer: Any = field(default_factory=Deliveries)
    planner: Any = field(default_factory=Idle)
    reconciler: Any = field(default_factory=Idle)
    stepping: Any = None
    rotating: Any = None
    key_ring: Any = None
    banks: Any = field(default_factory=lambda: Banks(sandbox=True))
    needs: dict[str, port.Need] = field(default_factory=dict)
    held_back = early = "false"

    @property
    def rails(self) -> dict[str, port.Rail]:
        return {port.PIX: self.scene.rail}

    @property
    def waiting(self) -> dict[str, tuple[port.Waiting, ...]]:
        return {port.PIX: WAITING[port.PIX]}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scene, name)


def _settings(database: Any) -> Any:
    login = {"LASTRO_APP_DATABASE_URL": database.app.url, "LASTRO_WORK_DATABASE_URL": database.work.url}
    return read({"LASTRO_DATABASE_URL": database.admin.url} | ({} if database.is_external else login))


@asynccontextmanager
async def working(assembled: Assembled, settings: Any) -> AsyncIterator[asyncio.Event]:
    stop, parts = asyncio.Event(), cast("Any", assembled)
    task = asyncio.ensure_future(worker_process.work(parts, settings, assembled.scene.signals, stop))
    try:
        yield stop
    finally:
        stop.set()
        await asyncio.wait_for(task, worker_process.GRACE_SECONDS + 2)


def _answering(scene: Scene, row: port.InboxRow, context: RequestContext) -> Any:
    answer = port.PixAnswer.new(ISPB, port.arrival(row.body), None, scene.chance.bytes(24))
    told = port.answer_message(answer, scene.chance.uuid(AT), scene.chance.uuid(AT), context.now)
    fact = Event(scene.chance.uuid(AT), "TEST", scene.chance.uuid(AT), None, b"{}", context.now)
    finished = (row.claimed.finished("answered", context.now),)
    return Done(Write(context.company_id, messages=(told,), events=(fact,), finished=finished), b"")


@pytest.fixture
def assembled(scene: Scene) -> Assembled:
    scene.outcome = lambda row, context: _answering(scene, row, context)
    return Assembled(scene, {port.PIX_ASK: lambda row: scene_note(scene, row)})


def scene_note(scene: Scene, row: port.InboxRow) -> Any:
    return Note(scene, row)


async def test_a_question_is_answered(assembled: Assembled, own_database: Any, house: House) -> None:
    scene = assembled.scene

    async def answered() -> bool:
        return len(scene.network.of("pacs.002")) == 30

    async with working(assembled, _settings(own_database)):
        for number in range(30):
            scene.network.tell(ask(f"M{number}", number, house.account))
            await asyncio.sleep(0)
        await until(answered)
    assert {m["originalMsgId"] for m in scene.network.received} == {f"M{n}" for n in range(30)}
    assert house.ana in assembled.deliverer.hinted
    assert scene.network.confirmed == 30


async def test_lost_connections_do_not_end_it(assembled: Assembled, own_database: Any, house: House) -> None:
    scene = assembled.scene

    async def answered(count: int) -> bool:
        return len({m["originalMsgId"] for m in scene.network.of("pacs.002")}) == count

    async with working(assembled, _settings(own_database)):
        for number in range(3):
            scene.network.tell(ask(f"M{number}", number, house.account))
            await until(partial(answered, number + 1))
            await scene.admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            await scene.end_leases()


async def test_it_stops_in_time_though_the_network_hangs(assembled: Assembled, own_database: Any, house: House) -> None:
    scene = assembled.scene
    scene.network.misbehave = ["hang"] * 5

    async def hangs() -> bool:
        return bool(scene.network.received)

    async with working(assembled, _settings(own_database)):
        scene.network.tell(ask("M1", 1, house.account))
        await until(hangs)
    (row,) = await scene.rows("SELECT done_at FROM outbox")
    assert row["done_at"] is None


async def test_hints_reach_other_processes(scene: Scene, own_database: Any, house: House) -> None:
    stop, signals = asyncio.Event(), Signals()
    heard: list[tuple[str, UUID | None]] = []
    signals.listen(lambda topic, company: heard.append((topic, company)))
    hinter = Hinter(own_database.app)
    running = (hinter.run(stop), notify.receive_signals(own_database.app, signals, stop))
    tasks = [asyncio.ensure_future(one) for one in running]
    try:

        async def listening() -> bool:
            return (notify.EVENTS, None) in heard

        await until(listening)
        heard.clear()
        hinter.on_commit(Write(house.ana, rows=(Row("inbox", {"id": house.ana}),)))
        hinter.on_commit(Write(house.institution, rows=(Row("inbox", {"id": house.ana}),)))

        async def told() -> bool:
            return {(notify.INBOX, house.ana), (notify.INBOX, house.institution)} <= set(heard)

        await until(told)
        await scene.admin.execute("SELECT pg_notify('lastro_work', $1)", "events nonsense\n\nwhat")

        async def anything() -> bool:
            return (notify.EVENTS, None) in heard

        await until(anything)
    finally:
        stop.set()
        await asyncio.wait_for(asyncio.gather(*tasks), DEADLINE_SECONDS)


async def test_a_lane_survives_what_it_does() -> None:
    stop, wake = asyncio.Event(), asyncio.Event()
    acts: list[int] = []

    async def act() -> bool:
        acts.append(len(acts))
        if len(acts) < 4:
            return True
        stop.set()
        raise DatabaseAway("gone")

    await asyncio.wait_for(worker_process.keep("a lane", act, stop, wake), DEADLINE_SECONDS)
    assert acts == [0, 1, 2, 3]


async def test_a_lane_goes_on_after_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = asyncio.Event()
    failures: list[int] = []

    def no_pause(count: int, _error: Exception) -> float:
        failures.append(count)
        return 0.0

    monkeypatch.setattr(worker_process, "pause_after", no_pause)
    left = [RuntimeError("a bug"), DatabaseAway("gone"), None, RuntimeError("a bug")]

    async def act() -> bool:
        if not left:
            stop.set()
            return True
        error = left.pop(0)
        if error is not None:
            raise error
        return True

    await asyncio.wait_for(worker_process.keep("a lane", act, stop), DEADLINE_SECONDS)
    assert failures == [1, 2, 1]


async def test_superusers_are_refused(scene: Scene, own_database: Any) -> None:
    from lastro.core.db import Database  # noqa: PLC0415

    mighty = Database(own_database.admin)
    try:
        with pytest.raises(StartRefused, match="superuser"):
            await admit(mighty, scene.work, read({}), None, asyncio.Event())
    finally:
        await mighty.close()


async def test_the_wrong_mode_is_refused(scene: Scene) -> None:
    settings = replace(read({}), mode="production")
    with pytest.raises(StartRefused, match="This database is for sandbox; lastro was started for production"):
        await admit(scene.database, scene.work, settings, None, asyncio.Event())


async def test_a_database_without_schema_is_refused(empty_database: Any) -> None:
    from lastro.core.db import Database  # noqa: PLC0415

    bare = Database(empty_database.app)
    try:
        with pytest.raises(StartRefused, match="no schema"):
            await admit(bare, bare, read({}), None, asyncio.Event())
    finally:
        await bare.close()


class Touch(Act[bool]):
    """Finds the row still due or not; writes an inbox row where it is."""

    def __init__(self, scene: Scene, row_id: UUID, acted: list[UUID]) -> None:
        self.scene, self.row_id, self.acted = scene, row_id, acted

    async def read(self, session: Any, context: RequestContext) -> bool:
        state = await session.value(
            "SELECT state FROM pix_payments WHERE company_id = $1 AND id = $2", context.company_id, self.row_id
        )
        return bool(state == "ACCEPTED")

    def decide(self, known: bool, context: RequestContext) -> Any:
        assert known
        self.acted.append(self.row_id)
        if self.row_id == self.scene.stubborn:
            return Refused(Kind.CONFLICT)
        values = {
            "id": self.row_id, "rail": "pix", "kind": "x", "network_id": str(self.row_id), "subject": "x", "body": b"",
            "received_at": context.now,
        }  # fmt: skip
        return Done(Write(context.company_id, rows=(Row("inbox", values),)), b"")


async def test_what_falls_due_is_acted_on_and_refusals_stand_in_nobodys_way(scene: Scene, house: House) -> None:
    acted: list[UUID] = []
    ids = [await scene.accepted(house.ana, f"E{n}") for n in range(3)]
    scene.stubborn = ids[0]
    sql = (
        "SELECT company_id, id, ask_at AS due_at FROM pix_payments p WHERE state = 'ACCEPTED' AND ask_at <= (SELECT business_now())"
        " AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.id = p.id) ORDER BY ask_at LIMIT $1"
    )
    sweep = Sweep(Due("tests", sql, lambda row_id: Touch(scene, row_id, acted)), scene.work, scene.runner)
    assert await sweep.round()
    assert sorted(acted) == sorted(ids)
    assert not await sweep.round()
    assert sorted(acted) == sorted(ids), "the refused one is left alone for a second"
    assert {r["id"] for r in await scene.inbox_rows()} == set(ids[1:])


async def test_rows_in_vain_are_forgotten_once_others_have_done_them(
    scene: Scene, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lastro.worker.sweeper._ROWS", 1)
    monkeypatch.setattr("lastro.worker.sweeper._REACH", 1)
    ids = [await scene.accepted(house.ana, f"E{n}") for n in range(3)]
    scene.stubborn, done = ids[0], list[UUID]()
    left = [(house.ana, one) for one in ids]
    sql = "SELECT *, now() AS due_at FROM unnest(ARRAY[{}]::uuid[], ARRAY[{}]::uuid[]) d(company_id, id) LIMIT $1"

    def due() -> Due:
        companies, rows = (",".join(f"'{one[n]}'" for one in left) for n in (0, 1))
        return Due("tests", sql.format(companies, rows), lambda row_id: Touch(scene, row_id, done))

    sweep = Sweep(due(), scene.work, scene.runner)
    assert not await sweep.round()
    del left[0]
    sweep._due = due()
    await sweep.round()
    assert sweep._in_vain == {}


async def test_folding_and_forgetting(scene: Scene, house: House) -> None:
    quiet = Upkeep(scene.database, scene.work)
    quiet.seen("events", house.ana)
    assert not await quiet.fold_active()
    assert not await quiet.fold_all()
    for keep, days in (("forever", 400), ("month", 31), ("month", 29), ("week", 8), ("week", 6)):
        await scene.admin.execute(
            "INSERT INTO answers VALUES ($1, 'x', $2, '', 201, 'body', $1, $3, business_now() - $4 * interval '1 day')",
            house.ana, f"{keep}-{days}", keep, days,
        )  # fmt: skip
    await quiet.forget()
    left = {r["key"]: r["body"] for r in await scene.rows("SELECT key, body FROM answers")}
    assert left == {"forever-400": b"body", "month-31": None, "month-29": b"body", "week-6": b"body"}


def test_a_crash_point_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append((pid, number)))
    try:
        crash.install(crash.CrashAt("commit.sent", 2))
        for name in ("commit.sent", "outbox.sent"):
            failpoints.failpoint(name)
        assert killed == []
        failpoints.failpoint("commit.sent")
        assert killed == [(os.getpid(), signal.SIGKILL)]
    finally:
        failpoints.listen(None)


def test_a_process_ends_with_its_parent() -> None:
    program = (
        "import asyncio\nfrom lastro.core.parent import watch_parent\n"
        "async def main():\n    stop = asyncio.Event()\n    asyncio.ensure_future(watch_parent(stop.set))\n"
        "    await stop.wait()\n    print('stopped')\nasyncio.run(main())\n"
    )
    source = str(Path(worker_process.__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": source},
    ) as child:
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(DEADLINE_SECONDS) == 0


async def test_whose_folding_takes_long_is_let_rest(scene: Scene, house: House) -> None:
    """It looks at every balance of a company: where there are very many, a worker does something else meanwhile."""

    class Slow(Upkeep):
        folded = 0

        async def _fold(self, company_id: UUID) -> None:
            self.folded += 1
            async with self._database.session(company_id) as session:
                await session.fetch("SELECT pg_sleep(0.05)")

    quiet = Slow(scene.database, scene.work)
    for _ in range(3):
        quiet.seen("events", house.ana)
        await quiet.fold_active()
    assert quiet.folded == 1

    async def again() -> bool:
        await quiet.fold_active()
        return quiet.folded == 2

    await until(again)
