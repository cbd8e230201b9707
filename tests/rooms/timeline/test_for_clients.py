"""Who of the institution's people decided, and their own words for it, are told to none but the institution."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from html import unescape
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import INSTITUTION, Cast, Seller
from tests.in_one import in_one_test
from tests.rooms.accounts.openings import ALL, Desk
from tests.rooms.console.visiting import Visit, building
from tests.rooms.orders.shop import Shop
from tests.rooms.orders.test_arrivals import arrives
from tests.rooms.payouts.office import HERE, Office
from tests.rooms.payouts.test_review import review_above

from lastro import payouts
from lastro.accounts import ChangeStatus, Why, opening
from lastro.api_kit.routes import Incoming
from lastro.closing import Close
from lastro.core.errors import Refused
from lastro.core.runner import Done, Reply, Verb
from lastro.orders import SettleStranded, StrandedWay
from lastro.rails import port
from lastro.timeline import by_id, reading
from lastro.timeline.for_clients import reason_for_clients

ROUTES = {route.operation: route for route in reading.routes()}
WHO, WHY = "olga.souza", "customer is under investigation"


@in_one_test(
    ("thing", "trigger", "reason", "told"),
    [
        ("refund", "credit", f"by {WHO}: {WHY}", None), ("payment", "settle", f"by {WHO}: claimed", None),
        ("foreignPayment", "close", f"by {WHO}: {WHY}", None),
        ("plan", "whatever is next", f"by {WHO}", None),
        ("payout", "approve", f"by {WHO}; its endToEndId was E1", None), ("payout", "reject", WHY, None),
        ("payout", "decide", WHY, None),
        ("accountRequest", "approve", "Olga", None),
        ("accountRequest", "reprove", "ILLEGIBLE by Olga (by proxy)", "ILLEGIBLE"),
        ("account", "block", "COURT_ORDER: Order 7 (by Olga (legal))", "COURT_ORDER: Order 7"),
        ("account", "block", "COURT_ORDER: Order 7 (by mail) (by Olga)", "COURT_ORDER: Order 7"),
        ("account", "limit", "PIX: night 1000.00 → 2000.00 (by Olga)", "PIX: night 1000.00 → 2000.00"),
        ("account", "close", "CLOSE_REQUESTED: We are moving", "CLOSE_REQUESTED: We are moving"),
        ("payout", "refuse", "ED05", "ED05"), ("payout", "renew", "its endToEndId was E1", "its endToEndId was E1"),
        ("order", "fail", "PAYMENT_DECLINED: refused by its issuer", "PAYMENT_DECLINED: refused by its issuer"),
        ("order", "create", None, None), ("order", "reserve", "E1", "E1"),
        ("accountRequest", "reprove", "ILLEGIBLE", "ILLEGIBLE"),
    ],
)  # fmt: skip
def test_a_persons_words_are_known_by_their_form(thing: str, trigger: str, reason: str | None, told: str | None) -> None:
    assert reason_for_clients(thing, trigger, reason) == told


@pytest.fixture
async def visits(cast: Cast, ana: Seller) -> tuple[Visit, Visit]:
    """A browser of the institution's people, and one of the company's own."""
    house = building(cast, ana)
    return (await house.inside())[0], (await house.inside(company=ana.company_id))[0]


async def decide(cast: Cast, ana: Seller, verb: Verb[Any]) -> None:
    assert isinstance(await cast.runner.act(ana.company_id, verb), Done)


async def read(cast: Cast, ana: Seller, operation: str, own: Any) -> bytes:
    """A story as the API answers a client."""
    route = ROUTES[operation]
    parsed = route.parse(Incoming(ana.company_id, {"id": str(own)}, {}, b"", {}, None))
    assert not isinstance(parsed, Refused)
    reply = await cast.run(ana.client, parsed, operation=operation, permission=route.permission)
    assert isinstance(reply, Reply)
    return reply.body


async def kept(cast: Cast, ana: Seller, own: Any) -> str:
    """A story as `lastro timeline` says it, which reads as another role than the app's."""
    async with cast.database.session(ana.company_id) as session:
        (root,) = await by_id.beginnings(session, ana.company_id, str(own))
        told = await reading.tell(session, ana.company_id, root)
    assert told is not None
    return "\n".join(by_id.lines(told))


async def pages(visits: tuple[Visit, Visit], path: str) -> tuple[str, str]:
    """A page as the institution's people see it, and as the company's own do."""
    ours, theirs = [await visit.get(path) for visit in visits]
    assert (ours.status_code, theirs.status_code) == (200, 200), theirs.text
    return unescape(ours.text), unescape(theirs.text)


def reasons(body: bytes, trigger: str) -> dict[str, str | None]:
    """Of the moves that the trigger made, by object."""
    entries = msgspec.json.decode(body)["entries"]
    return {e["object"]: e.get("reason") for e in entries if e.get("trigger") == trigger}


async def stranded(shop: Shop) -> tuple[UUID, UUID, UUID]:
    """An order that is paid twice, the second payment of it, and its return, which the payer's bank refused."""
    order_id = await shop.paid()
    (txid,) = await shop.column("SELECT txid FROM orders WHERE id = $1", order_id)
    twice = await arrives(shop.cast, shop.ana, txid=txid, key=shop.ana.pix_key, settled_at=datetime.now(UTC))
    assert await shop.told(port.PIX_SETTLED, twice, twice.end_to_end_id) == "handled"
    ((refund_id, payment_id, return_id),) = await shop.rows("SELECT id, payment_id, return_id FROM refunds")
    final = port.ReturnFinal(return_id, twice.end_to_end_id, settled=False, code="AC03", settled_at=None)
    assert await shop.told(port.RETURN_FINAL, final, return_id) == "handled"
    return order_id, payment_id, refund_id


@pytest.mark.parametrize("way", ["credit", "pay out"])
async def test_of_stranded_money(visits: tuple[Visit, Visit], cast: Cast, ana: Seller, way: StrandedWay) -> None:
    order_id, payment_id, refund_id = await stranded(Shop(cast, ana))
    await decide(cast, ana, SettleStranded(refund_id, way, WHY, WHO))
    body = await read(cast, ana, "read_order_story", order_id)
    assert reasons(body, way) == {"refund": None, "payment": None}, "that it happened is told"
    assert b'"reason":"AC03"' in body, "a network's code is for clients"
    assert (WHO.encode() in body, WHY.encode() in body) == (False, False)
    said = await kept(cast, ana, order_id)
    assert said.count(f"by {WHO}: {WHY}") == 2
    for path in (f"orders/{order_id}", f"payments/{payment_id}"):
        ours, theirs = await pages(visits, f"/console/{path}")
        assert f"by {WHO}: {WHY}" in ours, path
        assert (WHO in theirs, WHY in theirs, "AC03" in theirs) == (False, False, True), path


@in_one_test("way", ["credit", "pay out"])
async def test_of_what_came_back_of_a_payout(visits: tuple[Visit, Visit], cast: Cast, ana: Seller, way: StrandedWay) -> None:
    office = await Office.open(cast, ana, 100_000)
    payout = await office.make(1000)
    await office.settle(payout)
    await office.give_back(payout, 1001)
    (return_id,) = await office.column("SELECT id FROM payout_returns ORDER BY id DESC LIMIT 1")
    await decide(cast, ana, payouts.SettleStranded(UUID(str(return_id)), way, WHY, WHO))
    body = await read(cast, ana, "read_payout_story", payout["id"])
    assert reasons(body, "decide") == {"payout": None}, "that it happened is told"
    assert (WHO.encode() in body, WHY.encode() in body) == (False, False)
    for name in (payout["id"], return_id):
        assert f"by {WHO}: {WHY}" in await kept(cast, ana, name), "it is found by either id"
    ours, theirs = await pages(visits, f"/console/payouts/{payout['id']}")
    assert (f"by {WHO}: {WHY}" in ours, WHO in theirs, WHY in theirs) == (True, False, False)


async def test_of_a_payout_in_review(visits: tuple[Visit, Visit], cast: Cast, ana: Seller) -> None:
    office = await Office.open(cast, ana, 100_000)
    await review_above(office)
    refused, approved = [UUID((await office.make(6_000))["id"]) for _ in range(2)]
    await decide(cast, ana, payouts.Refuse(refused, WHO, WHY, HERE))
    await decide(cast, ana, payouts.Approve(approved, WHO, HERE))
    for payout_id, trigger in ((refused, "reject"), (approved, "approve")):
        body = await read(cast, ana, "read_payout_story", payout_id)
        assert reasons(body, trigger) == {"payout": None}
        assert (WHO.encode() in body, WHY.encode() in body) == (False, False)
        assert f"by {WHO}" in await kept(cast, ana, payout_id)
        ours, theirs = await pages(visits, f"/console/payouts/{payout_id}")
        assert (f"by {WHO}" in ours, WHO in theirs, WHY in theirs) == (True, False, False)


async def test_of_an_account_the_code_and_what_its_client_is_told_stay(
    visits: tuple[Visit, Visit], cast: Cast, ana: Seller
) -> None:
    for trigger, why in (
        ("block", Why("COURT_ORDER", "Order 7", WHO)), ("unblock", Why("FRAUD_CLEARED", None, WHO)),
    ):  # fmt: skip
        await decide(cast, ana, ChangeStatus(ana.account_id, trigger, why))
    await decide(cast, ana, Close(ana.account_id, Why("OPERATOR_DECISION", "The contract is over", WHO)))
    ours, theirs = await pages(visits, f"/console/accounts/{ana.account_id}")
    for code in ("COURT_ORDER: Order 7", "FRAUD_CLEARED", "OPERATOR_DECISION: The contract is over"):
        assert f"{code} (by {WHO})" in ours
        assert code in theirs
    assert (WHO in theirs, "(by" in theirs) == (False, False)


async def approve(desk: Desk, request_id: UUID) -> str:
    verdict = opening.Verdict(is_approved=True, by=WHO)
    await decide(desk.cast, desk.seller, opening.Judge(request_id, verdict, INSTITUTION))
    return WHO


async def reprove(desk: Desk, request_id: UUID) -> str:
    verdict = opening.Verdict(is_approved=False, code="ILLEGIBLE", fields=(ALL[0],), by=WHO)
    await decide(desk.cast, desk.seller, opening.Judge(request_id, verdict, INSTITUTION))
    return f"ILLEGIBLE by {WHO}"


@in_one_test("judge", [approve, reprove])
async def test_of_a_request_for_an_account(
    visits: tuple[Visit, Visit], cast: Cast, ana: Seller, judge: Callable[[Desk, UUID], Awaitable[str]]
) -> None:
    desk = Desk(cast, ana, is_analysed=False)
    request_id = UUID((await desk.handed_over())["accountRequestId"])
    said = await judge(desk, request_id)
    assert said in await kept(cast, ana, request_id)
    ours, theirs = await pages(visits, f"/console/requests/{request_id}")
    assert (said in ours, WHO in theirs) == (True, False)
    assert ("ILLEGIBLE" in theirs) == ("ILLEGIBLE" in said), "what its client is told stays"
