"""What the directory was to be told of a dispute is not told once the directory has called that off."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from tests.cast import Cast
from tests.laws import breaches

from lastro.app.outbox_lines import NEEDS
from lastro.core.db import Database
from lastro.rails import port
from lastro.rails.port import Permanent, Transient, Unknown
from lastro.rails.sending import Sender

from .court import Court


@dataclass
class Directory:
    """As the worker sees it. says: what each telling meets, one after the other; then it is heard. heard: kinds."""

    says: list[Exception] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: Any) -> None:
        del network_id, body, company_id
        self.heard.append(kind)
        if self.says:
            raise self.says.pop(0)

    async def listen(self, keep: port.Keep, stop: asyncio.Event) -> None:
        """The test tells it."""

    async def close(self) -> None:
        """It has no connections."""

    async def became(self, kind: str, network_id: str) -> Unknown:
        del kind, network_id
        return Unknown()


@dataclass
class Lane:
    """The worker's lane to the directory."""

    court: Court
    directory: Directory
    sender: Sender

    async def goes_on(self, by: timedelta = timedelta(minutes=1)) -> None:
        sql = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1 RETURNING 1"
        await self.court.rows(sql, by // timedelta(microseconds=1))
        await self.sender.lane.drain()

    async def ended(self, kind: str) -> list[str | None]:
        return await self.court.column("SELECT outcome FROM outbox WHERE kind = $1 ORDER BY id", kind)


@pytest.fixture
async def court(own_database: Any) -> AsyncIterator[Court]:
    cast = Cast.of(own_database.app)
    await cast.found("The institution", number=0)
    yield Court(cast, await cast.ana())
    await cast.close()
    found = await breaches(own_database.audit)
    assert found.keys() <= {"law_nothing_is_overdue_at_rest"}, found  # nobody numbers events here


@pytest.fixture
async def lane(court: Court, own_database: Any) -> AsyncIterator[Lane]:
    work, directory, cast = Database(own_database.work, size=4), Directory(), court.cast
    sender = Sender(cast.database, work, cast.runner, cast.chance, port.MED, directory, needs=NEEDS)
    yield Lane(court, directory, sender)
    await work.close()


@pytest.mark.parametrize("verdict", ["AGREED", "DISAGREED"])
@pytest.mark.parametrize("tries", [0, 2])
async def test_a_verdict_on_what_was_called_off_is_not_told(court: Court, lane: Lane, verdict: str, tries: int) -> None:
    news = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(news, verdict)
    lane.directory.says = [Transient("no answer") for _ in range(2 * tries)]
    for _ in range(tries):
        await lane.goes_on()
    assert await lane.ended(port.MED_VERDICT) == [None]
    assert await court.says(news, status="CANCELLED") == "handled"
    assert (await court.blocked(), await court.says(news, status="CANCELLED")) == (0, "known")
    assert await court.is_so(news) == ("CANCELLED", 0, 0, verdict)
    before, lane.directory.says = lane.directory.heard.count(port.MED_VERDICT), []
    await lane.goes_on()
    assert await lane.ended(port.MED_VERDICT) == ["withdrawn"]
    assert lane.directory.heard.count(port.MED_VERDICT) == before


async def test_a_notice_that_was_called_off_is_not_acknowledged(court: Court, lane: Lane) -> None:
    news = await court.notice(await court.transaction(await court.paid(1000)))
    for status in ("OPEN", "CANCELLED"):
        assert await court.says(news, status=status) == "handled"
    await lane.goes_on()
    assert (await lane.ended(port.MED_ACKNOWLEDGE), lane.directory.heard) == (["withdrawn"], [])


async def test_a_no_to_a_request_that_was_called_off_is_not_told(court: Court, lane: Lane) -> None:
    news = await court.notice(await court.transaction(await court.paid(1000)), recovery_id=None, amount=None)
    await court.spend((await court.money())[0])
    request = court.request(news, reason="OPERATIONAL_FLAW")
    await court.says(request)
    assert await court.falls(request)
    assert await court.is_so(request) == ("ANALYSED", 0, 0, "REJECTED")
    assert await court.says(request, status="CANCELLED") == "known"
    await lane.goes_on()
    assert (await lane.ended(port.MED_ANSWER), lane.directory.heard) == (["withdrawn"], [])


@pytest.mark.parametrize("is_called_off", [True, False])
async def test_a_refusal_that_crosses_the_word_that_explains_it(court: Court, lane: Lane, is_called_off: bool) -> None:
    """The directory refuses a verdict: it has called the notice off, as its next word says; or it does not take it."""
    news = await court.notice(await court.transaction(await court.paid(1000)))
    await court.agreed(news, "DISAGREED")
    await court.rows(
        "UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent' WHERE kind = 'med.acknowledge' RETURNING 1"
    )
    lane.directory.says = [Permanent("InfractionReportOperationInvalid", "It is CANCELLED")] * 2
    await lane.goes_on()
    assert await lane.ended(port.MED_VERDICT) == [None]
    if is_called_off:
        assert await court.says(news, status="CANCELLED") == "handled"
    await lane.goes_on()
    assert await lane.ended(port.MED_VERDICT) == ["withdrawn" if is_called_off else "refused"]
    alarms = await court.column("SELECT count(*) FROM inbox WHERE kind = 'refused'")
    assert (alarms, len(lane.directory.heard)) == ([0 if is_called_off else 1], 1 if is_called_off else 2)
