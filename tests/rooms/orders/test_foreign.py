"""What the poller of a connection finds that no order asked for is listed once, and moves nothing."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.rooms.lists import answered
from tests.rooms.rails.api_pix_bank import serving

from lastro.core.commit import commit
from lastro.core.errors import Refused, Taken
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Write
from lastro.orders import ClaimForeign, CloseForeign, ForeignPayments
from lastro.orders.states import PIX_PAYMENTS
from lastro.rails import port
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.port import ForeignPayment

from .shop import Shop
from .test_connections import KEY, Connected, at_bank, payment_id

__all__ = ["at_bank"]

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


# ── claimed ──


def typed(at_bank: Connected, cents: int = 1050, number: int = 7) -> ForeignPayment:
    """A Pix that somebody sent to the key by hand."""
    name = f"E12345678202601311200{at_bank.shop.ana.number:05d}{number:06d}"
    return replace(paid(number, cents), payment_id=name, rail=at_bank.rail, txid=None, pix_key=KEY)


async def found(at_bank: Connected, payment: ForeignPayment) -> UUID:
    listed = ForeignPayments(at_bank.shop.cast.runner, at_bank.shop.ana.company_id)
    await listed.keep([payment])
    at_bank.bank.shows(payment)
    (one,) = await at_bank.shop.column("SELECT id FROM foreign_payments WHERE payment_id = $1", payment.payment_id)
    return UUID(str(one))


async def claim(at_bank: Connected, foreign_id: UUID, order_id: str, by: str = "rita") -> Done | Refused:
    verb = ClaimForeign(foreign_id, order_id, by, at_bank.here, at_bank.issuers)
    outcome = await at_bank.shop.cast.another_process().act(at_bank.shop.ana.company_id, verb)
    assert isinstance(outcome, Done | Refused)
    return outcome


async def test_a_person_claims_it_for_an_order_which_is_paid_as_by_its_own(at_bank: Connected) -> None:
    shop, made, payment = at_bank.shop, await at_bank.make(), typed(at_bank)
    foreign_id = await found(at_bank, payment)
    done = await claim(at_bank, foreign_id, made["id"])
    assert isinstance(done, Done), done
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert (shown["status"], shown["endToEndId"]) == ("PAID", payment.payment_id)
    (row,) = await shop.rows("SELECT * FROM pix_payments")
    assert (row["end_to_end_id"], row["rail"], row["state"]) == (payment.payment_id, at_bank.rail, "SETTLED")
    assert (row["settled_at"], str(row["order_id"])) == (payment.paid_at, made["id"])
    assert [tuple(one) for one in await shop.rows("SELECT type, amount_minor FROM transfers")] == [("PIX_IN", 1050)]
    assert await shop.column("SELECT kind FROM outbox") == [port.COLLECTION_CLOSE]
    (event,) = await shop.news(UUID(made["id"]))
    assert (event["event"], event["endToEndId"]) == ("ORDER-PAYIN.PAID", payment.payment_id)
    reasons = (
        "SELECT DISTINCT reason FROM history WHERE machine IN ('foreign_payments', 'pix_payments') AND reason IS NOT NULL"
    )
    assert await shop.column(reasons) == ["by rita: claimed"]
    listed = ForeignPayments(shop.cast.runner, shop.ana.company_id)
    assert await listed.claimed(at_bank.rail, [payment.payment_id, "E1"]) == {payment.payment_id}
    await listed.keep([payment])
    assert (await counts(shop))[:3] == (1, 2, 1), "found again by an overlapping window, it is as it was"


async def test_of_two_claims_one_is_written(at_bank: Connected) -> None:
    first, second = await at_bank.make(), await at_bank.make(externalId="order-2")
    foreign_id = await found(at_bank, typed(at_bank))
    both = await asyncio.gather(*(claim(at_bank, foreign_id, one["id"]) for one in (first, second)))
    assert sorted(type(one).__name__ for one in both) == ["Done", "Refused"]
    assert sorted(await at_bank.status()) == ["INITIAL", "PAID"]
    again = await claim(at_bank, foreign_id, (first if isinstance(both[1], Done) else second)["id"])
    assert isinstance(again, Refused)
    assert [one.field for one in again.problems] == ["state"], "one reason, although the order and the Pix are known, too"


async def test_a_claim_that_does_not_fit_changes_nothing_and_goes_nowhere(at_bank: Connected) -> None:
    made = await at_bank.make()
    for number, (payment, order_id, fields) in enumerate([
        (typed(at_bank, 1049, 1), made["id"], {"amount"}),
        (replace(typed(at_bank, number=2), rail=BANK), made["id"], {"orderId"}),
        (typed(at_bank, number=3), str(await at_bank.shop.order(1050)), {"orderId"}),
        (typed(at_bank, number=4), str(uuid4()), {"orderId"}),
    ]):  # fmt: skip
        before = await counts(at_bank.shop)
        refused = await claim(at_bank, await found(at_bank, payment), order_id)
        assert isinstance(refused, Refused), number
        assert {one.field for one in refused.problems} == fields
        assert (await counts(at_bank.shop))[2:] == before[2:]
    assert set(await at_bank.shop.column("SELECT state FROM foreign_payments")) == {"FOUND"}
    assert await at_bank.status() == ["INITIAL", "INITIAL"]


async def test_its_own_payment_after_a_claim_goes_back_as_a_second_one(at_bank: Connected) -> None:
    made = await at_bank.make()
    await claim(at_bank, await found(at_bank, typed(at_bank)), made["id"])
    assert await at_bank.paid(made) == "handled"
    assert await at_bank.shop.column("SELECT state FROM pix_payments ORDER BY created_at") == ["SETTLED", "RETURNING"]


async def test_another_amount_for_an_order_of_ours_is_listed_and_claimed_for_an_order_of_that_amount(
    at_bank: Connected,
) -> None:
    """Somebody changed the charge at the bank."""
    made = await at_bank.make()
    assert await at_bank.paid(made, 900) == port.ALARMED
    (row,) = await at_bank.shop.rows("SELECT * FROM foreign_payments")
    assert (row["amount_minor"], row["reason"], row["state"]) == (900, port.OTHER_AMOUNT, "FOUND")
    assert row["txid"] == made["pix"]["conciliationId"]
    assert await counts(at_bank.shop) == (1, 1, 0, 0, 0, 0)
    refused = await claim(at_bank, row["id"], made["id"])
    assert isinstance(refused, Refused)
    assert [one.field for one in refused.problems] == ["amount"]
    page = await answered(at_bank.shop.cast, at_bank.shop.ana.client, "list_foreign_payments")
    assert [(one["reason"], one["amount"]["value"]) for one in page["data"]] == [("OTHER_AMOUNT", "9.00")]
    fitting = await at_bank.make(externalId="order-2", amount={"currency": "BRL", "value": "9.00"})
    at_bank.bank.shows(ForeignPayment(at_bank.rail, row["payment_id"], Money(900, "BRL"), row["paid_at"], row["txid"]))
    assert isinstance(await claim(at_bank, row["id"], fitting["id"]), Done)
    assert await at_bank.status() == ["INITIAL", "PAID"]


async def test_a_connection_that_is_not_theirs_finds_nothing_as_an_unknown_one(at_bank: Connected) -> None:
    cast, ana = at_bank.shop.cast, at_bank.shop.ana
    foreign_id = await found(at_bank, typed(at_bank))
    dora = await cast.found("Dora")
    await cast.paid_at_a_bank(dora)
    listed = [
        await answered(cast, ana.client, "list_foreign_payments", {"connection": name})
        for name in (at_bank.rail, f"bank{dora.number}", "nope")
    ]
    assert [[one["id"] for one in page["data"]] for page in listed] == [[str(foreign_id)], [], []]


async def close(at_bank: Connected, foreign_id: UUID) -> Done | Refused:
    verb = CloseForeign(foreign_id, "rita", "of our other shop")
    outcome = await at_bank.shop.cast.another_process().act(at_bank.shop.ana.company_id, verb)
    assert isinstance(outcome, Done | Refused)
    return outcome


async def test_a_person_closes_it_and_may_still_claim_it(at_bank: Connected) -> None:
    made = await at_bank.make()
    foreign_id = await found(at_bank, typed(at_bank))
    assert isinstance(await close(at_bank, foreign_id), Done)
    again = await close(at_bank, foreign_id)
    assert isinstance(again, Refused)
    assert [one.field for one in again.problems] == ["state"]
    assert await counts(at_bank.shop) == (1, 2, 0, 0, 0, 0)
    sql = "SELECT reason FROM history WHERE machine = 'foreign_payments' ORDER BY version"
    assert await at_bank.shop.column(sql) == [None, "by rita: of our other shop"]
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Done)
    assert await at_bank.status() == ["PAID"]


async def test_what_no_order_asked_for_is_an_alarm_and_moves_nothing(at_bank: Connected) -> None:
    made = await at_bank.make()
    await found(at_bank, replace(typed(at_bank), payment_id=payment_id(made, "3")))
    assert await at_bank.paid({"pix": {"conciliationId": "x" * 32}}) == port.ALARMED
    assert await at_bank.paid(made, 1049, "2") == port.ALARMED
    assert await at_bank.paid(made, 1050, "3") == port.ALARMED, "it is listed as foreign: a person claims it"
    assert await counts(at_bank.shop) == (3, 3, 0, 0, 0, 0), "each is listed once"
    assert await at_bank.status() == ["INITIAL"]


# ── two connections to one account: each lists what the other's orders are paid by (bank-rail.md, trap 31) ──


class Second(Connected):
    """Another connection of Ana's to the same account, at a key of its own."""

    @property
    def rail(self) -> str:
        return f"{super().rail}b"

    async def listed(self, payment: ForeignPayment) -> list[UUID]:
        """Lists a payment that its poll found; returns the rows of this connection."""
        listed = ForeignPayments(self.shop.cast.runner, self.shop.ana.company_id)
        await listed.keep([replace(payment, rail=self.rail)])
        return await self.shop.column("SELECT id FROM foreign_payments WHERE rail = $1", self.rail)


@pytest.fixture
async def second(at_bank: Connected) -> AsyncIterator[Second]:
    made = Second(at_bank.shop, at_bank.bank, {})
    await made.shop.cast.connect(made.shop.ana, made.rail, "two@example.com")
    async with serving(made.bank) as line:
        made.issuers[made.rail] = ApiPixIssuer(made.rail, line, "utc", made.hint)
        yield made


async def test_what_an_order_asked_for_at_one_connection_is_foreign_at_no_other(at_bank: Connected, second: Second) -> None:
    made = await at_bank.make()
    its = replace(typed(at_bank), payment_id=payment_id(made), txid=made["pix"]["conciliationId"])
    assert await second.listed(its) == [], "its own connection has not found it yet"
    assert await at_bank.paid(made) == "handled"
    assert await second.listed(replace(its, txid=None)) == []


async def test_a_payment_that_was_claimed_at_one_connection_pays_nothing_at_another(
    at_bank: Connected, second: Second
) -> None:
    payment = typed(at_bank)
    made, other = await at_bank.make(), await second.make(pixKey="two@example.com", externalId="order-2")
    foreign_id, (twin,) = await found(at_bank, payment), await second.listed(payment)
    assert isinstance(await claim(at_bank, foreign_id, made["id"]), Done)
    refused = await claim(second, twin, other["id"])
    assert isinstance(refused, Refused)
    assert [one.field for one in refused.problems] == ["paymentId"]
    assert await second.paid(other, name="9") == "handled", "its own Pix still pays the other"
    assert await at_bank.status() == ["PAID", "PAID"]
    assert await at_bank.shop.column("SELECT count(DISTINCT end_to_end_id) FROM pix_payments") == [2]


async def test_of_claims_at_two_connections_one_is_written(at_bank: Connected, second: Second) -> None:
    payment = typed(at_bank)
    orders = await at_bank.make(), await second.make(pixKey="two@example.com", externalId="order-2")
    rows = await found(at_bank, payment), (await second.listed(payment))[0]
    both = await asyncio.gather(
        *(claim(one, row, made["id"]) for one, row, made in zip((at_bank, second), rows, orders, strict=True))
    )
    assert sorted(type(one).__name__ for one in both) == ["Done", "Refused"]
    assert sorted(await at_bank.status()) == ["INITIAL", "PAID"]


async def test_a_claimed_payment_that_another_connection_tells_of_is_an_alarm(at_bank: Connected, second: Second) -> None:
    made, other = await at_bank.make(), await second.make(pixKey="two@example.com", externalId="order-2")
    payment = replace(typed(at_bank), payment_id=payment_id(other))
    await claim(at_bank, await found(at_bank, payment), made["id"])
    assert await second.paid(other) == port.ALARMED
    assert await at_bank.status() == ["PAID", "INITIAL"]


async def test_the_database_takes_a_pix_at_one_connection_alone(shop: Shop) -> None:
    """Whatever two processes have read at the same time."""
    at, name = datetime.now(UTC), f"E{shop.ana.number}"
    known = {
        "end_to_end_id": name,
        "order_id": None,
        "amount_minor": 1,
        "accepted_at": at,
        "created_at": at,
        "updated_at": at,
    }
    both = [PIX_PAYMENTS.born({"id": uuid4(), "rail": rail} | known, at, ("refuse",)) for rail in ("efi1", "efi2")]
    with pytest.raises(Taken) as taken:
        await commit(shop.cast.database, Write(shop.ana.company_id, rows=both[0] + both[1]))
    assert taken.value.constraint == "pix_payments_end_to_end_id_key"


async def test_the_schema_numbers_payments_as_the_rails_do(shop: Shop) -> None:
    for rail in {*port.RAILS, port.BOOK, "efi1"}:
        wanted = "connection" if port.is_connection(rail) else port.PIX if port.is_pix(rail) else rail
        assert await shop.column("SELECT numbered_by($1)", rail) == [wanted], "schema.sql, numbered_by, names each partner"
