"""What is old is in a file before it is forgotten, byte for byte, and each file is found out that is not what it was."""

import asyncio
import fcntl
import gzip
import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.rooms.webhooks.conftest import Scene
from tests.rooms.webhooks.made import URL, Made, make
from tests.rooms.webhooks.test_feed import numbers

from lastro.api_kit.routes import stamp
from lastro.core.db import Database
from lastro.core.declined import CommandFailed
from lastro.ops import archiving
from lastro.ops.archiving import archive, checked
from lastro.webhooks import feed_after, forget

MONTH = timedelta(days=30)


async def told(scene: Scene, company: Any, *ages: int, last: str = "DELIVERED") -> dict[UUID, bytes]:
    """Events so many days old, oldest first, each with a body of its own; the newest one's status is `last`."""
    now = await scene.now()
    made = [Made(last if age == ages[-1] else "DELIVERED", at=now - timedelta(days=age)) for age in ages]
    ids = await make(scene, company, made)
    for number, one in enumerate(ids):
        body = json.dumps({"n": number, "text": "ação"}, ensure_ascii=False).encode()
        await scene.admin.execute("UPDATE events SET body = $2 WHERE id = $1", one, body)
    return {
        r["id"]: r["body"] for r in await scene.admin.fetch("SELECT id, body FROM events WHERE company_id = $1", company.id)
    }


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def lines(folder: Path) -> list[Any]:
    return [
        json.loads(line) for file in sorted(folder.glob("*.gz")) for line in gzip.decompress(file.read_bytes()).splitlines()
    ]


async def test_what_is_old_is_in_files_and_forgotten(scene: Scene, tmp_path: Path) -> None:
    ana, dora = await scene.company(), await scene.company()
    bodies = await told(scene, ana, 50, 45, 40, 35, 31, 29, 1)
    await told(scene, dora, 60)
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 2) == (3, 5)
    kept = lines(tmp_path)
    assert [line["sequence"] for line in kept] == [1, 2, 3, 4, 5]
    assert [line["body"].encode() for line in kept] == [bodies[UUID(line["id"])] for line in kept]
    assert numbers(await scene.fed(ana)) == [6, 7]
    assert numbers(await scene.fed(dora)) == [1], "another company's stay"
    found = await checked(scene.database, ana.id, tmp_path)
    assert (found.files, found.events, found.missing) == (3, 5, 0)
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 2) == (0, 0)
    assert all((file.stat().st_mode & 0o777) == 0o600 for file in files(tmp_path))
    assert not any((await scene.breaches()).values())


async def test_a_line_says_what_became_of_sending_it(scene: Scene, tmp_path: Path) -> None:
    """What receivers said is forgotten with the bodies, and stays in the file."""
    ana = await scene.company()
    now = await scene.now()
    old = now - timedelta(days=40)
    delivered, failed, untold = await make(
        scene, ana, [Made("DELIVERED", at=old), Made("FAILED", at=old), Made(url=None, at=old)]
    )
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 10) == (1, 3)
    kept = {UUID(line["id"]): line["delivery"] for line in lines(tmp_path)}
    assert kept[untold] is None
    assert (kept[delivered]["url"], kept[delivered]["status"], kept[failed]["status"]) == (URL, "DELIVERED", "FAILED")
    (attempt,) = kept[delivered]["attempts"]
    at = attempt.pop("requestedAt")
    assert attempt == {"number": 1, "statusCode": 200, "durationMs": 7, "failure": None, "message": "said"}
    row = await scene.admin.fetchrow("SELECT * FROM delivery_attempts WHERE event_id = $1", delivered)
    assert row is not None
    assert (at, row["message"]) == (stamp(row["requested_at"]), "")
    assert [(one["number"], one["statusCode"]) for one in kept[failed]["attempts"]] == [(n, 500) for n in range(1, 6)]
    assert (await checked(scene.database, ana.id, tmp_path)).events == 3


async def test_what_was_sent_again_while_the_file_was_written_is_read_anew(
    scene: Scene, room_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = await scene.company()
    first, second = await told(scene, ana, 50, 45)
    put = archiving.write
    written: list[Path] = []

    def sent_again(folder: Path, filed: Sequence[Any]) -> Path:
        written.append(put(folder, filed))
        if len(written) == 1:
            with ThreadPoolExecutor(1) as apart:
                apart.submit(asyncio.run, another_attempt()).result()
        return written[-1]

    async def another_attempt() -> None:
        admin = await room_database.connect(room_database.admin)
        await admin.execute(
            "INSERT INTO delivery_attempts SELECT company_id, event_id, 2, 200, 'again', requested_at, 7 FROM delivery_attempts"
            " WHERE event_id = $1", second,
        )  # fmt: skip
        await admin.execute(
            "UPDATE deliveries SET attempts = 2, plan_attempts = 2, version = version + 1 WHERE id = $1", second
        )
        await admin.close()

    monkeypatch.setattr(archiving, "write", sent_again)
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 10) == (1, 2)
    said = {line["id"]: [one["message"] for one in line["delivery"]["attempts"]] for line in lines(tmp_path)}
    assert said == {str(first): ["said"], str(second): ["said", "again"]}
    assert len(written) == 2


async def test_a_file_of_before_deliveries_were_in_it_is_still_proved(scene: Scene, tmp_path: Path) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45)
    await archive(scene.database, ana.id, tmp_path, MONTH, 10)
    old = lines(tmp_path)
    for line in old:
        del line["delivery"]
    forge(tmp_path, old)
    assert (await checked(scene.database, ana.id, tmp_path)).events == 2


@pytest.mark.parametrize(("field", "other"), [("statusCode", 500), ("durationMs", 8), ("number", 2), ("failure", "TIMEOUT")])
async def test_an_attempt_that_was_never_made_is_found_out(scene: Scene, tmp_path: Path, field: str, other: Any) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45)
    await archive(scene.database, ana.id, tmp_path, MONTH, 10)
    whole = lines(tmp_path)
    whole[1]["delivery"]["attempts"][0][field] = other
    forge(tmp_path, whole)
    with pytest.raises(CommandFailed, match=r"The attempts of the event 2 in .* are not those that were made"):
        await checked(scene.database, ana.id, tmp_path)
    whole[1]["delivery"] = {"url": "https://other.example", "status": "DELIVERED", "attempts": []}
    forge(tmp_path, whole)
    with pytest.raises(CommandFailed, match="not those that were made"):
        await checked(scene.database, ana.id, tmp_path)


def forge(folder: Path, whole: Sequence[Any]) -> None:
    """Other lines in the only file, with the sum that goes with them."""
    file, beside = files(folder)
    file.write_bytes(gzip.compress(b"\n".join(json.dumps(line).encode() for line in whole)))
    beside.write_text(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")


async def test_it_stops_at_what_may_still_be_sent(scene: Scene, tmp_path: Path) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45, 40, last="RETRYING")
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 10) == (1, 2)
    assert [line["sequence"] for line in lines(tmp_path)] == [1, 2]
    assert [file.name for file in files(tmp_path)] == [
        "000000000001-000000000002.jsonl.gz", "000000000001-000000000002.jsonl.gz.sha256",
    ]  # fmt: skip
    assert numbers(await scene.fed(ana)) == [3]


async def test_what_another_forgot_meanwhile_takes_nothing_along(scene: Scene, tmp_path: Path) -> None:
    """Forgetting goes up to the last number in the file, wherever the feed begins by then."""
    ana = await scene.company()
    await told(scene, ana, 50, 45, 40, 35)

    async with scene.database.session(ana.id) as session:
        assert await forget(session, ana.id, MONTH, 1) == 1
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 2) == (2, 3)
    assert (await checked(scene.database, ana.id, tmp_path)).missing == 1, "what was forgotten without a file is said"


async def test_two_never_write_to_one_folder(scene: Scene, tmp_path: Path) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45)
    other = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(CommandFailed, match="Another archive"):
            await archive(scene.database, ana.id, tmp_path, MONTH, 2)
    finally:
        os.close(other)
    assert numbers(await scene.fed(ana)) == [1, 2]
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 2) == (1, 2)


async def test_a_file_stays_where_its_events_were_forgotten_while_it_was_written(
    scene: Scene, room_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45)
    put = archiving.write

    def overtaken(folder: Path, events: Sequence[Any]) -> Path:
        file = put(folder, events)
        with ThreadPoolExecutor(1) as apart:
            apart.submit(asyncio.run, forgotten()).result()
        return file

    async def forgotten() -> None:
        pool = Database(room_database.app, size=1)
        async with pool.session(ana.id) as session:
            await forget(session, ana.id, MONTH, 10)
        await pool.close()

    monkeypatch.setattr(archiving, "write", overtaken)
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 10) == (1, 0)
    assert (await checked(scene.database, ana.id, tmp_path)).missing == 0


async def test_what_was_erased_while_the_file_was_written_is_in_none(
    scene: Scene, room_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body that is left is filed, not the one that was read; and no file of an earlier run that was cut off keeps that."""
    ana = await scene.company()
    first, second, third = await told(scene, ana, 50, 45, 40)
    put, other = archiving.write, b'{"n": "NAO IDENTIFICADO"}'
    async with scene.database.session(ana.id) as session:
        some = (await feed_after(session, ana.id, 0, 10)).events[:2]
        put(tmp_path, (await archiving.read(session, ana.id, some)).lines)
    written: list[Path] = []

    def erased(folder: Path, events: Sequence[Any]) -> Path:
        written.append(put(folder, events))
        if len(written) == 1:
            with ThreadPoolExecutor(1) as apart:
                apart.submit(asyncio.run, emptied()).result()
        return written[-1]

    async def emptied() -> None:
        admin = await room_database.connect(room_database.admin)
        await admin.execute("UPDATE events SET body = $2 WHERE id = $1", second, other)
        await admin.close()

    monkeypatch.setattr(archiving, "write", erased)
    assert await archive(scene.database, ana.id, tmp_path, MONTH, 10) == (1, 3)
    assert files(tmp_path)[0].name == "000000000001-000000000003.jsonl.gz"
    assert len(files(tmp_path)) == 2, "it and its sum"
    assert {line["id"]: line["body"].encode() for line in lines(tmp_path)}[str(second)] == other
    assert (await checked(scene.database, ana.id, tmp_path)).events == len({first, second, third})


async def test_a_file_that_cannot_be_written_loses_nothing(scene: Scene, tmp_path: Path) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45)
    (tmp_path / "file").touch()
    with pytest.raises(CommandFailed, match="cannot be written"):
        await archive(scene.database, ana.id, tmp_path / "file", MONTH, 2)
    assert numbers(await scene.fed(ana)) == [1, 2]


async def test_what_was_changed_is_found_out(scene: Scene, tmp_path: Path) -> None:
    ana = await scene.company()
    await told(scene, ana, 50, 45)
    await archive(scene.database, ana.id, tmp_path, MONTH, 10)
    file, beside = files(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(CommandFailed, match="is damaged"):
        await checked(scene.database, ana.id, tmp_path)

    # By somebody who knows how: the file, its sum and the line's hash agree, and the database remembers better.
    first, second = gzip.decompress(whole).splitlines()
    forged = json.loads(first) | {"body": "{}", "sha256": hashlib.sha256(b"{}").hexdigest()}
    file.write_bytes(gzip.compress(json.dumps(forged).encode() + b"\n" + second))
    beside.write_text(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n")
    with pytest.raises(CommandFailed, match=r"The event 1 in .* is not the one that was told"):
        await checked(scene.database, ana.id, tmp_path)
    beside.unlink()
    with pytest.raises(CommandFailed, match="cannot be read"):
        await checked(scene.database, ana.id, tmp_path)
