"""GET /order/v1/banks and the import of a newer list, on a database of its own: a list holds for everybody in it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import asyncpg
import msgspec
import pytest
from tests.cast import Cast, Client

from lastro.api_kit.routes import Incoming
from lastro.banks import Banks, CutShort, import_list, routes
from lastro.core.db import Database
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply
from lastro.standards.banks import Bank, Participants, packaged

ITAU = {
    "ispb": "60701190", "bankNumber": "341", "shortName": "ITAÚ UNIBANCO S.A.", "name": "ITAÚ UNIBANCO S.A.",
    "methods": ["PIX", "TED"],
}  # fmt: skip
NEW = Bank("12ABC345", "888", "BANCO NOVO", "Banco Novo S.A.", in_str=True, in_pix=False)
OF_STR = Participants("STR", tuple(b._replace(in_pix=False) for b in packaged().all_banks() if b.in_str))


@pytest.fixture
async def cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app)
    yield made
    await made.close()


@pytest.fixture
async def client(cast: Cast) -> Client:
    return (await cast.ana()).client


@pytest.fixture
async def database(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.app, size=4)
    yield made
    await made.close()


async def asked(cast: Cast, client: Client, banks: Banks, query: Mapping[str, str] | None = None) -> Reply | Refused:
    (route,) = routes(banks)
    parsed = route.parse(Incoming(client.company_id, {}, query or {}, b"", {}, None))
    if isinstance(parsed, Refused):
        return parsed
    return await cast.run(client, parsed, operation=route.operation, permission=route.permission)


async def listed(cast: Cast, client: Client, banks: Banks, **query: str) -> list[dict[str, Any]]:
    reply = await asked(cast, client, banks, query)
    assert isinstance(reply, Reply)
    body: dict[str, Any] = msgspec.json.decode(reply.body)
    assert list(body) == ["data"]
    data: list[dict[str, Any]] = body["data"]
    return data


async def imported(database: Database, given: Participants, banks: Banks | None = None, **also: bool) -> None:
    async with database.session() as session:
        await import_list(session, banks or Banks(sandbox=False), given, **also)


async def test_all_banks_are_listed_in_order(cast: Cast, client: Client) -> None:
    data = await listed(cast, client, Banks(sandbox=False))
    assert [bank["ispb"] for bank in data] == [bank.ispb for bank in packaged().all_banks()]
    assert ITAU in data
    (aracredi,) = (bank for bank in data if bank["ispb"] == "00068987")
    assert aracredi["methods"] == ["PIX"]
    assert "bankNumber" not in aracredi


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"ispb": "60701190"}, ["60701190"]),
        ({"bankNumber": "001"}, ["00000000"]),
        ({"bankNumber": "001", "ispb": "60701190"}, []),
        ({"name": "itau unibanco"}, ["60701190"]),
        ({"name": "ITAÚ UNIBANCO", "method": "TED"}, ["60701190"]),
        ({"name": "pagamentos s.a. - instituicao", "bankNumber": "260"}, ["18236120"]),  # the full name alone
        ({"name": "aracredi", "method": "PIX"}, ["00068987"]),
        ({"name": "aracredi", "method": "TED"}, []),
        ({"name": "%"}, []),
        ({"ispb": "99999999"}, []),
    ],
)
async def test_filters(cast: Cast, client: Client, query: dict[str, str], found: list[str]) -> None:
    assert [bank["ispb"] for bank in await listed(cast, client, Banks(sandbox=False), **query)] == found


@pytest.mark.parametrize(
    ("query", "field", "issue"),
    [
        ({"ispb": "6070119"}, "ispb", "INVALID"),
        ({"ispb": "60701190 "}, "ispb", "INVALID"),
        ({"bankNumber": "1"}, "bankNumber", "INVALID"),
        ({"bankNumber": "\uff10\uff10\uff11"}, "bankNumber", "INVALID"),
        ({"name": ""}, "name", "INVALID"),
        ({"name": "\u0301"}, "name", "INVALID"),
        ({"name": "a" * 141}, "name", "TOO_LONG"),
        ({"method": "pix"}, "method", "INVALID"),
    ],
)
async def test_bad_filters(cast: Cast, client: Client, query: dict[str, str], field: str, issue: str) -> None:
    refused = await asked(cast, client, Banks(sandbox=False), query)
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.INVALID
    assert [(p.field, p.issue) for p in refused.problems] == [(field, issue)]


async def test_who_may_not_read_payouts_is_refused(cast: Cast, client: Client) -> None:
    other = await cast.add_client(client.company_id, "shop", ("accounts:read", "payouts:write"))
    assert await asked(cast, other, Banks(sandbox=False)) == Refused(Kind.FORBIDDEN)


@pytest.mark.parametrize(("sandbox", "known"), [(True, ["99999010", "99999020", "99999030"]), (False, [])])
async def test_simulated_banks_are_known_in_a_sandbox_alone(
    cast: Cast, client: Client, database: Database, *, sandbox: bool, known: list[str]
) -> None:
    banks = Banks(sandbox=sandbox)
    for _ in range(2):  # before and after an import
        data = await listed(cast, client, banks)
        assert [bank["ispb"] for bank in data if bank["ispb"].startswith("999990")] == known
        assert [bank["bankNumber"] for bank in data if bank["ispb"] in known] == ["990", "991", "992"][: len(known)]
        await imported(database, OF_STR)


async def test_a_list_that_is_imported_holds_everywhere_at_once(cast: Cast, client: Client, database: Database) -> None:
    here, there = Banks(sandbox=False), Banks(sandbox=False)
    assert await listed(cast, client, there, ispb="12ABC345") == []
    await imported(database, Participants("STR", (*OF_STR.banks[1:], NEW)))
    for banks in (here, there):
        assert [b["name"] for b in await listed(cast, client, banks, ispb="12ABC345")] == ["Banco Novo S.A."]
        assert await listed(cast, client, banks, bankNumber="001") == []
        assert [b["methods"] for b in await listed(cast, client, banks, ispb="00000000")] == [["PIX"]]
    async with database.session() as session:
        assert (await there.read(session)).by_compe("888") == NEW
    await imported(database, OF_STR)
    assert await listed(cast, client, there, ispb="12ABC345") == []
    assert [b["methods"] for b in await listed(cast, client, there, bankNumber="001")] == [["PIX", "TED"]]


async def test_a_list_of_pix_renews_pix_alone(cast: Cast, client: Client, database: Database) -> None:
    of_pix = tuple(b._replace(compe=None, in_str=False) for b in packaged().all_banks() if b.in_pix)
    lost = {"60701190", "00068987"}
    await imported(database, Participants("PIX", tuple(b for b in of_pix if b.ispb not in lost)))
    assert await listed(cast, client, Banks(sandbox=False), ispb="60701190") == [ITAU | {"methods": ["TED"]}]
    assert await listed(cast, client, Banks(sandbox=False), ispb="00068987") == []


@pytest.mark.parametrize(("left", "short"), [(0.79, True), (0.81, False)])
async def test_a_list_that_lacks_too_many_is_not_believed(
    cast: Cast, client: Client, database: Database, left: float, *, short: bool
) -> None:
    given = Participants("STR", OF_STR.banks[: int(len(OF_STR.banks) * left)])
    before = await listed(cast, client, Banks(sandbox=False))
    if short:
        with pytest.raises(
            CutShort, match=f"names {len(given.banks)} participants of STR, and {len(OF_STR.banks)} are known"
        ):
            await imported(database, given)
        assert await listed(cast, client, Banks(sandbox=False)) == before
        await imported(database, given, cut_short=True)
    else:
        await imported(database, given)
    assert len(await listed(cast, client, Banks(sandbox=False), method="TED")) == len(given.banks)


async def test_of_two_imports_at_once_none_is_lost_silently(database: Database) -> None:
    """Both begin with the same list; the later one would undo what the earlier has brought."""
    others = [Participants("STR", (*OF_STR.banks, NEW._replace(ispb=f"1000000{n}", compe=f"88{n}"))) for n in range(4)]
    outcomes = await asyncio.gather(*(imported(database, given) for given in others), return_exceptions=True)
    refused = [o for o in outcomes if o is not None]
    assert all(isinstance(o, asyncpg.UniqueViolationError) for o in refused)
    async with database.session() as session:
        assert await session.value("SELECT count(*) FROM bank_lists") == len(outcomes) - len(refused)
        assert await session.value("SELECT max(number) FROM bank_lists") == len(outcomes) - len(refused)
