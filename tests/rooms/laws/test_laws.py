"""Each law holds of a healthy world, and each is broken by hand and seen: a law that nothing breaks proves nothing."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.laws import breaches, laws
from tests.rooms.base.verbs import move_of, order_values

from lastro import ledger
from lastro.base.commit import commit
from lastro.base.write import Fact, Row, Transfer, Write
from lastro.doors.wiring import MACHINES
from lastro.orders import ORDERS, PIX_PAYMENTS, REFUNDS

pytestmark = pytest.mark.anyio


class World:
    """A paid order with its fee, an open hold, money in suspense on its way back, a told and numbered event."""

    def __init__(self, cast: Cast, ana: Seller) -> None:
        self.cast, self.ana = cast, ana
        self.at = datetime.now(UTC)
        self.order, self.payment, self.unfit, self.refund, self.event = (cast.id() for _ in range(5))

    async def make(self) -> None:
        cast, ana, at = self.cast, self.ana, self.at
        suspense = ledger.suspense(ana.company_id, "BRL")
        credit = cast.transfer(ana.pix, ana.customer, 950)
        fee = cast.transfer(ana.pix, ana.fees, 50)
        came = cast.transfer(ana.pix, suspense, 30)
        self.hold = cast.transfer(suspense, ana.pix, 30, kind="held")
        self.own_hold = cast.transfer(ana.customer, ana.clearing, 100, kind="held")
        self.posted = cast.transfer(ana.customer, ana.clearing, 100, kind="posted", pending=self.own_hold)
        self.open_hold = cast.transfer(ana.customer, ana.clearing, 40, kind="held")
        payment = {
            "end_to_end_id": str(self.payment),
            "account_id": ana.account_id,
            "accepted_at": at,
            "created_at": at,
            "updated_at": at,
        }
        rows = (
            *ORDERS.born(order_values(ana, self.order, at, paid_minor=1000, paid_at=at), at, ("create", "pay")),
            *PIX_PAYMENTS.born({**payment, "id": self.payment, "amount_minor": 1000, "order_id": self.order}, at, ("settle",)),
            *PIX_PAYMENTS.born({**payment, "id": self.unfit, "amount_minor": 30, "end_to_end_id": str(self.unfit)}, at, ("give_back",)),
            *REFUNDS.born({"id": self.refund, "origin": "AUTOMATIC", "payment_id": self.unfit, "return_id": str(self.refund), "reason_code": "MD06", "amount_minor": 30, "hold_id": self.hold.id, "created_at": at, "updated_at": at}, at),
        )  # fmt: skip
        booked = (_for(credit, self.order, "PIX_IN"), _for(fee, self.order, "FEE"), _for(came, self.unfit, "PIX_UNFIT"))
        fact = Fact(self.event, "ORDER-PAYIN.PAID", self.order, "https://ana.example/hook", b"{}", at)
        self.credit = booked[0]
        await commit(cast.database, Write(ana.company_id, rows=rows, transfers=(*booked, self.hold), facts=(fact,)))
        for transfer in (self.own_hold, self.posted, self.open_hold):
            await commit(cast.database, Write(ana.company_id, transfers=(transfer,)))
        async with cast.database.session(ana.company_id) as session:
            while not await session.value("SELECT number_events($1, 100)", ana.company_id):
                pass
            await session.fetch("SELECT fold($1, 1, 100)", ana.company_id)


def _for(transfer: Transfer, reference: UUID, entry: str) -> Transfer:
    return replace(transfer, reference_id=reference, type=entry)


@pytest.fixture
async def world(database: Any) -> AsyncIterator[World]:
    cast = Cast.of(database.app, size=2)
    made = World(cast, await cast.ana())
    await made.make()
    yield made
    await cast.close()


# Ways to break each law: statements in which $1 is the company; {name} stands for an id of the world.
BROKEN: dict[str, list[str]] = {
    "law_balances_equal_transfers": [
        "UPDATE balances SET debits = debits + 1 WHERE company_id = $1",
        "UPDATE balances SET held = held + 1 WHERE company_id = $1",
        "UPDATE balances SET credits_folded = credits_folded + 1 WHERE company_id = $1",
        "UPDATE balances SET fold_xid = fold_xid + 1000000, credits_folded = credits_folded - 1 WHERE company_id = $1",
        "UPDATE transfers SET amount_minor = amount_minor + 1 WHERE company_id = $1",
        "DELETE FROM transfers WHERE company_id = $1 AND pending_id IS NOT NULL",
    ],
    "law_no_account_below_floor": [
        "UPDATE balances SET debits = debits + 811 WHERE company_id = $1 AND held > 0",
        "UPDATE balances SET held = held + 811 WHERE company_id = $1 AND held > 0",
        "UPDATE balances SET floor_minor = 1 WHERE company_id = $1",
    ],
    "law_customer_accounts_have_a_floor": [
        "DELETE FROM balances WHERE company_id = $1",
        "UPDATE ledger_accounts SET code = 'CUST' WHERE company_id = $1 AND code = 'LOSS'",
        "UPDATE ledger_accounts SET code = 'LOSS' WHERE company_id = $1 AND code = 'BLOCK'",
    ],
    "law_a_hold_ends_as_it_began": [
        "UPDATE transfers SET amount_minor = 99 WHERE company_id = $1 AND kind = 'posted'",
        "UPDATE transfers SET currency = 'USD' WHERE company_id = $1 AND kind = 'posted'",
        "UPDATE transfers SET reference_id = gen_random_uuid() WHERE company_id = $1 AND kind = 'posted'",
        "UPDATE transfers SET debit_id = credit_id, credit_id = debit_id WHERE company_id = $1 AND kind = 'posted'",
        "UPDATE transfers SET kind = 'moved' WHERE company_id = $1 AND id = '{own_hold}'",
    ],
    "law_a_transfer_has_one_currency": [
        "UPDATE transfers SET currency = 'USD' WHERE company_id = $1 AND id = '{credit}'",
        "UPDATE ledger_accounts SET currency = 'USD' WHERE company_id = $1 AND code = 'FEE'",
    ],
    "law_every_move_allowed": [
        "UPDATE history SET trigger = 'expire' WHERE company_id = $1 AND trigger = 'pay'",
        "INSERT INTO history VALUES ($1, '{order}', 3, 'orders', 'PAID', 'INITIAL', 'reopen', NULL, now())",
    ],
    "law_history_is_dense": [
        "DELETE FROM history WHERE company_id = $1 AND reference_id = '{order}' AND version = 1",
        "UPDATE history SET version = 3 WHERE company_id = $1 AND reference_id = '{order}' AND version = 2",
        "UPDATE history SET from_state = 'EXPIRED' WHERE company_id = $1 AND reference_id = '{order}' AND version = 2",
    ],
    "law_state_is_the_last_of_history": [
        "UPDATE orders SET status = 'REFUNDED' WHERE company_id = $1",
        "UPDATE orders SET version = version + 1 WHERE company_id = $1",
        "UPDATE pix_payments SET state = 'STRANDED' WHERE company_id = $1 AND id = '{unfit}'",
        "UPDATE refunds SET version = version + 1 WHERE company_id = $1",
        "DELETE FROM history WHERE company_id = $1 AND reference_id = '{refund}'",
        "UPDATE history SET machine = 'orders' WHERE company_id = $1 AND reference_id = '{payment}'",
    ],
    "law_a_paid_order_is_booked_once": [
        "UPDATE orders SET paid_minor = paid_minor + 1 WHERE company_id = $1",
        "UPDATE orders SET status = 'INITIAL' WHERE company_id = $1",
        "UPDATE pix_payments SET amount_minor = amount_minor + 1 WHERE company_id = $1 AND state = 'SETTLED'",
        "UPDATE pix_payments SET order_id = NULL WHERE company_id = $1",
        "UPDATE pix_payments SET order_id = '{order}', state = 'SETTLED' WHERE company_id = $1",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'FEE'",
        "UPDATE transfers SET amount_minor = amount_minor - 1 WHERE company_id = $1 AND type = 'PIX_IN'",
    ],
    "law_clearing_equals_payments": [
        "UPDATE pix_payments SET amount_minor = 31 WHERE company_id = $1 AND id = '{unfit}'",
        "UPDATE pix_payments SET state = 'FAILED' WHERE company_id = $1 AND state = 'SETTLED'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_IN'",
    ],
    "law_suspense_is_explained": [
        "UPDATE pix_payments SET state = 'RETURNED' WHERE company_id = $1 AND id = '{unfit}'",
        "UPDATE pix_payments SET amount_minor = 31 WHERE company_id = $1 AND id = '{unfit}'",
        "DELETE FROM transfers WHERE company_id = $1 AND type = 'PIX_UNFIT'",
    ],
    "law_in_transit_is_zero_at_rest": [
        "UPDATE transfers SET credit_id = (SELECT id FROM ledger_accounts WHERE company_id = $1 AND code = 'TRANSIT') WHERE company_id = $1 AND type = 'FEE'",
    ],
    "law_each_fact_is_told_once": [
        "UPDATE events SET type = 'ORDER-PAYIN.EXPIRED' WHERE company_id = $1",
        "UPDATE events SET reference_id = gen_random_uuid() WHERE company_id = $1",
        "INSERT INTO events (company_id, id, type, reference_id, body, created_at) VALUES ($1, gen_random_uuid(), 'ORDER-PAYIN.PAID', '{order}', '', now())",
    ],
    "law_feed_is_dense": [
        "UPDATE event_cursors SET last_sequence = 2 WHERE company_id = $1",
        "UPDATE event_numbers SET sequence = 2 WHERE company_id = $1",
        "DELETE FROM event_numbers WHERE company_id = $1",
    ],
    "law_each_numbered_event_is_delivered_or_due": [
        "DELETE FROM deliveries WHERE company_id = $1",
        "UPDATE events SET url = NULL WHERE company_id = $1",
        "UPDATE deliveries SET due_at = NULL WHERE company_id = $1",
        "UPDATE deliveries SET status = 'DELIVERED' WHERE company_id = $1",
    ],
    "law_an_answer_has_its_object": [
        "INSERT INTO answers VALUES ($1, 'create_order', 'k', '', 200, '', gen_random_uuid(), 'month', now())",
    ],
}  # fmt: skip


@pytest.fixture
async def owner(database: Any) -> AsyncIterator[Any]:
    """A transaction in which row-level security has no power over the tables' owner; nothing of it stays."""
    connection = await database.connect(database.for_role("lastro_owner"))
    transaction = connection.transaction()
    await transaction.start()
    for (table,) in await connection.fetch("SELECT relname::text FROM pg_class WHERE relrowsecurity AND relkind = 'r'"):
        await connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    yield connection
    await transaction.rollback()
    await connection.close()


async def test_every_law_has_a_way_to_break_it(database: Any) -> None:
    audit = await database.connect(database.audit)
    assert await laws(audit) == sorted(BROKEN)
    await audit.close()


async def test_a_healthy_world_breaks_none(world: World, database: Any) -> None:
    assert await breaches(database.audit, companies=[world.ana.company_id]) == {}


@pytest.mark.parametrize("law", BROKEN)
async def test_a_broken_law_is_seen(law: str, world: World, owner: Any) -> None:
    seen = f"SELECT count(*) FROM {law} WHERE company_id = $1"
    ids = {
        name: value.id if hasattr(value, "id") else value
        for name, value in vars(world).items()
        if name not in ("cast", "ana")
    }
    assert await owner.fetchval(seen, world.ana.company_id) == 0
    for statement in BROKEN[law]:
        one = owner.transaction()
        await one.start()
        changed = await owner.execute(statement.format(**ids), world.ana.company_id)
        assert changed.split()[-1] != "0", statement
        assert await owner.fetchval(seen, world.ana.company_id) > 0, statement
        await one.rollback()


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
async def test_every_pair_that_the_table_lacks_is_seen_when_written_by_hand(machine: Any, world: World, owner: Any) -> None:
    """Every state, with every trigger, to every state it could lead to: the database allows what the code allows, no more."""
    states, triggers = ("", *machine.states()), sorted({t for _, t in machine.moves})
    every = [(s, t, to) for s in states for t in triggers for to in states]
    await owner.executemany(
        "INSERT INTO history VALUES ($1, $2, $3, $4, $5, $6, $7, NULL, now())",
        [(world.ana.company_id, world.event, n, machine.name, s, to, t) for n, (s, t, to) in enumerate(every)],
    )
    rows = await owner.fetch("SELECT version FROM law_every_move_allowed WHERE reference_id = $1", world.event)
    unlawful = {every[r["version"]] for r in rows}
    assert set(every) - unlawful == {(s, t, to) for (s, t), to in machine.moves.items()}


async def test_a_move_that_the_table_has_breaks_no_law(world: World, database: Any) -> None:
    move = move_of(PIX_PAYMENTS, world.unfit, "RETURNING", 1, "strand", world.at)
    failed = move_of(REFUNDS, world.refund, "PENDING", 1, "refuse", world.at)
    kept = world.cast.transfer(world.hold.debit, world.hold.credit, 30, kind="voided", pending=world.hold)
    party = Row("parties", {"id": world.cast.id(), "name": "x"})
    await commit(world.cast.database, Write(world.ana.company_id, rows=(party,), moves=(move, failed), transfers=(kept,)))
    assert await breaches(database.audit, companies=[world.ana.company_id]) == {}
