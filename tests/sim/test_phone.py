from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.standards import brcode, jws, payload
from lastro_sim.clock import DAY

from .stage import Institution, Sim, Till, location_key


async def read(sim: Sim, code: str) -> Any:
    return await sim.act("/phone/read", {"qrcodeData": code})


def static(key: str, **changes: Any) -> str:
    return brcode.encode(brcode.BrCode(merchant_name="Loja", merchant_city="Recife", key=key, **changes))


async def test_a_charge_is_shown_with_who_how_much_and_until_when(sim: Sim, shop: Till, key: str) -> None:
    code, txid = shop.charge(key)
    shown = await read(sim, code)
    expires = shown.pop("expiresAt")
    assert datetime.now(UTC) < datetime.fromisoformat(expires) < datetime.now(UTC) + timedelta(hours=1)
    assert shown == {
        "kind": "DYNAMIC",
        "amount": "10.00",
        "openAmount": False,
        "receiver": {
            "name": "Loja da Ana Ltda",
            "document": {"type": "CNPJ", "number": "**.222.333/0001-**"},
            "bank": {"ispb": "99999010", "name": "LASTRO"},
            "key": key,
        },
        "description": "Pedido 1",
        "txId": txid,
        "status": "ATIVA",
    }


async def test_keys_are_fetched_once(sim: Sim, shop: Till, key: str) -> None:
    for _ in range(3):
        assert "problem" not in await read(sim, shop.charge(key)[0])
    assert shop.fetched == 1


async def test_new_keys_are_noticed(sim: Sim, shop: Till, key: str) -> None:
    await read(sim, shop.charge(key)[0])
    shop.key = location_key(shop.key.jku, "k2")
    assert "problem" not in await read(sim, shop.charge(key)[0])
    assert shop.fetched == 2


async def test_an_open_amount_must_be_given(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, _ = shop.charge(key, amount="0.00", open_amount=True)
    shown = await read(sim, code)
    assert shown["openAmount"] is True
    assert "amount" not in shown
    missing = await sim.http.post("/phone/pay", json={"qrcodeData": code})
    assert missing.status_code == 400
    assert missing.json()["details"][0] == {
        "field": "amount",
        "issue": "REQUIRED",
        "description": "The code leaves the amount open",
    }
    paid = await sim.act("/phone/pay", {"qrcodeData": code, "amount": 12.5})
    assert (await sim.payment(paid["endToEndId"]))["amount"] == "12.50"


async def test_the_bank_does_not_let_the_payer_change_a_fixed_amount(sim: Sim, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    paid = await sim.act("/phone/pay", {"qrcodeData": code, "amount": "9.99"})
    assert (paid["status"], paid["code"]) == ("REJECTED", "AMOUNT_NOT_ALLOWED")


@pytest.mark.parametrize(
    ("served", "problem"), [(404, "LOCATION_NOT_FOUND"), (410, "LOCATION_GONE"), (500, "LOCATION_UNAVAILABLE"),
                            (302, "LOCATION_UNAVAILABLE"), (b"", "SIGNATURE_INVALID"), (b"a.b.c", "SIGNATURE_INVALID"),
                            (b"x" * 70_000, "LOCATION_UNAVAILABLE")],
)  # fmt: skip
async def test_a_location_that_gives_no_charge(sim: Sim, shop: Till, key: str, served: int | bytes, problem: str) -> None:
    code, _ = shop.charge(key)
    shop.charges["t0"] = served
    assert (await read(sim, code))["problem"] == problem
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    assert (paid["status"], paid["code"]) == ("REJECTED", problem)
    assert len(paid["endToEndId"]) == 32
    assert (await sim.http.get("/payments")).json() == {"data": []}


async def test_only_the_participants_own_signature_is_believed(sim: Sim, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    charge = shop.charges["t0"]
    assert isinstance(charge, payload.ChargePayload)
    shop.charges["t0"] = jws.sign(payload.encode(charge), location_key(shop.key.jku)).encode()
    assert (await read(sim, code))["problem"] == "SIGNATURE_INVALID"
    other = replace(shop.key, jku="http://127.0.0.1:1/jwks")
    shop.charges["t0"] = jws.sign(payload.encode(charge), other).encode()
    assert (await read(sim, code))["problem"] == "LOCATION_NOT_TRUSTED"
    shop.charges["t0"] = jws.sign(b'{"txid":1}', shop.key).encode()
    assert (await read(sim, code))["problem"] == "PAYLOAD_INVALID"


async def test_a_strangers_location_is_not_even_asked(sim: Sim) -> None:
    code = brcode.encode(brcode.BrCode(merchant_name="X", merchant_city="Y", location="169.254.169.254/latest"))
    assert (await read(sim, code))["problem"] == "LOCATION_NOT_TRUSTED"


async def test_an_expired_charge_is_seen_on_the_virtual_clock(sim: Sim, shop: Till, key: str) -> None:
    code, _ = shop.charge(key)
    await sim.ask("PUT", "/clock", {"offsetMicroseconds": DAY})
    assert (await read(sim, code))["problem"] == "EXPIRED"
    assert (await sim.act("/phone/pay", {"qrcodeData": code}))["code"] == "EXPIRED"


async def test_force_makes_the_rail_judge(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    code, txid = shop.charge(key)
    unknown, _ = shop.charge(key)
    await read(sim, code)
    shop.charges["t0"] = shop.charges["t1"] = 410
    lastro.refusals[txid] = "BE17"
    for amount in (None, "9.99"):
        paid = await sim.act("/phone/pay", {"qrcodeData": code, "force": True, "amount": amount})
        assert (paid["status"], paid["code"]) == ("REJECTED", "BE17")
        (asked,) = lastro.of(paid["endToEndId"], "pacs.008")
        assert (asked["txId"], asked["amount"]) == (txid, amount or "10.00")
    never_read = await sim.act("/phone/pay", {"qrcodeData": unknown, "force": True})
    assert never_read["code"] == "LOCATION_GONE"


async def test_static_codes(sim: Sim, lastro: Institution, key: str) -> None:
    fixed = static(key, amount="3.00", txid="PEDIDO1", description="Mensalidade")
    assert await read(sim, fixed) | {"receiver": None} == {
        "kind": "STATIC", "amount": "3.00", "openAmount": False, "description": "Mensalidade", "txId": "PEDIDO1",
        "receiver": None,
    }  # fmt: skip
    paid = await sim.act("/phone/pay", {"qrcodeData": fixed})
    assert paid["status"] == "SETTLED"
    (asked,) = lastro.of(paid["endToEndId"], "pacs.008")
    assert (asked["localInstrument"], asked["txId"], asked["receiver"]["key"]) == ("QRES", "PEDIDO1", key)
    paid = await sim.act("/phone/pay", {"qrcodeData": static(key), "amount": "1"})
    assert "txId" not in lastro.of(paid["endToEndId"], "pacs.008")[0]
    unknown = static("nobody@nowhere.example")
    assert (await read(sim, unknown))["problem"] == "KEY_NOT_FOUND"
    assert (await sim.act("/phone/pay", {"qrcodeData": unknown, "amount": "1"}))["code"] == "KEY_NOT_FOUND"


async def test_transfers_by_key_and_by_account(sim: Sim, lastro: Institution, key: str) -> None:
    paid = await sim.act("/phone/transfer", {"key": key, "amount": "1.50", "txid": "abc"})
    (asked,) = lastro.of(paid["endToEndId"], "pacs.008")
    assert (asked["localInstrument"], asked["txId"]) == ("DICT", "abc")
    paid = await sim.act("/phone/transfer", {"account": {"branch": "0001", "account": "00000019"}, "amount": "1.50"})
    (asked,) = lastro.of(paid["endToEndId"], "pacs.008")
    assert asked["localInstrument"] == "MANU"
    assert asked["receiver"] == {"ispb": "99999010", "branch": "0001", "account": "00000019", "accountType": "TRAN"}


async def test_the_payer_may_be_known_or_a_stranger(sim: Sim, lastro: Institution, key: str) -> None:
    for payer, name in (
        ("99999020000185", "Empresa Pagadora Ltda"),
        ({"document": "99999020000185"}, "Empresa Pagadora Ltda"),
        ({"name": "Bento", "document": "11144477735"}, "Bento"),
        ({"name": "Alfa", "document": {"type": "CNPJ", "number": "12ABC34501DE35"}}, "Alfa"),
    ):
        paid = await sim.act("/phone/transfer", {"key": key, "amount": "1", "payer": payer})
        (asked,) = lastro.of(paid["endToEndId"], "pacs.008")
        assert asked["payer"]["name"] == name


@in_one_test(
    ("code", "problem"),
    [
        (static("fabio@fora.example", facilitator="99999030"), "WITHDRAWAL"),
        (static("fabio@fora.example", amount="0.00"), "AMOUNT_INVALID"),
        (static("FABIO@FORA.EXAMPLE"), None), (f" {static('fabio@fora.example')}\r\n", None),
    ],
)  # fmt: skip
async def test_codes_as_other_banks_print_and_people_paste_them(sim: Sim, code: str, problem: str | None) -> None:
    shown = await read(sim, code)
    assert (shown.get("problem"), shown["receiver"]["key"]) == (problem, "fabio@fora.example")
    paid = await sim.act("/phone/pay", {"qrcodeData": code, "amount": "10.00"})
    assert paid["status"] == ("SETTLED" if problem is None else "REJECTED")
