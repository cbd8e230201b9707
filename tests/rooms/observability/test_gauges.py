"""What the database says of the whole system, seen by the role that sees ids and due times alone."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import born_order, born_statement
from tests.rooms.payouts.office import Office

from lastro.core.commit import commit
from lastro.core.db import Database, Dsn
from lastro.core.money import Money
from lastro.core.write import Event, Message, Row, Write
from lastro.observability.gauges import Gauges, Watch, read
from lastro.observability.metrics import Metrics
from lastro.orders import CloseForeign, ForeignPayments
from lastro.payouts import SettleStranded
from lastro.rails.cursors import RailCursor
from lastro.rails.port import OTHER_AMOUNT, ForeignPayment
from lastro.webhooks import Circuit

NOTHING = (0, 0.0)


@pytest.fixture
async def own_cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app)
    yield made
    await made.close()


@pytest.fixture
async def work(own_database: Any) -> AsyncIterator[Database]:
    made = Database(own_database.work, size=1)
    yield made
    await made.close()


LANES = (
    "outbox", "inbox", "orders", "collected orders", "payments", "returns", "payouts", "scheduled payouts", "plans", "lapses",
    "subscription ends", "cancellations", "cycles", "subscriptions", "charges", "attempts", "charges to drop",
    "card charges", "codes", "closed accounts", "disputes", "openings", "analyses", "first keys",
    "claims",
    "claims to ask",
)  # fmt: skip


def subscriptions(cast: Cast, seller: Seller, debtor: UUID, at: datetime) -> tuple[Row, ...]:
    """One whose window is over, one whose last day is; and a cancellation that the payer's bank has not answered."""
    rows = []
    for n, (status, column) in enumerate((("PENDING_AUTHORIZATION", "lapses_at"), ("ACCEPTED", "ends_at"))):
        values = {
            "id": cast.id(), "account_id": seller.account_id, "external_id": status, "provider_id": f"R{cast.id().hex}",
            "type": "AUTHORIZATION_QRCODE", "status": status, "frequency": "WEEKLY", "starts_on": at.date(), "currency": "BRL",
            "charges_after_due": False, "adjusts": False, "auto_schedule": False, "webhook_url": "https://ana.example",
            "debtor_id": debtor, "location_token": cast.id().hex, "lapses_at": at + timedelta(days=1), "version": 1,
            "created_at": at + n * timedelta(microseconds=1), "updated_at": at,
        }  # fmt: skip
        if column == "ends_at":
            values |= {"ends_on": at.date() + timedelta(days=1), "ends_at": at, "payer_id": debtor, "accepted_at": at}
            values |= {"charge_at": at}
        else:
            values |= {"lapses_at": at - timedelta(seconds=60), "ask_at": at}
        rows.append(Row("subscriptions", values))
    cancellation = {
        "id": cast.id(), "subscription_id": rows[-1].values["id"], "status": "PENDING", "idempotency_key": "k",
        "reason": "OTHER", "message_id": cast.id().hex, "ask_at": at, "created_at": at, "updated_at": at, "version": 1,
    }  # fmt: skip
    return (
        *rows,
        Row("subscription_cancellations", cancellation),
        *charges(cast, seller.account_id, rows[-1].values["id"], at),
    )


def charges(cast: Cast, account: UUID, subscription: UUID, at: datetime) -> tuple[Row, ...]:
    """A payment whose time has come, one that the payer's bank is to drop, and an attempt that it has not answered."""
    rows: list[Row] = []
    dropped: dict[str, Any] = {"cancel_message_id": "M", "cancel_asked_at": at, "ask_at": at}
    ways: tuple[dict[str, Any], ...] = ({"due_at": at}, dropped)
    for n, due in enumerate(ways):
        values = {
            "id": cast.id(), "subscription_id": subscription, "external_id": str(n), "status": "SCHEDULED", "currency": "BRL",
            "amount_minor": 1, "due_on": at.date(), "settles_on": at.date(), "cycle": n, "cycle_starts_on": at.date(),
            "next_cycle_starts_on": at.date() + timedelta(days=7), "auto_retry": True, "order_id": cast.id(), "version": 1,
            "created_at": at + n * timedelta(microseconds=1), "updated_at": at, **due,
        }  # fmt: skip
        order = {
            "id": values["order_id"], "account_id": account, "external_id": "x", "origin": "TRANSPARENT", "payment_method": "PIX",
            "status": "CANCELED", "currency": "BRL", "description": "x", "created_at": at + (n + 5) * timedelta(microseconds=1),
            "updated_at": at, "version": 1,
        }  # fmt: skip
        rows += [Row("orders", order), Row("subscription_payments", values)]
    attempt = {
        "id": cast.id(), "payment_id": rows[1].values["id"], "number": 1, "status": "REQUESTED", "kind": "AGND",
        "collects_on": at.date(), "message_id": cast.id().hex, "ask_at": at, "created_at": at, "updated_at": at, "version": 1,
    }  # fmt: skip
    return (*rows, Row("payment_attempts", attempt))


def asked_accounts(cast: Cast, seller: Seller, party: UUID, at: datetime) -> tuple[Row, ...]:
    """A request that nobody brings documents for, one that is looked at, one whose account has no key; and a code to be given."""
    ways: tuple[dict[str, Any], ...] = (
        {"status": "PENDING_DOCUMENTS", "missing": ["selfieHolder"], "expires_at": at},
        {"status": "ANALYSIS", "missing": [], "ask_at": at},
        {"status": "APPROVED", "missing": [], "account_id": seller.account_id, "key_due_at": at},
    )
    requests = (
        Row("account_requests", {
            "id": cast.id(), "external_id": str(n), "holder_type": "INDIVIDUAL", "party_id": party, "terms_version": "x",
            "terms_accepted_at": at, "created_at": at + n * timedelta(microseconds=1), "updated_at": at,
            "reproved_fields": [], "representative_ids": [], "expires_at": None, "ask_at": None, "key_due_at": None,
            "account_id": None, **way,
        })
        for n, way in enumerate(ways)
    )  # fmt: skip
    code = {
        "id": cast.id(), "account_id": seller.account_id, "type": "EMAIL", "key": "ana@example.com", "status": "PENDING",
        "request_id": cast.id(), "sealed_by": "k", "sent_at": at, "expires_at": at - timedelta(seconds=60), "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    return (*requests, Row("pix_key_validations", code))


async def seen(work: Database) -> Gauges:
    return await read(work)


async def wait_in_line(cast: Cast, seller: Seller, since: timedelta) -> None:
    """One row in every lane of a company, due for so long."""
    at = datetime.now(UTC) - since
    order, payment, refund, party, account = (*(cast.id() for _ in range(4)), seller.account_id)
    hold = cast.transfer(seller.customer, seller.clearing, 1, kind="held")
    await cast.credit(seller, 100)
    ending = [Row(r.table, {**r.values, "expires_at": at - timedelta(seconds=60)}) if r.table == "orders" else r
              for r in born_order(seller, order, at)]  # fmt: skip
    slip = {"payment_method": "BOLETO", "expires_at": at + timedelta(days=1), "ends_at": at}
    rows = (
        *ending,
        *born_order(seller, cast.id(), at + timedelta(microseconds=9), **slip),
        Row("inbox", {"id": cast.id(), "rail": "pix", "kind": "x", "network_id": str(cast.id()), "subject": "E", "body": b"", "received_at": at, "due_at": at}),
        Row("pix_payments", {"id": payment, "end_to_end_id": str(payment), "state": "ACCEPTED", "amount_minor": 1, "accepted_at": at, "ask_at": at, "created_at": at, "updated_at": at, "version": 1}),
        Row("card_payments", {"id": cast.id(), "order_id": order, "state": "AUTHENTICATED", "charge_id": "c", "ask_at": at, "created_at": at, "updated_at": at, "version": 1}),
        Row("refunds", {"id": refund, "origin": "AUTOMATIC", "payment_id": payment, "return_id": str(payment), "reason_code": "MD06", "state": "PENDING", "amount_minor": 1, "hold_id": hold.id, "ask_at": at, "created_at": at, "updated_at": at, "version": 1}),
        Row("payout_plans", {"id": cast.id(), "status": "VALIDATING", "format": "JSON", "lines": 1, "approvals_needed": 1, "created_by": "x", "created_at": at, "updated_at": at, "due_at": at}),
        Row("med_objects", {"id": cast.id(), "object_type": "INFRINGEMENT_NOTIFICATION", "role": "RECEIVER", "account_id": account, "status": "RECEIVED", "end_to_end_id": "E", "amount_minor": 1, "deadline": at, "due_at": at, "occurred_at": at, "created_at": at, "updated_at": at, "version": 1}),
        Row("key_claims", {"id": cast.id(), "account_id": account, "role": "CLAIMER", "claim_type": "CLAIM_OWNERSHIP", "key_type": "PHONE", "key": "+5511987654321", "status": "CONFIRMED", "other_bank": "99999030", "resolution_at": at, "due_at": at, "ask_at": at, "created_at": at, "updated_at": at, "version": 1}),
        Row("account_close_requests", {"id": cast.id(), "account_id": account, "status": "REQUESTED", "reason_code": "x", "created_at": at, "updated_at": at}),
        Row("parties", {"id": party, "name": "Fabio"}),
        *subscriptions(cast, seller, party, at),
        *asked_accounts(cast, seller, party, at),
        *(
            Row("payouts", {"id": cast.id(), "account_id": account, "external_id": str(cast.id()), "idempotency_key": "k", "payment_method": "PIX", "rail": "pix", "initiation": "KEY", "status": "PENDING", "currency": "BRL", "amount_minor": 1, "description": "x", "receiver_id": party, "created_at": at + n * timedelta(microseconds=1), "updated_at": at, column: at})
            for n, column in enumerate(("ask_at", "start_at"))
        ),
    )  # fmt: skip
    events = tuple(Event(cast.id(), "TEST", order, f"https://{n}.example", b"{}", at) for n in range(3))
    message = Message(cast.id(), "pix", "x", str(cast.id()), order, b"", at)
    await commit(cast.database, Write(seller.company_id, rows=rows, transfers=(hold,), events=events, messages=(message,)))


async def test_every_lane_is_counted_across_companies(own_cast: Cast, work: Database) -> None:
    before = await seen(work)
    assert before.due == dict.fromkeys(("deliveries", *LANES), NOTHING)
    assert (before.waiting["unnumbered"], before.undelivered) == (NOTHING, {"pending": 0, "retrying": 0, "failed": 0})
    ana, dora = await own_cast.ana(), await own_cast.dora()
    await wait_in_line(own_cast, ana, timedelta(minutes=5))
    await wait_in_line(own_cast, dora, timedelta(minutes=50))
    found = await seen(work)
    for lane in LANES:
        count, oldest = found.due[lane]
        assert (lane, count) == (lane, 2)
        assert 3000 <= oldest < 3600, lane
    assert found.waiting["unnumbered"][0] == 6
    assert 3000 <= found.waiting["unnumbered"][1] < 3600


async def test_a_claim_of_an_older_process_is_due_from_its_birth(own_cast: Cast, work: Database) -> None:
    """It knows of no time to ask: what the table says instead is a time that an age can be made of."""
    ana = await own_cast.ana()
    values = {
        "id": own_cast.id(), "account_id": ana.account_id, "role": "CLAIMER", "claim_type": "PORTABILITY",
        "key_type": "EMAIL",
    }  # fmt: skip
    at = datetime.now(UTC)
    values |= {
        "key": "a@example.com", "status": "OPEN", "other_bank": "99999030", "resolution_at": at, "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    await commit(own_cast.database, Write(ana.company_id, rows=(Row("key_claims", values),)))
    count, oldest = (await seen(work)).due["claims to ask"]
    assert (count, 0 < oldest < float("inf")) == (1, True)


async def test_what_was_tried_in_vain_is_told_by_its_age(own_cast: Cast, work: Database) -> None:
    """It is due again later each time: by what is due alone nobody would hear of a network that takes nothing."""
    ana, dora = await own_cast.ana(), await own_cast.dora()
    assert (await seen(work)).tried == ()
    for seller, minutes in ((ana, 5), (dora, 50)):
        await wait_in_line(own_cast, seller, timedelta(minutes=minutes))
    assert (await seen(work)).tried == (), "nobody has tried"
    later = "UPDATE {} SET due_at = now() + interval '1 minute', sends = sends + 1, leased_until = {} RETURNING 1"
    for lease, count in (("now()", 0), ("now()", 2), ("NULL", 2)):
        for table in ("outbox", "inbox"):
            async with own_cast.database.session(dora.company_id) as session:
                await session.fetch(later.format(table, lease))
        found = (await seen(work)).tried
        assert len(found) == count, lease
        assert all(3000 <= oldest < 3600 for _, _, oldest in found)
    assert {(lane, rail) for lane, rail, _ in found} == {("outbox", "pix"), ("inbox", "pix")}


async def test_what_waits_for_a_person_is_counted_beside_the_lanes(own_cast: Cast, work: Database) -> None:
    """However long it waits, no worker has anything to do with it; a batch is one."""
    assert (await seen(work)).waiting["in_review"] == NOTHING
    for seller, minutes in ((await own_cast.ana(), 5), (await own_cast.dora(), 50)):
        at = datetime.now(UTC) - timedelta(minutes=minutes)
        party, batch = own_cast.id(), own_cast.id()
        shared = {
            "account_id": seller.account_id, "idempotency_key": "k", "payment_method": "PIX", "rail": "pix", "initiation": "KEY",
            "status": "ANALYSIS", "currency": "BRL", "description": "x", "receiver_id": party,
            "created_at": at - timedelta(hours=9), "updated_at": at,
        }  # fmt: skip
        rows = (
            Row("parties", {"id": party, "name": "Fabio"}),
            Row("payouts", {"id": batch, "external_id": str(batch), "amount_minor": 2, "children": 2, **shared}),
            *(Row("payouts", {"id": own_cast.id(), "batch_id": batch, "sequence": n, "amount_minor": 1, **shared}) for n in (1, 2)),
        )  # fmt: skip
        await commit(own_cast.database, Write(seller.company_id, rows=rows))
    found = await seen(work)
    assert found.waiting["in_review"][0] == 2
    assert 3000 <= found.waiting["in_review"][1] < 3600
    assert set(found.due.values()) == {NOTHING}


async def test_money_in_suspense_that_waits_for_people_is_counted(own_cast: Cast, work: Database) -> None:
    """What came back of a payout and fits nothing waits like what could not be given back; what fits waits for nobody."""
    assert (await seen(work)).waiting["stranded"] == NOTHING
    office = await Office.open(own_cast, await own_cast.ana(), 100_000)
    payout = await office.make(1000)
    await office.settle(payout)
    for cents in (400, 601):
        await office.give_back(payout, cents)
    count, oldest = (await seen(work)).waiting["stranded"]
    assert (count, 0 < oldest < 60) == (1, True)
    (return_id,) = await office.column("SELECT id FROM payout_returns WHERE is_unfit")
    await own_cast.act(office.ana.company_id, SettleStranded(UUID(str(return_id)), "pay out", "note 8", "rita"))
    assert (await seen(work)).waiting["stranded"] == NOTHING


async def test_a_connection_to_a_bank_is_told_of_as_the_database_has_it(own_cast: Cast, work: Database) -> None:
    """How long it was not polled, what webhooks have named, what no order asked for, and what the night's sweep left."""
    ana, now = await own_cast.ana(), datetime.now(UTC)
    await own_cast.connect(ana, "efi1", "shop@ana.example")
    await own_cast.connect(ana, "efi2", "other@ana.example")
    fresh, other = (await seen(work)).banks
    assert 0 <= fresh.polled_seconds < 60, "nobody has polled it yet: it counts from when it was declared"
    assert fresh[2:] == other[2:] == (0, 0, 0, None, None)
    payments, charges = (RailCursor(own_cast.database, "efi1", stream, UUID(int=1)) for stream in ("pix", "charges"))
    for cursor in (payments, charges):
        await cursor.take()
    await payments.move(now - timedelta(minutes=20))
    await payments.hint(["E1", "E2"])
    await payments.count_unknown_hint()
    await charges.count_orphans(1, 2)
    listed = ForeignPayments(own_cast.runner, ana.company_id)
    await listed.keep([ForeignPayment("efi1", f"E{n}", Money(n, "BRL"), now) for n in range(1, 4)])
    await listed.keep([ForeignPayment("efi2", "E9", Money(9, "BRL"), now, "x" * 32, None, OTHER_AMOUNT)])
    found = await seen(work)
    by_rail = {one.rail: one for one in found.banks}
    assert 1190 < by_rail["efi1"].polled_seconds < 1260
    assert (by_rail["efi1"][2:], by_rail["efi2"][2:]) == ((2, 1, 3, 1, 2), (0, 0, 1, None, None))
    assert found.waiting["unmatched"][0] == 1
    async with own_cast.database.session(ana.company_id) as session:
        ids = [row["id"] for row in await session.fetch("SELECT id FROM foreign_payments")]
    for foreign_id in ids:
        await own_cast.act(ana.company_id, CloseForeign(foreign_id, "rita", "of the other shop"))
    found = await seen(work)
    assert ({one.foreign for one in found.banks}, found.waiting["unmatched"]) == ({0}, NOTHING)


async def test_days_and_differences_of_statements_are_counted(own_cast: Cast, work: Database) -> None:
    found = await seen(work)
    assert (found.waiting["differences"], found.waiting["untaken"], found.partners) == (NOTHING, NOTHING, ())
    async with own_cast.database.session() as session:
        await session.fetch("INSERT INTO partner_states VALUES ('oxxo', true, now()), ('spei', false, now()) RETURNING 1")
    for seller, hours in ((await own_cast.ana(), 30), (await own_cast.dora(), 50)):
        rows = born_statement(own_cast, datetime.now(UTC) - timedelta(hours=hours))
        await commit(own_cast.database, Write(seller.company_id, rows=rows))
    found = await seen(work)
    assert (found.waiting["differences"][0], found.waiting["untaken"][0]) == (2, 2)
    assert 50 * 3600 <= found.waiting["differences"][1] < 51 * 3600
    assert 0 < found.waiting["untaken"][1] < 51 * 3600
    assert sorted(found.partners) == [("oxxo", True), ("spei", False)]


async def test_events_are_unnumbered_then_pending_then_due(own_cast: Cast, work: Database, own_database: Any) -> None:
    ana = await own_cast.ana()
    await wait_in_line(own_cast, ana, timedelta(minutes=5))
    async with own_cast.database.session(ana.company_id) as session:
        while not await session.value("SELECT greatest(n, -1 - n) FROM number_events($1, 100) n", ana.company_id):
            pass
        await session.fetch(
            "UPDATE deliveries SET status = 'FAILED', due_at = NULL WHERE url = 'https://0.example' RETURNING 1"
        )
    found = await seen(work)
    assert found.waiting["unnumbered"] == NOTHING
    assert found.undelivered == {"pending": 2, "retrying": 0, "failed": 1}
    assert found.due["deliveries"][0] == 2


async def test_what_waits_is_told_of_each_endpoint_and_what_is_held_is_for_nobody_to_do(
    own_cast: Cast, work: Database
) -> None:
    ana = await own_cast.ana()
    await wait_in_line(own_cast, ana, timedelta(minutes=5))
    async with own_cast.database.session(ana.company_id) as session:
        while not await session.value("SELECT greatest(n, -1 - n) FROM number_events($1, 100) n", ana.company_id):
            pass
        await session.fetch(
            "UPDATE deliveries SET due_at = due_at + interval '1 hour' WHERE url = 'https://1.example' RETURNING 1"
        )
        endpoints = {r["url"]: r["endpoint"] for r in await session.fetch("SELECT url, endpoint FROM deliveries")}
        await session.fetch(
            "INSERT INTO webhook_circuits (company_id, endpoint, origin, state, opened_at, failure, probe_at)"
            " VALUES ($1, $2, 'https://0.example', 'OPEN', now(), 'TIMEOUT', now() + interval '1 minute') RETURNING 1",
            ana.company_id, endpoints["https://0.example"],
        )  # fmt: skip
    found = await seen(work)
    assert found.circuits == ((endpoints["https://0.example"], Circuit.OPEN),)
    depths = {d.endpoint: d for d in found.depths}
    held, later, free = (depths[endpoints[f"https://{n}.example"]] for n in range(3))
    assert (held.open, held.due, held.is_held, 300 <= held.oldest < 400) == (1, 1, True, True)
    assert (later.open, later.due, later.is_held, later.oldest < -3000) == (1, 0, False, True)
    assert (free.open, free.due, free.is_held) == (1, 1, False)
    count, oldest = found.due["deliveries"]
    assert (count, 300 <= oldest < 400) == (1, True)


async def test_the_clock_of_the_sandbox_is_told(own_cast: Cast, work: Database) -> None:
    async with own_cast.database.session() as session:
        await session.fetch("UPDATE clock SET offset_us = 86400000000, version = version + 1 RETURNING 1")
    assert (await seen(work)).clock_offset_seconds == 86_400.0


async def test_the_database_is_asked_at_most_every_few_seconds(own_cast: Cast, work: Database) -> None:
    watch, curious = Watch(work), Watch(work, kept_seconds=0.0)
    first = await watch.look()
    assert first is not None
    assert await curious.look() == first
    await wait_in_line(own_cast, await own_cast.ana(), timedelta(minutes=5))
    assert await watch.look() is first
    now = await curious.look()
    assert now is not None
    assert now.due["outbox"][0] == 1


async def test_a_database_that_is_away_is_told_and_nothing_else_of_it() -> None:
    metrics = Metrics()
    metrics.watch = Watch(Database(Dsn("postgresql://nobody@127.0.0.1:1/nothing")))
    text = (await metrics.text()).decode()
    assert "\nlastro_database_reachable 0.0\n" in text
    assert "lastro_due" not in text
