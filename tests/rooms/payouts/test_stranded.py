"""What came back of a payout and fits nothing, on real rows: people give it to an account or book it as paid out, once."""

import asyncio
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Cast, Seller
from tests.rooms.accounts.test_statements import walked

from lastro import ledger
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Done
from lastro.payouts import SettleStranded, StrandedWay, stranded_in
from lastro.rails import port

from .here import Here
from .office import Office

CENTS = 1000


@pytest.fixture
async def office(cast: Cast, ana: Seller) -> Office:
    """What is paid out is all that the account has, so that it can be closed."""
    return await Office.open(cast, ana, CENTS)


async def came_back(office: Office, cents: int, *, closed: bool = False) -> tuple[str, UUID]:
    """A payout of all there is, and what came back of it and fits nothing."""
    payout = await office.make(CENTS)
    await office.settle(payout)
    if closed:
        await office.account_becomes("CLOSED")
    assert await office.give_back(payout, cents) == port.ALARMED
    (return_id,) = await office.column("SELECT id FROM payout_returns WHERE payout_id = $1::text::uuid", payout["id"])
    return payout["id"], UUID(str(return_id))


async def decide(
    office: Office, return_id: UUID, way: StrandedWay, account_id: UUID | None = None, of: Seller | None = None
) -> Done | Refused:
    verb = SettleStranded(return_id, way, "note 8", "rita", account_id)
    done = await office.cast.runner.act((of or office.ana).company_id, verb)
    assert isinstance(done, Done | Refused)
    return done


async def no(office: Office, return_id: UUID, way: StrandedWay, account_id: UUID | None = None) -> tuple[str, str, str]:
    """Why it is refused."""
    refused = await decide(office, return_id, way, account_id)
    assert isinstance(refused, Refused)
    (problem,) = refused.problems
    assert isinstance(problem, Problem)
    return problem.field, problem.issue, problem.description


async def has(office: Office, account: Any) -> int:
    (cents,) = await office.column(
        "SELECT coalesce(sum(change_minor), 0)::bigint FROM ledger_sides WHERE ledger_account_id = $1", account.id
    )
    return int(cents)


async def books(office: Office) -> dict[str, int]:
    """What lies in suspense, has left by the network, less what came, and is on the account."""
    own, ana = office.ana.company_id, office.ana
    accounts = {"SUSP": ledger.suspense(own, "BRL"), "NET": ana.pix, "CUST": ana.customer}
    return {name: await has(office, account) for name, account in accounts.items()}


async def story(office: Office, payout_id: str) -> list[tuple[str, str, str | None]]:
    sql = "SELECT trigger, to_state, reason FROM history WHERE reference_id = $1::text::uuid ORDER BY version DESC LIMIT 2"
    return [(r["trigger"], r["to_state"], r["reason"]) for r in await office.rows(sql, payout_id)]


@pytest.mark.parametrize(
    ("way", "state", "entry", "then"),
    [
        ("credit", "CREDITED", "RETURN_CREDITED", {"SUSP": 0, "NET": -1, "CUST": 1001}),
        ("pay out", "PAID_OUT", "PIX_RETURN_PAID_OUT", {"SUSP": 0, "NET": 1000, "CUST": 0}),
    ],
)
async def test_people_decide_once(office: Office, way: StrandedWay, state: str, entry: str, then: dict[str, int]) -> None:
    payout_id, return_id = await came_back(office, 1001)
    assert await books(office) == {"SUSP": 1001, "NET": -1, "CUST": 0}
    events = await office.events(payout_id)
    done = await decide(office, return_id, way)
    assert isinstance(done, Done)
    shown = msgspec.json.decode(done.body)
    assert (shown["id"], shown["state"], shown["amount"], shown["rail"]) == (str(return_id), state, "10.01", "pix")
    assert (shown["payoutId"], shown["why"]) == (payout_id, "MORE_THAN_WAS_LEFT")
    assert await books(office) == then
    assert await story(office, payout_id) == [("decide", "PAID", "by rita: note 8"), ("return too much", "PAID", "MD06")]
    booked = "SELECT type, amount_minor, reference_id::text FROM transfers WHERE type ~ '^RETURN_CREDITED|RETURN_PAID_OUT'"
    assert [tuple(row) for row in await office.rows(booked)] == [(entry, 1001, payout_id)]
    assert (await office.state(payout_id), await office.events(payout_id)) == ("PAID", events), "no client is told"
    for again in ("credit", "pay out"):
        refused = await decide(office, return_id, again)
        assert isinstance(refused, Refused)
        assert (refused.kind, await books(office)) == (Kind.CONFLICT, then)
    async with office.cast.database.session(office.ana.company_id) as session:
        assert await stranded_in(session, office.ana.company_id, 10) == []


async def test_its_statement_says_so(office: Office) -> None:
    payout_id, return_id = await came_back(office, 1001)
    await decide(office, return_id, "credit")
    entry = (await walked(office.cast, office.ana, sort="asc"))[-1]
    assert (entry["type"], entry["amount"]["value"], entry["balanceAfter"]["value"]) == ("RETURN_CREDITED", "10.01", "10.01")
    (name,) = await office.column("SELECT end_to_end_id FROM payouts WHERE id = $1::text::uuid", payout_id)
    assert entry["endToEndId"] == name


async def test_of_many_at_once_one_decides(office: Office) -> None:
    _, return_id = await came_back(office, 1001)
    ways: tuple[StrandedWay, ...] = ("credit", "pay out") * 4
    said = await asyncio.gather(*(decide(office, return_id, way) for way in ways))
    assert [isinstance(one, Done) for one in said].count(True) == 1
    assert (await books(office))["SUSP"] == 0


async def test_two_of_one_payout_are_two_decisions(office: Office) -> None:
    payout_id, first = await came_back(office, 1001)
    payout = {"endToEndId": (await office.column("SELECT end_to_end_id FROM payouts"))[0]}
    assert await office.give_back(payout, 400) == "handled", "what fits is given back all the same"
    assert await office.give_back(payout, 601) == port.ALARMED
    async with office.cast.database.session(office.ana.company_id) as session:
        waiting = await stranded_in(session, office.ana.company_id, 10)
    assert [(one.id == first, one.amount.minor, one.is_too_much) for one in waiting] == [
        (True, 1001, True),
        (False, 601, True),
    ]
    for one, way in zip(waiting, ("credit", "pay out"), strict=True):
        assert isinstance(await decide(office, one.id, way), Done)  # type: ignore[arg-type]
    assert await books(office) == {"SUSP": 0, "NET": -401, "CUST": 1401}
    assert await office.state(payout_id) == "PARTIAL_REFUNDED"


async def test_of_a_closed_account_another_of_the_company_is_credited(office: Office) -> None:
    payout_id, return_id = await came_back(office, 400, closed=True)
    other = await office.cast.open_account(office.ana.company_id)
    assert await no(office, return_id, "credit") == (
        "accountId", "NOT_ALLOWED", "the payout's account is closed: name another one of the company",
    )  # fmt: skip
    assert await no(office, return_id, "credit", office.ana.account_id) == (
        "accountId", "NOT_ALLOWED", "the account is not active",
    )  # fmt: skip
    done = await decide(office, return_id, "credit", UUID(other["id"]))
    assert isinstance(done, Done)
    shown = msgspec.json.decode(done.body)
    assert (shown["state"], shown["why"]) == ("CREDITED", "ACCOUNT_CLOSED")
    assert shown["account"] != office.ana.account_number
    assert await has(office, ledger.customer(office.ana.company_id, UUID(other["id"]), "BRL")) == 400
    assert await books(office) == {"SUSP": 0, "NET": 600, "CUST": 0}
    assert (await story(office, payout_id))[0] == ("decide", "PAID", "by rita: note 8")


async def test_of_a_closed_account_it_is_paid_out(office: Office) -> None:
    _, return_id = await came_back(office, 400, closed=True)
    assert isinstance(await decide(office, return_id, "pay out"), Done)
    assert await books(office) == {"SUSP": 0, "NET": 1000, "CUST": 0}


async def test_who_cannot_be_credited(office: Office) -> None:
    _, return_id = await came_back(office, 1001)
    before = await books(office)
    other = UUID((await office.cast.open_account(office.ana.company_id))["id"])
    assert await no(office, return_id, "credit", other) == (
        "accountId", "NOT_ALLOWED", "is another than the payout's, which is not closed",
    )  # fmt: skip
    await office.account_becomes("INACTIVE")
    assert (await no(office, return_id, "credit"))[2] == "the account is not active"
    await office.account_becomes("CLOSED")
    dora = await office.cast.dora()
    assert (await no(office, return_id, "credit", dora.account_id))[2] == (
        "is of no account of the company that made the payout"
    )
    await office.cast.account_becomes(office.ana.company_id, "INACTIVE", other)
    assert (await no(office, return_id, "credit", other))[2] == "the account is not active"
    assert await books(office) == before


async def test_what_fits_or_is_anothers_is_not_decided_about(office: Office) -> None:
    payout = await office.make(CENTS)
    await office.settle(payout)
    assert await office.give_back(payout, 400) == "handled"
    (fits,) = await office.column("SELECT id FROM payout_returns")
    assert await office.give_back(payout, 601) == port.ALARMED
    (unfit,) = await office.column("SELECT id FROM payout_returns WHERE is_unfit")
    dora = await office.cast.dora()
    for return_id, of in ((fits, office.ana), (office.cast.id(), office.ana), (unfit, dora)):
        refused = await decide(office, UUID(str(return_id)), "pay out", of=of)
        assert isinstance(refused, Refused)
        assert refused.kind is Kind.NOT_FOUND


async def test_what_came_from_an_account_here_can_only_be_credited(here: Here) -> None:
    """No partner has a position of ours that it could have been paid out of."""
    office = here.office
    await office.make(CENTS, **here.place(here.dora))
    await here.carry()
    await office.account_becomes("CLOSED")
    await here.give_back(400)
    await here.carry()
    (return_id,) = [UUID(str(one)) for one in await office.column("SELECT id FROM payout_returns WHERE is_unfit")]
    assert (await no(office, return_id, "pay out"))[:2] == ("rail", "NOT_ALLOWED")
    other = UUID((await office.cast.open_account(office.ana.company_id))["id"])
    assert isinstance(await decide(office, return_id, "credit", other), Done)
    assert await has(office, ledger.suspense(office.ana.company_id, "BRL")) == 0
