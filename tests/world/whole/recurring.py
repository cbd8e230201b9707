"""What people do about subscriptions: they are made, authorized, declined, charged, called off and ended, by either side."""

from typing import Any

from tests.world.whole.crowd import Crowd

_J2, _J3 = "AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
_CHARGES = tuple(f"7004.{n:02}" for n in range(1, 16))
# What a bank says of an instruction: for good, for now, or because it failed.
_CODES = ("AM02", "UDEI", "AG12", "AC06", "GRER", "AC05", "AB10", "AB11")
_DEBTOR = {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}}


def _brl(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


async def subscribes(crowd: Crowd) -> None:
    """A subscription from its beginning as far as it comes."""
    chance, code = crowd.chance, crowd.code()
    journey, account = chance.choice((_J2, _J2, _J3)), crowd.accounts[0]  # which is an organization's, as it must be
    asked: dict[str, Any] = {
        "accountId": account["id"], "type": journey, "allowChargeAfterDueDate": chance.random() < 0.7,
        "allowAdjustToBusinessDay": chance.random() < 0.5, "frequencyType": chance.choice(("WEEKLY", "MONTHLY")),
        "startDate": await crowd.day(chance.choice((0, 0, 20))), "externalId": code, "debtor": _DEBTOR,
        "webhookUrl": crowd.hook(code),
    }  # fmt: skip
    if journey == _J3:
        asked["initialCharge"] = {"pixKey": account["pixKey"], "amount": _brl(crowd.cents("7001.01", "7001.04", "7001.05"))}
    made = await crowd.write("create_subscription", asked)
    if made is None:
        return
    crowd.keep("subscription", made["id"])
    path = {"id": made["id"]}
    if chance.random() < 0.85:
        verb = "pay" if journey == _J3 else chance.choice(("authorize", "authorize", "authorize", "decline"))
        crowd.meanwhile(crowd.act(f"/phone/{verb}", {"qrcodeData": made["qrcodeData"]}))
    token = made["qrcodeData"].partition("/qr/v2/rec/")[2][:22]
    if len(token) == 22:
        await crowd.read("read_recurrence", who=None, path={"token": token})

    async def accepted() -> bool:
        shown = await crowd.read("read_subscription", path=path)
        return bool(shown and shown["status"] == "ACCEPTED")

    if await crowd.soon(accepted, 1.5):
        await _charge(crowd, made)
    await crowd.read("read_subscription_story", path=path)
    await crowd.read("list_subscriptions", limit="10")
    if chance.random() < 0.25:
        if chance.random() < 0.5:
            await crowd.write("cancel_subscription", {"reason": "OTHER"}, path=path)
        else:
            await crowd.act("/phone/cancel-subscription", {"idRec": made["providerId"]})


async def _charge(crowd: Crowd, made: dict[str, Any]) -> None:
    """A cycle, by one of the two addresses of each operation; what its bank refuses is charged anew in the same cycle."""
    chance, path = crowd.chance, {"id": made["id"]}
    is_refused = chance.random() < 0.3
    if is_refused:
        match, times = {"idRec": made["providerId"]}, chance.randint(1, 3)
        fault = {"operation": "charge", "behaviour": "reject", "code": chance.choice(_CODES), "times": times, "match": match}
        await crowd.act("/faults", fault)
    asked = {
        "externalId": crowd.code(), "dueDate": await crowd.day(chance.randint(4, 30)), "autoRetry": chance.random() < 0.7,
        "amount": _brl(crowd.cents(*_CHARGES)),
    }  # fmt: skip
    if chance.random() < 0.5:
        payment = await crowd.write("create_subscription_payment", asked, path=path)
    else:
        payment = await crowd.write("create_subscription_payment_elsewhere", asked, path=path)
    if payment is None:
        return
    path["paymentId"] = payment["id"]
    crowd.keep("payment", dict(path))
    await crowd.read("read_subscription_payment", path=path)
    await crowd.read("read_subscription_payment_elsewhere", path=path)
    await crowd.read("list_subscription_payments", path={"id": made["id"]})
    await crowd.read("list_subscription_payments_elsewhere", path={"id": made["id"]})
    if is_refused:
        await _charge_anew(crowd, path, asked)
    if chance.random() < 0.2:
        await _call_off(crowd)
    await _try_again(crowd)


async def _charge_anew(crowd: Crowd, path: dict[str, Any], asked: dict[str, Any]) -> None:
    """The same day with another amount, once the payer's bank has refused it for good."""

    async def refused() -> bool:
        shown = await crowd.read("read_subscription_payment", path=path)
        return bool(shown and shown["status"] == "ERROR")

    if await crowd.soon(refused, 1.5):
        other = asked | {"externalId": crowd.code(), "amount": _brl("12.34")}
        again = await crowd.write("create_subscription_payment", other, path={"id": path["id"]})
        if again is not None:
            crowd.keep("payment", {"id": path["id"], "paymentId": again["id"]})


async def _call_off(crowd: Crowd) -> None:
    path = crowd.some("payment")
    if crowd.chance.random() < 0.5:
        await crowd.write("cancel_subscription_payment", {}, path=path)
    else:
        await crowd.write("cancel_subscription_payment_elsewhere", {}, path=path)


async def _try_again(crowd: Crowd) -> None:
    """On a day of the client's own, which only some payments may have."""
    path, asked = crowd.some("payment"), {"date": await crowd.day(crowd.chance.randint(5, 12))}
    if crowd.chance.random() < 0.5:
        await crowd.write("retry_subscription_payment", asked, path=path)
    else:
        await crowd.write("retry_subscription_payment_elsewhere", asked, path=path)


async def goes_on(crowd: Crowd) -> None:
    """What can be done later about a charge that there is."""
    if crowd.some("payment") is None:
        await subscribes(crowd)
    else:
        await crowd.chance.choice((_call_off, _try_again))(crowd)


async def ends_all(crowd: Crowd) -> None:
    """So that nothing falls due, or waits, for ever: the phone ends what is authorized, its client what nobody has agreed to."""
    for name in crowd.found.get("subscription", []):
        shown = await crowd.read("read_subscription", path={"id": name})
        if shown and shown["status"] == "PENDING_AUTHORIZATION" and shown["type"] == _J2:
            await crowd.write("cancel_subscription", {"reason": "OTHER"}, path={"id": name})
            shown = await crowd.read("read_subscription", path={"id": name})  # he may have agreed meanwhile
        if shown and shown["status"] == "ACCEPTED":
            await crowd.act("/phone/cancel-subscription", {"idRec": shown["providerId"], "force": True})
