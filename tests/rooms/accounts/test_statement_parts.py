"""A whole period as a file: complete, in parts, the same again, and never one that does not add up."""

import csv
import io
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from msgspec import structs
from tests.cast import Cast, Seller
from tests.rooms.ledger.test_entries import enter

from lastro import ledger
from lastro.accounts.statements import TYPES
from lastro.accounts.statements.model import day_of
from lastro.core.commit import commit
from lastro.core.errors import Problem, Refused
from lastro.core.runner import Reply
from lastro.core.write import Write

from .test_statements import asked, moved

LONG_AGO = datetime.now(UTC) - timedelta(days=9)
PERIOD = {"startDate": str(day_of(LONG_AGO)), "endDate": str(day_of(LONG_AGO) + timedelta(days=1))}


async def file(cast: Cast, seller: Seller, **query: str) -> tuple[Reply, list[bytes]]:
    reply = await asked(cast, seller.client, seller.account_id, **{**PERIOD, "format": "csv", **query})
    assert isinstance(reply, Reply), reply
    assert reply.more is not None
    return reply, [part async for part in reply.more(cast.database)]


def lines(parts: list[bytes]) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(b"".join(parts).decode(), newline="")))


async def test_a_long_period_comes_in_parts_and_leads_from_opening_to_closing(cast: Cast, ana: Seller) -> None:
    await moved(cast, ana, 700, at=LONG_AGO - timedelta(days=3))
    many = tuple(
        structs.replace(cast.transfer(ana.clearing, ana.customer, 1 + n % 9), at=LONG_AGO + n * timedelta(milliseconds=1))
        for n in range(4_100)
    )
    await commit(cast.database, Write(ana.company_id, transfers=many))
    await moved(cast, ana, -500, at=LONG_AGO + timedelta(hours=1))
    reply, parts = await file(cast, ana)
    assert reply.media == "text/csv; charset=utf-8"
    name = f"extrato-{ana.account_number}-{PERIOD['startDate']}-{PERIOD['endDate']}.csv"
    assert reply.headers == (("content-disposition", f'attachment; filename="{name}"'),)
    assert len(parts) == 5, "a head, three times entries, a foot"
    opening, *entries, closing = lines(parts)
    assert (opening["balanceAfter"], len(entries)) == ("7.00", 4_101)
    total = 700 + sum(t.amount.minor for t in many) - 500
    assert closing["balanceAfter"] == entries[-1]["balanceAfter"] == f"{total // 100}.{total % 100:02d}"
    assert (await file(cast, ana))[1] == parts, "what is final is the same again"
    await cast.credit(ana, 99)
    assert (await file(cast, ana))[1] == parts, "and whatever comes later"


@pytest.mark.parametrize("form", ["ofx", "cnab240", "camt053"])
async def test_every_file_is_had_of_an_empty_period_too(cast: Cast, ana: Seller, form: str) -> None:
    _, empty = await file(cast, ana, format=form)
    await moved(cast, ana, 123, at=LONG_AGO)
    async with cast.database.session(ana.company_id) as session:
        await session.fetch(
            "UPDATE entry_cursors SET entered_until = '-infinity' WHERE company_id = $1 RETURNING 1", ana.company_id
        )
    _, full = await file(cast, ana, format=form)
    assert (len(empty), len(full)) == (2, 3)


async def test_a_period_that_goes_on_ends_with_what_is_final(cast: Cast, ana: Seller) -> None:
    await moved(cast, ana, 5, 7, at=datetime.now(UTC) - timedelta(seconds=10))
    await cast.credit(ana, 11)
    today = str(day_of(datetime.now(UTC) - timedelta(seconds=10)))
    _, parts = await file(cast, ana, startDate=today, endDate=str(day_of(datetime.now(UTC))))
    _, *entries, closing = lines(parts)
    assert [e["amount"] for e in entries] == ["0.05", "0.07"]
    assert closing["createdAt"] < datetime.now(UTC).isoformat()


async def test_no_file_says_what_does_not_add_up(cast: Cast, ana: Seller, database: Any) -> None:
    await moved(cast, ana, 5, 7, at=LONG_AGO)
    await enter(cast, ana)
    reply = await asked(cast, ana.client, ana.account_id, **PERIOD, format="csv")
    assert isinstance(reply, Reply)
    assert isinstance(reply.more, partial)
    broken = partial(reply.more, own=cast.id())  # of a ledger account that has no entries
    with pytest.raises(RuntimeError, match="closing balance"):
        [part async for part in broken(cast.database)]


async def test_what_cnab_cannot_count_is_refused(cast: Cast, ana: Seller, inside: Any) -> None:
    await moved(cast, ana, 5, at=LONG_AGO)
    await enter(cast, ana)
    transaction = inside.transaction()
    await transaction.start()
    await inside.execute(
        "INSERT INTO entries SELECT company_id, ledger_account_id, 0, created_at, 999002, transfer_id, type, reference_id,"
        " amount_minor, balance_minor, held_minor FROM entries WHERE ledger_account_id = $1",
        ana.customer.id,
    )
    await transaction.commit()
    refused = await asked(cast, ana.client, ana.account_id, **PERIOD, format="cnab240")
    assert isinstance(refused, Refused)
    assert refused.problems == (Problem("format", "OUT_OF_RANGE", "CNAB 240 holds 999000 entries: ask for fewer days"),)
    cast.companies.remove(ana.company_id)  # its entries were written by hand


async def test_every_type_that_moves_an_account_has_its_words(inside: Any) -> None:
    types = await inside.fetch("SELECT type, debit, credit FROM entry_types WHERE 'CUST' IN (debit, credit)")
    assert {r["type"] for r in types} <= TYPES.keys()
    assert {r["type"] for r in types} == TYPES.keys()
    for row in types:
        known = TYPES[row["type"]]
        assert (known.ofx == "CREDIT") == (row["credit"] == "CUST"), row["type"]
        assert (known.cnab[0] == "2") == (row["credit"] == "CUST"), row["type"]
        assert all(len(text) > 8 and text.endswith(".") for text in (known.portuguese, known.english))
        assert len(known.title) <= 25


async def test_a_balance_in_every_currency_is_its_entries(cast: Cast, ana: Seller) -> None:
    """Pesos have entries of their own."""
    fees, own = ledger.fees(ana.company_id, "MXN"), ledger.customer(ana.company_id, ana.account_id, "MXN")
    came = cast.transfer(fees, own, 1)
    made = structs.replace(came, amount=type(came.amount)(1500, "MXN"), at=LONG_AGO)
    await commit(cast.database, Write(ana.company_id, transfers=(made,)))
    _, parts = await file(cast, ana, currency="MXN")
    assert [line["balanceAfter"] for line in lines(parts)] == ["0.00", "15.00", "15.00"]
