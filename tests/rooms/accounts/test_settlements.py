"""What an account has in pesos leaves by settlement: booked once, told once, never more than there is."""

import asyncio
from typing import Any

import msgspec
import pytest
from tests.cast import INSTITUTION, Cast, Seller

from lastro import ledger
from lastro.accounts import Settle
from lastro.core.commit import commit
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Transfer, Write


async def earn(cast: Cast, seller: Seller, minor: int) -> None:
    fees, own = ledger.fees(seller.company_id, "MXN"), ledger.customer(seller.company_id, seller.account_id, "MXN")
    came = cast.transfer(fees, own, minor)
    made = Transfer(came.id, "moved", fees, own, Money(minor, "MXN"), "TEST", came.reference_id, came.at)
    await commit(cast.database, Write(seller.company_id, transfers=(made,)))


async def settle(cast: Cast, seller: Seller, minor: int = 1000, reference: str = "T-1", **other: Any) -> Any:
    said = {"account_id": seller.account_id, "rail": "spei", "amount": Money(minor, "MXN"), **other}
    outcome = await cast.runner.act(seller.company_id, Settle(reference=reference, institution=INSTITUTION, **said))
    return outcome if isinstance(outcome, Refused) else msgspec.json.decode(outcome.body)


async def left(cast: Cast, seller: Seller) -> tuple[int, int, int]:
    """What the account has, how many settlements there are, and how many events tell of one."""
    async with cast.database.session(seller.company_id) as session:
        (balance,) = await ledger.balances_of(session, seller.company_id, [seller.account_id], "MXN")
        booked = await session.value("SELECT count(*) FROM settlements WHERE company_id = $1", seller.company_id)
        sql = "SELECT count(*) FROM events WHERE company_id = $1 AND type = 'ACCOUNT.SETTLED'"
        return balance.available.minor, booked, await session.value(sql, seller.company_id)


async def test_it_leaves_the_balance_and_is_told_of_once(cast: Cast, ana: Seller) -> None:
    await earn(cast, ana, 1500)
    made = await settle(cast, ana)
    assert (made["amount"], made["currency"], made["rail"], made["reference"]) == ("10.00", "MXN", "spei", "T-1")
    assert await left(cast, ana) == (500, 1, 1)
    assert await settle(cast, ana) == made, "the same again is the same settlement"
    assert await left(cast, ana) == (500, 1, 1)
    assert await settle(cast, ana, 999) == Refused(
        Kind.CONFLICT, (Problem("reference", "DUPLICATE", "another settlement has it"),)
    )
    async with cast.database.session(ana.company_id) as session:
        body = await session.value("SELECT body FROM events WHERE type = 'ACCOUNT.SETTLED'")
    told = msgspec.json.decode(body)
    assert (told["amount"], told["accountId"]) == ({"currency": "MXN", "value": "10.00"}, str(ana.account_id))


async def test_never_more_than_there_is_also_at_once(cast: Cast, ana: Seller) -> None:
    await earn(cast, ana, 2500)
    outcomes = await asyncio.gather(*(settle(cast, ana, 1000, f"T-{n}") for n in range(8)))
    assert [o.kind for o in outcomes if isinstance(o, Refused)] == [Kind.INVALID] * 6
    assert await left(cast, ana) == (500, 2, 2)


async def test_the_same_reference_at_once_books_once(cast: Cast, ana: Seller) -> None:
    await earn(cast, ana, 9000)
    outcomes = await asyncio.gather(*(settle(cast, ana) for _ in range(6)))
    assert len({str(o) for o in outcomes}) == 1
    assert await left(cast, ana) == (8000, 1, 1)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"rail": "pix", "amount": Money(1, "BRL")}, "rail"),
        ({"reference": ""}, "reference"),
        ({"reference": " T"}, "reference"),
        ({"reference": "a\nb"}, "reference"),
        ({"reference": "x" * 65}, "reference"),
        ({"minor": 1501}, "amount"),
    ],
)
async def test_what_is_refused_changes_nothing(cast: Cast, ana: Seller, said: dict[str, Any], problem: str) -> None:
    await earn(cast, ana, 1500)
    outcome = await settle(cast, ana, **said)
    assert isinstance(outcome, Refused)
    assert [p.field for p in outcome.problems] == [problem]
    assert await left(cast, ana) == (1500, 0, 0)


async def test_another_companys_account_is_not_found(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    outcome = await cast.runner.act(dora.company_id, Settle(ana.account_id, "spei", Money(1, "MXN"), "T-1", INSTITUTION))
    assert not isinstance(outcome, Done)
    assert outcome.kind is Kind.NOT_FOUND
