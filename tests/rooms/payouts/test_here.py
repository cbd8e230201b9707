"""From one account here to another: carried between two tables, asked and answered as on any network, once."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import Cast, Seller
from tests.laws import breaches

from lastro import orders, payouts
from lastro.app import inbox_handlers
from lastro.core import work_queue
from lastro.core.db import Database
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.payouts.model import BankAccount, PayeePerson
from lastro.rails import port
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.internal_transfer import Book
from lastro.rails.sending import HELD_BACK_FOR, Sender
from lastro.standards.ted_ids import is_control_number

from .office import HERE, PLACE, Office, entry_of


@dataclass
class Lanes:
    """The part of a worker that carries between accounts here. worked: how each sending ended."""

    office: Office
    dora: Seller
    sender: Sender
    handler: Handler
    work: Database
    worked: list[str]

    async def carry(self) -> None:
        """Until nothing is due."""
        for _ in range(6):
            await self.sender.queue.drain()
            await self.handler.queue.drain()

    def place(self, seller: Seller) -> dict[str, Any]:
        holder = seller.holder
        person = PayeePerson(holder.full_name, holder.document_type, holder.document_number)
        return {"place": BankAccount(HERE.ispb, None, "PAYMENT_ACCOUNT", "0001", seller.account_number), "person": person}

    async def sends(self) -> list[int]:
        return await self.office.column("SELECT sends FROM outbox WHERE kind = 'payment.send'")

    async def later(self, by: timedelta) -> None:
        await self.office.column(
            "UPDATE clock SET offset_us = offset_us + $1, version = version + 1 RETURNING 1",
            int(by / timedelta(microseconds=1)),
        )


@pytest.fixture
async def here(own_database: Any) -> AsyncIterator[Lanes]:
    cast, work = Cast.of(own_database.app), Database(own_database.work, size=4)
    await cast.found("The institution", number=0)
    office, dora = await Office.open(cast, await cast.ana()), await cast.dora()
    inbox = Inbox(cast.database, work, cast.chance, HERE.ispb, port.BOOK)
    worked: list[str] = []
    sender = Sender(
        cast.database, work, cast.runner, cast.chance, port.BOOK, Book(work, inbox), lambda w: worked.append(w.outcome),
        payouts.HELD_BACK,
    )  # fmt: skip
    handler = Handler(cast.database, work, cast.runner, cast.chance, inbox_handlers.inbox_verbs(PLACE))
    yield Lanes(office, dora, sender, handler, work, worked)
    await work.close()
    await cast.close()
    found = await breaches(own_database.audit)
    # Nobody numbers events here, or ends what hangs on a closed account.
    assert found.keys() <= {"law_nothing_is_overdue_at_rest", "law_a_closed_account_has_nothing_at_rest"}, found


async def test_both_sides_have_their_end(here: Lanes) -> None:
    office, dora = here.office, here.dora
    await office.fee(50)
    payout = await office.make(1000, **here.place(dora))
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 1050, 1050), (0, 0))
    await here.carry()
    assert await office.state(payout["id"]) == "PAID"
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 1050, 0), (1000, 0))
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.PAID"]
    assert await office.column("SELECT type FROM events", of=dora) == ["ORDER-PAYIN.PAID"]
    (paid_at,) = await office.column("SELECT paid_at FROM payouts")
    assert await office.column("SELECT settled_at FROM pix_payments", of=dora) == [paid_at]


async def test_by_key(here: Lanes) -> None:
    """The directory is not asked about a key of ours."""
    payout = await here.office.make(1000, key=here.dora.pix_key)
    assert here.office.outside.asked == []
    await here.carry()
    assert await here.office.state(payout["id"]) == "PAID"
    assert await here.office.money(here.dora) == (1000, 0)


async def test_by_a_key_that_another_bank_claims(here: Lanes) -> None:
    """It is ours until the claim is confirmed, and a transfer between our accounts asks no directory (DICT 2.12.1, getEntry)."""
    office, dora = here.office, here.dora
    office.outside.entries[dora.pix_key] = entry_of(dora.pix_key)
    sql = "UPDATE pix_keys SET claim_id = $2 WHERE company_id = tenant() AND key = $1 RETURNING 1"
    assert await office.column(sql, dora.pix_key, office.cast.id(), of=dora) == [1]
    await office.make(1000, key=dora.pix_key)
    assert office.outside.asked == []
    assert await office.column("SELECT rail FROM payouts") == ["book"]
    assert await office.column(sql, dora.pix_key, None, of=dora) == [1]


async def test_within_one_company(here: Lanes) -> None:
    office = here.office
    other = await office.cast.open_account(office.ana.company_id, here.dora.holder)
    second = Seller(
        office.ana.company_id, office.ana.number, UUID(other["id"]), other["number"], here.dora.holder, "", office.ana.client
    )
    payout = await office.make(1000, **here.place(second))
    await here.carry()
    assert await office.state(payout["id"]) == "PAID"
    assert (await office.money(), await office.money(second)) == ((9_999_000, 0), (1000, 0))


async def test_a_batch(here: Lanes) -> None:
    await here.office.limit(transaction=1000)
    batch = await here.office.make(2500, **here.place(here.dora))
    await here.carry()
    assert await here.office.state(batch["id"]) == "PAID"
    assert await here.office.money(here.dora) == (2500, 0)
    assert len(await here.office.column("SELECT id FROM orders", of=here.dora)) == 3


@pytest.mark.parametrize(("status", "code"), [("INACTIVE", "AC06"), ("CLOSED", "AC07")])
async def test_a_receiver_who_may_not_be_paid(here: Lanes, status: str, code: str) -> None:
    office = here.office
    await office.fee(50)
    payout = await office.make(1000, **here.place(here.dora))
    await office.cast.account_becomes(here.dora.company_id, status)
    await here.carry()
    assert await office.column("SELECT status || ' ' || error_code FROM payouts") == [f"ERROR {code}"]
    assert (await office.money(), await office.money(here.dora)) == ((10_000_000, 0), (0, 0))
    assert await office.events(payout["id"]) == ["ORDER-PAYOUT.ERROR"]


async def test_a_number_that_nobody_has(here: Lanes) -> None:
    nobody = here.place(here.dora) | {"place": BankAccount(HERE.ispb, None, "PAYMENT_ACCOUNT", "0001", "999999999")}
    payout = await here.office.make(1000, **nobody)
    await here.carry()
    assert await here.office.column("SELECT status || ' ' || error_code FROM payouts") == ["ERROR AC03"]
    assert await here.office.money() == (10_000_000, 0)
    assert here.worked == ["refused"]
    assert await here.office.events(payout["id"]) == ["ORDER-PAYOUT.ERROR"]


async def test_a_number_that_nobody_has_ends_a_later_copy_too(here: Lanes) -> None:
    """A worker died with it in hand: between two tables no earlier copy is still on its way."""
    nobody = here.place(here.dora) | {"place": BankAccount(HERE.ispb, None, "PAYMENT_ACCOUNT", "0001", "999999999")}
    await here.office.make(1000, **nobody)
    lane, database = work_queue.Queue("outbox", only="rail = 'book'"), here.office.cast.database
    (row,) = await work_queue.claim(database, lane, here.office.ana.company_id, here.office.cast.id(), 9)
    await work_queue.release(database, lane, row, timedelta(0))
    await here.carry()
    assert (here.worked, await here.sends()) == (["refused"], [2])
    assert await here.office.column("SELECT status || ' ' || error_code FROM payouts") == ["ERROR AC03"]
    assert await here.office.money() == (10_000_000, 0)


async def test_another_holder(here: Lanes) -> None:
    wrong = here.place(here.dora) | {"person": PayeePerson("Fabio", "CPF", "24681357928")}
    await here.office.make(1000, **wrong)
    await here.carry()
    ((status, code),) = await here.office.rows("SELECT status, error_code FROM payouts")
    assert (status, code) == ("ERROR", "CH11")
    assert await here.office.money(here.dora) == (0, 0)


async def test_what_was_taken_in_hand_and_not_carried_is_carried_again(here: Lanes) -> None:
    """A worker died, or lost the database, between the claim and the other company's inbox."""
    payout = await here.office.make(1000, **here.place(here.dora))
    lane = work_queue.Queue("outbox", only="rail = 'book'")
    (row,) = await work_queue.claim(here.office.cast.database, lane, here.office.ana.company_id, here.office.cast.id(), 9)
    await work_queue.release(here.office.cast.database, lane, row, timedelta(0))
    await here.carry()
    assert await here.sends() == [2]
    assert await here.office.state(payout["id"]) == "PAID"
    assert await here.office.money(here.dora) == (1000, 0)


async def test_what_was_carried_twice_is_there_once(here: Lanes) -> None:
    """A worker died after it had carried, before it had said so."""
    payout = await here.office.make(1000, **here.place(here.dora))
    lane = work_queue.Queue("outbox", only="rail = 'book'")
    database, company_id = here.office.cast.database, here.office.ana.company_id
    (row,) = await work_queue.claim(database, lane, company_id, here.office.cast.id(), 9)
    book = Book(here.work, Inbox(database, here.work, here.office.cast.chance, HERE.ispb, port.BOOK))
    await book.send(row["kind"], row["network_id"], bytes(row["body"]), company_id)
    await book.send(row["kind"], row["network_id"], bytes(row["body"]), company_id)
    await work_queue.release(database, lane, row, timedelta(0))
    await here.carry()
    assert await here.office.state(payout["id"]) == "PAID"
    assert await here.office.column("SELECT count(*) FROM pix_payments", of=here.dora) == [1]
    assert await here.office.money(here.dora) == (1000, 0)


async def test_many_each_way_at_once(here: Lanes) -> None:
    """Ana pays Dora, Dora pays Ana; nobody waits in a ring, and in transit is zero at rest."""
    office, back = here.office, await Office.open(here.office.cast, here.dora, 50_000)
    await asyncio.gather(
        *(office.make(100 + n, **here.place(here.dora)) for n in range(10)),
        *(back.make(100 + n, **here.place(office.ana)) for n in range(10)),
    )
    await here.carry()
    assert await office.column("SELECT DISTINCT status FROM payouts") == ["PAID"]
    assert (await office.money(), await office.money(here.dora)) == ((10_000_000, 0), (50_000, 0))


# ── the receiver gives back ──


async def give_back(here: Lanes, cents: int) -> dict[str, Any]:
    """Dora refunds the order that Ana's payout has made."""
    office = here.office
    (order_id,) = await office.column("SELECT id FROM orders", of=here.dora)
    wish = orders.RefundWish(order_id, os.urandom(8).hex(), Money(cents, "BRL"), "MD06", description="Too much")
    reply = await office.cast.run(here.dora.client, orders.GiveBack(wish, PLACE), operation="create_refund", status=201)
    assert isinstance(reply, Reply), reply
    made: dict[str, Any] = msgspec.json.decode(reply.body)
    return made


async def test_what_the_receiver_gives_back_is_the_payers_again(here: Lanes) -> None:
    office, dora = here.office, here.dora
    await office.fee(50)
    payout = await office.make(1000, **here.place(dora))
    await here.carry()
    await give_back(here, 400)
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 1050, 0), (600, 400))
    await here.carry()
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 650, 0), (600, 0))
    assert await office.state(payout["id"]) == "PARTIAL_REFUNDED"
    assert await office.rows("SELECT status, refunded_minor FROM orders", of=dora) == [("PARTIAL_REFUNDED", 400)]
    assert await office.rows("SELECT reason_code, details FROM payout_returns") == [("MD06", "Too much")]
    await give_back(here, 600)
    await here.carry()
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 50, 0), (0, 0)), "the fee stays"
    assert await office.state(payout["id"]) == "REFUNDED"
    assert await office.column("SELECT state FROM refunds", of=dora) == ["PAID", "PAID"]
    told = await office.events(payout["id"])
    assert told == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.PARTIAL_REFUNDED", "ORDER-PAYOUT.REFUNDED"]


@pytest.mark.parametrize("reached", ["nobody", "payer", "both"])
async def test_a_return_that_was_cut_off_is_carried_again_and_booked_once(here: Lanes, reached: str) -> None:
    """A worker died before it had told anybody, between the two companies, or before it had said that it was done."""
    office, dora = here.office, here.dora
    payout = await office.make(1000, **here.place(dora))
    await here.carry()
    await give_back(here, 1000)
    database, lane = office.cast.database, work_queue.Queue("outbox", only="rail = 'book'")
    (row,) = await work_queue.claim(database, lane, dora.company_id, office.cast.id(), 9)
    inbox = Inbox(database, here.work, office.cast.chance, HERE.ispb, port.BOOK)
    if reached == "payer":
        order = port.return_order(bytes(row["body"]))
        back = port.PaymentReturned(
            order.end_to_end_id, order.return_id, order.amount, order.reason, await office.now(), order.details
        )
        name = f"return.payer:{order.return_id}"
        await inbox.keep([port.NetworkMessage(port.PAYMENT_RETURNED, name, order.end_to_end_id, port.encode(back))])
    elif reached == "both":
        await Book(here.work, inbox).send(row["kind"], row["network_id"], bytes(row["body"]), dora.company_id)
    status_of = await Book(here.work, inbox).status_of(row["kind"], row["network_id"])
    assert status_of == (port.Pending() if reached == "both" else port.Unknown())
    await work_queue.release(database, lane, row, timedelta(0))
    await here.carry()
    assert (await office.state(payout["id"]), await office.column("SELECT state FROM refunds", of=dora)) == (
        "REFUNDED",
        ["PAID"],
    )
    assert (await office.money(), await office.money(dora)) == ((10_000_000, 0), (0, 0))


# ── the account that pays is blocked ──


async def test_what_was_not_sent_waits_while_its_account_is_blocked(here: Lanes) -> None:
    office = here.office
    payout = await office.make(1000, **here.place(here.dora))
    await office.account_becomes("INACTIVE")
    await here.carry()
    assert here.worked == ["held_back"]
    assert (await office.state(payout["id"]), await office.money()) == ("PENDING", (9_999_000, 1000))
    assert await here.sends() == [0], "nothing was sent"
    await here.carry()
    assert here.worked == ["held_back"], "it is left alone for a while"
    await office.account_becomes("ACTIVE")
    await here.later(HELD_BACK_FOR)
    await here.carry()
    assert (here.worked[-2:], await office.state(payout["id"])) == (["sent", "sent"], "PAID")


async def test_and_may_be_taken_back(here: Lanes) -> None:
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    await here.carry()
    assert isinstance(await here.office.cancel(payout["id"]), Reply)
    await here.later(HELD_BACK_FOR)
    await here.carry()
    assert here.worked == ["held_back"]
    assert await here.office.money() == (10_000_000, 0)


async def test_others_do_not_wait(here: Lanes) -> None:
    blocked = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    other = await Office.open(here.office.cast, here.dora, 5000)
    free = await here.office.cast.found("Third", here.office.ana.holder)
    payout = await other.make(700, **here.place(free))
    await here.carry()
    assert (await here.office.state(blocked["id"]), await other.state(payout["id"])) == ("PENDING", "PAID")


async def test_a_ted_carries_one_number_on_both_sides(here: Lanes) -> None:
    """No STR carries it and no Pix it is: our control number names it, to its payer and to its receiver."""
    office, dora = here.office, here.dora
    payout = await office.make(1000, method="TED", **here.place(dora))
    number = payout["controlNumber"]
    assert (is_control_number(number), payout["endToEndId"]) == (True, "")
    assert await office.column("SELECT rail || ' ' || network_id FROM outbox") == [f"book {number}"]
    await here.carry()
    assert (await office.state(payout["id"]), await office.money(dora)) == ("PAID", (1000, 0))
    (body,) = await office.column("SELECT body FROM events WHERE reference_id = $1", office.id_of(payout))
    sent = msgspec.json.decode(bytes(body))
    assert (sent["event"], sent["controlNumber"], "endToEndId" in sent) == ("ORDER-PAYOUT.PAID", number, False)
    (body,) = await office.column("SELECT body FROM events", of=dora)
    came = msgspec.json.decode(bytes(body))
    assert (came["event"], came["controlNumber"], came["endToEndId"]) == ("ORDER-PAYIN.PAID", number, None)
    assert (came["code"], came["description"]) == (number, "Salary")
    (order,) = await office.rows("SELECT id, payment_method, external_id, end_to_end_id FROM orders", of=dora)
    assert (order["payment_method"], order["external_id"], order["end_to_end_id"]) == ("TED", number, None)
    read = await here.office.cast.run(
        dora.client, orders.ReadOrder(order["id"], PLACE), operation="read_order", permission="orders:read"
    )
    assert isinstance(read, Reply)
    shown = msgspec.json.decode(read.body)
    assert (shown["paymentMethod"], shown["controlNumber"], "endToEndId" in shown) == ("TED", number, False)


async def test_a_split_ted_here_is_paid_and_called_by_its_first_number(here: Lanes) -> None:
    office = here.office
    await office.limit(transaction=1000, method="TED")
    batch = await office.make(2500, method="TED", **here.place(here.dora))
    numbers = [part["controlNumber"] for part in batch["batch"]["transactions"]]
    assert (len({*numbers}), batch["controlNumber"]) == (3, numbers[0])
    await here.carry()
    assert await office.state(batch["id"]) == "PAID"
    assert sorted(await office.column("SELECT external_id FROM orders", of=here.dora)) == sorted(numbers)


async def test_a_ted_that_its_receiver_may_not_have(here: Lanes) -> None:
    """It ends as any other, also where nobody is found any more."""
    office = here.office
    payout = await office.make(1000, method="TED", **here.place(here.dora))
    await office.cast.account_becomes(here.dora.company_id, "CLOSED")
    await here.carry()
    assert (await office.state(payout["id"]), await office.money()) == ("ERROR", (10_000_000, 0))
