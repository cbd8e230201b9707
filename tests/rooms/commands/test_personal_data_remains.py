"""lastro personal-data: what a payer wrote, a TED that came in, a payout's answers and a plan's line keep no person beyond the time."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace
from tests.cast import BENTO, Cast
from tests.laws import broken, connected
from tests.rooms.commands import test_personal_data as subjects
from tests.rooms.laws import paying_out, planning
from tests.rooms.laws.world import World

from lastro.core.money import Money
from lastro.plans.actions.decide import Approve
from lastro.rails import port

NAME, CPF = subjects.NAME, subjects.CPF
KEY, ACCOUNT, WORDS = "zaza@home.example", "77889900", "Aluguel da sala da Zaza"
MARKS = (*subjects.MARKS, KEY, ACCOUNT, "Zaza")
RECEIVER = {"name": NAME, "document": {"type": "CPF", "number": CPF}}
BANK = {**paying_out.BANK, "accountNumber": ACCOUNT}


async def came(world: World) -> None:
    """A TED that is credited, one for nobody that is sent back, and a Pix that nobody asked for: the payer wrote with each."""
    payer = replace(BENTO, name=NAME, document_number=CPF, account=ACCOUNT)
    for name, to in (("ted", world.ana.account_number), ("unfit", "999999999")):
        control = f"STR20261127{int.from_bytes(os.urandom(3)):09d}"
        ted = port.TedArrival(
            control, Money(1000, "BRL"), payer, "1", to, world.ana.holder.document_number, world.now(), WORDS
        )
        await paying_out.heard(world, world.ana.company_id, port.TED_ARRIVED, ted, control, port.TED)
        world.names[name] = control
    (back,) = await world.column("SELECT return_id FROM refunds WHERE rail = 'ted'")
    says = port.ReturnFinal(back, world.names["unfit"], settled=True, settled_at=world.now())
    await paying_out.heard(world, world.ana.company_id, port.RETURN_FINAL, says, back, port.TED)
    pix = await world.arrival("pix", payer=payer, remittance=WORDS)
    await world.told(port.PIX_ASK, pix)
    await world.told(port.PIX_FINAL, port.PixFinal(world.names["pix_e2e"], True, settled_at=world.now()))


async def sent(world: World, admin: Any) -> None:
    """A payout by key and a batch, both called off before their day, a batch that is paid, and a plan that is given up."""
    await world.cast.credit(world.ana, 100_000)
    limit = (
        "INSERT INTO account_limits (company_id, account_id, payment_method, transaction_minor) VALUES ($1, $2, 'PIX', 1000)"
    )
    async with world.cast.database.session(world.ana.company_id) as session:
        await session.fetch(limit, world.ana.company_id, world.ana.account_id)
    for name, cents in (("called_off", 500), ("batch_off", 2500)):
        await paying_out.make(world, name, cents, scheduled=True, receiver=RECEIVER, bank=BANK)
        if name == "called_off":
            by_key = "UPDATE payouts SET pix_key = $1, pix_key_type = 'EMAIL', initiation = 'KEY' WHERE id = $2"
            await admin.execute(by_key, KEY, world.names[name])
        await world.ask("cancel_payout", world.names[name], key=f"cancel {name}")
    await paying_out.make(world, "batch", 2500, receiver=RECEIVER, bank=BANK)
    for place in (1, 2, 3):
        await paying_out.final(world, f"batch_{place}")
    await paying_out.children_moved(world)
    line = {**planning.line(world, "rent", 1), "receiver": RECEIVER, "paymentData": {"bankAccount": BANK}}
    made = await world.ask("create_payout_plan", None, {"payouts": [line]}, key="plan")
    world.names["plan"] = plan = UUID(msgspec.json.decode(made.body)["id"])
    await planning.work(world)
    (digest,) = await world.column(f"SELECT hash FROM payout_plans WHERE id = '{plan}'")
    signer = await world.cast.add_client(world.ana.company_id, "signer")
    call: dict[str, Any] = {"operation": "approve_payout_plan", "permission": "payouts:write", "status": 201}
    await world.cast.run(signer, Approve(plan, digest), key="sign", **call)
    await world.ask("cancel_payout_plan", plan, key="cancel plan")


async def places(connection: Any) -> set[str]:
    return await subjects.places(connection, MARKS)


async def test_nothing_of_a_person_outlives_its_time(own_database: Any, tmp_path: Path) -> None:
    cast = Cast.of(own_database.app, size=2)
    world = World(cast, await cast.ana(), await cast.dora())
    admin = await connected(own_database.admin)
    await came(world)
    await sent(world, admin)
    await admin.execute(
        "UPDATE outbox SET due_at = NULL, done_at = now(), outcome = 'sent', sends = 1 WHERE due_at IS NOT NULL"
    )
    stored = await places(admin)
    assert {
        "orders.description", "pix_payments.remittance", "answers.body", "payout_plan_lines.request",
        "payouts.pix_key",
    } <= stored  # fmt: skip
    await subjects.erased(world, own_database, tmp_path)
    said = "SELECT body FROM answers WHERE object_id = ANY ($1::uuid[]) UNION ALL SELECT body FROM events WHERE reference_id = ANY ($1::uuid[])"
    free = await admin.fetch(said, [world.names["called_off"], world.names["batch_off"], world.names["plan"]])
    assert free
    assert not [mark for (body,) in free for mark in MARKS if mark.encode() in body]
    likes = "SELECT count(likeness) FROM payouts WHERE id = ANY ($1::uuid[])"
    assert await admin.fetchval(likes, [world.names["called_off"], world.names["batch_off"]]) == 0
    assert await admin.fetchval("SELECT count(likeness) FROM payout_plan_lines") == 0, "a hash of who is paid says who"
    assert await admin.fetchval("SELECT count(*) FROM orders WHERE description = $1", WORDS) == 2, (
        "what was paid is kept whole"
    )
    assert await broken(admin.fetch, at_rest=False) == {}
    await admin.execute("UPDATE clock SET offset_us = $1", timedelta(days=12 * 366) // timedelta(microseconds=1))
    await subjects.erased(world, own_database, tmp_path)
    assert await places(admin) <= {"inbox.body"}, "what a network said is its proof, and stays"
    told = await admin.fetch("SELECT payment_method, description FROM orders ORDER BY 1")
    assert [tuple(row) for row in told] == [("PIX", "Pix received"), ("TED", "TED received")]
    assert await broken(admin.fetch, at_rest=False) == {}
    await admin.close()
    await cast.close()
