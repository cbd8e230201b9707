"""Reading in one round trip: the door is passed first, and nobody sees another's rows."""

from dataclasses import dataclass, field
from typing import Any

from asyncpg import Record
from tests.cast import Cast, Seller

from lastro.api_kit.routes import render
from lastro.core.db import Session
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, Query, Reply, RequestContext
from lastro.core.write import Row, Write


@dataclass
class Look(Act[list[str]]):
    """Answers the ids of accounts. sql: of the reading."""

    sql: str = "SELECT id::text, company_id FROM accounts WHERE company_id = $1"
    arguments: tuple[Any, ...] = ()
    reads: list[str] = field(default_factory=list)

    def query(self) -> Query[list[str]]:
        def known(rows: list[Record]) -> list[str]:
            return [r["id"] for r in rows]

        return Query(self.sql, self.arguments, known)

    async def read(self, session: Session, context: RequestContext) -> list[str]:
        self.reads.append("the long way")
        return self.reads

    def decide(self, known: list[str], context: RequestContext) -> Done:
        return Done(None, render({"ids": known, "at": context.now.isoformat()}))


async def seen(cast: Cast, seller: Seller, look: Look) -> list[str]:
    reply = await cast.run(seller.client, look)
    assert isinstance(reply, Reply), reply
    ids: list[str] = reply.body.decode().split("[")[1].split("]")[0].replace('"', "").split(",")
    return [i for i in ids if i]


async def test_each_sees_its_own_through_one_connection(database: Any) -> None:
    """The connection comes from another company each time: what it was set to must not count."""
    cast = Cast.of(database.app, size=1)
    ana, dora = await cast.found("Ana"), await cast.found("Dora")
    for _ in range(3):
        for seller in (ana, dora):
            assert await seen(cast, seller, Look()) == [str(seller.account_id)]
    await cast.close()


async def test_without_its_company_a_reading_sees_no_more(database: Any) -> None:
    """Row-level security holds behind the door as well: a statement that forgets to ask for the company shows no other's."""
    cast = Cast.of(database.app, size=1)
    ana, dora = await cast.found("Ana"), await cast.found("Dora")
    whole = "SELECT id::text FROM accounts WHERE $1::uuid IS NOT NULL"
    for seller in (ana, dora, ana):
        assert await seen(cast, seller, Look(whole)) == [str(seller.account_id)]
    await cast.close()


async def test_what_is_not_there_is_no_row(cast: Cast, ana: Seller) -> None:
    nothing = Look("SELECT id::text FROM accounts WHERE company_id = $1 AND number = $2", ("none",))
    assert await seen(cast, ana, nothing) == []


async def test_a_column_that_is_null_is_still_a_row(cast: Cast, ana: Seller) -> None:
    nulls = Look("SELECT NULL::text AS id FROM accounts WHERE company_id = $1")
    reply = await cast.run(ana.client, nulls)
    assert isinstance(reply, Reply)
    assert b'"ids":[null]' in reply.body


@dataclass
class Wrote(Look):
    """A look that writes what it saw."""

    def decide(self, known: list[str], context: RequestContext) -> Done:
        made = context.chance.uuid(context.now)
        row = {"id": made, "name": "Ana", "document_type": "CPF", "document_number": "12345678909"}
        return Done(Write(context.company_id, rows=(Row("parties", row),)), render({"ids": known}), made)


async def test_what_is_seen_at_a_glance_is_answered_once_under_a_key(cast: Cast, ana: Seller) -> None:
    """The door that is passed with a glance looks for an answer already given, as any door does."""
    look = Wrote()
    first, second = [await cast.run(ana.client, look, key="k") for _ in range(2)]
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.body, first.replayed, second.replayed) == (first.body, False, True)
    assert str(ana.account_id).encode() in first.body
    assert look.reads == []
    async with cast.database.session(ana.company_id) as session:
        assert await session.value("SELECT count(*) FROM parties WHERE name = 'Ana'") == 1


async def test_who_may_not_ask_sees_nothing(cast: Cast, ana: Seller) -> None:
    powerless = await cast.add_client(ana.company_id, "powerless", ("med:read",))
    assert await cast.run(powerless, Look()) == Refused(Kind.FORBIDDEN)
    async with cast.database.session(ana.company_id) as session:
        await session.fetch(
            "UPDATE clients SET revoked_at = machine_now(), version = version + 1 WHERE company_id = $1 AND client_id = $2 RETURNING 1",
            ana.company_id, ana.client.client_id,
        )  # fmt: skip
    assert await cast.run(ana.client, Look()) == Refused(Kind.UNAUTHORIZED)
