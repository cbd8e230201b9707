"""The SPI takes the minute in an id within twelve hours: what waited longer goes with another id, if it never left."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.runner import Done
from lastro.payouts import HELD_BACK, WAITING, Approve
from lastro.rails import port
from lastro.rails.inbox import Inbox
from lastro.rails.status_poller import StatusPoller
from lastro.standards import pix_ids
from lastro.standards.calendar import day_bounds

from .office import HERE, Office
from .test_never import Network, Post

_REDATE = "overlay({} placing to_char((business_now() - $1::interval) AT TIME ZONE 'UTC', 'YYYYMMDDHH24MI') from 10)"
_OLD = timedelta(hours=11, minutes=2)
_WAITS = f"SELECT count(*) FROM outbox WHERE due_at IS NOT NULL AND {HELD_BACK}"


async def dates_back(office: Office, by: timedelta) -> None:
    """As if its ids, and its message, had been made so long ago."""
    for table, column in (("payouts", "end_to_end_id"), ("outbox", "network_id")):
        sql = f"UPDATE {table} SET {column} = {_REDATE.format(column)} WHERE company_id = tenant() AND {column} LIKE 'E%' RETURNING 1"
        await office.column(sql, by)


async def ids(office: Office, payout_id: str) -> tuple[str, str | None]:
    """The id of a payout, and that of its message."""
    ((name, message),) = await office.rows(
        "SELECT p.end_to_end_id, o.network_id FROM payouts p LEFT JOIN outbox o ON o.company_id = p.company_id"
        " AND o.id = p.message_id WHERE p.id = $1::text::uuid", payout_id,
    )  # fmt: skip
    return name, message


def is_of_now(name: str, now: datetime) -> bool:
    return abs(pix_ids.minute_of(name) - now) < timedelta(minutes=2)


async def reasons(office: Office, trigger: str) -> list[str | None]:
    return await office.column("SELECT reason FROM history WHERE trigger = $1 ORDER BY created_at", trigger)


@pytest.fixture
async def post(office: Office, database: Any) -> AsyncIterator[Post]:
    network, work, chance = Network(), Database(database.work, size=2), Chance(os.urandom)
    inbox = Inbox(office.cast.database, work, chance, HERE.ispb)
    (waiting,) = WAITING[port.PIX]
    waiting = replace(waiting, only=f"{waiting.only} AND company_id = '{office.ana.company_id}'")
    yield Post(office, network, StatusPoller(office.cast.database, work, inbox, port.PIX, network, (waiting,)))
    await work.close()


async def asked(post: Post) -> None:
    await post.office.column("UPDATE payouts SET ask_at = business_now() WHERE company_id = tenant() RETURNING 1")
    await post.asked()


async def test_a_scheduled_one_is_dated_by_its_day(office: Office) -> None:
    day = office.tomorrow()
    await office.limit(transaction=1000)
    batch = await office.make(2000, scheduled_on=day)
    for name in (c["endToEndId"] for c in batch["batch"]["transactions"]):
        assert pix_ids.minute_of(name) == day_bounds(day)[0]


async def test_one_that_begins_late_goes_with_another_id(office: Office) -> None:
    payout = await office.make(1000, scheduled_on=office.tomorrow())
    await dates_back(office, _OLD)
    old, _ = await ids(office, payout["id"])
    await office.begin(payout["id"])
    name, message = await ids(office, payout["id"])
    assert name == message
    assert is_of_now(name, await office.now())
    assert name[21:] == old[21:]
    assert await reasons(office, "begin") == [f"its endToEndId was {old}"]


@pytest.mark.parametrize("is_late", [False, True], ids=["in time", "late"])
async def test_one_that_is_approved(office: Office, *, is_late: bool) -> None:
    assert await office.column("UPDATE companies SET review_above_minor = 999, version = version + 1 RETURNING 1")
    payout = await office.make(1000)
    if is_late:
        await dates_back(office, _OLD)
    old, _ = await ids(office, payout["id"])
    assert isinstance(await office.cast.runner.act(office.ana.company_id, Approve(UUID(payout["id"]), "Rui", HERE)), Done)
    name, message = await ids(office, payout["id"])
    assert name == message
    assert is_of_now(name, await office.now())
    assert await reasons(office, "approve") == [f"by Rui; its endToEndId was {old}" if is_late else "by Rui"]


async def test_what_was_held_back_is_renewed_and_goes(post: Post) -> None:
    office = post.office
    payout = await office.make(1000)
    await office.account_becomes("INACTIVE")
    await dates_back(office, _OLD)
    old, _ = await ids(office, payout["id"])
    await office.account_becomes("ACTIVE")
    assert await office.column(_WAITS) == [1], "not with that id"
    await asked(post)
    name, message = await ids(office, payout["id"])
    assert name == message != old
    assert is_of_now(name, await office.now())
    assert await reasons(office, "renew") == [f"its endToEndId was {old}"]
    assert await office.column(_WAITS) == [0]
    await post.sends()
    assert post.network.has == [name]
    assert await office.settle({"endToEndId": name}) == "handled"
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]
    assert await office.column("SELECT count(*) FROM law_a_payout_is_sent_as_decided") == [0]


async def test_what_may_have_left_keeps_its_id(post: Post) -> None:
    """Its first copy may still arrive: it is asked about, not sent again, and ends when its time is over."""
    office = post.office
    payout = await office.make(1000)
    await post.sends()
    post.network.has.clear()
    await dates_back(office, _OLD)
    name, _ = await ids(office, payout["id"])
    await asked(post)
    assert (await ids(office, payout["id"]), await post.so()) == ((name, name), ("PENDING", "sent", 1))
    await post.over()
    await post.asked()
    assert await office.state(payout["id"]) == "EXPIRED"


async def test_a_young_id_stays(post: Post) -> None:
    payout = await post.office.make(1000)
    await dates_back(post.office, timedelta(hours=10, minutes=58))
    name, _ = await ids(post.office, payout["id"])
    assert await post.office.column(_WAITS) == [0]
    await asked(post)
    assert await ids(post.office, payout["id"]) == (name, name)
