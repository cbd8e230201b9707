"""Money that could not be given back, on real rows: people give it to its account or book it as paid out, once."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import BENTO
from tests.rooms.accounts.test_statements import walked

from lastro import ledger
from lastro.accounts import ChangeStatus, Why
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.orders import SettleStranded, StrandedWay, stranded_in
from lastro.rails import port

from .collecting import make, settled
from .shop import Shop

CENTS = 12345


async def refused_back(shop: Shop) -> UUID:
    """The refund of a voucher's second payment, which no till gives back."""
    made = await make(shop, "PAYNET")
    for name in ("P1", "P2"):
        await settled(shop, made, name)
    ((refund_id, return_id),) = await shop.rows("SELECT id, return_id FROM refunds WHERE state = 'PENDING'")
    final = port.ReturnFinal(return_id, f"{made['id']}:P2", settled=False, code="NO_RETURNS", settled_at=None)
    assert await shop.told(port.RETURN_FINAL, final, return_id, "paynet") == "handled"
    return UUID(str(refund_id))


async def decide(shop: Shop, refund_id: UUID, way: StrandedWay, company: UUID | None = None) -> Done | Refused:
    done = await shop.cast.runner.act(company or shop.ana.company_id, SettleStranded(refund_id, way, "note 7", "rita"))
    assert isinstance(done, Done | Refused)
    return done


async def books(shop: Shop) -> dict[str, int]:
    """What lies in suspense, at the partner and on the account, in centavos of MXN."""
    own = shop.ana.company_id
    accounts = {
        "SUSP": ledger.suspense(own, "MXN"), "NET": ledger.clearing(own, "paynet", "MXN"),
        "CUST": ledger.customer(own, shop.ana.account_id, "MXN"),
    }  # fmt: skip
    sql = "SELECT coalesce(sum(change_minor), 0)::bigint FROM ledger_sides WHERE ledger_account_id = $1"
    return {name: (await shop.column(sql, account.id))[0] for name, account in accounts.items()}


async def stands(shop: Shop, refund_id: UUID) -> tuple[Any, ...]:
    (row,) = await shop.rows(
        "SELECT r.state, p.state, (SELECT array_agg(DISTINCT h.reason) FROM history h WHERE h.to_state IN ('CREDITED', 'PAID_OUT'))"
        " FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id WHERE r.id = $1",
        refund_id,
    )
    return tuple(row)


@pytest.mark.parametrize(
    ("way", "state", "then"),
    [
        ("credit", "CREDITED", {"SUSP": 0, "NET": -2 * CENTS, "CUST": 2 * CENTS}),
        ("pay out", "PAID_OUT", {"SUSP": 0, "NET": -CENTS, "CUST": CENTS}),
    ],
)
async def test_people_decide_once(shop: Shop, way: StrandedWay, state: str, then: dict[str, int]) -> None:
    refund_id = await refused_back(shop)
    assert await books(shop) == {"SUSP": CENTS, "NET": -2 * CENTS, "CUST": CENTS}
    done = await decide(shop, refund_id, way)
    assert isinstance(done, Done)
    shown = msgspec.json.decode(done.body)
    assert (shown["state"], shown["amount"], shown["currency"], shown["rail"]) == (state, "123.45", "MXN", "paynet")
    assert shown["account"] == shop.ana.account_number
    assert await books(shop) == then
    assert await stands(shop, refund_id) == (state, state, ["by rita: note 7"])
    for again in ("credit", "pay out"):
        no = await decide(shop, refund_id, again)
        assert isinstance(no, Refused)
        assert (no.kind, await books(shop)) == (Kind.CONFLICT, then)
    async with shop.cast.database.session(shop.ana.company_id) as session:
        assert await stranded_in(session, shop.ana.company_id, 10) == []


async def test_its_statement_says_so_and_calls_no_id_of_a_partner_an_endtoendid(shop: Shop) -> None:
    await decide(shop, await refused_back(shop), "credit")
    entries = await walked(shop.cast, shop.ana, currency="MXN", sort="asc")
    assert [(one["type"], one["amount"]["value"], one["balanceAfter"]["value"]) for one in entries] == [
        ("PAYNET_IN", "123.45", "123.45"), ("STRANDED_IN", "123.45", "246.90"),
    ]  # fmt: skip
    assert not [one for one in entries if "endToEndId" in one]


async def test_of_many_at_once_one_decides(shop: Shop) -> None:
    refund_id = await refused_back(shop)
    ways: tuple[StrandedWay, ...] = ("credit", "pay out") * 4
    said = await asyncio.gather(*(decide(shop, refund_id, way) for way in ways))
    assert [isinstance(one, Done) for one in said].count(True) == 1
    assert (await books(shop))["SUSP"] == 0
    assert await shop.column("SELECT count(*) FROM transfers WHERE type LIKE 'STRANDED%' OR type LIKE '%PAID_OUT'") == [1]


async def test_what_waits_is_listed_longest_first(shop: Shop) -> None:
    first = await refused_back(shop)
    async with shop.cast.database.session(shop.ana.company_id) as session:
        (one,) = await stranded_in(session, shop.ana.company_id, 10)
    assert (one.id, one.state, one.payment.state, one.amount.minor) == (first, "ERROR", "STRANDED", CENTS)


async def credit_refused(shop: Shop, refund_id: UUID) -> list[tuple[str, str, str]]:
    no = await decide(shop, refund_id, "credit")
    assert isinstance(no, Refused)
    return [(p.field, p.issue, p.description) for p in no.problems if isinstance(p, Problem)]


async def test_a_blocked_account_is_not_credited(shop: Shop) -> None:
    refund_id = await refused_back(shop)
    before = await books(shop)
    block = ChangeStatus(shop.ana.account_id, "block", Why("FRAUD_SUSPECTED", None, "rita"))
    assert isinstance(await shop.cast.runner.act(shop.ana.company_id, block), Done)
    assert await credit_refused(shop, refund_id) == [("accountId", "NOT_ALLOWED", "the account is not active")]
    assert await books(shop) == before
    assert isinstance(await decide(shop, refund_id, "pay out"), Done), "it can be paid out all the same"


async def test_what_was_sent_to_nobody_can_only_be_paid_out(shop: Shop) -> None:
    name, at = f"E12345678202601311200{shop.cast.id().hex[:11]}", datetime.now(UTC)
    arrival = port.PixArrival("M", name, None, Money(CENTS, "BRL"), at, BENTO, "0001", "999999999", None, None, "MANU",
                              settled_at=at)  # fmt: skip
    assert await shop.told(port.PIX_SETTLED, arrival, name) == "handled"
    ((refund_id, return_id),) = await shop.rows("SELECT id, return_id FROM refunds")
    final = port.ReturnFinal(return_id, name, settled=False, code="AC03", settled_at=None)
    assert await shop.told(port.RETURN_FINAL, final, return_id) == "handled"
    says = "nobody here has the account that it was sent to"
    assert await credit_refused(shop, UUID(str(refund_id))) == [("accountId", "NOT_ALLOWED", says)]
    assert isinstance(await decide(shop, UUID(str(refund_id)), "pay out"), Done)
    assert await shop.column("SELECT type FROM transfers WHERE kind = 'moved' ORDER BY type") == [
        "PIX_PAID_OUT",
        "PIX_UNFIT",
    ]


async def test_what_is_on_its_way_or_anothers_is_not_decided_about(shop: Shop) -> None:
    made = await make(shop, "PAYNET")
    for name in ("P1", "P2"):
        await settled(shop, made, name)
    (pending,) = await shop.column("SELECT id FROM refunds WHERE state = 'PENDING'")
    no = await decide(shop, UUID(str(pending)), "credit")
    assert isinstance(no, Refused)
    assert no.kind is Kind.CONFLICT
    dora = await shop.cast.dora()
    for refund_id, company in ((UUID(str(pending)), dora.company_id), (shop.cast.id(), shop.ana.company_id)):
        no = await decide(shop, refund_id, "pay out", company)
        assert isinstance(no, Refused)
        assert no.kind is Kind.NOT_FOUND


async def test_a_refund_that_a_client_asked_for_is_its_own_to_ask_again(shop: Shop) -> None:
    """It was refused, and its money is free on the account again: nothing lies in suspense."""
    order_id = await shop.paid(1000)
    assert await shop.ends(await shop.back(order_id, 400), "AC03") == "handled"
    (refund_id,) = await shop.column("SELECT id FROM refunds WHERE origin = 'CLIENT' AND state = 'ERROR'")
    no = await decide(shop, UUID(str(refund_id)), "credit")
    assert isinstance(no, Refused)
    assert no.kind is Kind.NOT_FOUND
