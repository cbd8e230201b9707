"""What every partner that collects registers, once, what it refuses, and what the phone shows of it."""

from datetime import timedelta
from typing import Any

from .charge import PARTNERS, RETURN, TILLS, Charge
from .orders import set_clock
from .slips import DUE, LAST_DAY, MONDAY, Slip
from .stage import Sim

EN, PT = {"Accept-Language": "en"}, {"Accept-Language": "pt-BR"}


async def test_registering_is_done_once(sim: Sim) -> None:
    for partner in PARTNERS:
        await set_clock(sim, MONDAY)
        charge = Charge(sim, partner)
        await charge.register()
        await charge.register(200)
        assert (await charge.register(409, description="Another"))["error"] == "REFERENCE_DIFFERS"
        await set_clock(sim, MONDAY + timedelta(days=60))
        assert (await charge.register(200))["status"] == "EXPIRED", "known already: its term does not matter"


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"amount": "0.00"}, 422, "AMOUNT_ZERO"),
    ({"expiresAt": "2026-11-23T12:59:59.000Z"}, 422, "TERM_OVER"),
    ({"amount": 100}, 400, "INVALID_REQUEST"),
    ({"currency": "USD"}, 400, "INVALID_REQUEST"),
    ({"expiresAt": "2026-11-26"}, 400, "INVALID_REQUEST"),
    ({"expiresAt": None}, 400, "INVALID_REQUEST"),
    ({"payer": None}, 400, "INVALID_REQUEST"),
    ({"beneficiary": None}, 400, "INVALID_REQUEST"),
]
OF_TILLS: list[tuple[dict[str, Any], int, str]] = [
    ({"amount": "9.99"}, 422, "AMOUNT_OUT_OF_RANGE"), ({"amount": "10000.01"}, 422, "AMOUNT_OUT_OF_RANGE"),
]  # fmt: skip
OF_SLIPS: list[tuple[dict[str, Any], int, str]] = [
    ({"amount": "99.99"}, 422, "BARCODE_DIFFERS"),
    ({"dueDate": "2026-11-25"}, 422, "BARCODE_DIFFERS"),
    ({"barcode": Slip(9).barcode}, 422, "BARCODE_DIFFERS"),
    ({"barcode": "9" * 44}, 422, "BARCODE_INVALID"),
    ({"beneficiary": {"name": "X", "document": {"type": "CPF", "number": "70000000310"}}}, 422, "BENEFICIARY_UNKNOWN"),
    ({"beneficiary": {"name": "X", "document": {"type": "CPF", "number": "11111111111"}}}, 422, "BENEFICIARY_UNKNOWN"),
    ({"payableUntil": "2026-11-25"}, 400, "INVALID_REQUEST"),
    ({"barcode": "123"}, 400, "INVALID_REQUEST"),
    ({"dueDate": "soon"}, 400, "INVALID_REQUEST"),
]


async def test_what_is_not_registered(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    for partner in PARTNERS:
        charge = Charge(sim, partner)
        own = {"boleto": OF_SLIPS, **dict.fromkeys(TILLS, OF_TILLS)}.get(partner, [])
        for changes, status, code in (*REFUSED, *own):
            assert (await charge.register(status, **changes))["error"] == code, (partner, changes)
            assert (await sim.ask("GET", charge.path)).status_code == 404
        assert (await sim.ask("PUT", f"/{partner}/v1/charges/12", charge.body)).status_code == 400
        for method, path in (
            ("PUT", charge.path), ("GET", charge.path), ("POST", f"{charge.path}/close"), ("GET", f"/{partner}/v1/movements"),
            ("PUT", f"/{partner}/v1/returns/{RETURN}"), ("GET", f"/{partner}/v1/returns/{RETURN}"),
        ):  # fmt: skip
            assert (await sim.http.request(method, path, json={})).status_code == 401, path
    assert (await Charge(sim, "boleto").pay())["code"] == "SLIP_NOT_FOUND"
    assert (await sim.http.get("/collecting/nobody")).status_code == 404


async def test_faults_of_registering(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    faults = (("reject", 422, 404), ("timeout", 504, 404), ("down", 503, 404), ("lost-answer", 503, 200))
    for partner in PARTNERS:
        for number, (behaviour, status, kept) in enumerate(faults):
            charge = Charge(sim, partner, number)
            await charge.fault(behaviour)
            await charge.register(status)
            assert (await sim.ask("GET", charge.path)).status_code == kept, (partner, behaviour)
            await charge.register(201 if kept == 404 else 200)


async def test_the_phone_reads_line_and_bars(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    for text in (slip.line, slip.line.replace(".", "").replace(" ", ""), slip.barcode):
        read = await sim.act("/phone/read", {"qrcodeData": text})
        assert (read["kind"], read["amount"], read["status"]) == ("BOLETO", "100.00", "REGISTERED")
        assert (read["dueDate"], read["payableUntil"]) == (DUE.isoformat(), LAST_DAY.isoformat())
        assert read["receiver"]["name"] == "Loja da Ana Ltda"
    for other in (Slip(5, 1234), Slip(1, 1234)):
        unknown = await sim.act("/phone/read", {"qrcodeData": other.line})
        assert unknown == {
            "kind": "BOLETO", "amount": "12.34", "openAmount": False, "dueDate": "2026-11-26", "problem": "SLIP_NOT_FOUND",
        }  # fmt: skip
    for broken in (slip.line[:-1] + "9", "1" * 46, "8" + slip.barcode[1:], "12"):
        for path in ("/phone/read", "/phone/pay"):
            assert (await sim.http.post(path, json={"qrcodeData": broken})).status_code == 400


async def test_the_phone_page_shows_a_slip(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    slip = Slip()
    await slip.register(sim)
    page = (await sim.http.get("/phone", params={"qrcodeData": slip.line}, headers=PT)).text
    for text in ("Loja da Ana Ltda", "R$ 100,00", "Vencimento", "26/11/2026", "Pagável até", "27/11/2026", "Bento"):
        assert text in page
    paid = await sim.http.post("/phone", data={"qrcodeData": slip.line, "payer": "12345678909"})
    assert paid.status_code == 303
    result = (await sim.http.get(paid.headers["location"], headers=PT)).text
    assert "Pagamento recebido pelo banco" in result
    assert slip.number in result
    assert slip.number in (await sim.http.get("/phone")).text
    assert "já foi paga" in (await sim.http.get("/phone", params={"qrcodeData": slip.line}, headers=PT)).text
    refused = await sim.http.post("/phone", data={"qrcodeData": Slip(2).line})
    assert "not registered" in (await sim.http.get(refused.headers["location"], headers=EN)).text
    assert (await sim.http.get("/phone/slip/nobody")).status_code == 404


async def test_the_phone_and_the_page_of_a_till(sim: Sim) -> None:
    await set_clock(sim, MONDAY)
    voucher = Charge(sim, "oxxo")
    await voucher.register()
    blanks = " ".join(voucher.reference[at : at + 4] for at in range(0, 14, 4))
    assert await sim.act("/phone/read", {"qrcodeData": blanks}) == {
        "kind": "OXXO", "amount": "100.00", "currency": "MXN", "openAmount": False, "reference": voucher.reference,
        "expiresAt": "2026-11-26T13:00:00.000000Z", "status": "REGISTERED",
    }  # fmt: skip
    till = await sim.http.get("/oxxo", headers=EN)
    assert (f"/phone?qrcodeData={voucher.reference}" in till.text, "To be paid" in till.text) == (True, True)
    assert voucher.reference not in (await sim.http.get("/paynet")).text
    page = await sim.http.get("/phone", params={"qrcodeData": voucher.reference}, headers=EN)
    assert "MX$ 100.00" in page.text
    origin = {"Origin": str(sim.http.base_url).rstrip("/")}
    done = await sim.http.post("/phone", data={"qrcodeData": voucher.reference, "act": "pay"}, headers=origin)
    assert done.status_code == 303
    assert "It has not settled yet" in (await sim.http.get(done.headers["Location"], headers=EN)).text
    assert voucher.reference in (await sim.http.get("/phone")).text
