"""What an account may send in a day and a night: to the cent, whoever sends at the same time; what fails is given back."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.payouts.rules import quota_period

from .office import FABIO, FORA, KEY, Office


def left(refused: Any) -> tuple[str, str, str]:
    assert isinstance(refused, Refused), refused
    (problem,) = refused.problems
    return problem.field, problem.issue, problem.description


async def test_a_day_may_be_used_up_to_the_cent(office: Office) -> None:
    await office.limit(day=3000)
    await office.make(2000)
    passes = "passes the account's limit of a day, of which 10.00 is left"
    assert left(await office.ask(office.wish(1001))) == ("amount", "LIMIT_EXCEEDED", passes)
    await office.make(1000)
    assert left(await office.ask(office.wish(1)))[2].endswith("0.00 is left")
    assert await office.money() == (9_997_000, 3000)
    assert (await office.used())["PIX.day"] == 3000


async def test_fifty_at_once_use_what_is_there(office: Office) -> None:
    await office.limit(day=7_999)
    answers = await asyncio.gather(*(office.ask(office.wish(1000)) for _ in range(50)))
    assert sum(isinstance(a, Reply) for a in answers) == 7
    assert {left(a)[:2] for a in answers if isinstance(a, Refused)} == {("amount", "LIMIT_EXCEEDED")}
    assert (await office.used())["PIX.day"] == 7000


async def test_the_limit_is_told_before_the_funds(office: Office) -> None:
    await office.limit(day=1000)
    assert left(await office.ask(office.wish(99_999_999)))[1] == "LIMIT_EXCEEDED"


async def test_what_fails_is_given_back_and_may_be_sent_again(office: Office) -> None:
    await office.limit(day=3000)
    failed, canceled, paid = await office.make(1000), await office.make(1000), await office.make(1000)
    await office.refuse(failed)
    assert isinstance(await office.cancel(canceled["id"]), Reply)
    await office.settle(paid)
    assert (await office.used())["PIX.day"] == 1000
    await office.make(2000)
    assert left(await office.ask(office.wish(1)))[1] == "LIMIT_EXCEEDED"


async def test_what_comes_back_was_sent_all_the_same(office: Office) -> None:
    await office.limit(day=1000)
    paid = await office.make(1000)
    await office.settle(paid)
    await office.give_back(paid, 1000)
    assert left(await office.ask(office.wish(1)))[1] == "LIMIT_EXCEEDED"


async def test_each_method_has_its_own(office: Office) -> None:
    await office.limit(day=1000)
    await office.make(1000)
    assert left(await office.ask(office.wish(1, key=KEY)))[1] == "LIMIT_EXCEEDED"
    await office.make(1000, method="TED", person=FABIO, place=FORA)
    assert {kind: minor for kind, minor in (await office.used()).items() if kind.endswith("day")} == {
        "PIX.day": 1000,
        "TED.day": 1000,
    }


async def test_a_night_has_a_limit_of_its_own(office: Office) -> None:
    """Counted beside the day's, and only at night."""
    await office.limit(day=5000, night=1000)
    _, is_night = quota_period(datetime.now(UTC))
    await office.make(1000)
    more = await office.ask(office.wish(1))
    if is_night:
        assert left(more)[2] == "passes the account's limit of a night, of which 0.00 is left"
    else:
        assert isinstance(more, Reply)
    assert await office.used() == {"PIX.day": 1000, "PIX.night": 1000} if is_night else {"PIX.day": 1001}


async def test_no_limit_is_no_limit(office: Office) -> None:
    await office.limit(transaction=10**12, day=None)
    assert (await office.make(9_999_999))["status"] == "PENDING"


async def test_more_parts_than_a_batch_may_have(office: Office) -> None:
    await office.limit(transaction=100, day=None)
    assert left(await office.ask(office.wish(10_001))) == (
        "amount", "LIMIT_EXCEEDED", "is more than 100 transfers of the account's limit: at most 100.00",
    )  # fmt: skip
    assert len(await office.children((await office.make(10_000))["id"])) == 100


@pytest.mark.parametrize("cents", [1, 1_500_000])
async def test_the_limit_of_a_transfer_is_not_passed_by_itself(office: Office, cents: int) -> None:
    assert "batch" not in await office.make(cents)
