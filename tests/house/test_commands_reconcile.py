"""lastro reconcile: what it shows of a day, its exit statuses, what accept and again change, and every no."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.cast import Cast
from tests.rooms.laws.world import World
from tests.rooms.reconciliation.desk import Desk
from tests.watched import watched

from lastro.cli.reconcile import OPEN, RECONCILED, UNKNOWN, show
from lastro.config.settings import read
from lastro.core.db import Database
from lastro.core.money import Money

from .office import Office, environment


async def test_a_day_without_balances_says_that_its_movements_agree_and_no_more(own_database: Any, tmp_path: Path) -> None:
    cast = Cast.of(own_database.app, size=2)
    institution = await cast.found("Institution", number=0)
    desk = Desk(World(cast, institution, institution), Database(own_database.work, size=1))
    desk.paper.opening = None

    async def shown(*words: str) -> tuple[int, str]:
        said: list[str] = []
        status = await asyncio.to_thread(show, words, lambda: read(environment(own_database, tmp_path)), said.append)
        return status, "\n".join(said)

    good, day = await desk.ordered("order"), ("--day", str(desk.day))
    with capture_logs() as lines:
        await desk.take([good])
        await desk.take([], days=1)
    assert [line["event"] for line in lines] == []
    status, said = await shown(*day)
    assert (status, "pix       movements agree, the balance is not told: 1 lines, 1 matched" in said) == (RECONCILED, True)
    (one,) = json.loads((await shown(*day, "--json"))[1])["rails"]
    assert (one["isReconciled"], one["tellsBalance"], one["opening"], one["closing"]) == (True, False, None, None)
    # A day that tells less than what came is no less than an open difference.
    await desk.again([replace(good, amount=Money(1001, "BRL"))])
    assert (await shown(*day))[0] == OPEN
    desk.paper.opening = 0
    await desk.again([], days=1)
    status, said = await shown("--day", str(desk.day + timedelta(days=1)))
    assert (status, "reconciled: 0 lines" in said) == (RECONCILED, True), "the day before has no closing to compare with"
    await desk.work.close()
    await cast.close()


async def test_a_day_is_shown_accepted_and_taken_again(own_database: Any, tmp_path: Path) -> None:
    cast, office = Cast.of(own_database.app, size=2), Office(read(environment(own_database, tmp_path)))
    institution = await cast.found("Institution", number=0)
    desk = Desk(World(cast, institution, institution), Database(own_database.work, size=1))

    async def shown(*words: str) -> tuple[int, str]:
        said: list[str] = []
        status = await asyncio.to_thread(show, words, lambda: read(environment(own_database, tmp_path)), said.append)
        return status, "\n".join(said)

    day = ("--day", str(desk.day))
    assert await shown(*day) == (UNKNOWN, f"{desk.day}: no statement of this day is known.")
    good = await desk.ordered("order")
    await desk.take([replace(good, amount=Money(1001, "BRL"))])
    status, said = await shown(*day, "--json")
    (item,) = json.loads(said)["rails"][0]["open"]
    assert (status, item["difference"], item["theirs"], item["ours"]) == (OPEN, "AMOUNT", "10.01", "10.00")
    assert (item["networkId"], item["company"], item["ourState"]) == (good.network_id, 0, "SETTLED")
    status, said = await shown(*day, "--rail", "pix")
    assert status == OPEN
    for part in (
        "1 open: 1 lines, 0 matched",
        item["id"],
        "theirs 10.01",
        "en: Compare",
        "pt: Compare",
        "Call the Central Bank",
    ):
        assert part in said
    no = await asyncio.to_thread(office.declined, "reconcile", "accept", str(cast.id()), "--reason", "x")
    assert "There is no difference" in no
    no = await asyncio.to_thread(office.declined, "reconcile", "again", "--rail", "ted", *day)
    assert "refused" in no
    words = ("reconcile", "accept", item["id"], "--reason", "credited", "--by", "bia")
    assert (await asyncio.to_thread(office.asks, *words))["state"] == "ACCEPTED"
    assert "nothing to accept" in await asyncio.to_thread(office.declined, *words)
    assert (await shown(*day))[0] == RECONCILED
    after = ("--day", str(desk.day + timedelta(days=1)))
    with capture_logs() as lines:
        await desk.take([], days=1)
    assert [line["event"] for line in lines] == ["statement.gap"]
    status, said = await shown(*after)
    assert (status, "opens with 0.00, and the day before closed with 10.01" in said) == (OPEN, True)
    desk.paper.opening = 1001
    await desk.again([], days=1)
    assert (await shown(*after))[0] == RECONCILED
    desk.paper.opening = 0
    again = await asyncio.to_thread(office.asks, "reconcile", "again", "--rail", "pix", *day)
    assert (again["state"], again["edition"]) == ("TAKING", 2)
    status, said = await shown(*day)
    assert (status, "being taken" in said) == (UNKNOWN, True)
    with pytest.raises(SystemExit):
        show(["--day", "yesterday"], lambda: read(environment(own_database, tmp_path)), print)
    await desk.work.close()
    await cast.close()


async def test_whoever_waits_at_a_terminal_sees_which_rail_and_company_it_is_at(
    own_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast, settings = Cast.of(own_database.app, size=2), read(environment(own_database, tmp_path))
    institution = await cast.found("Institution", number=0)
    desk = Desk(World(cast, institution, institution), Database(own_database.work, size=1))
    await cast.ana()
    await desk.take([replace(await desk.ordered("order"), amount=Money(1001, "BRL"))])
    await desk.take([], rail="ted")
    screen, said = watched(monkeypatch), list[str]()
    words = ("--day", str(desk.day), "--json")
    assert await asyncio.to_thread(show, words, lambda: settings, said.append) == OPEN
    assert screen.drawn == [
        "rails [############............] 1 of 2  pix",
        "rails [########################] 2 of 2  ted",
        "",
    ]
    pix, ted = json.loads("".join(said))["rails"]
    assert (pix["rail"], pix["lines"], ted["rail"], ted["lines"]) == ("pix", 1, "ted", 0)
    screen = watched(monkeypatch)
    nothing = ("reconcile", "accept", str(cast.id()), "--reason", "x")
    await asyncio.to_thread(Office(settings).declined, *nothing)
    assert [drawn.rpartition("] ")[2] for drawn in screen.drawn] == [
        "1 of 2  looking at company 0", "2 of 2  looking at company 1", "",
    ]  # fmt: skip
    await desk.work.close()
    await cast.close()
