"""A Write happens whole or not at all: each of its parts is made to fail in turn."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from msgspec import structs
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import born_order, ended, move_of

from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.errors import InsufficientFunds, KeyTaken, OverQuota, Stale, Taken
from lastro.core.write import (
    Caller,
    Event,
    Finished,
    LedgerAccount,
    Message,
    Quota,
    Relied,
    Row,
    Stored,
    Touch,
    Withdrawn,
    Write,
)
from lastro.orders import ORDERS

FAR = UUID(int=404)


async def hash_of_everything(database: Any) -> dict[str, str]:
    """One hash of all rows of each table."""
    audit = Database(database.audit)
    sql = "SELECT md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) AS hash FROM {} t"
    try:
        async with audit.session() as session:
            tables = await session.fetch(
                "SELECT relname::text AS name, relrowsecurity AS is_tenants FROM pg_class"
                " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
                " AND has_table_privilege(oid, 'SELECT')"  # not those of people's secrets and of signing keys
            )
            assert len(tables) > 60
            found = {t["name"]: await session.value(sql.format(t["name"])) for t in tables if not t["is_tenants"]}
        for table in (t["name"] for t in tables if t["is_tenants"]):
            found[table] = "".join(sorted(row["hash"] for row in await audit.everywhere(sql.format(table))))
        return found
    finally:
        await audit.close()


class Scene:
    """Two open orders, money, a message in hand, an answer given; and a Write that touches every part of it."""

    def __init__(self, cast: Cast, ana: Seller, tag: str = "") -> None:
        self.cast, self.ana, self.tag = cast, ana, tag
        self.at = datetime.now(UTC)
        self.order, self.other, self.inbox, self.lease = (cast.id() for _ in range(4))
        self.party = cast.id()
        self.open = self.message("N0")

    async def set(self) -> None:
        later = self.at + timedelta(microseconds=1)
        inbox = {
            "id": self.inbox, "rail": "pix", "kind": "x", "network_id": f"M0{self.tag}", "subject": "E0", "body": b"",
            "received_at": self.at, "due_at": self.at, "lease_token": self.lease,
        }  # fmt: skip
        rows = (
            *born_order(self.ana, self.order, self.at), *born_order(self.ana, self.other, later), Row("inbox", inbox),
            Row("parties", {"id": self.party, "name": "Bento"}),
        )  # fmt: skip
        first = Write(self.ana.company_id, rows=rows, messages=(self.open,), stored=(self.stored("used"),))
        await commit(self.cast.database, structs.replace(first, quotas=(self.quota(90),)))
        await self.cast.credit(self.ana, 1000)

    def message(self, network_id: str) -> Message:
        return Message(self.cast.id(), "pix", "x", network_id + self.tag, self.order, b"{}", self.at)

    def quota(self, minor: int) -> Quota:
        return Quota(self.order, "test", "today", minor, 100)

    def stored(self, key: str) -> Stored:
        return Stored("act", key + self.tag, b"f", 200, b"{}", self.order, "week", self.at)

    def write(self) -> Write:
        """Everything at once."""
        order = move_of(ORDERS, self.order, "INITIAL", 1, "cancel", self.at)
        return Write(
            self.ana.company_id,
            relies=(Relied("accounts", self.ana.account_id, 1), Relied("companies", self.ana.company_id, 1)),
            rows=(Row("parties", {"id": self.cast.id(), "name": "Caio"}),),
            moves=(order,),
            touches=(Touch("orders", self.other, 1, {"description": "Rosas"}),),
            transfers=(self.cast.transfer(self.ana.customer, self.ana.clearing, 1000),),
            events=(
                Event(self.cast.id(), "ORDER-PAYIN.CANCELED", self.order, None, ended(self.order, "CANCELED"), self.at),
            ),
            messages=(self.message("N1"),),
            withdrawn=(Withdrawn(self.open.id, 0, self.at),),
            quotas=(self.quota(10),),
            finished=(Finished("inbox", self.inbox, self.lease, "handled", self.at),),
            stored=(self.stored("new"),),
        )


def first(write: Write, part: str, **changes: Any) -> Write:
    """The Write with the first value of a part changed."""
    one, *others = getattr(write, part)
    changed: dict[str, Any] = {part: (structs.replace(one, **changes), *others)}
    return structs.replace(write, **changed)


def row(table: str, **values: Any) -> Callable[[Write], Write]:
    return lambda w: structs.replace(w, rows=(*w.rows, Row(table, values)))


def missing_account(floor: bool) -> LedgerAccount:
    return LedgerAccount(FAR, "CUST", "BRL", floor)


FAILURES: dict[str, tuple[type[Exception], Callable[[Write], Write]]] = {
    "relied row has moved": (Stale, lambda w: first(w, "relies", version=2)),
    "relied row is gone": (Stale, lambda w: first(w, "relies", id=FAR)),
    "relied company has moved": (Stale, lambda w: structs.replace(w, relies=(*w.relies, Relied("companies", w.company_id, 2)))),
    "relied order has moved": (Stale, lambda w: structs.replace(w, relies=(*w.relies, Relied("orders", FAR, 1)))),
    "relied key has moved": (Stale, lambda w: structs.replace(w, relies=(*w.relies, Relied("pix_keys", FAR, 1)))),
    "a kind nobody can rely on": (asyncpg.PostgresError, lambda w: first(w, "relies", kind="history")),
    "row breaks a check": (asyncpg.CheckViolationError, row("parties", id=FAR, name="x", entity_type="GHOST")),
    "row lacks its parent": (asyncpg.ForeignKeyViolationError, row("delivery_attempts", event_id=FAR, number=1, status_code=0, message="", requested_at=datetime.now(UTC), duration_ms=0)),
    "row has a text that no text can be": (asyncpg.PostgresError, row("parties", id=FAR, name="\0")),
    "moved order has moved": (Stale, lambda w: first(w, "moves", version=2)),
    "moved order is another's": (Stale, lambda w: first(w, "moves", id=FAR)),
    "moved order breaks a check": (asyncpg.CheckViolationError, lambda w: first(w, "moves", to_state="PAID")),
    "touched order has moved": (Stale, lambda w: first(w, "touches", version=2)),
    "too little money": (InsufficientFunds, lambda w: first(w, "transfers", amount=structs.replace(w.transfers[0].amount, minor=1001))),
    "account with a floor and no balance": (InsufficientFunds, lambda w: first(w, "transfers", debit=missing_account(True))),
    "debit of no account": (asyncpg.ForeignKeyViolationError, lambda w: first(w, "transfers", debit=missing_account(False))),
    "credit of no account": (asyncpg.ForeignKeyViolationError, lambda w: first(w, "transfers", credit=missing_account(False))),
    "end of no hold": (asyncpg.CheckViolationError, lambda w: first(w, "transfers", kind="posted", pending_id=FAR)),
    "message already told": (Taken, lambda w: first(w, "messages", network_id="N0")),
    "message was taken in hand meanwhile": (Stale, lambda w: first(w, "withdrawn", sends=1)),
    "message that was never there": (Stale, lambda w: first(w, "withdrawn", id=FAR)),
    "limit passed by one": (OverQuota, lambda w: first(w, "quotas", minor=11)),
    "more given back than was used": (asyncpg.CheckViolationError, lambda w: first(w, "quotas", minor=-91)),
    "message taken over by another worker": (Stale, lambda w: first(w, "finished", lease_token=FAR)),
    "key answered already": (KeyTaken, lambda w: first(w, "stored", key="used")),
}  # fmt: skip


async def test_all_or_nothing(cast: Cast, ana: Seller, inside: Any, database: Any) -> None:
    scene = Scene(cast, ana)
    await scene.set()
    before = await hash_of_everything(database)
    for name, (error, broken) in FAILURES.items():
        with pytest.raises(error) as raised:
            await commit(cast.database, broken(scene.write()))
        assert type(raised.value) is not Exception
        assert await hash_of_everything(database) == before, name
    clock = await inside.fetchval("SELECT version FROM clock")
    for caller in (
        Caller(ana.client.client_id, 2),
        Caller("lc_nobody", 1),
        Caller(clock_version=clock + 1),
        Caller(ana.client.client_id, 1, clock + 1),
    ):
        with pytest.raises(Stale):
            await commit(cast.database, scene.write(), caller)
        assert await hash_of_everything(database) == before, caller

    await commit(cast.database, scene.write(), Caller(ana.client.client_id, 1, clock))
    after = await hash_of_everything(database)
    changed = {t for t in after if after[t] != before[t]}
    assert changed == {
        "parties", "orders", "history", "transfers", "balances", "events", "outbox", "inbox", "answers", "quotas",
    }  # fmt: skip


async def test_a_duplicate_fact_or_row_changes_nothing(cast: Cast, ana: Seller, database: Any) -> None:
    scene = Scene(cast, ana)
    await scene.set()
    write = scene.write()
    await commit(cast.database, Write(ana.company_id, events=(structs.replace(write.events[0], type="TEST"),)))
    before = await hash_of_everything(database)
    for broken in (write, first(scene.write(), "rows", values={"id": scene.party, "name": "again"})):
        with pytest.raises(Taken):
            await commit(cast.database, broken)
        assert await hash_of_everything(database) == before


async def test_what_was_written_is_what_the_write_said(cast: Cast, ana: Seller, inside: Any) -> None:
    scene = Scene(cast, ana)
    await scene.set()
    await commit(cast.database, scene.write())
    order = await inside.fetchrow("SELECT * FROM orders WHERE id = $1", scene.order)
    assert (order["status"], order["version"], order["updated_at"]) == ("CANCELED", 2, scene.at)
    other = await inside.fetchrow("SELECT * FROM orders WHERE id = $1", scene.other)
    assert (other["status"], other["version"], other["description"]) == ("INITIAL", 1, "Rosas")
    lines = await inside.fetch(
        "SELECT version, from_state, trigger, to_state FROM history WHERE reference_id = $1 ORDER BY 1", scene.order
    )
    assert [tuple(r) for r in lines] == [(1, "", "create", "INITIAL"), (2, "INITIAL", "cancel", "CANCELED")]
    inbox = await inside.fetchrow("SELECT * FROM inbox")
    assert (inbox["due_at"], inbox["outcome"], inbox["lease_token"], inbox["done_at"]) == (None, "handled", None, scene.at)
    assert await inside.fetchval("SELECT count(*) FROM outbox WHERE network_id = 'N1' AND due_at = $1", scene.at) == 1
    assert await inside.fetchval("SELECT body FROM answers WHERE key = 'new'") == b"{}"


async def test_two_objects_of_one_instant_are_told_to_decide_again(cast: Cast, ana: Seller) -> None:
    at = datetime.now(UTC)
    await commit(cast.database, Write(ana.company_id, rows=born_order(ana, cast.id(), at)))
    with pytest.raises(Stale):
        await commit(cast.database, Write(ana.company_id, rows=born_order(ana, cast.id(), at)))
    await commit(cast.database, Write(ana.company_id, rows=born_order(ana, cast.id(), at + timedelta(microseconds=1))))


async def test_the_same_instant_in_another_company_is_no_matter(cast: Cast, ana: Seller) -> None:
    dora, at = await cast.dora(), datetime.now(UTC)
    for seller in (ana, dora):
        await commit(cast.database, Write(seller.company_id, rows=born_order(seller, cast.id(), at)))


async def test_few_rows_and_many_are_written_alike(cast: Cast, ana: Seller, inside: Any) -> None:
    for number in (1, 4, 5, 300):
        rows = tuple(
            Row("parties", {"id": cast.id(), "name": f"{number} of", "address": None if n % 2 else '{"a": 1}', "ip": str(n)})
            for n in range(number)
        )
        await commit(cast.database, Write(ana.company_id, rows=rows))
        found = await inside.fetch("SELECT id, address, ip FROM parties WHERE name = $1 ORDER BY id", f"{number} of")
        assert [tuple(r) for r in found] == [tuple(row.values[c] for c in ("id", "address", "ip")) for row in rows]


async def test_nobody_writes_into_another_company(cast: Cast, ana: Seller, database: Any) -> None:
    dora, scene = await cast.dora(), Scene(cast, ana)
    await scene.set()
    before = await hash_of_everything(database)
    order = move_of(ORDERS, scene.order, "INITIAL", 1, "cancel", scene.at)
    theirs = cast.transfer(ana.customer, dora.clearing, 1)
    attempts: list[tuple[type[Exception], Write]] = [
        (Stale, Write(dora.company_id, moves=(order,))),
        (Stale, Write(dora.company_id, touches=(Touch("orders", scene.other, 1, {"description": "x"}),))),
        (Stale, Write(dora.company_id, withdrawn=(Withdrawn(scene.open.id, 0, scene.at),))),
        (Stale, Write(dora.company_id, finished=(Finished("inbox", scene.inbox, scene.lease, "x", scene.at),))),
        (Stale, Write(dora.company_id, rows=(Row("parties", {"id": cast.id(), "name": "x"}),), relies=(Relied("accounts", ana.account_id, 1),))),
        (InsufficientFunds, Write(dora.company_id, transfers=(theirs,))),
        (asyncpg.ForeignKeyViolationError, Write(dora.company_id, transfers=(cast.transfer(dora.clearing, ana.customer, 1),))),
    ]  # fmt: skip
    for error, write in attempts:
        with pytest.raises(error):
            await commit(cast.database, write)
    assert await hash_of_everything(database) == before
