"""Pix Automático on the phone: reading, authorizing (journey 2), paying and authorizing (journey 3), declining."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test
from tests.signatures import WAYS

from lastro.standards import jws, recurrence_payload
from lastro.standards.recurrence_payload import RecurrencePayload, Update
from lastro_sim.clock import DAY

from .orders import set_clock
from .slips import MONDAY
from .stage import Institution, Sim, Till, location_key, until

PAYER = {
    "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020", "branch": "0001",
    "account": "123456", "accountType": "CACC", "ibgeCode": "3550308",
}  # fmt: skip
COMPANY, BROKE, HELD = "99999020000185", "70000000159", "70000000230"


async def authorize(sim: Sim, code: str, **more: Any) -> Any:
    return await sim.act("/phone/authorize", {"qrcodeData": code} | more)


async def authorizations(sim: Sim, **query: str) -> list[Any]:
    data: list[Any] = (await sim.http.get("/phone/authorizations", params=query)).json()["data"]
    return data


async def test_a_recurrence_is_shown_with_who_how_much_how_often_and_until_when(sim: Sim, shop: Till) -> None:
    await set_clock(sim, MONDAY)
    starts, ends = date(2026, 12, 31), date(2027, 12, 31)
    code, id_rec = shop.recurrence(floor="30.00", starts_on=starts, ends_on=ends)
    receiver = {
        "name": "Loja da Ana Ltda", "document": {"type": "CNPJ", "number": "**.222.333/0001-**"},
        "bank": {"ispb": "99999010", "name": "LASTRO"},
    }  # fmt: skip
    assert await sim.act("/phone/read", {"qrcodeData": code}) == {
        "kind": "RECURRENCE", "openAmount": False, "receiver": receiver, "description": "Mensalidade",
        "recurrence": {
            "idRec": id_rec, "journey": "JORNADA_2", "receiver": receiver,
            "debtor": {"name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "***.456.789-**"}},
            "contract": "contrato-1", "description": "Mensalidade", "frequency": "MONTHLY", "startDate": "2026-12-31",
            "endDate": "2027-12-31", "maximumAmount": {"allowed": True, "atLeast": "30.00"}, "retriesAfterDueDate": True,
            "status": "CRIADA",
        },
    }  # fmt: skip


async def test_a_composite_code_is_a_charge_and_a_recurrence(sim: Sim, shop: Till, key: str) -> None:
    code, id_rec, txid = shop.paid_recurrence(key, amount="49.90")
    shown = await sim.act("/phone/read", {"qrcodeData": code})
    assert (shown["kind"], shown["amount"], shown["txId"], shown["receiver"]["key"]) == ("COMPOSITE", "10.00", txid, key)
    found = shown["recurrence"]
    assert (found["idRec"], found["journey"], found["fixedAmount"]) == (id_rec, "JORNADA_3", "49.90")
    assert found["maximumAmount"] == {"allowed": False}
    assert "endDate" not in found
    assert "problem" not in shown


async def test_the_receiver_is_asked_and_his_yes_makes_it_hold(sim: Sim, lastro: Institution, shop: Till) -> None:
    code, id_rec = shop.recurrence(floor="30.00")
    assert await authorize(sim, code, maximumAmount="30.00") == {"idRec": id_rec, "status": "AUTHORIZED"}
    (asked,) = lastro.of(id_rec)
    at = datetime.fromisoformat(asked.pop("decidedAt"))
    assert abs(datetime.now(UTC) - at) < timedelta(minutes=1)
    del asked["msgId"], asked["createdAt"]
    assert asked == {"type": "pain.012", "idRec": id_rec, "status": "ACCP", "maximumAmount": "30.00", "payer": PAYER}
    (listed,) = await authorizations(sim)
    assert (listed["idRec"], listed["status"], listed["maximumAmount"]) == (id_rec, "AUTHORIZED", "30.00")
    assert listed["payer"] == {name: value for name, value in PAYER.items() if name != "accountType"}
    assert listed["recurrence"]["receiver"]["name"] == "Loja da Ana Ltda"
    assert listed["decidedAt"] >= listed["acceptedAt"]
    assert await authorizations(sim, idRec="R" * 29) == []


async def test_the_receivers_no_is_final_until_the_payer_tries_again(sim: Sim, lastro: Institution, shop: Till) -> None:
    code, id_rec = shop.recurrence()
    lastro.refusals[id_rec] = "AP14"
    assert await authorize(sim, code) == {"idRec": id_rec, "status": "REJECTED", "code": "AP14"}
    del lastro.refusals[id_rec]
    assert (await authorize(sim, code))["status"] == "AUTHORIZED"
    assert [one["status"] for one in await authorizations(sim, idRec=id_rec)] == ["REJECTED", "AUTHORIZED"]


async def test_an_id_names_what_was_read_before(sim: Sim, lastro: Institution, shop: Till) -> None:
    code, id_rec = shop.recurrence()
    unknown = await sim.act("/phone/authorize", {"idRec": id_rec})
    assert unknown == {"idRec": id_rec, "status": "REJECTED", "code": "RECURRENCE_UNKNOWN"}
    await sim.act("/phone/read", {"qrcodeData": code})
    assert (await sim.act("/phone/authorize", {"idRec": id_rec, "payer": COMPANY}))["status"] == "AUTHORIZED"
    assert lastro.of(id_rec)[0]["payer"]["document"] == {"type": "CNPJ", "number": COMPANY}
    assert "maximumAmount" not in lastro.of(id_rec)[0]


@in_one_test(
    ("terms", "maximum", "code"),
    [
        ({"floor": "30.00"}, "29.99", "BELOW_FLOOR"), ({"floor": "30.00"}, "30", None), ({"floor": "30.00"}, None, None),
        ({"amount": "30.00"}, "30.00", "MAXIMUM_NOT_ALLOWED"), ({"amount": "30.00"}, None, None), ({}, "0.01", None),
    ],
)  # fmt: skip
async def test_the_bank_keeps_the_rules_of_the_maximum(
    sim: Sim, lastro: Institution, shop: Till, key: str, terms: dict[str, str], maximum: str | None, code: str | None
) -> None:
    only, id_rec = shop.recurrence(**terms)
    said = await authorize(sim, only, maximumAmount=maximum)
    assert said.get("code") == code
    assert bool(lastro.of(id_rec)) == (code is None)
    paying, id_rec, _ = shop.paid_recurrence(key, **terms)
    paid = await sim.act("/phone/pay", {"qrcodeData": paying, "maximumAmount": maximum})
    assert (paid["status"], paid.get("code")) == ("REJECTED" if code else "SETTLED", code)
    assert [one["status"] for one in await authorizations(sim, idRec=id_rec)] == ([] if code else ["AUTHORIZED"])


@in_one_test(
    ("changes", "problem"),
    [
        ({"updates": (Update(status="APROVADA", at=datetime.now(UTC)),)}, "ALREADY_AUTHORIZED"),
        ({"updates": (Update(status="CANCELADA", at=datetime.now(UTC)),)}, "RECURRENCE_ENDED"),
        ({"starts_on": date(2020, 1, 1), "ends_on": date(2020, 2, 1)}, "RECURRENCE_ENDED"),
        ({"receiver": recurrence_payload.Receiver(name="X", cnpj="99999030000110", ispb="99999030")}, "LOCATION_NOT_TRUSTED"),
    ],
)  # fmt: skip
async def test_what_nobody_may_authorize(
    sim: Sim, lastro: Institution, shop: Till, changes: dict[str, Any], problem: str
) -> None:
    code, _ = shop.recurrence(**changes)
    assert (await sim.act("/phone/read", {"qrcodeData": code}))["problem"] == problem
    for act in ("/phone/authorize", "/phone/decline"):
        said = await sim.act(act, {"qrcodeData": code})
        assert (said["status"], said["code"]) == ("REJECTED", problem)
    assert lastro.heard == []
    assert await authorizations(sim) == []


@pytest.mark.parametrize(
    ("served", "problem"),
    [(404, "LOCATION_NOT_FOUND"), (410, "LOCATION_GONE"), (500, "LOCATION_UNAVAILABLE"), (b"a.b.c", "SIGNATURE_INVALID")],
)
async def test_a_location_that_gives_no_recurrence(
    sim: Sim, shop: Till, key: str, served: int | bytes, problem: str
) -> None:
    only, _ = shop.recurrence()
    paying, _, _ = shop.paid_recurrence(key)
    shop.recurrences["r0"] = shop.recurrences["r1"] = served
    for code in (only, paying):
        assert (await sim.act("/phone/read", {"qrcodeData": code}))["problem"] == problem
    said = await authorize(sim, only)
    assert said == {"status": "REJECTED", "code": problem}
    assert (await sim.act("/phone/pay", {"qrcodeData": paying}))["code"] == problem


async def test_only_the_participants_own_signature_is_believed(sim: Sim, shop: Till) -> None:
    code, _ = shop.recurrence()
    kept = shop.recurrences["r0"]
    assert isinstance(kept, RecurrencePayload)
    body = recurrence_payload.encode(kept)
    for served, problem in (
        (jws.sign(body, location_key(shop.key.jku)), "SIGNATURE_INVALID"),
        (jws.sign(body, replace(shop.key, jku="http://127.0.0.1:1/jwks")), "LOCATION_NOT_TRUSTED"),
        (jws.sign(b'{"idRec":1}', shop.key), "PAYLOAD_INVALID"),
    ):
        shop.recurrences["r0"] = served.encode()
        assert (await sim.act("/phone/read", {"qrcodeData": code}))["problem"] == problem


@pytest.mark.parametrize(("algorithm", "names"), WAYS)
async def test_terms_and_their_charge_are_read_however_they_are_signed(
    sim: Sim, shop: Till, key: str, algorithm: str, names: tuple[str, ...]
) -> None:
    code, _, _ = shop.paid_recurrence(key)
    shop.signed_as(algorithm, names)
    assert "problem" not in await sim.act("/phone/read", {"qrcodeData": code})


async def test_who_is_paid_now_must_be_who_charges_later(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    other = recurrence_payload.Receiver(name="Outra Ltda", cnpj="99999030000110", ispb="99999010")
    code, _, _ = shop.paid_recurrence(key, receiver=other)
    assert (await sim.act("/phone/pay", {"qrcodeData": code}))["code"] == "RECEIVER_DIFFERS"
    assert lastro.heard == []


async def test_each_code_has_its_own_act(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    charge, _ = shop.charge(key)
    only, id_rec = shop.recurrence()
    paying, paid_id, _ = shop.paid_recurrence(key)
    assert await authorize(sim, charge) == {"status": "REJECTED", "code": "NOT_A_RECURRENCE"}
    assert await authorize(sim, paying) == {"idRec": paid_id, "status": "REJECTED", "code": "PAYMENT_REQUIRED"}
    assert (await sim.act("/phone/pay", {"qrcodeData": only}))["code"] == "NOTHING_TO_PAY"
    assert (await sim.act("/phone/pay", {"qrcodeData": charge, "maximumAmount": 1}))["code"] == "MAXIMUM_NOT_ALLOWED"
    assert lastro.of(id_rec) + lastro.of(paid_id) == []


async def test_paying_authorizes_in_one_act(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, id_rec, txid = shop.paid_recurrence(key, floor="30.00")
    paid = await sim.act("/phone/pay", {"qrcodeData": code, "maximumAmount": "50"})
    assert paid["status"] == "SETTLED"
    (asked,) = lastro.of(paid["endToEndId"], "pacs.008")
    assert asked["recurrence"] == {"idRec": id_rec, "maximumAmount": "50.00"}
    assert (asked["txId"], asked["localInstrument"]) == (txid, "QRDN")
    assert lastro.of(id_rec) == []
    (listed,) = await authorizations(sim)
    assert (listed["status"], listed["endToEndId"], listed["maximumAmount"]) == ("AUTHORIZED", paid["endToEndId"], "50.00")
    again = await sim.act("/phone/pay", {"qrcodeData": code})
    assert (again["status"], again["code"]) == ("REJECTED", "ALREADY_AUTHORIZED")


async def test_a_payment_that_fails_authorizes_nothing(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, id_rec, txid = shop.paid_recurrence(key)
    lastro.refusals[txid] = "BE17"
    assert (await sim.act("/phone/pay", {"qrcodeData": code}))["code"] == "BE17"
    await sim.act("/faults", {"operation": "payin", "behaviour": "timeout"})
    del lastro.refusals[txid]
    assert (await sim.act("/phone/pay", {"qrcodeData": code}))["code"] == "AB03"
    assert [one["status"] for one in await authorizations(sim, idRec=id_rec)] == ["REJECTED", "REJECTED"]
    assert (await sim.act("/phone/pay", {"qrcodeData": code, "payer": BROKE}))["code"] == "INSUFFICIENT_FUNDS"
    assert len(await authorizations(sim)) == 2
    assert (await sim.act("/phone/pay", {"qrcodeData": code}))["status"] == "SETTLED"


async def test_a_payment_that_settles_unasked_authorizes_too(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, id_rec, _ = shop.paid_recurrence(key)
    await sim.act("/faults", {"operation": "payin", "behaviour": "late"})
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    (told,) = await until(lambda: lastro.of(paid["endToEndId"], "camt.054"))
    assert told["recurrence"] == {"idRec": id_rec}
    assert [one["status"] for one in await authorizations(sim)] == ["AUTHORIZED"]


async def test_while_one_is_on_its_way_nobody_else_may_say_a_word(sim: Sim, shop: Till, key: str) -> None:
    object.__setattr__(sim.network.settings, "answer_seconds", 0.05)
    only, id_rec = shop.recurrence()
    assert await authorize(sim, only) == {"idRec": id_rec, "status": "PENDING"}
    assert (await authorize(sim, only, payer=COMPANY))["code"] == "BEING_AUTHORIZED"
    assert (await authorize(sim, only, maximumAmount=5))["code"] == "BEING_AUTHORIZED"
    assert (await sim.act("/phone/decline", {"qrcodeData": only}))["code"] == "BEING_AUTHORIZED"
    assert len(await authorizations(sim)) == 1
    paying, _, _ = shop.paid_recurrence(key)
    assert (await sim.act("/phone/pay", {"qrcodeData": paying}))["status"] == "PENDING"
    assert (await sim.act("/phone/pay", {"qrcodeData": paying}))["code"] == "BEING_AUTHORIZED"


async def test_who_may_authorize(sim: Sim, lastro: Institution, shop: Till) -> None:
    code, id_rec = shop.recurrence()
    assert await authorize(sim, code, payer=HELD) == {"idRec": id_rec, "status": "REJECTED", "code": "SUSPECTED_FRAUD"}
    assert (await authorize(sim, code, payer=BROKE))["status"] == "AUTHORIZED", "money is needed later"


async def test_a_decline_reaches_the_receiver(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    only, id_rec = shop.recurrence()
    paying, paid_id, _ = shop.paid_recurrence(key)
    assert await sim.act("/phone/decline", {"qrcodeData": only}) == {"idRec": id_rec, "status": "DECLINED"}
    assert (await sim.act("/phone/decline", {"qrcodeData": paying, "reason": "AP13"}))["status"] == "DECLINED"
    for name, code in ((id_rec, "AP14"), (paid_id, "AP13")):
        (told,) = await until(lambda name=name: lastro.of(name))  # type: ignore[misc]
        assert (told["type"], told["status"], told["code"], told["payer"]) == ("pain.012", "RJCT", code, PAYER)
    assert [one["status"] for one in await authorizations(sim)] == ["DECLINED", "DECLINED"]


async def test_force_lets_the_receiver_judge(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    only, id_rec = shop.recurrence(floor="30.00")
    paying, paid_id, txid = shop.paid_recurrence(key)
    for code in (only, paying):
        await sim.act("/phone/read", {"qrcodeData": code})
    shop.recurrences["r0"] = shop.recurrences["r1"] = shop.charges["t0"] = 410
    lastro.refusals = {id_rec: "AP13", txid: "BE17"}
    said = await authorize(sim, only, maximumAmount="1", force=True)
    assert said == {"idRec": id_rec, "status": "REJECTED", "code": "AP13"}
    assert lastro.of(id_rec)[0]["maximumAmount"] == "1.00"
    paid = await sim.act("/phone/pay", {"qrcodeData": paying, "force": True})
    assert paid["code"] == "BE17"
    assert lastro.of(paid["endToEndId"], "pacs.008")[0]["recurrence"]["idRec"] == paid_id
    assert (await sim.act("/phone/cancel-subscription", {"idRec": id_rec, "force": True}))["status"] == "CANCELED"
    await until(lambda: lastro.of(id_rec, "pain.011"))


async def test_the_window_is_seen_on_the_virtual_clock(sim: Sim, shop: Till) -> None:
    ends = datetime.now(UTC).date() + timedelta(days=20)
    code, _ = shop.recurrence(ends_on=ends)
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 19 * DAY})
    assert "problem" not in await sim.act("/phone/read", {"qrcodeData": code})
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": 22 * DAY})
    assert (await authorize(sim, code))["code"] == "RECURRENCE_ENDED"
