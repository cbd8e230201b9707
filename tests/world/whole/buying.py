"""What people do about orders: they are made by every method, paid, paid twice, wrongly and late, canceled, given back."""

from typing import Any

from tests.journeys.play import CUSTOMER
from tests.journeys.test_cards import CUSTOMER as BENITO
from tests.journeys.test_cards import details
from tests.journeys.test_slips import ADDRESS
from tests.journeys.test_vouchers import LUCIA
from tests.world.whole.crowd import Crowd

from lastro_sim.card.numbers import BY_NUMBER

_PIX_MAGIC = ("7001.01", "7001.02", "7001.03", "7001.04", "7001.05")
_MAGIC = {
    "BOLETO": ("7005.01", "7005.02", "7005.03", "7005.04", "7005.05"), "SPEI": ("7008.01", "7008.02", "7008.04"),
    "DEPOSIT": ("7008.02", "7008.04"), "OXXO": ("7007.02", "7007.03", "7007.04", "7007.05"),
    "OXXOPAY": ("7007.01", "7007.04"), "PAYNET": ("7007.02", "7007.04"),
    "BINANCE_PAY": ("7009.03", "7009.04", "7009.05", "7009.06"), "BITSO_PAY": ("7009.05", "7009.06"),
}  # fmt: skip
_PESOS = frozenset({"SPEI", "OXXO", "OXXOPAY", "PAYNET"})
_CARDS = tuple(BY_NUMBER)
_OUTCOMES = ("pass", "pass", "fail", "unavailable", "reject")


async def buys(crowd: Crowd) -> None:
    """A Pix order and what becomes of it."""
    chance, who = crowd.chance, crowd.chance.choice(("ana", "ana", "dora"))
    value = None if chance.random() < 0.15 else crowd.cents(*_PIX_MAGIC)
    made = await crowd.write("create_order", asking(crowd, value, expiration=chance.choice((60, 3600, 86_400))), who=who)
    if made is None:
        return
    crowd.keep(f"order of {who}", made["id"])
    for _ in range(chance.randint(1, 3)):
        act = chance.choice((_pay, _pay, _pay, _pay_twice, _pay_wrong, _cancel, _look, _play))
        await act(crowd, made, who)
    await _give_back(crowd, made["id"], value or "5.00", who)


def asking(crowd: Crowd, value: str | None, **order: Any) -> dict[str, Any]:
    code = crowd.code()
    customer = order.pop("customer", CUSTOMER)
    currency = order.pop("currency", "BRL")
    asked = {
        "externalId": code, "paymentMethod": "PIX", "description": "A book", "notificationUrl": crowd.hook(code),
        **({} if value is None else {"amount": {"currency": currency, "value": value}}), **order,
    }  # fmt: skip
    return {"order": asked, "customer": customer}


async def _pay(crowd: Crowd, made: dict[str, Any], who: str) -> None:
    amount = {} if "amount" in made else {"amount": "5.00"}
    act = {"qrcodeData": made["pix"]["qrcodeData"], **amount, "force": crowd.chance.random() < 0.5}
    crowd.meanwhile(crowd.act("/phone/pay", act))
    if crowd.chance.random() < 0.5:

        async def paid() -> bool:
            shown = await crowd.read("read_order", who=who, path={"id": made["id"]})
            return bool(shown and shown["status"] == "PAID")

        if await crowd.soon(paid, 1.0):
            crowd.keep(f"paid of {who}", made["id"])


async def _pay_twice(crowd: Crowd, made: dict[str, Any], who: str) -> None:
    await _pay(crowd, made, who)
    await _pay(crowd, made, who)


async def _pay_wrong(crowd: Crowd, made: dict[str, Any], _: str) -> None:
    crowd.meanwhile(crowd.act("/phone/pay", {"qrcodeData": made["pix"]["qrcodeData"], "amount": "0.01", "force": True}))


async def _cancel(crowd: Crowd, made: dict[str, Any], who: str) -> None:
    await crowd.write("cancel_order", {}, who=who, path={"id": made["id"]})


async def _play(crowd: Crowd, made: dict[str, Any], who: str) -> None:
    status = crowd.chance.choice(("PAID", "EXPIRED", "CANCELED", "REFUNDED"))
    await crowd.write("play_order", {"id": made["id"], "status": status}, who=who)


async def _look(crowd: Crowd, made: dict[str, Any], who: str) -> None:
    """Everything that is shown of an order, to its client and to whoever pays."""
    await crowd.read("read_order", who=who, path={"id": made["id"]})
    await crowd.read("read_order_story", who=who, path={"id": made["id"]})
    await crowd.read("list_orders", who=who, limit="10")
    await crowd.read("find_order_payin", who=who, externalId=made["externalId"])
    token = made["orderToken"]
    await crowd.read("read_checkout", who=None, path={"token": token})
    await crowd.read("read_checkout_state", who=None, path={"token": token})
    if "pix" in made:
        token = made["pix"]["qrcodeImageUrl"].rpartition("/")[2]
        await crowd.read("read_qr_image", who=None, path={"name": token})
        await crowd.read("read_charge", who=None, path={"token": token.removesuffix(".png")})


async def _give_back(crowd: Crowd, order_id: str, value: str, who: str, currency: str = "BRL") -> None:
    """A refund, which may be too early, too much or the second of its order."""
    if crowd.chance.random() < 0.4:
        part = value if crowd.chance.random() < 0.5 else "0.50"
        asked = {
            "orderId": order_id, "externalId": crowd.code(), "amount": {"currency": currency, "value": part}, "refundCode": "MD06",
        }  # fmt: skip
        made = await crowd.write("create_refund", asked, who=who)
        if made is not None:
            await crowd.read("read_refund", who=who, path={"id": made["id"]})
            await crowd.read("list_refunds", who=who, orderId=order_id)


async def buys_by_fewer_words(crowd: Crowd) -> None:
    account, value = crowd.chance.choice(crowd.accounts), crowd.cents(*_PIX_MAGIC)
    asked = {
        "externalId": crowd.code(), "accountId": account["id"], "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": value},
        "payer": {"name": CUSTOMER["name"], "document": CUSTOMER["document"]},
    }  # fmt: skip
    made = await crowd.write("create_order_payin", asked)
    if made is None:
        return
    crowd.meanwhile(crowd.act("/phone/pay", {"qrcodeData": made["qrcodeData"], "force": True}))
    await crowd.read("read_order_payin", path={"id": made["id"]})
    await crowd.read("find_order_payin", externalId=str(asked["externalId"]))
    await _give_back(crowd, made["id"], value, "ana")


async def pays_a_printed_code(crowd: Crowd) -> None:
    account = crowd.chance.choice(crowd.accounts)
    amount = {} if crowd.chance.random() < 0.5 else {"amount": {"currency": "BRL", "value": crowd.cents()}}
    asked = {"accountId": account["id"], "pixKey": account["pixKey"], "description": "Coffee", **amount}
    made = await crowd.write("create_static_qrcode", asked)
    if made is None:
        return
    for _ in range(crowd.chance.randint(1, 3)):
        typed = {} if amount else {"amount": crowd.cents()}
        crowd.meanwhile(crowd.act("/phone/pay", {"qrcodeData": made["qrcodeData"], **typed}))
    await crowd.read("read_static_qrcode", path={"id": made["id"]})
    await crowd.read("list_static_qrcodes", accountId=account["id"])


async def pays_nobody(crowd: Crowd) -> None:
    """Money that nobody has asked for, to a key or to an account that there is, or is not."""
    where: dict[str, Any] = crowd.chance.choice((
        {"key": crowd.accounts[0]["pixKey"]}, {"account": {"branch": "0001", "account": "999999999"}},
        {"key": crowd.town.people["spare"][0]["pixKey"]},
    ))  # fmt: skip
    crowd.meanwhile(crowd.act("/phone/transfer", {**where, "amount": crowd.cents()}))
    await crowd.read("list_foreign_payments", status="FOUND")


async def sends_a_ted(crowd: Crowd) -> None:
    """A customer of another bank sends a TED to an account here, or to one that there is not, or not of whom he names."""
    spare = crowd.chance.choice(crowd.town.people["spare"])
    changed: dict[str, Any] = crowd.chance.choice(({}, {}, {}, {"account": "399999"}, {"document": "98765432100"}))
    place = {"branch": "0001", "account": spare["number"], **changed}
    crowd.meanwhile(crowd.act("/phone/ted", {"account": place, "amount": crowd.cents()}))
    await crowd.read("list_orders", paymentMethod="TED", limit="20")


async def buys_at_a_partner(crowd: Crowd) -> None:
    """An order by a slip, a voucher, transfers or crypto."""
    method = crowd.chance.choice(tuple(_MAGIC))
    value = crowd.cents(*_MAGIC[method])
    if method in ("OXXO", "OXXOPAY", "PAYNET"):
        value = crowd.chance.choice((f"{crowd.chance.randint(10, 900)}.50", *_MAGIC[method]))
    made = await order_at_a_partner(crowd, method, value)
    if made is None:
        return
    typed = await typed_of(crowd, made, method)
    await _look(crowd, made, "ana")
    if crowd.chance.random() < 0.15:
        await _cancel(crowd, made, "ana")
    if await is_at_its_partner(crowd, typed):
        for _ in range(crowd.chance.choice((1, 1, 2))):
            amount = {"amount": crowd.cents()} if method in ("SPEI", "DEPOSIT") and crowd.chance.random() < 0.3 else {}
            crowd.meanwhile(crowd.act("/phone/pay", {"qrcodeData": typed, **amount}))
    await _give_back(crowd, made["id"], value, "ana", _currency(method))


def _currency(method: str) -> str:
    return "MXN" if method in _PESOS else "BRL"


async def order_at_a_partner(crowd: Crowd, method: str, value: str) -> Any:
    """The order, by whoever may pay so; None where it is not made."""
    currency = _currency(method)
    customer = (
        {**CUSTOMER, "address": ADDRESS}
        if method == "BOLETO"
        else LUCIA
        if currency == "MXN" or method == "DEPOSIT"
        else CUSTOMER
    )
    return await crowd.write(
        "create_order", asking(crowd, value, paymentMethod=method, customer=customer, currency=currency)
    )


async def is_at_its_partner(crowd: Crowd, typed: str, seconds: float = 2.0) -> bool:
    """Whether the partner hears of it within so many seconds, so that it can be paid."""

    async def known() -> bool:
        read = await crowd.act("/phone/read", {"qrcodeData": typed})
        return read is not None and read.get("problem") != "SLIP_NOT_FOUND"

    return bool(await crowd.soon(known, seconds))


async def typed_of(crowd: Crowd, made: dict[str, Any], method: str) -> str:
    """What is typed or scanned to pay it."""
    if method == "BOLETO":
        await crowd.read("read_slip", who=None, path={"name": made["boleto"]["pdfUrl"].rpartition("/")[2]})
        return str(made["boleto"][crowd.chance.choice(("digitableLine", "digitableLine", "qrcodeData"))])
    if method == "SPEI":
        return str(made["spei"]["clabe"])
    if method == "DEPOSIT":
        banks = (await crowd.read("list_deposit_banks") or {"data": []})["data"]
        code = next((bank["code"] for bank in banks if bank["slug"] == made["deposit"]["bank"]), "")
        return f"{code} {made['deposit']['branchNumber']} {made['deposit']['accountNumber']}"
    if method in ("BINANCE_PAY", "BITSO_PAY"):
        return str(made["crypto"]["qrcodeData"])
    await crowd.read("read_voucher", who=None, path={"name": made["cash"]["voucherUrl"].rpartition("/")[2]})
    return str(made["cash"]["reference"])


async def buys_by_card(crowd: Crowd) -> None:
    """An order by card; its payer answers his bank's page, or does not; money may be taken back."""
    value = crowd.cents()
    made, payment = await order_by_card(crowd, value, crowd.chance.choice(_CARDS))
    if made is None or payment is None:
        return
    if crowd.chance.random() < 0.8:
        await crowd.act(f"/cards/{payment['reference']}/challenge", {"outcome": crowd.chance.choice(_OUTCOMES)})
    await _give_back(crowd, made["id"], value, "ana", "MXN")
    if crowd.chance.random() < 0.3:
        await crowd.act(f"/cards/{payment['reference']}/chargeback", {})
    if crowd.chance.random() < 0.2:
        await _cancel(crowd, made, "ana")


async def order_by_card(crowd: Crowd, value: str, number: str) -> tuple[Any, Any]:
    """The order, and its payment as the acquirer has it; None of what there is not, or not soon."""
    asked = asking(
        crowd, value, paymentMethod="CREDIT_CARD", customer=BENITO, currency="MXN", paymentDetails=details(number)
    )
    made = await crowd.write("create_order", asked)
    if made is None:
        return None, None
    await crowd.read("read_challenge", who=None, path={"token": made["orderToken"]})

    async def at_the_acquirer() -> Any:
        found = await crowd.act(f"/cards?number={made['externalId']}", method="GET")
        return found["data"][0] if found and found["data"] else None

    return made, await crowd.soon(at_the_acquirer)
