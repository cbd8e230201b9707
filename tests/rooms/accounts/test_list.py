"""GET /order/v1/banking/accounts and /{id}, on real rows."""

import random
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from tests.cast import ANA, INSTITUTION, Cast, Seller
from tests.in_one import all_tried, in_one_test
from tests.rooms.lists import answered, ask, problems, walked

from lastro import accounts
from lastro.accounts import Holder
from lastro.api_kit.routes import Incoming
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply

_PLAIN = "UPDATE accounts SET email = '', full_name = ''"  # of Ana's first account, which is closed: found by little
_LATER = "UPDATE accounts SET created_at = created_at + interval '1 hour'"  # when it was, as its history says
LIST, READ = "list_accounts", "read_account"
JOSE = Holder("INDIVIDUAL", "José da Silva", "CPF", "11144477735", "Jose@Example.com", "+5511999990002")
LETTERS = Holder("ORGANIZATION", "Padaria São João Ltda", "CNPJ", "12ABC34501DE35", "padaria@example.com", "+5511999990003")


def ids(shown: list[dict[str, Any]]) -> list[str]:
    return [account["id"] for account in shown]


async def test_an_account_is_shown_as_the_interface_says(cast: Cast, ana: Seller) -> None:
    answer = await answered(cast, ana.client, LIST)
    (account,) = answer["data"]
    created_at = account["createdAt"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", created_at)
    shown = {
        "id": str(ana.account_id), "status": "ACTIVE", "holderType": "ORGANIZATION", "fullName": ANA.full_name,
        "email": ANA.email, "phone": ANA.phone, "document": {"type": "CNPJ", "number": ANA.document_number},
        "bankAccountData": {
            "ispb": INSTITUTION.ispb, "bankNumber": INSTITUTION.compe, "accountType": "PAYMENT_ACCOUNT",
            "createdAt": created_at, "branchNumber": INSTITUTION.branch, "accountNumber": ana.account_number,
        },
        "createdAt": created_at,
    }  # fmt: skip
    assert answer == {"nextCursor": None, "hasNext": False, "data": [shown]}
    assert await answered(cast, ana.client, READ, id=str(ana.account_id)) == shown


async def test_an_institution_without_compe_number_leaves_it_out(cast: Cast, ana: Seller) -> None:
    (route,) = (r for r in accounts.routes(replace(INSTITUTION, compe=None)) if r.operation == LIST)
    verb = route.parse(Incoming(ana.company_id, {}, {}, b"", {}, None))
    assert not isinstance(verb, Refused)
    reply = await cast.run(ana.client, verb, permission=route.permission)
    assert isinstance(reply, Reply)
    assert "bankNumber" not in msgspec.json.decode(reply.body)["data"][0]["bankAccountData"]


async def test_what_is_not_ones_own_is_not_there(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    assert ids((await answered(cast, dora.client, LIST))["data"]) == [str(dora.account_id)]
    assert (await answered(cast, dora.client, LIST, {"document": ANA.document_number}))["data"] == []
    refused = [await ask(cast, dora.client, READ, id=i) for i in (str(ana.account_id), str(uuid4()), "x", "")]
    assert refused == [Refused(Kind.NOT_FOUND)] * 4


async def test_who_may_not_read_accounts_is_refused(cast: Cast, ana: Seller) -> None:
    client = await cast.add_client(ana.company_id, "shop", ("orders:read", "accounts:write"))
    assert await ask(cast, client, LIST) == Refused(Kind.FORBIDDEN)
    assert await ask(cast, client, READ, id=str(ana.account_id)) == Refused(Kind.FORBIDDEN)


async def test_pages_go_both_ways(cast: Cast, ana: Seller) -> None:
    made = [str(ana.account_id), *[(await cast.open_account(ana.company_id))["id"] for _ in range(24)]]
    first = await answered(cast, ana.client, LIST)
    assert (len(first["data"]), first["hasNext"], first["nextCursor"]) == (20, True, first["data"][-1]["createdAt"])
    assert ids(await walked(cast, ana.client, LIST, limits=(1, 100, 3))) == made[::-1]
    assert ids(await walked(cast, ana.client, LIST, {"sort": "asc"}, limits=(9, 100))) == made
    whole = await answered(cast, ana.client, LIST, {"limit": "25"})
    assert (len(whole["data"]), whole["hasNext"], whole["nextCursor"]) == (25, False, None)


@in_one_test(
    ("name", "value", "issue"),
    [("status", "active", "INVALID"), ("status", "", "INVALID"), ("status", "PENDING", "INVALID"),
     ("document", "", "INVALID"), ("document", "111.444.777-35", "INVALID"), ("document", "1114447773A", "INVALID"),
     ("document", "12ABC34501DE3A", "INVALID"), ("document", "\N{ARABIC-INDIC DIGIT ONE}", "INVALID"),
     ("document", "12ABC34501D\N{LATIN SMALL LETTER SHARP S}5", "INVALID"), ("document", "1" * 33, "TOO_LONG"),
     ("document", " 11144477735", "INVALID"), ("document", "1\n", "INVALID"),
     ("email", "", "INVALID"), ("email", "a" * 78, "TOO_LONG"), ("email", "a\x00b", "INVALID"), ("email", "\u0301", "INVALID"),
     ("fullName", "", "INVALID"), ("fullName", "a" * 141, "TOO_LONG"), ("fullName", "a\nb", "INVALID"),
     ("fullName", "\x7f", "INVALID"), ("fullName", "\u2028", "INVALID"), ("fullName", "\u0301\u0303", "INVALID"),
     ("limit", "0", "OUT_OF_RANGE"), ("limit", "101", "OUT_OF_RANGE"), ("limit", "ten", "INVALID"),
     ("sort", "up", "INVALID"), ("cursor", "", "INVALID"), ("cursor", "2026-01-31", "INVALID")],
)  # fmt: skip
async def test_a_value_that_cannot_be_is_refused(cast: Cast, ana: Seller, name: str, value: str, issue: str) -> None:
    assert problems(await ask(cast, ana.client, LIST, {name: value})) == [(name, issue)]


async def test_all_that_is_wrong_is_said_at_once(cast: Cast, ana: Seller) -> None:
    query = {"limit": "0", "sort": "", "cursor": "x", "status": "x", "document": "x", "email": "", "fullName": "x" * 141}
    assert problems(await ask(cast, ana.client, LIST, query)) == [
        ("limit", "OUT_OF_RANGE"), ("sort", "INVALID"), ("cursor", "INVALID"), ("status", "INVALID"),
        ("document", "INVALID"), ("email", "INVALID"), ("fullName", "TOO_LONG"),
    ]  # fmt: skip


# What is found: its holder, or nothing.
FOUND: list[tuple[dict[str, str], str]] = (
    [({"fullName": "jose"}, "jose"), ({"fullName": "JOSÉ"}, "jose"), ({"fullName": "José"}, "jose"),
     ({"fullName": unicodedata.normalize("NFD", "josé da")}, "jose"), ({"fullName": "é D"}, "jose"),
     ({"fullName": "são joao"}, "letters"), ({"fullName": "sao  joao"}, ""), ({"fullName": "%"}, ""), ({"fullName": "_"}, ""),
     ({"fullName": "jos_"}, ""), ({"fullName": "\\"}, ""),
     ({"email": "jose@EXAMPLE"}, "jose"), ({"email": "JOSÉ@"}, "jose"), ({"email": "@"}, "jose letters"), ({"email": "j%"}, ""),
     ({"document": "11144477735"}, "jose"), ({"document": "1114447773"}, ""), ({"document": "12abc34501de35"}, "letters"),
     ({"document": "12ABC34501DE35"}, "letters"), ({"document": "12ABC34501DE35", "fullName": "jose"}, ""),
     ({"status": "INACTIVE"}, "letters"), ({"status": "CLOSED"}, "closed"), ({"status": "ACTIVE", "email": "example"}, "jose"),
     ({"status": "INACTIVE", "fullName": "ltda", "email": "padaria", "document": "12ABC34501DE35"}, "letters")]
)  # fmt: skip


async def test_each_filter_finds_what_it_says(cast: Cast, ana: Seller, inside: Any) -> None:
    await inside.execute(_PLAIN + " WHERE id = $1", ana.account_id)
    await cast.account_becomes(ana.company_id, "CLOSED")
    jose, letters = [(await cast.open_account(ana.company_id, holder))["id"] for holder in (JOSE, LETTERS)]
    await cast.account_becomes(ana.company_id, "INACTIVE", UUID(letters))
    names = {jose: "jose", letters: "letters", str(ana.account_id): "closed"}

    async def finds(query: dict[str, str], found: str) -> None:
        shown = ids((await answered(cast, ana.client, LIST, {"sort": "asc", **query}))["data"])
        assert [names[one] for one in shown] == found.split()

    await all_tried((str(query), partial(finds, query, found)) for query, found in FOUND)


@dataclass(frozen=True)
class Row:
    """What the plain filter of Python looks at."""

    id: str
    status: str
    document: str
    email: str
    full_name: str


def folded(text: str) -> str:
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text)).lower()


def fits(row: Row, query: dict[str, str]) -> bool:
    return (
        query.get("status", row.status) == row.status
        and query.get("document", row.document).upper() == row.document
        and folded(query.get("email", "")) in folded(row.email)
        and folded(query.get("fullName", "")) in folded(row.full_name)
    )


async def opened(cast: Cast, ana: Seller, inside: Any, chance: random.Random) -> Row:
    """An account of few letters, so that much is alike; some that no verb would let in, so that none means anything."""
    name, email = ("".join(chance.choices("aáAÁãcçÇ %_\\'", k=chance.randint(1, 5))) for _ in range(2))
    name = unicodedata.normalize(chance.choice(["NFC", "NFD"]), name)
    row = Row(
        (await cast.open_account(ana.company_id))["id"], chance.choice(["ACTIVE", "INACTIVE", "CLOSED"]),
        chance.choice(["11144477735", "52998224725", "12ABC34501DE35"]), email, name,
    )  # fmt: skip
    await inside.execute(
        "UPDATE accounts SET document_number = $2, email = $3, full_name = $4, created_at = created_at - interval '1 hour'"
        " WHERE id = $1",
        UUID(row.id), row.document, row.email, row.full_name,
    )  # fmt: skip
    if row.status != "ACTIVE":
        await cast.account_becomes(ana.company_id, row.status, UUID(row.id))
    return row


def asked(rows: list[Row], chance: random.Random) -> dict[str, str]:
    """Some of the filters, each with a value that some row may have."""

    def part(text: str) -> str:
        begin = chance.randrange(len(text))
        found = text[begin : begin + chance.randint(1, 3)]
        found = chance.choice([found, found.lower(), found.upper(), folded(found)])
        return found if folded(found) else "a"

    values = {
        "status": chance.choice(["ACTIVE", "INACTIVE", "CLOSED"]),
        "document": chance.choice([str.lower, str.upper])(chance.choice(rows).document),
        "email": part(chance.choice(rows).email),
        "fullName": part(chance.choice(rows).full_name),
    }
    return {name: value for name, value in values.items() if chance.random() < 0.4}


@pytest.mark.parametrize("seed", range(2))
async def test_every_filter_is_the_plain_one(cast: Cast, ana: Seller, inside: Any, seed: int) -> None:
    chance = random.Random(seed)
    await inside.execute(_PLAIN + ", created_at = created_at - interval '1 hour' WHERE id = $1", ana.account_id)
    await cast.account_becomes(ana.company_id, "CLOSED")
    rows = [await opened(cast, ana, inside, chance) for _ in range(40)]
    rows.insert(0, Row(str(ana.account_id), "CLOSED", ANA.document_number, "", ""))
    dora = await cast.dora()
    found = 0
    for _ in range(60):
        query = asked(rows[1:], chance)
        wanted = [row.id for row in rows if fits(row, query)]
        found += len(wanted)
        descending = chance.random() < 0.5
        limits = (chance.randint(1, 9), chance.randint(1, 100))
        query["sort"] = "desc" if descending else "asc"
        assert ids(await walked(cast, ana.client, LIST, query, limits)) == (wanted[::-1] if descending else wanted), query
        assert str(dora.account_id) not in wanted
    assert found > 100
    await inside.execute(_LATER)
