"""Fees on real rows: the plan that holds is the one that is paid, in whatever remembers where orders go, and none is changed."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import msgspec
import pytest
from tests.cast import BENTO, INSTITUTION, PLACE, Cast, Seller
from tests.rooms.orders.test_arrivals import claimed

from lastro import companies, orders
from lastro.api_kit import forms
from lastro.api_kit.routes import Incoming
from lastro.companies import BearFees, Price, RemoveFees, SetFees
from lastro.core.clock import BusinessClock
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply, Runner
from lastro.orders import Settled
from lastro.rails.port import PixArrival

DAY = timedelta(days=1)
(LIST,) = companies.routes()


def brl(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


@dataclass
class Shop:
    """A process of its own that makes orders of 10.00, and whose every look at its machine's clock is a microsecond later."""

    cast: Cast
    ana: Seller
    clock: BusinessClock = field(default_factory=lambda: BusinessClock(count(0, 1e-6).__next__))
    runner: Runner = field(init=False)
    create: Any = field(init=False)

    def __post_init__(self) -> None:
        self.runner = Runner(self.cast.database, self.clock, self.cast.chance)
        self.create = next(r for r in orders.routes(PLACE) if r.operation == "create_order")

    async def order(self, value: str | None = "10.00") -> dict[str, Any] | Refused:
        """The answer to a create."""
        order = {
            "externalId": str(uuid4()), "paymentMethod": "PIX", "description": "Bread",
            "notificationUrl": "https://shop.example.com/hook", "accountId": str(self.ana.account_id),
        } | ({} if value is None else {"amount": brl(value)})  # fmt: skip
        document = {"type": "CPF", "number": "52998224725"}
        customer = {"name": "Bento", "entityType": "INDIVIDUAL", "document": document, "email": "bento@example.com"}
        raw = msgspec.json.encode({"order": order, "customer": customer})
        verb = self.create.parse(Incoming(self.ana.company_id, {}, {}, raw, forms.parsed(raw), None))
        reply = await self.runner.run(self.ana.client.call(), verb)
        if isinstance(reply, Refused):
            return reply
        made: dict[str, Any] = msgspec.json.decode(reply.body)
        return made

    async def fixed(self) -> str:
        """What the next order is told to cost."""
        made = await self.order()
        assert isinstance(made, dict)
        fixed: str = made["fees"]["fixed"]["value"]
        return fixed


async def now_of(cast: Cast) -> datetime:
    async with cast.database.session() as session:
        return await companies.business_now(session)


async def test_an_order_says_what_it_costs_and_who_bears_it(cast: Cast, ana: Seller) -> None:
    shop = Shop(cast, ana)
    for payer, final, variable in (("RECEIVER", "10.00", "0.10"), ("CUSTOMER", "10.65", "0.10")):
        await cast.set_fees(ana.company_id, 50, 100, 5, payer=payer)
        made = await shop.order()
        assert isinstance(made, dict)
        assert made["finalAmount"] == brl(final)
        assert made["fees"] == {"fixed": brl("0.50"), "variable": brl(variable), "additional": brl("0.05")}
    assert await shop.order("9999999999.99") == refused(
        "order.amount.value", "OUT_OF_RANGE", "is too large together with the fee"
    )
    await cast.set_fees(ana.company_id, 50, payer="RECEIVER")
    assert await shop.order("0.49") == refused("order.amount.value", "OUT_OF_RANGE", "is less than the fee of 0.50")
    assert isinstance(await shop.order("0.50"), dict)
    assert isinstance(await shop.order(None), dict)  # what is paid decides


def refused(name: str, issue: str, description: str, kind: Kind = Kind.INVALID) -> Refused:
    return Refused(kind, (Problem(name, issue, description),))


async def test_what_is_remembered_is_not_believed_after_a_change(cast: Cast, ana: Seller) -> None:
    """Entered, entered for later, removed: each time the next order is made of what is known now, and is remembered again."""
    shop = Shop(cast, ana)
    assert [await shop.fixed() for _ in range(2)] == ["0.00"] * 2
    assert shop.runner.remembered["act"] == 1
    await cast.set_fees(ana.company_id, 10)
    assert [await shop.fixed() for _ in range(2)] == ["0.10"] * 2
    assert shop.runner.remembered["act"] == 2
    later = await cast.set_fees(ana.company_id, 20, since=await now_of(cast) + DAY)
    await cast.act(ana.company_id, RemoveFees(UUID(later["id"])))
    assert await shop.fixed() == "0.10"
    assert shop.runner.remembered["act"] == 2
    await cast.set_fees(ana.company_id, 30, method="TED")  # of another method, and read anew all the same
    assert [await shop.fixed() for _ in range(2)] == ["0.10"] * 2
    assert shop.runner.remembered["act"] == 3


async def test_a_plan_takes_over_by_itself_where_all_is_remembered(cast: Cast, ana: Seller) -> None:
    """From one instant to the next, with nothing read between."""
    shop = Shop(cast, ana)
    since = await now_of(cast) + DAY
    await cast.set_fees(ana.company_id, 10)
    await cast.set_fees(ana.company_id, 20, since=since)
    assert await shop.fixed() == "0.10"
    for instant, fixed in ((since - timedelta(milliseconds=1), "0.10"), (since, "0.20")):
        shop.clock.learn(instant, shop.clock.version)  # as the process carries it on from what it has read
        assert await shop.fixed() == fixed
    assert shop.runner.remembered["act"] == 2


@pytest.mark.parametrize(("before", "kept"), [(timedelta(0), 20), (timedelta(microseconds=1), 10)])
async def test_what_comes_unasked_costs_what_it_did_when_it_settled(
    cast: Cast, ana: Seller, before: timedelta, kept: int
) -> None:
    await cast.set_fees(ana.company_id, 10)
    since = await now_of(cast) + DAY
    await cast.set_fees(ana.company_id, 20, since=since)
    at = (since - before).astimezone(UTC)
    arrival = PixArrival(
        message_id="M1", end_to_end_id=f"E12345678202601311200{ana.company_id.hex[-11:]}", txid=None,
        amount=Money(1000, "BRL"), accepted_at=at, payer=BENTO, receiver_branch=INSTITUTION.branch,
        receiver_account=ana.account_number, receiver_document=None, key=ana.pix_key, instrument="DICT", settled_at=at,
    )  # fmt: skip
    done = await cast.runner.act(ana.company_id, Settled(arrival, await claimed(cast, ana, arrival), PLACE))
    assert isinstance(done, Done)
    async with cast.database.session(ana.company_id) as session:
        booked = await session.fetch("SELECT type, amount_minor FROM transfers")
    assert {row["type"]: row["amount_minor"] for row in booked} == {"PIX_IN": 1000 - kept, "FEE": kept}


async def test_what_has_begun_stays(cast: Cast, ana: Seller) -> None:
    async def act(verb: Any, seller: Seller = ana) -> list[tuple[str, str]]:
        outcome = await cast.runner.act(seller.company_id, verb)
        return [(p.field, p.issue) for p in outcome.problems] if isinstance(outcome, Refused) else []

    nothing, since = Money(0, "BRL"), await now_of(cast) + DAY
    price = Price("IN", "PIX", Money(1, "BRL"), 0, nothing)
    held, later = await cast.set_fees(ana.company_id, 10), await cast.set_fees(ana.company_id, 20, since=since)
    assert await act(SetFees(price, since - 2 * DAY)) == [("from", "OUT_OF_RANGE")]
    assert await act(SetFees(price, since)) == [("from", "DUPLICATE")]
    assert await act(SetFees(Price("OUT", "BOLETO", nothing, 0, nothing))) == [("method", "INVALID")]
    assert await act(RemoveFees(UUID(held["id"]))) == [("plan", "CONFLICT")]
    dora = await cast.dora()
    assert await act(RemoveFees(UUID(later["id"])), dora) == [("plan", "INVALID")]
    assert await act(RemoveFees(UUID(later["id"]))) == []
    assert await act(RemoveFees(UUID(later["id"]))) == [("plan", "CONFLICT")]
    assert await act(SetFees(price, since)) == []  # in its place


@pytest.mark.parametrize(
    "change",
    [
        "fixed_minor = 1", "variable_basis_points = 1", "additional_minor = 1", "payer = 'CUSTOMER'", "valid_from = now()",
        "created_at = now()", "payment_method = 'TED'", "direction = 'OUT'",
    ],
)  # fmt: skip
async def test_the_running_system_cannot_change_a_plan(cast: Cast, ana: Seller, inside: Any, change: str) -> None:
    await cast.set_fees(ana.company_id, 10)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await inside.execute(f"UPDATE company_fees SET {change}")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await inside.execute("DELETE FROM company_fees")


@pytest.mark.parametrize(
    "row",
    [
        "'PIX', 'IN', NULL, now(), now(), NULL",
        "'PIX', 'OUT', 'RECEIVER', now(), now(), NULL",
        "'PIX', 'IN', 'RECEIVER', now() - interval '1 s', now(), NULL",
        "'PIX', 'IN', 'RECEIVER', now(), now(), now()",
        "'pix', 'IN', 'RECEIVER', now(), now(), NULL",
    ],
)
async def test_no_plan_is_dated_back_or_removed_once_it_holds(ana: Seller, inside: Any, row: str) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await inside.execute(
            "INSERT INTO company_fees (company_id, id, payment_method, direction, payer, valid_from, created_at, removed_at)"
            f" VALUES ('{ana.company_id}', gen_random_uuid(), {row})"
        )


async def listed(cast: Cast, seller: Seller, client: Any = None) -> Any:
    reply = await cast.run(client or seller.client, parsed(seller), operation="list_fees", permission=LIST.permission)
    return msgspec.json.decode(reply.body)["data"] if isinstance(reply, Reply) else reply


def parsed(seller: Seller) -> Any:
    return LIST.parse(Incoming(seller.company_id, {}, {}, b"", {}, None))


async def test_clients_are_shown_what_holds_and_what_will(cast: Cast, ana: Seller) -> None:
    assert await listed(cast, ana) == []
    await cast.set_fees(ana.company_id, 1)
    await cast.act(ana.company_id, BearFees("CUSTOMER"))
    await cast.set_fees(ana.company_id, 10, 99, 5)
    await cast.set_fees(ana.company_id, 7, method="SPEI", payer="RECEIVER")
    await cast.set_fees(ana.company_id, 50, direction="OUT")
    since = (await now_of(cast) + DAY).astimezone(UTC)
    await cast.set_fees(ana.company_id, 30, since=since + DAY)
    await cast.act(ana.company_id, RemoveFees(UUID((await cast.set_fees(ana.company_id, 40, since=since))["id"])))
    now = await now_of(cast)
    found = await listed(cast, ana)
    shown = [{**one, "validFrom": datetime.fromisoformat(one["validFrom"]) <= now} for one in found]
    until = (since + DAY).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    pix = {"direction": "IN", "paymentMethod": "PIX", "feePayer": "CUSTOMER"}
    mxn = {"currency": "MXN", "value": "0.00"}
    assert shown == [
        {**pix, "fixed": brl("0.10"), "variablePercent": "0.99", "additional": brl("0.05"), "validFrom": True, "validUntil": until},
        {**pix, "fixed": brl("0.30"), "variablePercent": "0.00", "additional": brl("0.00"), "validFrom": False},
        {"direction": "IN", "paymentMethod": "SPEI", "feePayer": "RECEIVER", "fixed": mxn | {"value": "0.07"}, "variablePercent": "0.00",
         "additional": mxn, "validFrom": True},
        {"direction": "OUT", "paymentMethod": "PIX", "fixed": brl("0.50"), "variablePercent": "0.00", "additional": brl("0.00"),
         "validFrom": True},
    ]  # fmt: skip
    assert await listed(cast, await cast.dora()) == []


async def test_who_may_not_read_accounts_is_not_shown_fees(cast: Cast, ana: Seller) -> None:
    client = await cast.add_client(ana.company_id, "shop", ("orders:read", "accounts:write"))
    assert await listed(cast, ana, client) == Refused(Kind.FORBIDDEN)
