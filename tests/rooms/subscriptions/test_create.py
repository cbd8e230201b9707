"""POST /order/v1/banking/subscriptions, on real rows."""

import asyncio
from base64 import b64decode
from datetime import datetime, timedelta
from typing import Any

from tests.cast import DORA, INSTITUTION, Cast, Seller
from tests.in_one import in_one_test

from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply
from lastro.standards import brcode
from lastro.standards.recurrence_ids import company_of_recurrence_id, read_recurrence_id

from .desk import HOOK, JOURNEY_2, JOURNEY_3, Desk, brl

CREATE = "create_subscription"
AN_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"


async def test_journey_2_has_a_code_that_authorizes_and_pays_nothing(desk: Desk) -> None:
    made = await desk.make(externalId="contract-1", fixedAmount=brl("29.90"), endDate=desk.day(400))
    assert set(made) == {"id", "status", "qrcodeImageBase64", "qrcodeData", "providerId", "externalId"}
    assert (made["status"], made["externalId"]) == ("PENDING_AUTHORIZATION", "contract-1")
    assert b64decode(made["qrcodeImageBase64"]).startswith(b"\x89PNG")
    # As the Central Bank's example of journey 2: no field 01, 26 with the GUI alone, 80 with the location.
    assert made["qrcodeData"].startswith("00020126180014br.gov.bcb.pix5204")
    code = brcode.decode(made["qrcodeData"])
    assert (code.location, code.amount, code.single_use) == (None, None, False)
    assert code.recurrence_location is not None
    assert code.recurrence_location.startswith("lastro.test/qr/v2/rec/")
    assert len(code.recurrence_location.rpartition("/")[2]) == 22
    assert await desk.column("SELECT count(*) FROM orders WHERE company_id = tenant()") == [0]


async def test_its_id_in_the_network_says_who_made_it_when_and_whether_it_may_be_tried_again(desk: Desk) -> None:
    for retries, letters in ((True, "RR"), (False, "RN")):
        made = await desk.make(allowChargeAfterDueDate=retries)
        assert made["providerId"].startswith(letters)
        taken_apart = read_recurrence_id(made["providerId"])
        assert taken_apart is not None
        assert (taken_apart.maker, taken_apart.day.isoformat()) == (INSTITUTION.ispb, desk.day(0))
        assert company_of_recurrence_id(made["providerId"]) == desk.ana.number


async def test_journey_3_makes_an_order_that_belongs_to_it(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3, externalId="contract-3", description="Jornal")
    charge = made["initialCharge"]
    code = brcode.decode(made["qrcodeData"])
    (token,) = await desk.column("SELECT location_token FROM orders WHERE company_id = tenant()")
    assert code.location == f"lastro.test/qr/v2/{token}"
    assert code.recurrence_location is not None
    assert (code.single_use, code.txid) == (True, None)
    assert made["qrcodeData"].startswith("000201010212266")
    assert charge["amount"] == brl("29.90")
    order = await desk.done("read_order", id=charge["orderId"])
    assert order["subscription"] == {"id": made["id"], "code": "contract-3"}
    assert (order["status"], order["externalId"], order["description"]) == ("INITIAL", "contract-3", "Jornal")
    assert (order["accountId"], order["amount"]) == (str(desk.ana.account_id), brl("29.90"))
    assert "pix" not in order, "the code is the subscription's"
    rows = await desk.column(
        "SELECT (o.notification_url, o.txid, p.name, o.expires_at - o.created_at) FROM orders o"
        " JOIN parties p ON p.company_id = o.company_id AND p.id = o.customer_id WHERE o.company_id = tenant()"
    )
    assert rows == [(HOOK, charge["conciliationId"], "Bento Braga", timedelta(hours=24))]
    assert datetime.fromisoformat(charge["expireDateTime"]) - datetime.fromisoformat(order["createdAt"]) == timedelta(
        hours=24
    )


async def test_a_first_charge_without_a_description_names_the_contract(desk: Desk) -> None:
    made = await desk.make(JOURNEY_3, externalId="contract-4")
    assert (await desk.done("read_order", id=made["initialCharge"]["orderId"]))["description"] == "contract-4"


async def test_nobody_is_told_of_a_create(desk: Desk) -> None:
    await desk.make(JOURNEY_3)
    assert await desk.events() == []


async def test_an_equal_request_under_its_key_gets_its_answer_and_makes_nothing(desk: Desk) -> None:
    body = desk.body(JOURNEY_3)
    first, again = [await desk.ask(CREATE, body, key="once") for _ in range(2)]
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert (again.body, again.status, again.replayed) == (first.body, 201, True)
    assert await desk.column("SELECT count(*) FROM subscriptions WHERE company_id = tenant()") == [1]
    assert await desk.column("SELECT keep FROM answers WHERE company_id = tenant()") == ["month"]


async def test_the_second_of_an_account_is_decided_from_memory(desk: Desk) -> None:
    for journey in (JOURNEY_2, JOURNEY_3):
        await desk.make(journey)
        before = desk.cast.runner.remembered[CREATE]
        await desk.make(journey)
        assert desk.cast.runner.remembered[CREATE] == before + 1


async def test_what_has_changed_since_it_was_remembered_is_seen(desk: Desk) -> None:
    await desk.make(JOURNEY_3)
    await desk.cast.account_becomes(desk.ana.company_id, "INACTIVE")
    assert await desk.refused(CREATE, desk.body(JOURNEY_3)) == [("accountId", "NOT_ALLOWED")]


async def test_many_at_once_have_each_their_own_ids(desk: Desk) -> None:
    made = await asyncio.gather(*(desk.make(JOURNEY_3) for _ in range(20)))
    assert len({one["providerId"] for one in made}) == len({one["id"] for one in made}) == 20


async def test_a_code_is_given_once(desk: Desk) -> None:
    await desk.make(JOURNEY_2, externalId="same")
    for journey in (JOURNEY_2, JOURNEY_3):
        outcome = await desk.ask(CREATE, desk.body(journey, externalId="same"))
        assert isinstance(outcome, Refused)
        assert (outcome.kind, [(p.field, p.issue) for p in outcome.problems]) == (
            Kind.CONFLICT,
            [("externalId", "DUPLICATE")],
        )
    assert await desk.column("SELECT count(*) FROM orders WHERE company_id = tenant()") == [0]


async def test_a_code_of_an_order_is_free_for_a_subscription(desk: Desk) -> None:
    order = {
        "externalId": "same", "paymentMethod": "PIX", "description": "Flores", "amount": brl("1"), "notificationUrl": HOOK,
    }  # fmt: skip
    customer = {
        "name": "Bento", "entityType": "INDIVIDUAL", "email": "bento@example.com",
        "document": {"type": "CPF", "number": "11144477735"},
    }  # fmt: skip
    await desk.done("create_order", {"order": order, "customer": customer})
    await desk.make(JOURNEY_3, externalId="same")


async def test_all_that_is_wrong_by_itself_is_said_at_once(desk: Desk) -> None:
    body = desk.body(
        JOURNEY_3, fixedAmount=brl("0"), maxAmountFloor=brl("1.001"), endDate=desk.day(1), webhookUrl="ftp://x",
        debtor={"name": "Bento", "document": {"type": "CPF", "number": "11144477734"}}, externalId=" x",
        initialCharge={"amount": brl("0")}, frequencyType="DAILY",
    )  # fmt: skip
    assert await desk.refused(CREATE, body) == [
        ("frequencyType", "INVALID"), ("debtor.document.number", "INVALID"), ("webhookUrl", "INVALID"),
        ("externalId", "INVALID"), ("endDate", "OUT_OF_RANGE"), ("fixedAmount", "MUTUALLY_EXCLUSIVE"),
        ("maxAmountFloor", "MUTUALLY_EXCLUSIVE"), ("initialCharge.pixKey", "REQUIRED"),
        ("initialCharge.amount.value", "OUT_OF_RANGE"),
    ]  # fmt: skip


@in_one_test(
    ("journey", "changes", "problem"),
    [
        (JOURNEY_2, {"startDate": "2020-01-01"}, ("startDate", "OUT_OF_RANGE")),
        (JOURNEY_3, {"initialCharge": None}, ("initialCharge", "REQUIRED")),
        (JOURNEY_2, {"initialCharge": {"pixKey": "x", "amount": brl("1")}}, ("initialCharge", "NOT_ALLOWED")),
        (JOURNEY_2, {"autoSchedule": True}, ("autoSchedule", "NOT_ALLOWED")),
        (JOURNEY_3, {"initialCharge": {"pixKey": "x@y.example", "amount": brl("1")}}, ("initialCharge.pixKey", "INVALID")),
    ],
)  # fmt: skip
async def test_what_cannot_be_is_refused(desk: Desk, journey: str, changes: Any, problem: tuple[str, str]) -> None:
    assert await desk.refused(CREATE, desk.body(journey, **changes)) == [problem]


async def test_today_in_brasilia_is_early_enough_and_yesterday_is_not(desk: Desk) -> None:
    assert (await desk.make(startDate=desk.day(0)))["status"] == "PENDING_AUTHORIZATION"
    assert await desk.refused(CREATE, desk.body(startDate=desk.day(-1))) == [("startDate", "OUT_OF_RANGE")]


async def test_the_accounts_of_others_are_as_if_they_were_not_there(desk: Desk) -> None:
    dora = await desk.cast.dora()
    for account in (str(dora.account_id), AN_ID, "x", str(desk.ana.account_id).upper()):
        outcome = await desk.ask(CREATE, desk.body(accountId=account))
        assert outcome == Refused(Kind.NOT_FOUND)
    charge = {"pixKey": dora.pix_key, "amount": brl("1")}
    assert await desk.refused(CREATE, desk.body(JOURNEY_3, initialCharge=charge)) == [("initialCharge.pixKey", "INVALID")]


async def test_the_account_says_all_it_has_against_it_at_once(desk: Desk, cast: Cast, ana: Seller) -> None:
    person = await cast.open_account(ana.company_id, DORA)
    assert await desk.refused(CREATE, desk.body(accountId=person["id"])) == [("accountId", "NOT_ALLOWED")]
    body = desk.body(JOURNEY_3, accountId=person["id"])
    assert await desk.refused(CREATE, body) == [("accountId", "NOT_ALLOWED"), ("initialCharge.pixKey", "MISMATCH")]


async def test_a_first_charge_costs_what_an_order_costs(desk: Desk, cast: Cast, ana: Seller) -> None:
    await cast.set_fees(ana.company_id, 3000)
    assert await desk.refused(CREATE, desk.body(JOURNEY_3)) == [("initialCharge.amount.value", "OUT_OF_RANGE")]
    made = await desk.make(JOURNEY_3, initialCharge={"pixKey": ana.pix_key, "amount": brl("30")})
    order = await desk.done("read_order", id=made["initialCharge"]["orderId"])
    assert (order["fees"]["fixed"], order["finalAmount"]) == (brl("30.00"), brl("30.00"))


async def test_who_may_not_write_subscriptions_is_refused(desk: Desk) -> None:
    caio = await desk.cast.caio(desk.ana)
    assert await desk.ask(CREATE, desk.body(), client=caio) == Refused(Kind.FORBIDDEN)
