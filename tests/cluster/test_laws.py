"""Laws that compare what lies in two shards: each is broken there, and told as on one server."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.databases import Database
from tests.laws import Auditor, breaches
from tests.rooms.orders.shop import Shop

from lastro.app.reconciling import BOOKED
from lastro.core.money import Money
from lastro.ops.verify import BROKEN, HOLD, verify
from lastro.rails import port
from lastro.rails.port import NetworkMessage, StatementLine
from lastro.reconciliation.actions.compare import Compare
from lastro.reconciliation.actions.days import Begin, Finish
from lastro.reconciliation.store import of_day
from lastro.standards.calendar import brasilia_day

pytestmark = pytest.mark.skipif(not os.environ.get("LASTRO_CITUS_URL"), reason="LASTRO_CITUS_URL names no cluster")


@dataclass
class Shards:
    """The institution, Ana and Dora, each in a shard of her own. admin: as the engine shows all of them."""

    database: Database
    cast: Cast
    institution: Seller
    ana: Seller
    dora: Seller
    admin: Any

    @classmethod
    async def of(cls, database: Database) -> "Shards":
        cast, admin = Cast.of(database.app), await database.connect()
        taken: set[int] = set()

        async def alone() -> UUID:
            while (shard := await admin.fetchval("SELECT (shards.of($1)).shard", found := cast.id())) in taken:
                pass
            taken.add(shard)
            return found

        institution = await cast.found("The institution", company_id=await alone(), number=0)
        ana, dora = await cast.found("Ana", company_id=await alone()), await cast.found("Dora", company_id=await alone())
        return cls(database, cast, institution, ana, dora, admin)

    async def paid(self, seller: Seller) -> str:
        order = await Shop(self.cast, seller).paid()
        async with self.cast.database.session(seller.company_id) as session:
            name: str = await session.value("SELECT end_to_end_id FROM pix_payments WHERE order_id = $1", order)
        return name

    async def are_told(self, law: str, *companies: Seller) -> None:
        """The law is broken in these companies' rows, whoever asks for it. No company: all laws hold."""
        found = await breaches(self.database.audit, at_rest=False)
        assert {row["company_id"] for row in found.get(f"law_{law}", ())} == {seller.company_id for seller in companies}
        assert companies or not found
        auditor = Auditor(self.database.audit)
        assert (await auditor.breaches(at_rest=False)).keys() == found.keys()
        auditor.close()
        said: list[str] = []
        status = await verify(self.database.audit, at_rest=False, say=said.append)
        assert status == (BROKEN if companies else HOLD)
        assert (law.replace("_", " ") in {line.split("  ")[1] for line in said if line.startswith("broken")}) is bool(
            companies
        )


@pytest.fixture
async def shards(own_database: Database) -> AsyncIterator[Shards]:
    made = await Shards.of(own_database)
    yield made
    await made.admin.close()
    await made.cast.database.close()


async def test_a_payment_of_two_companies_is_told(shards: Shards) -> None:
    theirs, _ = await shards.paid(shards.dora), await shards.paid(shards.ana)
    await shards.are_told("")
    await shards.admin.execute(
        "UPDATE pix_payments SET end_to_end_id = $1 WHERE company_id = $2", theirs, shards.ana.company_id
    )
    await shards.are_told("a_payment_is_of_one_company", shards.ana, shards.dora)


async def test_a_reference_of_two_companies_is_told(shards: Shards) -> None:
    for seller in (shards.ana, shards.dora):
        await shards.admin.execute(
            "INSERT INTO inbox (company_id, id, rail, network_id, kind, subject, body, received_at, outcome, done_at)"
            " VALUES ($1, $2, 'boleto', 'n', 'collection.void', 'one', '', now(), 'known', now())",
            seller.company_id, shards.cast.id(),
        )  # fmt: skip
    await shards.are_told("a_reference_is_of_one_company", shards.ana, shards.dora)


async def test_a_day_that_is_explained_elsewhere_is_told(shards: Shards) -> None:
    """The statement is in one shard, the line that differs from the books in another, an open difference in a third."""
    name, act = await shards.paid(shards.ana), shards.cast.runner.act
    async with shards.cast.database.session(shards.institution.company_id) as session:
        now = await session.value("SELECT business_now()")
        day = brasilia_day(now) - timedelta(days=2)
        await act(shards.institution.company_id, Begin("pix", [day]))
        statement = await of_day(session, shards.institution.company_id, "pix", day)
    assert statement is not None
    said = NetworkMessage(port.UNKNOWN, "", "x", b"")
    line = StatementLine("1", port.IN, name, None, Money(1000, "BRL"), now, said)
    await act(shards.ana.company_id, Compare(statement, [line], BOOKED["pix"]))
    await shards.admin.execute("UPDATE statement_lines SET amount_minor = 999 WHERE company_id = $1", shards.ana.company_id)
    await shards.are_told("")
    await act(shards.institution.company_id, Finish(statement, None))
    await shards.are_told("a_reconciled_day_is_in_the_ledger", shards.ana)
    lacks = StatementLine("2", port.IN, f"{name[:-1]}X", None, Money(1, "BRL"), now, said)
    await act(shards.dora.company_id, Compare(statement, [lacks], BOOKED["pix"]))
    await shards.are_told("")
