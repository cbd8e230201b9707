"""Charges called off by either side, faults of charges, and what the phone shows of them."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.subscriptions.rules.cycles import cycle_of, cycle_start
from lastro_sim.bank import cycles

from .collecting import DUE, FIRST_TRY, SECOND_TRY, Held, at, go_to, holding, quiet, walk_to
from .stage import Institution, Message, Sim, Till, until
from .test_pages import EN, PT

EVE = DUE - timedelta(days=1)


async def resolved(held: Held, message: Message) -> Message:
    return (await until(lambda: held.told(message, "camt.029")))[-1]  # type: ignore[no-any-return]


@in_one_test(
    ("hour", "reason", "code"),
    [("12:00", "SLCR", None), ("22:00", "SLCR", "OTHR"), ("12:00", "FRUD", None)],
)  # fmt: skip
async def test_the_receiver_calls_a_charge_off_until_the_evening_before(
    sim: Sim, lastro: Institution, shop: Till, hour: str, reason: str, code: str | None
) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    await go_to(sim, at(EVE, hour))
    order = held.cancellation(message, reason=reason)
    assert (await held.asked(order, "charge-cancellations"))[0] == 404
    assert (await sim.send(order)).status_code == 201
    told = await resolved(held, order)
    assert (told["instructionMsgId"], told["idRec"]) == (message["msgId"], held.id_rec)
    assert (told["status"], told.get("code")) == ("ACCP" if code is None else "RJCT", code)
    asked = (await held.asked(order, "charge-cancellations"))[1]
    assert asked.pop("originalTransaction") == told["originalTransaction"]
    assert asked == {
        "msgId": order["msgId"], "instructionMsgId": message["msgId"], "idRec": held.id_rec, "status": told["status"],
        "decidedAt": told["decidedAt"], **({} if code is None else {"code": code}),
    }  # fmt: skip
    assert await held.ended(message) == (("CANCELED", "SLCR") if code is None else ("SCHEDULED", None))
    await walk_to(sim, at(DUE, "22:00"))
    assert len(lastro.of(name, "pacs.008")) == (0 if code is None else 1)
    assert held.told(message, "camt.055") == [], "who asked for it is answered, not told"


async def test_a_fault_has_its_answer_say_another_amount_until_it_is_asked(
    sim: Sim, lastro: Institution, shop: Till
) -> None:
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled()
    await order_fault(sim, "cancellation", "wrong-amount")
    order = held.cancellation(message)
    assert (await sim.send(order)).status_code == 201
    told = (await resolved(held, order))["originalTransaction"]
    asked = (await held.asked(order, "charge-cancellations"))[1]["originalTransaction"]
    assert asked["amount"] == message["amount"] != told["amount"]
    assert (asked["txId"], asked["creditor"]) == (told["txId"], told["creditor"])


async def test_what_cannot_be_called_off(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    other = await holding(sim, lastro, shop)
    refused = held.instruction(amount="7004.03")
    await held.answered(refused)
    message, _ = await held.scheduled()
    for order in (
        held.cancellation(refused), held.cancellation(held.instruction()), other.cancellation(message),
        held.cancellation(message, txId="b" * 32),
    ):  # fmt: skip
        await sim.send(order)
        assert (await resolved(held, order))["code"] == "NITX"
    assert (await held.ended(message))[0] == "SCHEDULED"
    order = held.cancellation(message)
    assert (await sim.send(order)).json() == (await sim.send(order)).json()
    await until(lambda: len(held.told(order, "camt.029")) == 2)
    again = held.cancellation(message)
    await sim.send(again)
    assert (await resolved(held, again))["status"] == "ACCP", "what is called off already is so"
    paid, _ = await other.scheduled()
    await walk_to(sim, at(DUE, "12:00"))
    late = other.cancellation(paid)
    await sim.send(late)
    assert (await resolved(other, late))["code"] == "NIPA"


@pytest.mark.parametrize(
    ("hour", "body", "end"),
    [
        ("12:00", {}, None), ("23:58", {}, None), ("23:59", {}, "TOO_LATE"), ("23:59", {"force": True}, None),
        ("12:00", {"reason": "ACCT"}, None), ("12:00", {"by": "txid"}, None),
    ],
)  # fmt: skip
async def test_the_payer_calls_a_charge_off_until_the_last_minute_of_the_day_before(
    sim: Sim, lastro: Institution, shop: Till, hour: str, body: dict[str, Any], end: str | None
) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    await go_to(sim, at(EVE, hour))
    named = {"txid": message["txId"]} if body.pop("by", None) else {"endToEndId": name}
    done = await sim.act("/phone/cancel-charge", named | body)
    answer = {"idRec": held.id_rec, "txId": message["txId"], "endToEndId": name}
    if end is not None:
        assert done == answer | {"status": "REJECTED", "code": end}
        assert (await held.ended(message))[0] == "SCHEDULED"
        return
    assert done == answer | {"status": "CANCELED"}
    (told,) = await until(lambda: held.told(message, "camt.055"))
    assert (told["txId"], told["idRec"], told["reason"]) == (message["txId"], held.id_rec, body.get("reason", "SLBD"))
    assert await held.ended(message) == ("CANCELED", body.get("reason", "SLBD"))
    again = await sim.act("/phone/cancel-charge", named)
    assert again == answer | {"status": "REJECTED", "code": "NOT_SCHEDULED"}
    await walk_to(sim, at(DUE, "22:00"))
    assert lastro.of(name, "pacs.008") == []
    assert len(held.told(message, "camt.055")) == 1
    assert (await sim.http.get("/payments")).json() == {"data": []}


async def test_a_charge_that_nobody_knows_is_not_called_off(sim: Sim) -> None:
    unknown = await sim.act("/phone/cancel-charge", {"endToEndId": "E" * 32})
    assert unknown == {"endToEndId": "E" * 32, "status": "REJECTED", "code": "CHARGE_UNKNOWN"}
    assert (await sim.act("/phone/cancel-charge", {"txid": "a" * 32}))["code"] == "CHARGE_UNKNOWN"


@in_one_test("by_payer", [True, False])
async def test_with_its_authorization_a_charge_is_over(sim: Sim, lastro: Institution, shop: Till, *, by_payer: bool) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    if by_payer:
        await sim.act("/phone/cancel-subscription", {"idRec": held.id_rec})
    else:
        requester = {"role": "USUARIO_RECEBEDOR"}
        await sim.send(lastro.message("pain.011", idRec=held.id_rec, reason="SLCR", requestedBy=requester))
    (told,) = await until(lambda: held.told(message, "camt.055"))
    assert told["reason"] == "CCLD"
    assert await held.ended(message) == ("CANCELED", "CCLD")
    await walk_to(sim, at(DUE, "22:00"))
    assert lastro.of(name, "pacs.008") == []


async def test_what_is_being_paid_ends_as_its_payment_does(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    lastro.silent = True
    await go_to(sim, at(DUE, "01:00"))
    (question,) = await until(lambda: lastro.of(name, "pacs.008"))
    assert [one["status"] for one in await held.charges()] == ["BEING_PAID"]
    await sim.act("/phone/cancel-subscription", {"idRec": held.id_rec})
    for reason in ({}, {"force": True}):
        refused = await sim.act("/phone/cancel-charge", {"endToEndId": name} | reason)
        assert refused["code"] == "NOT_SCHEDULED"
    order = held.cancellation(message)
    await sim.send(order)
    assert (await resolved(held, order))["code"] == "OTHR"
    await lastro.answer(question)
    assert (await lastro.final(name))["status"] == "ACCC"
    assert (await held.ended(message))[0] == "SETTLED"
    assert held.told(message, "camt.055") == []


async def order_fault(sim: Sim, operation: str, behaviour: str, **more: Any) -> None:
    await sim.act("/faults", {"operation": operation, "behaviour": behaviour} | more)


async def test_faults_of_instructions(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    message = held.instruction()
    match = {"idRec": held.id_rec, "txId": message["txId"], "amount": "29.90", "payerDocument": "12345678909"}
    await order_fault(sim, "charge", "down", match=match)
    assert (await sim.send(message)).status_code == 503
    assert (await held.asked(message))[0] == 404
    await order_fault(sim, "charge", "reject", code="AC06")
    assert (await held.answered(message))["code"] == "AC06"
    await order_fault(sim, "charge", "unprocessed", match={"idRec": held.id_rec})
    message = held.instruction()
    assert (await sim.send(message)).status_code == 201
    (told,) = await until(lambda: [one for one in lastro.heard if one["type"] == "admi.002"])
    assert (told["relatedMsgId"], "code" in told, (await held.asked(message))[0]) == (message["msgId"], False, 404)
    await order_fault(sim, "charge", "lost-answer")
    lost = held.instruction(txId=message["txId"])
    assert (await sim.send(lost)).status_code == 503
    assert (await until(lambda: held.told(lost)))[0]["status"] == "ACCP"
    held = await holding(sim, lastro, shop)
    await order_fault(sim, "charge", "twice")
    message, name = await held.scheduled()
    first, second = await until(lambda: len(held.told(message)) == 2 and held.told(message))
    assert first["msgId"] != second["msgId"]
    await walk_to(sim, at(DUE, "08:00"))
    assert len(lastro.of(name, "pacs.008")) == 2
    assert (await sim.payment(name))["status"] == "SETTLED"


async def test_an_answer_that_comes_late_or_only_to_who_asks(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    await order_fault(sim, "charge", "late", delay=86_400)
    late = held.instruction()
    await sim.send(late)
    pending = {"msgId": late["msgId"], "idRec": held.id_rec, "txId": late["txId"], "status": "PENDING", "decidedAt": None}
    assert (await held.asked(late))[1].items() >= pending.items()
    await quiet(sim)
    assert held.told(late) == []
    await walk_to(sim, at(EVE, "12:00"))
    assert (await held.ended(late))[0] == "SCHEDULED"
    assert len(await until(lambda: held.told(late))) == 1
    held = await holding(sim, lastro, shop)
    await order_fault(sim, "charge", "reject", delay=60)
    refused = held.instruction()
    await sim.send(refused)
    assert (await held.asked(refused))[1]["status"] == "PENDING"
    await quiet(sim)
    assert held.told(refused) == []
    await walk_to(sim, at(EVE, "13:00"))
    assert await held.ended(refused) == ("RJCT", "AB10")
    held = await holding(sim, lastro, shop)
    await order_fault(sim, "charge", "timeout", times=2)
    silent = held.instruction()
    await sim.send(silent)
    await sim.send(silent)
    await walk_to(sim, at(DUE, "22:00"))
    assert held.told(silent) == [], "the money came all the same"
    assert (await held.ended(silent))[0] == "SETTLED"
    refused = held.instruction(amount="7004.08", dueDate="2027-04-05", settlementDate="2027-04-05")
    await sim.send(refused)
    await quiet(sim)
    assert held.told(refused) == []
    assert await held.ended(refused) == ("RJCT", "FCD1")
    assert (await until(lambda: held.told(refused)))[0]["code"] == "FCD1"


@in_one_test(
    ("behaviour", "code", "status", "end"),
    [
        ("reject", "ED05", "REJECTED", ("RJCT", "ED05")), ("timeout", None, "REJECTED", ("RJCT", "AB03")),
        ("late", None, "SETTLED", ("SETTLED", None)), ("lost-answer", None, "SETTLED", ("SETTLED", None)),
        ("slow", None, "SETTLED", ("SETTLED", None)),
    ],
)  # fmt: skip
async def test_the_payment_of_a_charge_is_struck_like_any_other(
    sim: Sim, lastro: Institution, shop: Till, behaviour: str, code: str | None, status: str, end: tuple[str, str | None]
) -> None:
    held = await holding(sim, lastro, shop)
    message, name = await held.scheduled()
    more = {"code": code} if code else {}
    delay = {"delay": 0.05} if behaviour == "slow" else {}
    await order_fault(sim, "payin", behaviour, match={"idRec": held.id_rec, "endToEndId": name}, **more, **delay)
    await walk_to(sim, at(DUE, "22:00"))
    assert (await sim.payment(name))["status"] == status
    assert await held.ended(message) == end
    asked = [one["type"] for one in lastro.of(name) if one["type"] in {"pacs.008", "camt.054"}]
    assert asked == {"late": ["camt.054"], "lost-answer": ["pacs.008", "pacs.008"]}.get(behaviour, ["pacs.008"])


async def test_faults_of_cancellations_strike_those_of_charges(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled()
    order = held.cancellation(message)
    await order_fault(sim, "cancellation", "down", match={"txId": message["txId"]})
    assert (await sim.send(order)).status_code == 503
    assert (await held.asked(order, "charge-cancellations"))[0] == 404
    await order_fault(sim, "cancellation", "reject", code="FAIL")
    await sim.send(order)
    assert (await resolved(held, order))["code"] == "FAIL"
    assert (await held.ended(message))[0] == "SCHEDULED"
    await order_fault(sim, "cancellation", "late", delay=3_600)
    late = held.cancellation(message)
    await sim.send(late)
    told = (await held.asked(late, "charge-cancellations"))[1]
    assert told.pop("originalTransaction")["txId"] == message["txId"]
    assert told == {
        "msgId": late["msgId"], "instructionMsgId": message["msgId"], "idRec": held.id_rec, "status": "PENDING",
        "decidedAt": None,
    }  # fmt: skip
    await quiet(sim)
    assert held.told(late, "camt.029") == []
    await order_fault(sim, "cancellation", "timeout")
    silent = held.cancellation(message)
    await sim.send(silent)
    await quiet(sim)
    assert held.told(silent, "camt.029") == []
    assert (await held.asked(silent, "charge-cancellations"))[1]["status"] == "ACCP"
    await until(lambda: held.told(silent, "camt.029"))
    await order_fault(sim, "cancellation", "lost-answer")
    lost = held.cancellation(message)
    assert (await sim.send(lost)).status_code == 503
    assert (await resolved(held, lost))["status"] == "ACCP"
    other = await holding(sim, lastro, shop)
    message, name = await other.scheduled()
    await order_fault(sim, "cancellation", "twice", match={"endToEndId": name})
    await sim.act("/phone/cancel-charge", {"endToEndId": name})
    await until(lambda: len(other.told(message, "camt.055")) == 2)


BAD_INSTRUCTIONS: list[tuple[dict[str, Any], str]] = [
    ({"idRec": "RR1"}, "idRec"), ({"idRec": None}, "idRec"), ({"txId": "a" * 25}, "txId"), ({"txId": "a" * 36}, "txId"),
    ({"txId": "á" * 26}, "txId"), ({"kind": "AUTO"}, "kind"), ({"kind": None}, "kind"), ({"amount": "0.00"}, "amount"),
    ({"amount": 29.9}, "amount"), ({"amount": "29.9"}, "amount"), ({"amount": "-1.00"}, "amount"),
    ({"dueDate": "2027-02-30"}, "dueDate"), ({"dueDate": "08/03/2027"}, "dueDate"), ({"dueDate": 20270308}, "dueDate"),
    ({"dueDate": "9999-12-31"}, "dueDate"), ({"dueDate": "0001-01-01"}, "dueDate"), ({"dueDate": "\uff12\uff10\uff12\uff17-03-08"}, "dueDate"),
    ({"settlementDate": None}, "settlementDate"), ({"settlementDate": "2027-03-08T00:00"}, "settlementDate"),
    ({"payer": None}, "payer"), ({"payer": {"ispb": "x", "document": {"type": "CPF", "number": "12345678909"}}}, "payer.ispb"),
    ({"payer": {"ispb": "99999020", "document": {"type": "CPF", "number": "12345678900"}}}, "payer.document.number"),
    ({"payer": {"ispb": "99999020", "document": "12345678909"}}, "payer.document"),
    ({"receiver": {}}, "receiver.account"), ({"receiver": []}, "receiver"), ({"remittance": "x" * 141}, "remittance"),
    ({"remittance": "a\u0000b"}, "remittance"), ({"msgId": "M-1"}, "msgId"), ({"createdAt": "today"}, "createdAt"),
]  # fmt: skip


async def test_malformed_messages_are_400_and_keep_nothing(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    for changes, field in BAD_INSTRUCTIONS:
        refused = await sim.send(held.instruction(**changes))
        assert refused.status_code == 400, changes
        assert field in [one["field"] for one in refused.json()["details"]], (changes, refused.text)
    message = held.instruction()
    for changes, field in (
        ({"originalMsgId": "M-1"}, "originalMsgId"), ({"originalMsgId": None}, "originalMsgId"), ({"reason": "why"}, "reason"),
        ({"idRec": "R" * 29}, "idRec"), ({"txId": "short"}, "txId"), ({"txId": None}, "txId"),
    ):  # fmt: skip
        refused = await sim.send(held.cancellation(message, **changes))
        assert refused.status_code == 400, changes
        assert field in [one["field"] for one in refused.json()["details"]], (changes, refused.text)
    assert await held.charges() == []


async def test_the_phone_shows_what_is_to_come_and_calls_it_off(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop)
    _, name = await held.scheduled()
    for path in ("/phone", f"/phone/recurrence/{held.id_rec}"):
        portuguese, english = await sim.http.get(path, headers=PT), await sim.http.get(path, headers=EN)
        assert "Cobranças agendadas" in portuguese.text
        assert "R$ 29,90" in portuguese.text
        assert "08/03/2027" in portuguese.text
        assert "Cancelar esta cobrança" in portuguese.text
        assert "Scheduled charges" in english.text
        assert f'action="/phone/charge/{name}"' in english.text
    done = await sim.http.post(f"/phone/charge/{name}")
    assert done.status_code == 303
    page = await sim.http.get(done.headers["location"], headers=EN)
    assert "Cancelled by the payer." in page.text
    assert "/phone/charge/" not in page.text
    again = await sim.http.post(f"/phone/charge/{name}")
    assert "over or being paid" in (await sim.http.get(again.headers["location"], headers=EN)).text
    assert (await sim.http.post("/phone/charge/unknown")).status_code == 404
    assert (await sim.http.post("/phone/charge/%00")).status_code == 404


async def test_the_phone_says_how_charges_ended(sim: Sim, lastro: Institution, shop: Till) -> None:
    held = await holding(sim, lastro, shop, payer="70000000159")
    paid = await holding(sim, lastro, shop)
    await held.scheduled()
    _, name = await paid.scheduled()
    assert await walk_to(sim, at(DUE, "19:00")) == [at(DUE, FIRST_TRY), at(DUE, FIRST_TRY), at(DUE, SECOND_TRY)][-2:]
    waiting = await sim.http.get("/phone?payer=70000000159", headers=EN)
    assert "There was no money." in waiting.text
    assert f"/phone/result/{name}?" in (await sim.http.get("/phone", headers=EN)).text
    await walk_to(sim, at(DUE, "22:00"))
    over = await sim.http.get("/phone?payer=70000000159", headers=EN)
    assert "Not paid" in over.text
    assert "Cancel this charge" not in over.text


@given(
    st.dates(date(2020, 1, 1), date(2090, 1, 1)),
    st.sampled_from(["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"]),
    st.integers(-400, 4000),
)  # fmt: skip
def test_both_sides_count_cycles_alike(starts_on: date, frequency: Any, days: int) -> None:
    day = starts_on + timedelta(days=days)
    theirs, ours = cycles.of(starts_on, frequency, day), cycle_of(starts_on, frequency, day)
    assert theirs == (None if ours is None else ours.number)
    if theirs is not None:
        assert cycles.begins(starts_on, frequency, theirs) == cycle_start(starts_on, frequency, theirs)
        assert cycles.begins(starts_on, frequency, theirs) <= day < cycles.begins(starts_on, frequency, theirs + 1)
