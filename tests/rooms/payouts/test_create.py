"""A payout is made whole or not at all: hold, message, answer and history in one write, whoever else pays meanwhile."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from tests.cast import DORA, Cast
from tests.in_one import in_one_test

from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.rails.port import BudgetSpent, Charge, NoCharge, NoEntry, Transient
from lastro.standards import brcode

from .office import FABIO, FORA, HERE, KEY, Office, entry_of


def static_qr(key: str = KEY, amount: str | None = None) -> str:
    return brcode.encode(brcode.BrCode(merchant_name="Fabio", merchant_city="SAO PAULO", key=key, amount=amount, txid="T1"))


def dynamic_qr(location: str = "banco.example/qr/v2/x") -> str:
    return brcode.encode(brcode.BrCode(merchant_name="Fabio", merchant_city="SAO PAULO", location=location))


async def test_everything_is_in_one_write(office: Office) -> None:
    await office.fee(50)
    payout = await office.make(1234)
    assert (payout["status"], payout["amount"], payout["currency"]) == ("PENDING", "12.34", "BRL")
    assert await office.money() == (10_000_000 - 1284, 1284)
    (row,) = await office.rows("SELECT * FROM payouts")
    assert (row["rail"], row["initiation"], row["end_to_end_id"]) == ("pix", "MANUAL", payout["endToEndId"])
    (message,) = await office.rows("SELECT * FROM outbox")
    assert (message["id"], message["network_id"], message["sends"]) == (row["message_id"], payout["endToEndId"], 0)
    body = msgspec.json.decode(message["body"])
    assert (body["amount"]["minor"], body["receiver"]["account"], body["instrument"]) == (1234, FORA.account, "MANU")
    holds = await office.rows("SELECT id, type, amount_minor FROM transfers WHERE kind = 'held' ORDER BY amount_minor")
    assert [(h["type"], h["amount_minor"]) for h in holds] == [("PAYOUT_FEE", 50), ("PIX_OUT", 1234)]
    assert {row["fee_hold_id"], row["hold_id"]} == {h["id"] for h in holds}
    moments = await office.rows(
        "SELECT created_at FROM payouts UNION SELECT created_at FROM history WHERE machine = 'payouts' UNION SELECT created_at FROM answers"
    )
    assert len(moments) == 1, "one decision has one time"
    assert (await office.used())["PIX.day"] == 1234
    assert await office.events(payout["id"]) == [], "nothing has ended"


async def test_the_same_key_fifty_times_at_once_is_one_payout(office: Office) -> None:
    wish = office.wish(1000)
    answers = await asyncio.gather(*(office.ask(wish, "the key") for _ in range(50)))
    bodies = {a.body for a in answers if isinstance(a, Reply)}
    assert len(bodies) == 1
    busy = [a for a in answers if isinstance(a, Refused)]
    assert all((b.kind, b.problems[0].field) == (Kind.CONFLICT, "idempotency-key") for b in busy), (
        "one that is still under way"
    )
    assert await office.column("SELECT count(*) FROM payouts") == [1]
    assert await office.money() == (9_999_000, 1000)
    again = await office.ask(wish, "the key")
    assert isinstance(again, Reply)
    assert again.replayed
    assert {again.body} == bodies


async def test_fifty_at_once_over_a_balance_for_seven(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 7_350)
    answers = await asyncio.gather(*(office.ask(office.wish(1000)) for _ in range(50)))
    made = [a for a in answers if isinstance(a, Reply)]
    short = [a for a in answers if isinstance(a, Refused)]
    assert len(made) == 7
    assert {(r.problems[0].field, r.problems[0].issue) for r in short} == {("amount", "INSUFFICIENT_FUNDS")}
    assert await office.money() == (350, 7000)
    assert await office.column("SELECT count(*) FROM payouts UNION ALL SELECT count(*) FROM outbox") == [7, 7]


async def test_the_fee_must_be_there_too(cast: Cast) -> None:
    office = await Office.open(cast, await cast.ana(), 1000)
    await office.fee(1)
    problem = await office.refused(office.wish(1000))
    assert (problem.field, problem.issue) == ("amount", "INSUFFICIENT_FUNDS")
    assert (await office.make(999))["status"] == "PENDING"
    assert await office.money() == (0, 1000)


@in_one_test(
    ("wish", "field", "issue"),
    [
        ({"account_id": None}, "accountId", "INVALID"),
        ({"key": "nobody@fora.example"}, "paymentData.pixKey", "INVALID"),
        ({"key": "blocked@fora.example"}, "paymentData.pixKey", "INVALID"),
        ({"key": KEY, "person": DORA}, "receiver.document", "MISMATCH"),
        ({"qr": "00020126"}, "paymentData.qrcodeData", "INVALID"),
        ({"qr": static_qr()[:-1] + "0"}, "paymentData.qrcodeData", "INVALID"),
        ({"qr": static_qr("nobody@fora.example")}, "paymentData.qrcodeData", "INVALID"),
        ({"qr": static_qr(amount="12.33")}, "amount", "MISMATCH"),
        ({"qr": dynamic_qr("banco.example/qr/v2/old")}, "paymentData.qrcodeData", "EXPIRED"),
        ({"qr": dynamic_qr("banco.example/qr/v2/dear")}, "amount", "MISMATCH"),
        ({"place": "00000001"}, "paymentData.bankAccount.ispb", "INVALID"),
        ({"compe": "998"}, "paymentData.bankAccount.bankNumber", "INVALID"),
        ({"scheduled_on": -1}, "scheduledDate", "OUT_OF_RANGE"),
        ({"scheduled_on": 367}, "scheduledDate", "OUT_OF_RANGE"),
    ],
)  # fmt: skip
async def test_what_is_refused_changes_nothing(office: Office, wish: dict[str, Any], field: str, issue: str) -> None:
    office.outside.entries |= {"blocked@fora.example": NoEntry("EntryBlocked")}
    office.outside.charges |= {
        "banco.example/qr/v2/old": NoCharge("EXPIRED", "the charge is over"),
        "banco.example/qr/v2/dear": Charge(KEY, Money(1235, "BRL"), "T" * 26),
    }
    given = dict(wish)
    if given.get("account_id", 1) is None:
        given["account_id"] = office.cast.id()
    if isinstance(given.get("person"), type(DORA)):
        given["person"] = type(FABIO)(DORA.full_name, DORA.document_type, DORA.document_number)
    if "place" in given or "compe" in given:
        place = type(FORA)(given.pop("place", None), given.pop("compe", None), FORA.account_type, FORA.branch, FORA.account)
        given |= {"place": place, "person": FABIO}
    if "scheduled_on" in given:
        given["scheduled_on"] = office.tomorrow() + timedelta(days=given["scheduled_on"] - 1)
    before = await office.column("SELECT count(*) FROM parties"), await office.money()
    problem = await office.refused(office.wish(1234, **given))
    assert (problem.field, problem.issue) == (field, issue)
    assert (await office.column("SELECT count(*) FROM parties"), await office.money()) == before
    for table in ("payouts", "outbox", "quotas", "answers", "transfers WHERE kind = 'held'"):
        assert await office.column(f"SELECT count(*) FROM {table}") == [0], table


@in_one_test(
    ("code", "why"),
    [
        ("NotFound", "the key is not in the directory"), ("EntryBlocked", "the key is blocked by a court order"),
        ("SomethingNew", "refused by the network"),
    ],
)  # fmt: skip
async def test_a_key_that_cannot_be_paid_says_why_in_words(office: Office, code: str, why: str) -> None:
    office.outside.entries |= {"blocked@fora.example": NoEntry(code)}
    typed = await office.refused(office.wish(key="blocked@fora.example"))
    assert typed.description == f"cannot be paid: {why}"
    scanned = await office.refused(office.wish(qr=static_qr("blocked@fora.example")))
    assert scanned.description == f"holds a key that cannot be paid: {why}"


@pytest.mark.parametrize("status", ["INACTIVE", "CLOSED"])
async def test_an_account_that_may_not_pay(office: Office, status: str) -> None:
    await office.account_becomes(status)
    problem = await office.refused(office.wish())
    assert (problem.field, problem.issue) == ("accountId", "NOT_ALLOWED")
    assert office.outside.asked == []


async def test_another_companys_account_is_not_there(office: Office) -> None:
    dora = await office.cast.dora()
    problem = await office.refused(office.wish(account_id=dora.account_id))
    assert (problem.field, problem.issue) == ("accountId", "INVALID")


async def test_a_code_is_paid_once(office: Office) -> None:
    await office.make(external_id="salary-7")
    for again in (office.wish(external_id="salary-7"), office.wish(99, external_id="salary-7", key=KEY)):
        problem = await office.refused(again)
        assert (problem.field, problem.issue) == ("externalId", "DUPLICATE")
    assert office.outside.asked == [], "the code is looked at before the directory is asked"
    answers = await asyncio.gather(*(office.ask(office.wish(external_id="salary-8")) for _ in range(10)))
    assert sum(isinstance(a, Reply) for a in answers) == 1


@pytest.mark.parametrize(
    ("silence", "kind", "seconds"),
    [
        (Transient("no answer"), Kind.UNAVAILABLE, 5),
        (Transient("away", 7), Kind.UNAVAILABLE, 7),
        (BudgetSpent(42), Kind.TOO_MANY, 42),
    ],
)
async def test_a_directory_that_does_not_answer(office: Office, silence: Exception, kind: Kind, seconds: int) -> None:
    office.outside.entries[KEY] = silence
    wish = office.wish(key=KEY)
    refused = await office.ask(wish, "the key")
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.problems, refused.retry_after_seconds) == (kind, (), seconds)
    assert await office.column("SELECT count(*) FROM payouts UNION ALL SELECT count(*) FROM answers") == [0, 0]
    office.outside.entries[KEY] = entry_of(KEY)
    assert isinstance(await office.ask(wish, "the key"), Reply), "the same request, once it answers"


@pytest.mark.parametrize(
    ("way", "initiation", "instrument", "txid"),
    [
        ({"key": KEY}, "KEY", "DICT", None),
        ({"qr": static_qr(amount="12.34")}, "STATIC_QR", "QRES", "T1"),
        ({"qr": static_qr()}, "STATIC_QR", "QRES", "T1"),
        ({"qr": dynamic_qr()}, "DYNAMIC_QR", "QRDN", "A" * 26),
        ({"key": KEY, "person": FABIO}, "KEY", "DICT", None),
    ],
)  # fmt: skip
async def test_by_key_and_by_qr(
    office: Office, way: dict[str, Any], initiation: str, instrument: str, txid: str | None
) -> None:
    office.outside.charges["banco.example/qr/v2/x"] = Charge(KEY, Money(1234, "BRL"), "A" * 26)
    payout = await office.make(1234, **way)
    (row,) = await office.rows("SELECT * FROM payouts")
    assert (row["initiation"], row["pix_key"], row["pix_key_type"], row["txid"]) == (initiation, KEY, "EMAIL", txid)
    (body,) = [msgspec.json.decode(b) for b in await office.column("SELECT body FROM outbox")]
    assert (body["instrument"], body["key"], body.get("txid")) == (instrument, KEY, txid)
    assert office.outside.asked == [KEY]
    assert payout["endToEndId"] == body["end_to_end_id"]


async def test_an_open_charge_takes_another_amount(office: Office) -> None:
    office.outside.charges["banco.example/qr/v2/x"] = Charge(KEY, Money(1, "BRL"), "A" * 26, may_change=True)
    assert (await office.make(1234, qr=dynamic_qr()))["status"] == "PENDING"


async def test_an_account_does_not_pay_itself(office: Office) -> None:
    place = type(FORA)(HERE.ispb, None, "PAYMENT_ACCOUNT", HERE.branch, office.ana.account_number)
    for way, field in (({"key": office.ana.pix_key}, "pixKey"), ({"place": place, "person": FABIO}, "bankAccount")):
        problem = await office.refused(office.wish(**way))
        assert (problem.field, problem.issue) == (f"paymentData.{field}", "NOT_ALLOWED")


@in_one_test("wish", [{}, {"method": "TED"}, {"person": FABIO, "place": replace(FORA, ispb=HERE.ispb)}, {"key": KEY}])
async def test_an_account_at_a_companys_own_bank_pays_nothing_out(office: Office, wish: dict[str, Any]) -> None:
    """Its money is at that bank, and the institution would pay with money of others."""
    await office.cast.connect(office.ana, f"bank{office.ana.number}", "shop@ana.example")
    problem = await office.refused(office.wish(1000, **wish))
    assert (problem.field, problem.issue) == ("accountId", "NOT_SUPPORTED")
    await office.cast.connect(office.ana, f"bank{office.ana.number}")
    assert (await office.refused(office.wish(1000, **wish))).issue == "NOT_SUPPORTED", "the key has left, and not the money"
    assert office.outside.asked == []
    assert await office.column("SELECT count(*) FROM payouts") == [0]
