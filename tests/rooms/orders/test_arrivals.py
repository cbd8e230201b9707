"""A Pix that was let in is settled for what it was let in for, on real rows."""

import os
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import Cast, Seller

from lastro.accounts import Institution
from lastro.core.commit import commit
from lastro.core.errors import Taken
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Row, Write
from lastro.orders import ORDERS, PIX_PAYMENTS, Ask, Installation, Settled
from lastro.rails.port import ALARMED, PIX_ASK, PIX_FINAL, PIX_SETTLED, Claimed, Payer, PixArrival, PixFinal, encode
from lastro.standards.pix_ids import dynamic_txid

from .shop import Shop

PLACE = Installation(Institution("99999010", "LASTRO", "0001"), "http://127.0.0.1:8080", True)
AT = datetime.now(UTC) + timedelta(minutes=30)  # behind whatever its tests make, however long they wait for their turn


async def claimed(cast: Cast, ana: Seller, arrival: PixArrival) -> Claimed:
    """A message of the network under our lease."""
    row_id, token = cast.id(), cast.id()
    values = {
        "id": row_id, "rail": "pix", "kind": PIX_ASK if arrival.settled_at is None else PIX_SETTLED,
        "network_id": str(row_id), "subject": arrival.end_to_end_id, "body": encode(arrival), "received_at": datetime.now(UTC),
        "due_at": AT, "lease_token": token, "leased_until": AT + timedelta(hours=1),
    }  # fmt: skip
    await commit(cast.database, Write(ana.company_id, rows=(Row("inbox", values),)))
    return Claimed(row_id, token)


async def order(cast: Cast, ana: Seller, txid: str) -> UUID:
    values = {
        "id": cast.id(), "account_id": ana.account_id, "external_id": txid, "origin": "TRANSPARENT", "payment_method": "PIX",
        "currency": "BRL", "amount_minor": 1000, "final_amount_minor": 1000, "description": "Flores", "txid": txid,
        "expires_at": AT + timedelta(days=1), "created_at": AT, "updated_at": AT,
    }  # fmt: skip
    await commit(cast.database, Write(ana.company_id, rows=ORDERS.born(values, AT)))
    return UUID(str(values["id"]))


async def arrives(cast: Cast, ana: Seller, **says: Any) -> PixArrival:
    async with cast.database.session(ana.company_id) as session:
        number = await session.value(
            "SELECT number FROM accounts WHERE company_id = $1 AND id = $2", ana.company_id, ana.account_id
        )
    values: dict[str, Any] = {
        "message_id": "M1", "end_to_end_id": f"E12345678202601311200{ana.company_id.hex[-11:]}", "txid": None, "amount": Money(1000, "BRL"),
        "accepted_at": AT, "payer": Payer("Bento", "CPF", "11144477735", "99999020", "1", "2", "CACC"),
        "receiver_branch": "0001", "receiver_account": number, "receiver_document": None, "key": None, "instrument": "QRDN",
    }  # fmt: skip
    return PixArrival(**{**values, **says})


async def states(cast: Cast, ana: Seller) -> tuple[list[tuple[UUID, str, int | None]], list[tuple[str, UUID | None]]]:
    async with cast.database.session(ana.company_id) as session:
        orders = await session.fetch("SELECT id, status, paid_minor FROM orders ORDER BY created_at")
        payments = await session.fetch("SELECT state, order_id FROM pix_payments")
    return [(o["id"], o["status"], o["paid_minor"]) for o in orders], [(p["state"], p["order_id"]) for p in payments]


async def test_a_settlement_that_forgets_the_txid_pays_the_reserved_order(cast: Cast, ana: Seller) -> None:
    txid = dynamic_txid(ana.number, os.urandom(24))
    order_id = await order(cast, ana, txid)
    asked = await arrives(cast, ana, txid=txid)
    assert isinstance(await cast.runner.act(ana.company_id, Ask(asked, await claimed(cast, ana, asked), PLACE)), Done)
    assert await states(cast, ana) == ([(order_id, "INITIAL", None)], [("ACCEPTED", order_id)])
    told = await arrives(cast, ana, settled_at=AT)
    assert isinstance(await cast.runner.act(ana.company_id, Settled(told, await claimed(cast, ana, told), PLACE)), Done)
    assert await states(cast, ana) == ([(order_id, "PAID", 1000)], [("SETTLED", order_id)])


async def test_a_settlement_of_another_amount_moves_nothing(cast: Cast, ana: Seller) -> None:
    txid = dynamic_txid(ana.number, os.urandom(24))
    order_id = await order(cast, ana, txid)
    asked = await arrives(cast, ana, txid=txid)
    await cast.runner.act(ana.company_id, Ask(asked, await claimed(cast, ana, asked), PLACE))
    told = await arrives(cast, ana, txid=txid, settled_at=AT, amount=Money(999, "BRL"))
    row = await claimed(cast, ana, told)
    await cast.runner.act(ana.company_id, Settled(told, row, PLACE))
    assert await states(cast, ana) == ([(order_id, "INITIAL", None)], [("ACCEPTED", order_id)])
    async with cast.database.session(ana.company_id) as session:
        assert await session.value("SELECT outcome FROM inbox WHERE id = $1", row.row_id) == ALARMED


@pytest.mark.parametrize(("purpose", "fee"), [("IPRT", 0), ("IPAY", 25), (None, 25)])
@pytest.mark.parametrize("is_asked", [True, False])
async def test_what_a_bank_pays_anew_is_no_sale(
    cast: Cast, ana: Seller, purpose: str | None, fee: int, is_asked: bool
) -> None:
    """It comes in whole, in either way of being told."""
    await cast.set_fees(ana.company_id, 5, 200)
    at = datetime.now(UTC)
    told = await arrives(cast, ana, instrument="MANU", purpose=purpose, settled_at=None if is_asked else at)
    shop, name = Shop(cast, ana), told.end_to_end_id
    if is_asked:
        assert await shop.told(PIX_ASK, told, name) == "answered"
        assert await shop.told(PIX_FINAL, PixFinal(name, settled=True, settled_at=at), name) == "handled"
    else:
        assert await shop.told(PIX_SETTLED, told, name) == "handled"
    async with cast.database.session(ana.company_id) as session:
        booked = await session.fetch("SELECT type, amount_minor FROM transfers ORDER BY type DESC")
        shown = await session.value("SELECT purpose FROM pix_payments")
    assert [(row["type"], row["amount_minor"]) for row in booked] == [
        ("PIX_IN", 1000 - fee),
        *([("FEE", fee)] if fee else []),
    ]
    assert shown == (purpose if fee == 0 else None)


@pytest.mark.parametrize(
    ("change", "constraint"),
    [({"order_id": None}, "pix_payments_end_to_end_id_key"), ({"end_to_end_id": "E2"}, "pix_payments_one_reservation")],
)
async def test_the_database_takes_one_payment_of_an_id_and_one_reservation_of_an_order(
    cast: Cast, ana: Seller, change: dict[str, Any], constraint: str
) -> None:
    """Whatever two processes have read at the same time."""
    first = {
        "id": cast.id(), "order_id": await order(cast, ana, dynamic_txid(ana.number, os.urandom(24))), "end_to_end_id": "E1", "amount_minor": 1000,
        "rail": "pix", "accepted_at": AT, "created_at": AT, "updated_at": AT,
    }  # fmt: skip
    second = {**first, "id": cast.id(), "created_at": AT + timedelta(seconds=1), **change}
    rows = [PIX_PAYMENTS.born(values, AT, ("accept",)) for values in (first, second)]
    with pytest.raises(Taken) as taken:
        await commit(cast.database, Write(ana.company_id, rows=rows[0] + rows[1]))
    assert taken.value.constraint == constraint
