"""What people do about subscriptions that a company's own bank makes, and what befalls those there."""

from datetime import timedelta
from typing import Any

from tests.world.bank.town import CLIENT
from tests.world.whole.crowd import Crowd
from tests.world.whole.weather import later

from lastro_sim.api_pix.customers import DEMO_KEYS

MADE, CHARGED = "subscription by the bank", "charge by the bank"
WHO = "dora"
_J2, _J3 = "AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
# What the payer's bank makes of a charge: money that lacks in a window, on a day or for ever, failures, and silence.
_AMOUNTS = tuple(f"7004.{n:02}" for n in range(1, 16))
_FAILING = ("AM02", "UDEI", "AC06", "AC05", "AB10")
_DEBTORS = (
    {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}},
    {"name": "Empresa Pagadora Ltda", "document": {"type": "CNPJ", "number": "99999020000185"}},
)
_BROKE = "70000000159"
ROUTES = (
    "POST /rec", "POST /rec", "POST /locrec", "GET /rec", "GET /rec/{idRec}", "PATCH /rec/{idRec}", "PUT /cobr/{txid}",
    "PUT /cobr/{txid}", "PATCH /cobr/{txid}", "GET /cobr/{txid}", "POST /cobr/{txid}/retentativa/{data}",
)  # fmt: skip
_FAILURES = (
    "lost-before-effect",
    "lost-after-effect",
    "lost-after-effect",
    "soap-500",
    "html-502",
    "unavailable",
    "not-json",
)
_CALLS = ("none", "twice", "late", "out-of-order", "forged")
_LATE = (20, 600, 3600)  # seconds of business time
_ASKED_AFTER = timedelta(seconds=11)  # a bank is asked ten seconds later what a payer has said


def _brl(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


async def _wish(crowd: Crowd) -> dict[str, Any]:
    """Either journey, either policy, some of a fixed amount that the service itself charges for a few weeks."""
    chance, code = crowd.chance, crowd.code()
    account = crowd.town.sandbox["otherAccounts"][0]
    journey, weekly = chance.choice((_J2, _J2, _J3)), chance.random() < 0.5
    asked: dict[str, Any] = {
        "accountId": account["id"], "type": journey, "allowChargeAfterDueDate": chance.random() < 0.7,
        "allowAdjustToBusinessDay": chance.random() < 0.5, "frequencyType": "WEEKLY" if weekly else "MONTHLY",
        "startDate": await crowd.day(chance.choice((0, 4, 9))), "externalId": code, "debtor": chance.choice(_DEBTORS),
        "webhookUrl": crowd.hook(code),
    }  # fmt: skip
    if chance.random() < 0.5:
        asked["fixedAmount"] = _brl(crowd.cents(*_AMOUNTS))
        asked["autoSchedule"] = chance.random() < 0.8
        asked |= {"endDate": await crowd.day(chance.choice((14, 30)))} if chance.random() < 0.5 else {}
    if journey == _J3:
        asked["initialCharge"] = {"pixKey": chance.choice(DEMO_KEYS), "amount": _brl(crowd.cents())}
    return asked


async def subscribes(crowd: Crowd) -> None:
    """A subscription by the bank, from its beginning as far as it comes."""
    chance, asked = crowd.chance, await _wish(crowd)
    if chance.random() < 0.5:
        await loses(crowd)
    made = await crowd.write("create_subscription", asked, who=WHO)
    if made is None:
        return
    crowd.keep(MADE, made)
    await _answered_by_payer(crowd, made, asked)

    async def accepted() -> bool:
        shown = await crowd.read("read_subscription", who=WHO, path={"id": made["id"]})
        return bool(shown and shown["status"] == "ACCEPTED")

    if not await crowd.soon(accepted, 1.0):
        await later(crowd, _ASKED_AFTER)
    if await crowd.soon(accepted, 2.0):
        crowd.done["accepted at the bank"] += 1
        for _ in range(chance.randint(1, 2)):
            await _charge(crowd, made, asked)
    if chance.random() < 0.3:
        await _ends(crowd, made)


async def _answered_by_payer(crowd: Crowd, made: dict[str, Any], asked: dict[str, Any]) -> None:
    chance, code, name = crowd.chance, made["qrcodeData"], made["providerId"]
    verb = chance.choices(("yes", "no", "silent"), (8, 1, 1))[0]
    payer = {"payer": _BROKE} if asked["type"] == _J2 and chance.random() < 0.1 else {}
    if verb == "silent":
        return
    if verb == "no":
        await crowd.act(f"/bank/company/recurrences/{name}/decline", {})
    elif asked["type"] == _J3:
        crowd.meanwhile(crowd.act("/phone/pay", {"qrcodeData": code}))
    elif chance.random() < 0.5:
        await crowd.act(f"/bank/company/recurrences/{name}/authorize", payer)
    else:
        crowd.meanwhile(crowd.act("/phone/authorize", {"qrcodeData": code, **payer}))


async def _charge(crowd: Crowd, made: dict[str, Any], asked: dict[str, Any]) -> None:
    """A cycle; now and then its bank refuses it, and its answer is lost; some are called off or tried again."""
    chance, path = crowd.chance, {"id": made["id"]}
    if chance.random() < 0.25:
        fault = {
            "operation": "charge",
            "behaviour": "reject",
            "code": chance.choice(_FAILING),
            "times": chance.randint(1, 2),
        }
        await crowd.act("/faults", {**fault, "match": {"idRec": made["providerId"]}})
    if chance.random() < 0.5:
        await loses(crowd)
    wish = {
        "externalId": crowd.code(), "dueDate": await crowd.day(chance.randint(4, 20)), "autoRetry": chance.random() < 0.7,
        **({} if "fixedAmount" in asked else {"amount": _brl(crowd.cents(*_AMOUNTS))}),
    }  # fmt: skip
    payment = await crowd.write("create_subscription_payment", wish, who=WHO, path=path)
    if payment is None:
        return
    path["paymentId"] = payment["id"]
    crowd.keep(CHARGED, dict(path))
    if chance.random() < 0.3:
        await _calls_off(crowd)
    if chance.random() < 0.3:
        await _tries_again(crowd)


async def _calls_off(crowd: Crowd) -> None:
    await crowd.write("cancel_subscription_payment", {}, who=WHO, path=crowd.some(CHARGED))


async def _tries_again(crowd: Crowd) -> None:
    """On a day of the client's own, which only some payments may have."""
    asked = {"date": await crowd.day(crowd.chance.randint(1, 8))}
    await crowd.write("retry_subscription_payment", asked, who=WHO, path=crowd.some(CHARGED))


async def _ends(crowd: Crowd, made: dict[str, Any]) -> None:
    """Its payer, or its receiver, has had enough; or both at once."""
    chance, name = crowd.chance, made["providerId"]
    if chance.random() < 0.6:
        reason = {"reason": chance.choice(("SLDB", "ACCL", "FRUD"))} if chance.random() < 0.3 else {}
        crowd.meanwhile(crowd.act(f"/bank/company/recurrences/{name}/cancel", reason))
    if chance.random() < 0.6:
        if chance.random() < 0.5:
            await loses(crowd)
        await crowd.write("cancel_subscription", {"reason": "OTHER"}, who=WHO, path={"id": made["id"]})


async def goes_on(crowd: Crowd) -> None:
    """What can be done later about a subscription or a charge that there is."""
    made = crowd.some(MADE)
    if made is None:
        await subscribes(crowd)
    elif crowd.some(CHARGED) is None or crowd.chance.random() < 0.4:
        await _ends(crowd, made)
    else:
        await crowd.chance.choice((_calls_off, _tries_again))(crowd)


async def loses(crowd: Crowd) -> None:
    """The bank is going to fail at a recurrence or a charge, before it did what was asked or behind that."""
    chance = crowd.chance
    fault: dict[str, Any] = {"operation": "bank", "behaviour": chance.choice(_FAILURES), "times": chance.randint(1, 2)}
    if not fault["behaviour"].startswith("lost") and chance.random() < 0.5:
        fault["code"] = "after"
    await _ordered(crowd, fault, {"clientId": CLIENT, "route": chance.choice(ROUTES)})


async def misbehaves(crowd: Crowd) -> None:
    """The bank tells late, lists late, or calls otherwise than it should."""
    chance = crowd.chance
    kind = chance.choice(("lose", "lose", "recurrence", "charge", "call"))
    if kind == "lose":
        await loses(crowd)
    elif kind == "call":
        fault = {"operation": "bank_webhook", "behaviour": chance.choice(_CALLS), "delay": chance.choice(_LATE)}
        await _ordered(crowd, fault, {"clientId": CLIENT, "route": chance.choice(("/rec", "/cobr"))})
    else:
        operation = "bank_recurrence" if kind == "recurrence" else "bank_scheduled_charge"
        fault = {"operation": operation, "behaviour": chance.choice(("listed-late", "told-late"))}
        await _ordered(crowd, {**fault, "delay": chance.choice(_LATE)}, {"clientId": CLIENT})


async def _ordered(crowd: Crowd, fault: dict[str, Any], match: dict[str, str]) -> None:
    told = await crowd.act("/faults", {**fault, "match": match})
    crowd.done[f"bank {fault['behaviour']}" if told is not None else "bank refuses a fault"] += 1


async def ends_all(crowd: Crowd) -> None:
    """So that nothing falls due for ever: the payer ends what he has agreed to, its client what nobody has."""
    for made in crowd.found.get(MADE, []):
        path = {"id": made["id"]}
        shown = await crowd.read("read_subscription", who=WHO, path=path)
        if shown and shown["status"] == "PENDING_AUTHORIZATION" and shown["type"] == _J2:
            await crowd.write("cancel_subscription", {"reason": "OTHER"}, who=WHO, path=path)
        if shown and shown["status"] == "ACCEPTED":
            if crowd.chance.random() < 0.5:
                await crowd.act(f"/bank/company/recurrences/{shown['providerId']}/cancel", {})
            else:
                await crowd.write("cancel_subscription", {"reason": "OTHER"}, who=WHO, path=path)
