"""An order is paid by slip: announced on the day, settled on the next business day; by the Pix code on it; twice; not at all."""

from typing import Any

from .play import CUSTOMER, Play, cents
from .stage import until

ADDRESS = {
    "state": "SP", "city": "São Paulo", "street": "Rua das Flores", "neighborhood": "Centro", "number": "10",
    "postalCode": "01001000",
}  # fmt: skip


async def slip(play: Play, value: str = "123.45") -> dict[str, Any]:
    """An order by slip, once its bank knows of it."""
    made = await play.order(value, customer={**CUSTOMER, "address": ADDRESS}, paymentMethod="BOLETO")

    async def look() -> bool:
        read = await play.act("/phone/read", {"qrcodeData": made["boleto"]["digitableLine"]})
        return bool(read.get("problem") != "SLIP_NOT_FOUND")

    await until(look, "the slip at its bank")
    return made


async def pay(play: Play, made: dict[str, Any], **act: Any) -> dict[str, Any]:
    paid: dict[str, Any] = await play.act("/phone/pay", {"qrcodeData": made["boleto"]["digitableLine"], **act})
    return paid


async def test_a_slip_is_paid_and_settles_later(play: Play) -> None:
    before, made = await play.balance(), await slip(play)
    read = await play.act("/phone/read", {"qrcodeData": made["boleto"]["barcode"]})
    assert (read["kind"], read["amount"], read["dueDate"]) == ("BOLETO", "123.45", made["boleto"]["dueDate"])
    payment = await pay(play, made)
    assert payment["status"] == "PENDING"
    await play.becomes(made, "PENDING")
    assert await play.balance() == before
    assert (await pay(play, made))["code"] == "ALREADY_PAID"
    await play.advance(advance="P7D")
    shown = await play.becomes(made, "PAID")
    assert (await play.balance() - before, shown["paidAmount"]["value"]) == (cents("123.45"), "123.45")
    body = await play.told(made, "ORDER-PAYIN.PAID")
    assert (body["endToEndId"], body["payer"]["name"], body["paidAt"]) == (None, "Pessoa Pagadora", shown["paidAt"])
    async with play.http.get(made["boleto"]["pdfUrl"]) as answer:
        assert (answer.status, (await answer.read())[:5]) == (200, b"%PDF-")


async def test_a_slip_paid_by_its_pix_code_is_closed_at_its_bank(play: Play) -> None:
    made = await slip(play)
    paid = await play.act("/phone/pay", {"qrcodeData": made["boleto"]["qrcodeData"]})
    assert paid["status"] == "SETTLED", paid
    shown = await play.becomes(made, "PAID")
    assert shown["endToEndId"] is not None
    await play.rest()
    assert (await pay(play, made))["code"] == "CHARGE_REMOVED"


async def test_a_slip_that_is_paid_twice_is_credited_once(play: Play) -> None:
    before, made = await play.balance(), await slip(play, "77.70")
    await play.act("/faults", {"operation": "boleto", "behaviour": "twice", "times": 1})
    await pay(play, made)
    await play.advance(advance="P7D")
    await play.becomes(made, "PAID")
    await play.rest()
    assert await play.balance() - before == cents("77.70")


async def test_a_slip_that_nobody_pays_ends(play: Play) -> None:
    made = await slip(play)
    await play.advance(advance="P16D")
    await play.becomes(made, "EXPIRED")
    await play.told(made, "ORDER-PAYIN.EXPIRED")
    assert (await pay(play, made))["code"] in ("CHARGE_REMOVED", "EXPIRED")


async def test_the_tools_lead_a_slip_where_it_can_go(play: Play) -> None:
    made = await slip(play)
    answer = await play.tool(made, "PAID")
    assert (answer.status, answer.json["status"]) == (200, "PENDING")
    await play.advance(advance="P7D")
    await play.becomes(made, "PAID")
