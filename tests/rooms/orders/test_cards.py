"""Orders paid by card, on real rows: what is kept of a card, each result of 3-D Secure, declines, silence, chargebacks."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs
from tests.cast import DORA, PLACE
from tests.rooms.lists import problems

from lastro import ledger, orders
from lastro.accounts import ChangeStatus, Why
from lastro.core.commit import commit
from lastro.core.errors import Kind, NotYet, Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Transfer, Write
from lastro.orders import Authenticated
from lastro.rails import port
from lastro.rails.port import ALARMED

from .cards import (
    BROWSER,
    CRYPTOGRAM,
    CVV,
    NUMBER,
    TYPED,
    Acquirer,
    captured,
    charged_back,
    declined,
    make,
    money,
    outbox,
    paid,
    pass_time,
    reference,
    result,
    send,
    stands,
    wish,
)
from .shop import Shop


@pytest.fixture
def acquirer() -> Acquirer:
    return Acquirer()


# ── made ──


async def test_of_a_card_a_token_is_kept_and_four_digits(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer)
    assert acquirer.told == [(NUMBER, CVV, "2049-12-31", {"name": "Benito", "document": "GOD**********"})]
    assert made["status"] == "INITIAL"
    assert made["card"] == {
        "brand": "MASTERCARD",
        "lastFour": "5100",
        "installments": 3,
        "cardToken": made["card"]["cardToken"],
    }
    assert made["threeDs"] == {
        "challengeUrl": f"{PLACE.public_url}/3ds/{made['orderToken']}", "challengeAccessToken": made["orderToken"],
        "status": "PENDING",
    }  # fmt: skip
    ((kind, body),) = await shop.rows("SELECT kind, body FROM outbox WHERE rail = 'card'")
    order = port.collection_order(body)
    assert (kind, order.amount, order.reference) == (port.COLLECTION_SEND, Money(12345, "MXN"), await reference(shop, made))
    assert order.card == port.CardOrder(
        "tok_1", 3, PLACE.checkout_url(made["orderToken"]), False, None, BROWSER, "benito@example.com", "+525512345678"
    )
    assert await stands(shop, made) == ("INITIAL", "CREATED")


async def test_a_card_that_is_kept_pays_again_for_its_company_alone(shop: Shop, acquirer: Acquirer) -> None:
    dora = await shop.cast.found("Dora", DORA)
    token = (await make(shop, acquirer))["card"]["cardToken"]
    details = {"cardToken": token, "browser": BROWSER}
    again = await make(shop, acquirer, details, externalId="card-2")
    assert (again["card"]["cardToken"], again["card"]["lastFour"], len(acquirer.told)) == (token, "5100", 1)
    assert await shop.column("SELECT name FROM card_tokens") == [token]
    for seller, name in ((dora, token), (shop.ana, "lct_nothing")):
        refused = await send(shop, acquirer, wish({**details, "cardToken": name}, externalId="card-3"), seller=seller)
        assert problems(refused) == [("order.paymentDetails.cardToken", "INVALID")]


async def test_a_silent_tokenizer_makes_nothing(shop: Shop, acquirer: Acquirer) -> None:
    acquirer.says = port.Transient("silent")
    with capture_logs() as lines:
        refused = await send(shop, acquirer, wish())
    told = [line for line in lines if line["event"] == "partner.silent"]
    assert told == [
        {"event": "partner.silent", "log_level": "warning", "rail": "card", "kind": "tokenize", "reason": "silent"}
    ], "and nothing of the card"
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.retry_after_seconds) == (Kind.UNAVAILABLE, 5)
    acquirer.says = port.Permanent("CARD_NOT_TAKEN", "no")
    assert problems(await send(shop, acquirer, wish())) == [("order.paymentDetails.creditCard.number", "NOT_ALLOWED")]
    assert await shop.column("SELECT 1 FROM orders UNION ALL SELECT 1 FROM card_tokens") == []


async def test_no_number_leaves_for_a_code_that_is_taken(shop: Shop, acquirer: Acquirer) -> None:
    await make(shop, acquirer)
    refused = await send(shop, acquirer, wish())
    assert isinstance(refused, Refused)
    assert (refused.kind, problems(refused)) == (Kind.CONFLICT, [("order.externalId", "DUPLICATE")])
    assert len(acquirer.told) == 1


async def test_a_card_is_made_a_token_of_once_although_the_world_moves(shop: Shop, acquirer: Acquirer) -> None:
    moved = "UPDATE companies SET version = version + 1 WHERE company_id = $1 RETURNING 1"
    acquirer.meanwhile = lambda: shop.rows(moved, shop.ana.company_id)
    made = await make(shop, acquirer)
    assert len(acquirer.told) == 1
    assert await shop.column("SELECT name FROM card_tokens") == [made["card"]["cardToken"]]


async def test_no_number_leaves_for_what_is_refused_anyway(shop: Shop, acquirer: Acquirer) -> None:
    old = wish({"creditCard": {**TYPED, "expiry": "12/19"}, "browser": BROWSER}, accountId=str(shop.ana.account_id))
    assert problems(await send(shop, acquirer, old)) == [("order.paymentDetails.creditCard.expiry", "EXPIRED")]
    assert acquirer.told == []


# ── each result ──


@pytest.mark.parametrize(
    ("status", "takes", "order", "card"),
    [
        ("Y", False, "INITIAL", "AUTHENTICATED"),
        ("A", False, "INITIAL", "AUTHENTICATED"),
        ("C", False, "AUTHENTICATING", "CHALLENGE_REQUIRED"),
        ("D", False, "AUTHENTICATING", "CHALLENGE_REQUIRED"),
        ("N", True, "ERROR", "FAILED"),
        ("R", True, "ERROR", "FAILED"),
        ("U", False, "ERROR", "FAILED"),
        ("I", False, "ERROR", "FAILED"),
        ("U", True, "INITIAL", "AUTHENTICATED"),
        ("I", True, "INITIAL", "AUTHENTICATED"),
        ("S", True, "ERROR", "FAILED"),
        ("?", True, "ERROR", "FAILED"),
    ],
)
async def test_each_result_has_its_consequence(
    shop: Shop, acquirer: Acquirer, status: str, takes: bool, order: str, card: str
) -> None:
    if takes:
        async with shop.cast.database.session(shop.ana.company_id) as session:
            await session.value("UPDATE companies SET takes_unauthenticated_cards = true RETURNING 1")
    made = await make(shop, acquirer)
    assert await result(shop, made, status) == "handled"
    assert await stands(shop, made) == (order, card)
    assert (port.CARD_AUTHORIZE in await outbox(shop)) == (card == "AUTHENTICATED")
    assert await result(shop, made, status) == "known"
    if order == "ERROR":
        (news,) = await shop.news(UUID(made["id"]))
        assert (news["event"], news["message"].startswith(f"Order failed: 3DS {status}: ")) == ("ORDER-PAYIN.ERROR", True)


async def test_a_challenge_is_passed_and_the_card_is_charged_once(shop: Shop, acquirer: Acquirer) -> None:
    await shop.cast.set_fees(shop.ana.company_id, 200, method="CREDIT_CARD")
    made = await make(shop, acquirer)
    assert [await result(shop, made, status) for status in ("C", "C", "Y", "Y")] == ["handled", "known", "handled", "known"]
    assert await stands(shop, made) == ("AUTHENTICATING", "AUTHENTICATED")
    assert [await captured(shop, made) for _ in range(2)] == ["handled", "known"]
    assert (await stands(shop, made), await money(shop)) == (("PAID", "CAPTURED"), 12145)
    assert await outbox(shop) == [port.COLLECTION_SEND, port.CARD_AUTHORIZE]
    (news,) = await shop.news(UUID(made["id"]))
    assert (news["event"], news["amount"]) == ("ORDER-PAYIN.PAID", {"currency": "MXN", "value": "123.45"})
    ((flow, eci, ds, version),) = await shop.rows("SELECT flow, eci, ds_transaction_id, three_ds_version FROM card_payments")
    assert (flow, eci, ds, version) == ("CHALLENGE", "05", "ds-1", "2.2.0")
    (body,) = await shop.column("SELECT body FROM outbox WHERE kind = $1", port.CARD_AUTHORIZE)
    assert port.card_authorize(body).three_ds == port.ThreeDs("Y", "05", CRYPTOGRAM, "ds-1", "2.2.0")


@pytest.mark.parametrize("after", ["N", "R", "U", "C2", "D", "I"])
async def test_a_challenge_that_is_not_passed(shop: Shop, acquirer: Acquirer, after: str) -> None:
    made = await make(shop, acquirer)
    await result(shop, made, "C")
    assert await result(shop, made, after) == "handled"
    assert await stands(shop, made) == ("ERROR", "FAILED")
    assert await result(shop, made, "Y") == "known"
    assert port.CARD_AUTHORIZE not in await outbox(shop)


@pytest.mark.parametrize("url", [None, "javascript:alert(1)", "https://bank.example/ x", "//bank.example"])
async def test_no_browser_is_sent_where_no_page_is(shop: Shop, acquirer: Acquirer, url: str | None) -> None:
    made = await make(shop, acquirer)
    await result(shop, made, "C", url)
    assert await stands(shop, made) == ("ERROR", "FAILED")


async def test_a_result_for_an_account_that_is_blocked_in_the_same_moment_charges_nobody(
    shop: Shop, acquirer: Acquirer
) -> None:
    """The account was active when it was read, and is not when the charge would be ordered."""
    made, ana = await make(shop, acquirer), shop.ana
    news = port.CardAuthenticated(await reference(shop, made), "Y", None, "05", "ds-1", "2.2.0")
    row = await shop.kept(port.CARD_AUTHENTICATED, news, news.reference, port.CARD)

    class Late(Authenticated):
        async def call_out(self, known: Any, context: Any) -> Any:
            if known.account.is_active:
                blocked = ChangeStatus(ana.account_id, "block", Why("COURT_ORDER"))
                assert isinstance(await shop.cast.runner.act(ana.company_id, blocked), Done)
            return known

    assert isinstance(await shop.cast.runner.act(ana.company_id, Late(news, row.claimed, PLACE)), Done)
    assert await stands(shop, made) == ("ERROR", "FAILED")
    assert port.CARD_AUTHORIZE not in await outbox(shop)


async def test_a_client_who_skips_3ds_is_charged_without(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer, {"creditCard": {**TYPED, "skip3ds": True}})
    assert await result(shop, made, "S") == "handled"
    assert await captured(shop, made) == "handled"
    assert await stands(shop, made) == ("PAID", "CAPTURED")


# ── declined, silent, too late ──


async def test_a_decline_says_whether_to_try_again(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer)
    await result(shop, made, "Y")
    assert [await declined(shop, made) for _ in range(2)] == ["handled", "known"]
    assert await stands(shop, made) == ("ERROR", "DECLINED")
    (message,) = await shop.column("SELECT error_message FROM orders WHERE id = $1::text::uuid", made["id"])
    assert message == "51: insufficient balance or limit; the same card may be tried again"


async def test_nothing_within_a_quarter_of_an_hour(shop: Shop, acquirer: Acquirer) -> None:
    for n, status in enumerate((None, "C")):
        made = await make(shop, acquirer, externalId=f"late-{n}")
        await shop.rows("UPDATE outbox SET sends = 1 RETURNING 1")
        if status is not None:
            await result(shop, made, status)
        await pass_time(shop, made)
        assert await stands(shop, made) == ("ERROR", "TIMEOUT")
        assert await result(shop, made, "Y") == "known"
    assert (await outbox(shop)).count(port.COLLECTION_CLOSE) == 2
    assert port.CARD_AUTHORIZE not in await outbox(shop)


async def test_an_acquirer_that_says_nothing_of_a_charge(shop: Shop, acquirer: Acquirer) -> None:
    for n, is_charged in enumerate((True, False)):
        made = await make(shop, acquirer, externalId=f"silent-{n}")
        await result(shop, made, "Y")
        refused = await shop.cast.runner.act(shop.ana.company_id, orders.CancelOrder(UUID(made["id"]), PLACE))
        assert isinstance(refused, Refused)
        assert refused.kind is Kind.CONFLICT
        await pass_time(shop, made)
        assert await stands(shop, made) == ("PENDING", "AUTHENTICATED")
        assert await (captured(shop, made) if is_charged else declined(shop, made)) == "handled"
    assert await shop.column("SELECT status FROM orders ORDER BY created_at") == ["PAID", "ERROR"]
    assert (await outbox(shop)).count(port.CARD_AUTHORIZE) == 2


async def test_what_nobody_has_ordered_goes_back(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer)
    assert await captured(shop, made) == "handled"
    assert (await stands(shop, made), await money(shop)) == (("INITIAL", "CREATED"), 0)
    assert await shop.column("SELECT state FROM pix_payments WHERE rail = 'card'") == ["RETURNING"]


async def test_a_client_cancels_what_was_not_charged(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer)
    assert isinstance(await shop.cast.runner.act(shop.ana.company_id, orders.CancelOrder(UUID(made["id"]), PLACE)), Done)
    assert await stands(shop, made) == ("CANCELED", "CANCELED")
    assert await result(shop, made, "Y") == "known"


# ── taken back ──


async def test_an_issuer_takes_all_of_it(shop: Shop, acquirer: Acquirer) -> None:
    made = await paid(shop, acquirer)
    assert [await charged_back(shop, made) for _ in range(2)] == ["handled", "known"]
    assert await stands(shop, made) == ("REFUNDED", "CAPTURED")
    assert await money(shop) == 0
    _, news = await shop.news(UUID(made["id"]))
    assert (news["event"], news["status"], "refundExternalId" in news) == ("ORDER-PAYIN.REFUNDED", "REFUNDED", False)
    assert news["refundAmount"] == news["refundedAmount"] == {"currency": "MXN", "value": "123.45"}
    assert await charged_back(shop, made, 1, "B2") == ALARMED


async def test_what_is_taken_back_before_its_charge_is_known_waits_for_it(shop: Shop, acquirer: Acquirer) -> None:
    """An acquirer's news cross: set aside for people, the order would stay paid, and its money be spent."""
    made = await make(shop, acquirer)
    await result(shop, made, "Y")
    with pytest.raises(NotYet):
        await charged_back(shop, made)
    assert await captured(shop, made) == "handled"
    assert await charged_back(shop, made) == "handled"
    assert (await stands(shop, made), await money(shop)) == (("REFUNDED", "CAPTURED"), 0)


async def test_what_was_never_charged_is_not_waited_for(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer)
    await result(shop, made, "Y")
    assert await declined(shop, made) == "handled"
    assert await charged_back(shop, made) == ALARMED


async def test_what_the_account_lacks_it_owes(shop: Shop, acquirer: Acquirer) -> None:
    made = await paid(shop, acquirer)
    ana = shop.ana
    at, spent = datetime.now(UTC), Money(10000, "MXN")
    out = Transfer(
        shop.cast.id(), "moved", ledger.customer(ana.company_id, ana.account_id, "MXN"), ledger.fees(ana.company_id, "MXN"),
        spent, "TEST", shop.cast.id(), at,
    )  # fmt: skip
    await commit(shop.cast.database, Write(ana.company_id, transfers=(out,)))
    assert await charged_back(shop, made) == "handled"
    moved = await shop.rows("SELECT type, amount_minor FROM transfers WHERE type LIKE 'CARD_%' ORDER BY type")
    assert [tuple(row) for row in moved] == [("CARD_CHARGEBACK", 2345), ("CARD_IN", 12345), ("CARD_LACK", 10000)]


async def test_parts_of_it(shop: Shop, acquirer: Acquirer) -> None:
    made = await paid(shop, acquirer)
    assert await charged_back(shop, made, 345, "B1") == "handled"
    assert await stands(shop, made) == ("PARTIAL_REFUNDED", "CAPTURED")
    assert await charged_back(shop, made, 12001, "B2") == ALARMED
    assert await charged_back(shop, made, 12000, "B3") == "handled"
    assert await stands(shop, made) == ("REFUNDED", "CAPTURED")


async def test_a_refund_under_way_is_decided_before_a_chargeback(shop: Shop, acquirer: Acquirer) -> None:
    """Together they would be more than was charged: the refund would have no end, and its hold none."""
    made = await paid(shop, acquirer)
    wish = orders.RefundWish(UUID(made["id"]), "back-1", Money(6000, "MXN"), "MD06")
    assert isinstance(await shop.cast.runner.act(shop.ana.company_id, orders.GiveBack(wish, PLACE)), Done)
    assert await charged_back(shop, made, 6345, "B1") == "handled", "beside the refund so much is left"
    with pytest.raises(NotYet):
        await charged_back(shop, made, 1, "B2")
    (return_id,) = await shop.column("SELECT return_id FROM refunds")
    end = port.ReturnFinal(return_id, f"{made['id']}:P1", settled=True, settled_at=datetime.now(UTC))
    assert await shop.told(port.RETURN_FINAL, end, return_id, port.CARD) == "handled"
    assert (await stands(shop, made), await money(shop)) == (("REFUNDED", "CAPTURED"), 0)
    assert await charged_back(shop, made, 1, "B3") == ALARMED


async def test_a_chargeback_of_all_waits_for_a_refund_beside_the_customers_fee(shop: Shop, acquirer: Acquirer) -> None:
    """With the fee both fit into what was charged; the refund must not find an order of which all is given back."""
    await shop.cast.set_fees(shop.ana.company_id, 1000, method="CREDIT_CARD", payer="CUSTOMER")
    made = await make(shop, acquirer, amount={"currency": "MXN", "value": "100.00"})
    await result(shop, made, "Y")
    assert await captured(shop, made, cents=11000) == "handled"
    wish = orders.RefundWish(UUID(made["id"]), "back-1", Money(1000, "MXN"), "MD06")
    assert isinstance(await shop.cast.runner.act(shop.ana.company_id, orders.GiveBack(wish, PLACE)), Done)
    with pytest.raises(NotYet):
        await charged_back(shop, made, 10000)
    (return_id,) = await shop.column("SELECT return_id FROM refunds")
    end = port.ReturnFinal(return_id, f"{made['id']}:P1", settled=True, settled_at=datetime.now(UTC))
    assert await shop.told(port.RETURN_FINAL, end, return_id, port.CARD) == "handled"
    assert await charged_back(shop, made, 10000) == "handled"
    assert await stands(shop, made) == ("REFUNDED", "CAPTURED")
    assert await shop.column("SELECT refunded_minor FROM orders") == [11000]


async def test_a_card_that_is_charged_in_vain_ends_its_order(shop: Shop, acquirer: Acquirer) -> None:
    made = await make(shop, acquirer)
    await result(shop, made, "Y")
    assert await captured(shop, made, cents=12344) == "handled"
    assert (await stands(shop, made), await money(shop)) == (("ERROR", "DECLINED"), 0)
    assert await shop.column("SELECT state FROM pix_payments WHERE rail = 'card'") == ["RETURNING"]
