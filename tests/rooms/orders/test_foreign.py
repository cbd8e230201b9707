"""What the poller of a connection finds that no order asked for is listed once, and moves nothing."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from lastro.core.money import Money
from lastro.orders import ForeignPayments
from lastro.rails.port import ForeignPayment

from .shop import Shop

BANK = "efi1"
_COUNTS = (
    "SELECT (SELECT count(*) FROM foreign_payments), (SELECT count(*) FROM history WHERE machine = 'foreign_payments'),"
    " (SELECT count(*) FROM pix_payments), (SELECT count(*) FROM transfers), (SELECT count(*) FROM outbox),"
    " (SELECT count(*) FROM events)"
)


def paid(number: int, cents: int = 1000) -> ForeignPayment:
    at = datetime.now(UTC) - timedelta(minutes=5)
    return ForeignPayment(BANK, f"E12345678202601311200{number:011d}", Money(cents, "BRL"), at, "x" * 32, "key@ana.example")


async def counts(shop: Shop) -> tuple[int, ...]:
    return tuple((await shop.rows(_COUNTS))[0])


async def test_a_payment_that_is_told_twice_is_listed_once_and_moves_nothing(shop: Shop) -> None:
    listed = ForeignPayments(shop.cast.runner, shop.ana.company_id)
    some = [paid(number) for number in range(3)]
    await listed.keep([*some, replace(some[0], txid=None)])
    await listed.keep([some[1], paid(3)])
    await listed.keep([])
    assert await counts(shop) == (4, 4, 0, 0, 0, 0)
    rows = await shop.rows("SELECT * FROM foreign_payments ORDER BY created_at")
    assert [(row["payment_id"], row["txid"], row["state"], row["amount_minor"]) for row in rows] == [
        (paid(number).payment_id, "x" * 32, "FOUND", 1000) for number in range(4)
    ]
    assert len({row["created_at"] for row in rows}) == 4, "pages of a list go by it"


async def test_two_pollers_list_the_same_payments_once(shop: Shop) -> None:
    some = [paid(number) for number in range(40)]
    both = [ForeignPayments(shop.cast.another_process(), shop.ana.company_id) for _ in range(2)]
    await asyncio.gather(*(one.keep(some) for one in both))
    assert await counts(shop) == (40, 40, 0, 0, 0, 0)


async def test_a_batch_of_an_outage_is_listed_whole(shop: Shop) -> None:
    some = [paid(number, number + 1) for number in range(1_200)]
    await ForeignPayments(shop.cast.runner, shop.ana.company_id).keep(some)
    assert (await counts(shop))[0] == 1_200


async def test_what_the_books_have_already_is_not_listed(shop: Shop) -> None:
    await shop.paid()
    ((name,),) = await shop.rows("SELECT end_to_end_id FROM pix_payments")
    await ForeignPayments(shop.cast.runner, shop.ana.company_id).keep(
        [replace(paid(1), payment_id=name, rail="pix"), replace(paid(2), rail="pix")]
    )
    assert await shop.column("SELECT payment_id FROM foreign_payments") == [paid(2).payment_id]
