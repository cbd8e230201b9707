"""Payouts in every state that one can be in: alone, in a batch, to an account here, and what comes back of them."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.cast import INSTITUTION, PLACE

from lastro import ledger
from lastro.accounts import Collect
from lastro.app import inbox_handlers
from lastro.banks import Banks
from lastro.companies import ReviewAbove
from lastro.core import work_queue
from lastro.core.commit import commit
from lastro.core.errors import InsufficientFunds
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.core.write import Row, Write
from lastro.orders import GiveBack, RefundWish
from lastro.payouts import CHILD_MOVED, Approve, Begin, Refuse, SettleStranded, StrandedWay, Ways
from lastro.rails import port
from lastro.rails.handling import LANE
from lastro.rails.port import Claimed, InboxRow
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

NOBODY: Any = None  # what goes to an account that is named has nobody to be asked about
RECEIVER = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
# Of what more came back than had been sent, and what people have decided about it; the first waits.
TOO_MUCH: dict[str, StrandedWay | None] = {"too_much": None, "too_much_credited": "credit", "too_much_sent_on": "pay out"}
BANK = {"accountType": "CHECKING_ACCOUNT", "branchNumber": "0001", "accountNumber": "300003", "ispb": "99999030"}


async def play(world: World) -> None:
    """Ana's account has afterwards what it had before. A transfer is of 10.00 at most, a payout costs 0.05."""
    cast, ana = world.cast, world.ana
    await cast.set_fees(ana.company_id, 5, direction="OUT")
    limit = {"account_id": ana.account_id, "payment_method": "PIX", "transaction_minor": 1000, "day_minor": 10_000_000}
    await commit(cast.database, Write(ana.company_id, rows=(Row("account_limits", limit),)))
    before = await _available(world)
    await cast.credit(ana, 1_000_000)
    await _alone(world)
    await _in_batches(world)
    await _in_review(world)
    await _here(world)
    await _in_debt(world)
    left = await _available(world) - before
    await commit(cast.database, Write(ana.company_id, transfers=(cast.transfer(ana.customer, ana.clearing, left),)))


async def _in_debt(world: World) -> None:
    """Ana owes 0.70, of which she pays 0.30 and then, of what has come, the rest."""
    cast, ana = world.cast, world.ana
    has, lost = await _available(world), ledger.loss(ana.company_id, ana.account_id, "BRL")
    everything = cast.transfer(ana.customer, ana.clearing, has - 30)
    await commit(cast.database, Write(ana.company_id, transfers=(everything, cast.transfer(lost, ana.clearing, 70))))
    await cast.runner.act(ana.company_id, Collect(ana.account_id, "BRL"))
    await cast.credit(ana, has)
    await cast.runner.act(ana.company_id, Collect(ana.account_id, "BRL"))


async def _alone(world: World) -> None:
    for name in ("pending", "paid", "error", "canceled", "expired", "partial", "refunded", *TOO_MUCH, "short", "evening"):
        await make(world, f"out_{name}", 1000, scheduled=name in ("short", "evening"))
    await make(world, "out_scheduled", 1000, scheduled=True)
    for name in ("paid", "partial", "refunded", *TOO_MUCH):
        await final(world, f"out_{name}")
    await final(world, "out_error", "AC07")
    await world.ask("cancel_payout", world.names["out_canceled"], key="cancel payout")
    await _ago(world, "out_expired", "send_until")
    await told(world, "out_expired", port.PAYMENT_NEVER, port.PaymentNever, sends=0)
    for name, cents in (("partial", 400), ("refunded", 1000), *((name, 1001) for name in TOO_MUCH)):
        await give_back(world, f"out_{name}", cents)
    await _decided(world)
    # The day of one is over, so that it fails; the other waits for the evening.
    over = f"UPDATE payouts SET scheduled_on = scheduled_on - 2 WHERE id = '{world.names['out_short']}' RETURNING 1"
    assert await world.column(over)
    for name in ("out_short", "out_evening"):
        await _ago(world, name, "start_at")
        await world.cast.runner.act(
            world.ana.company_id,
            Begin(world.names[name], Ways(INSTITUTION, NOBODY, NOBODY, Banks(sandbox=True)), InsufficientFunds()),
        )


async def _decided(world: World) -> None:
    for name, way in TOO_MUCH.items():
        if way is not None:
            payout_id = world.names[f"out_{name}"]
            (return_id,) = await world.column(f"SELECT id FROM payout_returns WHERE payout_id = '{payout_id}'")
            verb = SettleStranded(UUID(str(return_id)), way, "note 8", "rita")
            assert isinstance(await world.cast.runner.act(world.ana.company_id, verb), Done)


async def _in_batches(world: World) -> None:
    """Under way with one child paid; paid; partly paid; failed; given back in part."""
    for name in ("pending", "paid", "partly", "error", "partial"):
        await make(world, f"batch_{name}", 2500)
    ends: dict[str, tuple[str | None, ...]] = {
        "pending": (None,), "paid": (None, None, None), "partly": (None, "AC07", None), "error": ("AC07", "AC06", "AC07"),
        "partial": (None, None, None),
    }  # fmt: skip
    for name, codes in ends.items():
        for place, code in enumerate(codes, start=1):
            await final(world, f"batch_{name}_{place}", code)
    await give_back(world, "batch_partial_1", 1000)
    await children_moved(world)


async def _in_review(world: World) -> None:
    """Waiting, alone and as a batch; approved; refused, alone and as a batch."""
    act, company_id = world.cast.runner.act, world.ana.company_id
    await act(company_id, ReviewAbove(Money(1, "BRL")))
    for name, cents in (("review", 900), ("approved", 900), ("refused", 900)):
        await make(world, f"out_{name}", cents)
    for name in ("review", "refused"):
        await make(world, f"batch_{name}", 2500)
    await act(company_id, Approve(world.names["out_approved"], "bia", INSTITUTION))
    for name in ("out_refused", "batch_refused"):
        await act(company_id, Refuse(world.names[name], "bia", "unlike her", INSTITUTION))
    await children_moved(world)
    await act(company_id, ReviewAbove(None))


async def _here(world: World) -> None:
    """Dora is paid inside: both sides have their end."""
    dora = world.dora
    bank = {**BANK, "ispb": INSTITUTION.ispb, "accountType": "PAYMENT_ACCOUNT", "accountNumber": dora.account_number}
    document = {"type": dora.holder.document_type, "number": dora.holder.document_number}
    await make(world, "own_paid", 700, bank=bank, receiver={"name": dora.holder.full_name, "document": document})
    name = world.names["own_paid_e2e"]
    (body,) = await world.column(f"SELECT body FROM outbox WHERE network_id = '{name}'")
    order = port.payment_order(bytes(body))
    arrival = port.PixArrival(
        f"book:{name}", name, None, order.amount, order.accepted_at, order.payer, INSTITUTION.branch,
        order.receiver.account, order.receiver.document_number, None, order.instrument,
    )  # fmt: skip
    await heard(world, dora.company_id, port.PIX_ASK, arrival, name, port.BOOK)
    await heard(world, dora.company_id, port.PIX_FINAL, port.PixFinal(name, True, settled_at=world.now()), name, port.BOOK)
    await final(world, "own_paid", rail=port.BOOK)
    await _back_from_here(world)


async def _back_from_here(world: World) -> None:
    """Dora gives 2.00 of that back: a refund of hers, a return of Ana's payout."""
    dora, name = world.dora, world.names["own_paid_e2e"]
    async with world.cast.database.session(dora.company_id) as session:
        order_id = await session.value("SELECT id FROM orders WHERE end_to_end_id = $1", name)
    wish = RefundWish(order_id, "own_back", Money(200, "BRL"), "MD06")
    reply = await world.cast.run(dora.client, GiveBack(wish, PLACE), operation="create_refund", status=201)
    assert isinstance(reply, Reply), reply
    return_id, at = msgspec.json.decode(reply.body)["returnId"], world.now()
    back = port.PaymentReturned(name, return_id, wish.amount, "MD06", at)
    await heard(world, world.ana.company_id, port.PAYMENT_RETURNED, back, name, port.BOOK)
    end = port.ReturnFinal(return_id, name, settled=True, settled_at=at)
    await heard(world, dora.company_id, port.RETURN_FINAL, end, return_id, port.BOOK)


async def make(
    world: World,
    name: str,
    cents: int,
    *,
    scheduled: bool = False,
    bank: dict[str, str] | None = None,
    receiver: Any = RECEIVER,
) -> None:
    """A payout of this name; its transfers are known as name_1, name_2 …, and the ids of the network as name_e2e."""
    body = {
        "externalId": name, "accountId": str(world.ana.account_id), "paymentMethod": "PIX", "description": "Salary",
        "receiver": receiver, "paymentData": {"bankAccount": bank or BANK},
        "amount": {"currency": "BRL", "value": str(Money(cents, "BRL"))}, "allowDuplicate": True,
    }  # fmt: skip
    if scheduled:
        body["scheduledDate"] = (brasilia_day(world.now()) + timedelta(days=1)).isoformat()
    made = msgspec.json.decode((await world.ask("create_payout", None, body, key=name)).body)
    world.names |= {name: UUID(made["id"]), f"{name}_e2e": made["endToEndId"]}
    for child in made.get("batch", {}).get("transactions", ()):
        place = f"{name}_{child['sequence']}"
        world.names |= {place: UUID(child["id"]), f"{place}_e2e": child["endToEndId"]}


async def told(world: World, name: str, kind: str, says: Any, rail: str = port.PIX, **more: Any) -> None:
    """The network says something of the transfer of this name."""
    end_to_end_id = world.names[f"{name}_e2e"]
    await heard(world, world.ana.company_id, kind, says(end_to_end_id, **more), end_to_end_id, rail)


async def final(world: World, name: str, code: str | None = None, rail: str = port.PIX) -> None:
    at = world.now() if code is None else None
    await told(world, name, port.PAYMENT_FINAL, port.PaymentFinal, rail, settled=code is None, code=code, settled_at=at)


async def give_back(world: World, name: str, cents: int) -> None:
    return_id = world.names[f"{name}_return"] = f"D99999030{os.urandom(12).hex()[:23]}"
    await told(
        world, name, port.PAYMENT_RETURNED, port.PaymentReturned, return_id=return_id, amount=Money(cents, "BRL"), reason="MD06",
        settled_at=world.now(),
    )  # fmt: skip


async def heard(world: World, company_id: UUID, kind: str, says: Any, subject: str, rail: str = port.PIX) -> None:
    """A message is kept for a company, and handled."""
    row_id, at = world.cast.id(), world.now()
    values = {
        "id": row_id, "rail": rail, "kind": kind, "network_id": str(row_id), "subject": subject, "body": port.encode(says),
        "received_at": at, "due_at": at,
    }  # fmt: skip
    await commit(world.cast.database, Write(company_id, rows=(Row("inbox", values),)))
    await handle(world, company_id, kind)


async def children_moved(world: World) -> None:
    while await handle(world, world.ana.company_id, CHILD_MOVED):
        pass


async def handle(world: World, company_id: UUID, kind: str) -> bool:
    """What lies in the inbox of a company, of this kind, is handled; whether there was anything."""
    lane = work_queue.Queue("inbox", also=f"kind = '{kind}' AND {LANE.also}")
    rows = await work_queue.claim(world.cast.database, lane, company_id, world.cast.id(), 50)
    for r in rows:
        row = InboxRow(
            Claimed(r["id"], r["lease_token"]), company_id, r["rail"], kind, r["network_id"], r["subject"], r["txid"],
            bytes(r["body"]), r["received_at"], 1,
        )  # fmt: skip
        done = await world.cast.runner.act(company_id, inbox_handlers.inbox_verbs(PLACE)[kind](row))
        assert isinstance(done, Done), done
    return bool(rows)


async def _ago(world: World, name: str, column: str) -> None:
    sql = f"UPDATE payouts SET {column} = business_now() - interval '1 second' WHERE id = '{world.names[name]}' RETURNING 1"
    assert await world.column(sql)


async def _available(world: World) -> int:
    (available,) = await world.column(
        "SELECT credits_folded + credit_tail(company_id, ledger_account_id, fold_xid, NULL) - debits - held FROM balances"
        f" WHERE ledger_account_id = '{world.ana.customer.id}'"
    )
    return int(available)
