"""From one account here to another: carried between two tables, asked and answered as on any network, once."""

import asyncio
from uuid import UUID

import msgspec
import pytest
from tests.cast import Seller

from lastro import orders
from lastro.core.runner import Reply
from lastro.payouts.model import PayeePerson
from lastro.rails import port
from lastro.rails.sending import HELD_BACK_FOR
from lastro.standards.ted_ids import is_control_number

from .here import Here
from .office import PLACE, Office, entry_of


async def test_both_sides_have_their_end(here: Here) -> None:
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


async def test_by_key(here: Here) -> None:
    """The directory is not asked about a key of ours, also while another bank claims it (DICT 2.12.1, getEntry)."""
    office, dora = here.office, here.dora
    office.outside.entries[dora.pix_key] = entry_of(dora.pix_key)
    sql = "UPDATE pix_keys SET claim_id = $2 WHERE company_id = tenant() AND key = $1 RETURNING 1"
    for claim_id in (office.cast.id(), None):
        assert await office.column(sql, dora.pix_key, claim_id, of=dora) == [1]
        await office.make(1000, key=dora.pix_key)
    assert (office.outside.asked, await office.column("SELECT rail FROM payouts")) == ([], ["book"] * 2)
    await here.carry()
    assert await office.column("SELECT DISTINCT status FROM payouts") == ["PAID"]
    assert await office.money(dora) == (2000, 0)


async def test_within_one_company(here: Here) -> None:
    office = here.office
    other = await office.cast.open_account(office.ana.company_id, here.dora.holder)
    second = Seller(
        office.ana.company_id, office.ana.number, UUID(other["id"]), other["number"], here.dora.holder, "", office.ana.client
    )
    payout = await office.make(1000, **here.place(second))
    await here.carry()
    assert await office.state(payout["id"]) == "PAID"
    assert (await office.money(), await office.money(second)) == ((9_999_000, 0), (1000, 0))


async def test_a_batch(here: Here) -> None:
    await here.office.limit(transaction=1000)
    batch = await here.office.make(2500, **here.place(here.dora))
    await here.carry()
    assert await here.office.state(batch["id"]) == "PAID"
    assert await here.office.money(here.dora) == (2500, 0)
    assert len(await here.office.column("SELECT id FROM orders", of=here.dora)) == 3


async def test_what_its_receiver_may_not_have(here: Here) -> None:
    office, dora = here.office, here.dora
    await office.fee(50)
    stranger = here.place(dora) | {"person": PayeePerson("Fabio", "CPF", "24681357928")}
    for place, status, codes in (
        (here.place(dora, "999999999"), None, {"PIX": "AC03"}), (stranger, None, {"PIX": "CH11"}),
        (here.place(dora), "INACTIVE", {"PIX": "AC06"}), (here.place(dora), "CLOSED", {"PIX": "AC07", "TED": "AC07"}),
    ):  # fmt: skip
        made = {(await office.make(1000, method=method, **place))["id"]: code for method, code in codes.items()}
        if status is not None:
            await office.cast.account_becomes(dora.company_id, status)
        await here.carry()
        for payout_id, code in made.items():
            ended = await office.rows("SELECT status, error_code FROM payouts WHERE id = $1", UUID(payout_id))
            assert [tuple(row) for row in ended] == [("ERROR", code)]
            assert await office.events(payout_id) == ["ORDER-PAYOUT.ERROR"]
        assert (await office.money(), await office.money(dora)) == ((10_000_000, 0), (0, 0)), code
        if status == "INACTIVE":
            await office.cast.account_becomes(dora.company_id, "ACTIVE")


async def test_what_a_worker_died_with_is_carried_once(here: Here) -> None:
    """Before it had carried it, and after that, before it had said so; also what nobody has, whatever copy it is."""
    for number, times, status in (("", 0, "PAID"), ("", 2, "PAID"), ("999999999", 0, "ERROR")):
        payout = await here.office.make(1000, **here.place(here.dora, number))
        (row,) = await here.takes()
        for _ in range(times):
            await here.brings(row)
        await here.puts_down(row)
        await here.carry()
        assert await here.office.state(payout["id"]) == status
    assert await here.office.column("SELECT sends FROM outbox WHERE kind = 'payment.send'") == [2] * 3
    assert await here.office.column("SELECT count(*) FROM pix_payments WHERE state = 'SETTLED'", of=here.dora) == [2]
    assert (await here.office.money(), await here.office.money(here.dora)) == ((9_998_000, 0), (2000, 0))


async def test_many_each_way_at_once(here: Here) -> None:
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


async def test_what_the_receiver_gives_back_is_the_payers_again(here: Here) -> None:
    office, dora = here.office, here.dora
    await office.fee(50)
    payout = await office.make(1000, **here.place(dora))
    await here.carry()
    await here.give_back(400)
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 1050, 0), (600, 400))
    await here.carry()
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 650, 0), (600, 0))
    assert await office.state(payout["id"]) == "PARTIAL_REFUNDED"
    assert await office.rows("SELECT status, refunded_minor FROM orders", of=dora) == [("PARTIAL_REFUNDED", 400)]
    assert await office.rows("SELECT reason_code, details FROM payout_returns") == [("MD06", "Too much")]
    await here.give_back(600)
    await here.carry()
    assert (await office.money(), await office.money(dora)) == ((10_000_000 - 50, 0), (0, 0)), "the fee stays"
    assert await office.state(payout["id"]) == "REFUNDED"
    assert await office.column("SELECT state FROM refunds", of=dora) == ["PAID", "PAID"]
    told = await office.events(payout["id"])
    assert told == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.PARTIAL_REFUNDED", "ORDER-PAYOUT.REFUNDED"]


@pytest.mark.parametrize("reached", ["nobody", "payer", "both"])
async def test_a_return_that_was_cut_off_is_carried_again_and_booked_once(here: Here, reached: str) -> None:
    """A worker died before it had told anybody, between the two companies, or before it had said that it was done."""
    office, dora = here.office, here.dora
    payout = await office.make(1000, **here.place(dora))
    await here.carry()
    await here.give_back(1000)
    (row,) = await here.takes(seller=dora)
    if reached == "payer":
        order = port.return_order(bytes(row["body"]))
        back = port.PaymentReturned(
            order.end_to_end_id, order.return_id, order.amount, order.reason, await office.now(), order.details
        )
        name = f"return.payer:{order.return_id}"
        await here.inbox.keep([port.NetworkMessage(port.PAYMENT_RETURNED, name, order.end_to_end_id, port.encode(back))])
    elif reached == "both":
        await here.brings(row)
    status = await here.rail.status_of(row["kind"], row["network_id"])
    assert status == (port.Pending() if reached == "both" else port.Unknown())
    await here.puts_down(row)
    await here.carry()
    assert (await office.state(payout["id"]), await office.column("SELECT state FROM refunds", of=dora)) == (
        "REFUNDED",
        ["PAID"],
    )
    assert (await office.money(), await office.money(dora)) == ((10_000_000, 0), (0, 0))


# ── the account that pays is blocked ──


async def test_what_was_not_sent_waits_while_its_account_is_blocked(here: Here) -> None:
    office = here.office
    payout = await office.make(1000, **here.place(here.dora))
    await office.account_becomes("INACTIVE")
    await here.carry()
    assert here.outcomes == ["held_back"]
    assert (await office.state(payout["id"]), await office.money()) == ("PENDING", (9_999_000, 1000))
    assert (await here.message())[2] == 0, "nothing was sent"
    await here.carry()
    assert here.outcomes == ["held_back"], "it is left alone for a while"
    await office.account_becomes("ACTIVE")
    await here.later(HELD_BACK_FOR)
    await here.carry()
    assert (here.outcomes[-2:], await office.state(payout["id"])) == (["sent", "sent"], "PAID")


async def test_and_may_be_taken_back(here: Here) -> None:
    payout = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    await here.carry()
    assert isinstance(await here.office.cancel(payout["id"]), Reply)
    await here.later(HELD_BACK_FOR)
    await here.carry()
    assert here.outcomes == ["held_back"]
    assert await here.office.money() == (10_000_000, 0)


async def test_others_do_not_wait(here: Here) -> None:
    blocked = await here.office.make(1000, **here.place(here.dora))
    await here.office.account_becomes("INACTIVE")
    other = await Office.open(here.office.cast, here.dora, 5000)
    free = await here.office.cast.found("Third", here.office.ana.holder)
    payout = await other.make(700, **here.place(free))
    await here.carry()
    assert (await here.office.state(blocked["id"]), await other.state(payout["id"])) == ("PENDING", "PAID")


async def test_a_ted_carries_one_number_on_both_sides(here: Here) -> None:
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


async def test_a_split_ted_here_is_paid_and_called_by_its_first_number(here: Here) -> None:
    office = here.office
    await office.limit(transaction=1000, method="TED")
    batch = await office.make(2500, method="TED", **here.place(here.dora))
    numbers = [part["controlNumber"] for part in batch["batch"]["transactions"]]
    assert (len({*numbers}), batch["controlNumber"]) == (3, numbers[0])
    await here.carry()
    assert await office.state(batch["id"]) == "PAID"
    assert sorted(await office.column("SELECT external_id FROM orders", of=here.dora)) == sorted(numbers)
