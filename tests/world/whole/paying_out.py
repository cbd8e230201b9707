"""What people do about money that leaves: payouts of every kind, plans and who signs them, disputes."""

from typing import Any

from tests.journeys.test_payouts import FABIO, PLACE
from tests.world.whole.crowd import Crowd
from tests.world.whole.forms import MEDIA, form_of, picture

from lastro_sim.outside.signing import HABITS

_MAGIC = ("7001.01", "7001.02", "7001.03", "7001.04", "7001.05")
_TED_MAGIC = ("7002.05", "7002.22", "7003.02", "7003.31")
_KEYS = (
    "fabio@fora.example", "98765432100", "+5511987654321", "99999030000110", "conta-bloqueada@fora.example",
    "conta-encerrada@fora.example", "13579246828",
)  # fmt: skip
_SITUATIONS = ("SCAM", "UNAUTHORIZED_TRANSACTION", "CRIME_OF_COERCION", "FRAUDULENT_ACCESS_AND_AUTHORIZATION")


async def pays_out(crowd: Crowd) -> None:
    """A payout, what is read of it, what comes back of it."""
    chance, who = crowd.chance, crowd.chance.choice(("ana", "ana", "dora"))
    asked = await _wish(crowd, who)
    if chance.random() < 0.3:
        await crowd.read("look_up_key", who=who, path={"id": asked["accountId"]}, key=chance.choice(_KEYS))
        await crowd.read("read_account_limits", who=who, path={"id": asked["accountId"]})
        await crowd.read("read_account_story", who=who, path={"id": asked["accountId"]})
    made = await crowd.write("create_payout", asked, who=who)
    if made is None:
        return
    path = {"id": made["id"]}
    if chance.random() < 0.2:
        await crowd.write("cancel_payout", {}, who=who, path=path)
    if made["status"] == "ANALYSIS" and chance.random() < 0.8:
        decides = chance.choice((("approve", made["id"]), ("approve", made["id"]), ("refuse", made["id"], "--reason", "No")))
        await crowd.operator("payout", *decides)

    async def paid() -> Any:
        shown = await crowd.read("read_payout", who=who, path=path)
        return shown if shown and shown["status"] == "PAID" else None

    shown = await crowd.soon(paid, 1.0)
    await crowd.read("read_payout_story", who=who, path=path)
    await crowd.read("list_payouts", who=who, limit="10")
    if shown is None:
        return
    await crowd.read("read_payout_receipt", who=who, path=path)
    crowd.keep(f"sent of {who}", shown)
    if chance.random() < 0.3 and shown.get("endToEndId"):
        amount = {} if chance.random() < 0.5 else {"amount": "0.10"}
        crowd.meanwhile(crowd.act("/phone/return", {"endToEndId": shown["endToEndId"], **amount}))


async def _wish(crowd: Crowd, who: str) -> dict[str, Any]:
    """The body of a create."""
    chance = crowd.chance
    account = crowd.town.people["dora"] if who == "dora" else chance.choice(crowd.accounts)
    ways = (_by_key, _by_key, _by_account, _by_ted, _by_qr, _to_here, _too_much, _some_day)
    given: dict[str, Any] = await chance.choice(ways)(crowd, who)
    amount = given.pop("value", None) or crowd.cents(*_MAGIC)
    return {
        "externalId": crowd.code(), "accountId": account["id"], "paymentMethod": "PIX", "description": "Salary",
        "amount": {"currency": "BRL", "value": amount}, "allowDuplicate": True, **given,
    }  # fmt: skip


async def _by_key(crowd: Crowd, _: str) -> dict[str, Any]:
    return {"paymentData": {"pixKey": crowd.chance.choice((*_KEYS[:4], *_KEYS))}}


async def _by_account(crowd: Crowd, _: str) -> dict[str, Any]:
    return {"paymentData": {"bankAccount": {**PLACE, "ispb": "99999030"}}, "receiver": FABIO}


async def _by_ted(crowd: Crowd, _: str) -> dict[str, Any]:
    number = crowd.chance.choice(("300003", "300003", "399999"))
    there = {"paymentData": {"bankAccount": {**PLACE, "ispb": "99999030", "accountNumber": number}}, "receiver": FABIO}
    return {**there, "paymentMethod": "TED", "value": crowd.cents(*_TED_MAGIC)}


async def _by_qr(crowd: Crowd, _: str) -> dict[str, Any]:
    value = crowd.cents()
    kind, asked = crowd.chance.choice((("static-codes", {}), ("charges", {"amount": value}), ("charges", {"amount": value})))
    if kind == "charges":
        asked["signature"] = crowd.chance.choice(tuple(HABITS))
        crowd.done[f"charges {asked['signature']}"] += 1
    code = await crowd.act(f"/bank/outside/{kind}", asked)
    return {"paymentData": {"qrcodeData": code["qrcodeData"]}, "value": value} if code else await _by_key(crowd, "")


async def _to_here(crowd: Crowd, who: str) -> dict[str, Any]:
    """To an account in the same house, of the other company."""
    there = crowd.accounts[0] if who == "dora" else crowd.town.people["dora"]
    return {"paymentData": {"pixKey": there["pixKey"]}}


async def _too_much(crowd: Crowd, _: str) -> dict[str, Any]:
    """Above the limit of a transaction: a batch; or above what is let through unseen."""
    return {"paymentData": {"pixKey": _KEYS[0]}, "value": crowd.chance.choice(("15000.01", "31000.00", "4500.00"))}


async def _some_day(crowd: Crowd, _: str) -> dict[str, Any]:
    return {"paymentData": {"pixKey": _KEYS[0]}, "scheduledDate": await crowd.day(crowd.chance.randint(1, 6))}


async def plans(crowd: Crowd) -> None:
    """Payouts that are checked together, signed by another client, and made; or given up on the way."""
    chance, rows = crowd.chance, []
    for _ in range(chance.randint(1, 4)):
        row = await _wish(crowd, "ana")
        rows.append({**row, "accountId": "no account"} if chance.random() < 0.05 else row)
    made = await crowd.write("create_payout_plan", {"payouts": rows})
    if made is None:
        return
    path = {"id": made["id"]}

    async def stands() -> Any:
        shown = await crowd.read("read_payout_plan", path=path)
        return shown if shown and shown["status"] != "VALIDATING" else None

    checked = await crowd.soon(stands)
    await crowd.read("list_payout_plan_lines", path=path)
    if checked is None or checked["status"] != "READY":
        return
    if chance.random() < 0.85:
        await crowd.write("approve_payout_plan", {"hash": checked["hash"]}, who="signer", path=path)
        await crowd.write("apply_payout_plan", path=path)
    if chance.random() < 0.2:
        await crowd.write("cancel_payout_plan", path=path)
    await crowd.read("read_payout_plan_result", path=path)
    await crowd.read("list_payout_plans", limit="5")


async def contests(crowd: Crowd) -> None:
    """Somebody says that a payout was a fraud."""
    who = crowd.chance.choice(("ana", "ana", "dora"))
    sent = crowd.some(f"sent of {who}")
    if sent is None or not sent.get("endToEndId"):
        await pays_out(crowd)
        return
    asked = {"endToEndId": sent["endToEndId"], "situationType": crowd.chance.choice(_SITUATIONS)}
    made = await crowd.write("contest_med", asked, who=who, path={"accountId": sent["accountId"]})
    if made is not None:
        crowd.keep("case", made["referenceId"])
        if crowd.chance.random() < 0.3:
            await crowd.write("cancel_med", {}, who=who, path={"referenceId": made["referenceId"]})
        elif crowd.chance.random() < 0.8:
            await _judged(crowd, made["referenceId"], who)
        await _read_cases(crowd, made["referenceId"], who)


async def _judged(crowd: Crowd, case: str, who: str) -> None:
    """The other bank goes through with it: it finds the money, agrees or not, and gives it back."""
    await crowd.act(f"/med/{case}/advance", {"status": "TRACED", "transactions": 1})
    await crowd.act(f"/med/{case}/advance", {"status": "WAITING_ANALYSIS"})
    notice = await _of_case(crowd, case, "INFRINGEMENT_NOTIFICATION", who)
    if notice is None:
        return
    await crowd.act(f"/med/{notice}/advance", {"status": "RECEIVED"})
    result = crowd.chance.choice(("AGREED", "AGREED", "DISAGREED"))
    await crowd.act(f"/med/{notice}/advance", {"status": "ANALYSED", "analysisResult": result})
    request = await _of_case(crowd, case, "REFUND_REQUEST", who) if result == "AGREED" else None
    if request is not None:
        await crowd.act(f"/med/{request}/advance", {"status": "ANALYSED"})


async def _of_case(crowd: Crowd, case: str, object_type: str, who: str) -> str | None:
    """The id of that object of the case, if it comes."""

    async def look() -> str | None:
        shown = await crowd.read("read_med", who=who, path={"referenceId": case})
        related = [] if shown is None else shown["related"]
        return next((one["referenceId"] for one in related if one["objectType"] == object_type), None)

    return await crowd.soon(look)


async def is_contested(crowd: Crowd) -> None:
    """The bank of somebody who has paid an order says so."""
    who = crowd.chance.choice(("ana", "dora"))
    order_id = crowd.some(f"paid of {who}")
    shown = await crowd.read("read_order", who=who, path={"id": order_id}) if order_id else None
    if shown is None or not shown.get("endToEndId"):
        return
    case = await crowd.act("/med", {"endToEndId": shown["endToEndId"], "situationType": "SCAM"})
    if case is None or "referenceId" not in case:
        return
    name = case["referenceId"]

    async def here() -> Any:
        return await crowd.read("read_med", who=who, path={"referenceId": name})

    if await crowd.soon(here):
        if crowd.chance.random() < 0.5:
            await crowd.write("defend_med", {"text": "It was delivered"}, who=who, path={"referenceId": name})
        if crowd.chance.random() < 0.5:
            await _proves(crowd, name, who)
        verdict = crowd.chance.choice(("agreed", "agreed", "disagreed", None))
        if verdict is not None:
            fraud = ("--fraud", crowd.chance.choice(("mule_account", "scammer_account"))) if verdict == "agreed" else ()
            await crowd.operator("med", "decide", name, verdict, *fraud)
        else:
            await crowd.act(f"/med/{case['recoveryId']}/advance", {"status": "CANCELLED"})
    await _read_cases(crowd, name, who)


async def _proves(crowd: Crowd, name: str, who: str) -> None:
    """A picture that goes with the defense, looked at again."""
    sent = form_of({"file": picture(crowd.chance.randrange(256))})
    given = await crowd.write("attach_med_document", sent, who=who, path={"referenceId": name}, media=MEDIA)
    if given is not None:
        path = {"referenceId": name, "documentId": given["documentId"]}
        await crowd.read("read_med_document", who=who, path=path)


async def is_called_off(crowd: Crowd) -> None:
    """A bank asks back what it had sent by mistake, and thinks better of it, while the network takes no returns."""
    who = crowd.chance.choice(("ana", "dora"))
    order_id = crowd.some(f"paid of {who}")
    shown = await crowd.read("read_order", who=who, path={"id": order_id}) if order_id else None
    if shown is None or not shown.get("endToEndId"):
        return
    behaviour = crowd.chance.choice(("down", "down", "lost-answer", "unprocessed"))
    match = {"endToEndId": shown["endToEndId"]}
    times = crowd.chance.randint(1, 6)
    await crowd.act("/faults", {"operation": "return", "behaviour": behaviour, "times": times, "match": match})
    asked = {**match, "situationType": "SCAM", "reason": crowd.chance.choice(("OPERATIONAL_FLAW", "PIX_AUTOMATICO"))}
    request = await crowd.act("/med", asked)
    if request is None or "referenceId" not in request:
        return
    name = request["referenceId"]

    async def here() -> Any:
        return await crowd.read("read_med", who=who, path={"referenceId": name})

    if crowd.chance.random() < 0.7:
        await crowd.soon(here)
    await crowd.act(f"/med/{name}/advance", {"status": "CANCELLED"})
    await _read_cases(crowd, name, who)


async def _read_cases(crowd: Crowd, name: str, who: str) -> None:
    await crowd.read("read_med", who=who, path={"referenceId": name})
    await crowd.read("read_med_elsewhere", who=who, path={"referenceId": name})
    await crowd.read("list_med", who=who, limit="10")
