"""What people do about orders whose codes a company's own bank makes, and what else befalls its account there."""

import asyncio
import random
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import msgspec
from tests.journeys.play import CUSTOMER
from tests.world.bank.town import CLIENT
from tests.world.whole.crowd import Crowd
from tests.world.whole.town import WORKERS
from tests.world.whole.weather import Fault, later, settled

from lastro.config.settings import read
from lastro.rails.api_pix import Ambient, BankLine
from lastro.rails.port import Transient
from lastro.standards.pix_ids import base62
from lastro_sandbox.bank_file import COMPANY
from lastro_sim.api_pix.customers import DEMO_KEYS

WHO = "dora"
ACTED_AT_BANK = "paid back at the bank"  # payments of which a person or the MED was told to give back
# As banks do: what they answer instead, how their answer's fields look, and what they do by themselves.
ROUTES = ("PUT /cob/{txid}", "PATCH /cob/{txid}", "GET /cob/{txid}", "GET /cob", "GET /pix", "GET /pix/{e2eid}",
          "PUT /pix/{e2eid}/devolucao/{id}", "GET /pix/{e2eid}/devolucao/{id}")  # fmt: skip
_FAILURES = ("lost-before-effect", "lost-after-effect", "soap-500", "html-502", "gateway-404", "not-json", "unavailable",
             "limited", "expired-token")  # fmt: skip
_LOOKS = ("brcode", "null-fields", "unknown-fields", "ok-for-created", "no-chave", "page-changes")
_TOKENS = ("dies-early", "fewer-scopes", "soap-500", "html-502", "lost-before-effect", "unavailable")
_PAYMENTS = ("concluded-early", "listed-late", "no-txid", "no-chave")
_CALLS = ("none", "twice", "late", "out-of-order", "forged", "wrong-customer")
_LATE = (20, 600, 3600)  # seconds of business time
_SLOW = (0.3, 2, 6, 9, 11)
OUTAGE_AHEAD = timedelta(days=2, minutes=10)
_OUTAGE_ORDERS = 3


async def buys(crowd: Crowd) -> None:
    """An order by the bank and what becomes of it."""
    chance = crowd.chance
    value = crowd.cents()
    made = await ordered(crowd, value, expiration=chance.choice((60, 3600, 86_400)))
    if made is None:
        return
    for _ in range(chance.randint(1, 3)):
        act = chance.choice((_pay, _pay, _pay, _pay, _pay_twice, _pay_other, _repriced, _paid_by_key, _cancel, _look))
        await act(crowd, made, value)
    if chance.random() < 0.4:
        await _give_back(crowd, made["id"], value)


async def ordered(crowd: Crowd, value: str, **more: Any) -> Any:
    """An order by the bank, by its name or by a key there, with and without a customer."""
    chance, code = crowd.chance, crowd.code()
    where = {"financialPartner": "SIMBANK"} if chance.random() < 0.5 else {"pixKey": chance.choice(DEMO_KEYS)}
    order = {
        "externalId": code, "paymentMethod": "PIX", "description": chance.choice(("A print", "Ação", "x" * 140)),
        "notificationUrl": crowd.hook(code), "amount": {"currency": "BRL", "value": value}, **where, **more,
    }  # fmt: skip
    body = {"order": order, **({"customer": CUSTOMER} if chance.random() < 0.5 else {})}
    made = await crowd.write("create_order", body, who=WHO)
    if made is not None:
        crowd.keep("order by the bank", made)
    return made


def _txid(made: dict[str, Any]) -> str:
    return str(made["pix"]["conciliationId"])


async def _pay(crowd: Crowd, made: dict[str, Any], _: str) -> None:
    crowd.meanwhile(_paid(crowd, {"qrcodeData": made["pix"]["qrcodeData"]}))
    if crowd.chance.random() < 0.3:

        async def is_paid() -> bool:
            shown = await crowd.read("read_order", who=WHO, path={"id": made["id"]})
            return bool(shown and shown["status"] == "PAID")

        await crowd.soon(is_paid)


async def _paid(crowd: Crowd, act: dict[str, Any], path: str = "/phone/pay") -> None:
    done = await crowd.act(path, act)
    if done is not None and done.get("status") == "SETTLED":
        crowd.keep("paid at the bank", done["endToEndId"])


async def _pay_twice(crowd: Crowd, made: dict[str, Any], value: str) -> None:
    """The bank lets a second one in."""
    await _pay(crowd, made, value)
    crowd.meanwhile(_paid(crowd, {"txid": _txid(made), "force": True}, "/bank/company/payments"))


async def _pay_other(crowd: Crowd, made: dict[str, Any], _: str) -> None:
    """The bank lets another amount in."""
    act = {"txid": _txid(made), "amount": crowd.cents(), "force": True}
    crowd.meanwhile(_paid(crowd, act, "/bank/company/payments"))


async def _repriced(crowd: Crowd, made: dict[str, Any], _: str) -> None:
    """A person changes the amount at the bank's console, and it is paid so."""
    await crowd.act(f"/bank/company/charges/{_txid(made)}/amount", {"amount": crowd.cents()})
    crowd.meanwhile(_paid(crowd, {"txid": _txid(made)}, "/bank/company/payments"))


async def _paid_by_key(crowd: Crowd, made: dict[str, Any], value: str) -> None:
    """A payer's bank sends the order's txid with a typed key: the charge there stays open."""
    act = {"key": crowd.chance.choice(DEMO_KEYS), "txid": _txid(made), "amount": value}
    crowd.meanwhile(_paid(crowd, act, "/bank/company/payments"))


async def _cancel(crowd: Crowd, made: dict[str, Any], _: str) -> None:
    await crowd.write("cancel_order", {}, who=WHO, path={"id": made["id"]})


async def _look(crowd: Crowd, made: dict[str, Any], _: str) -> None:
    await crowd.read("read_order", who=WHO, path={"id": made["id"]})
    await crowd.read("list_foreign_payments", who=WHO, status="FOUND")


async def _give_back(crowd: Crowd, order_id: str, value: str) -> None:
    """A refund, which may be too early, too much, or of what the bank itself has given back."""
    for _ in range(crowd.chance.randint(1, 2)):
        part = value if crowd.chance.random() < 0.5 else "0.50"
        amount = {"currency": "BRL", "value": part}
        asked = {"orderId": order_id, "externalId": crowd.code(), "amount": amount, "refundCode": "MD06"}
        await crowd.write("create_refund", asked, who=WHO)


async def gives_back(crowd: Crowd) -> None:
    """A refund of an order that somebody has made."""
    made = crowd.some("order by the bank")
    if made is not None:
        await _give_back(crowd, made["id"], made["amount"]["value"])


async def pays_others(crowd: Crowd) -> None:
    """Money for what no order of ours asked for: by key, for another system, with a txid that looks like ours."""
    chance = crowd.chance
    letters = "".join(chance.choices("abcdefghijkABCDEFGHIJK0123456789", k=27))
    txid = chance.choice((None, None, crowd.uuid().replace("-", ""), base62(COMPANY, 5) + letters, f"{0:032d}", "LOJA1"))
    act = {"key": chance.choice(DEMO_KEYS), "amount": crowd.cents(), **({} if txid is None else {"txid": txid})}
    crowd.meanwhile(_paid(crowd, act, "/bank/company/payments"))


async def claims(crowd: Crowd) -> None:
    """A customer typed the key: a person says which order he meant."""
    value = crowd.cents()
    await _paid(crowd, {"key": DEMO_KEYS[0], "amount": value}, "/bank/company/payments")
    made = await ordered(crowd, value, expiration=86_400)

    async def listed() -> Any:
        return [
            one
            for one in await crowd.operator("foreign", "list") or ()
            if value in (one["amount"], one["amount"]["value"] if isinstance(one["amount"], dict) else None)
        ]

    found = await crowd.soon(listed, 3.0) if made is not None else None
    if found and made is not None:
        if crowd.chance.random() < 0.3:
            await _pay(crowd, made, value)
        done = await crowd.operator("foreign", "claim", found[0]["id"], "--order", made["id"], "--by", "a storm")
        crowd.done["claimed" if done else "not claimed"] += 1
        if crowd.chance.random() < 0.4:
            await _give_back(crowd, made["id"], value)


async def takes_back(crowd: Crowd) -> None:
    """The MED or a person at the bank's console gives a payment back."""
    name = crowd.some("paid at the bank")
    if name is None:
        return
    nature = crowd.chance.choice(("ORIGINAL", "MED_FRAUDE", "MED_OPERACIONAL"))
    amount = {"amount": "0.40"} if crowd.chance.random() < 0.5 else {}
    crowd.keep(ACTED_AT_BANK, name)
    await crowd.act(f"/bank/company/pix/{name}/return", {"nature": nature, **amount})


async def removes(crowd: Crowd) -> None:
    """A charge is ended at the bank: by a person at its console, or by the bank itself."""
    made = crowd.some("order by the bank")
    if made is not None:
        await crowd.act(f"/bank/company/charges/{_txid(made)}/remove", {"byBank": crowd.chance.random() < 0.5})


async def is_called(crowd: Crowd) -> None:
    """The company has the bank call it, or not any more; a stranger calls, too."""
    chance = crowd.chance
    if chance.random() < 0.4:
        about = crowd.some("paid at the bank") if chance.random() < 0.5 else f"E{'0' * 31}"
        await crowd.act("/bank/company/notices", {"key": chance.choice(DEMO_KEYS), "body": {"pix": [{"endToEndId": about}]}})
        return
    (connection,) = read({**crowd.town.environment, "LASTRO_NETWORK_URL": crowd.town.simulator_url}).connections
    line = BankLine(connection, Ambient(time.monotonic, lambda: datetime.now(UTC), crowd.uuid))
    body = msgspec.json.encode({"webhookUrl": connection.webhook_url})
    try:
        where = chance.choice((f"/webhook/{quote(chance.choice(DEMO_KEYS), safe='')}", "/webhookrec", "/webhookcobr"))
        answer = await line.ask("PUT", where, body, 5.0)
        crowd.done["webhook registered" if answer.status < 300 else "webhook refused"] += 1
    except Transient:
        crowd.done["webhook lost"] += 1
    finally:
        await line.close()


async def misbehaves(crowd: Crowd) -> None:
    """The bank is going to."""
    chance = crowd.chance
    kind = chance.choices(("failure", "slow", "look", "token", "payment", "return", "call"), (8, 2, 4, 2, 4, 2, 2))[0]
    match: dict[str, str] = {"clientId": CLIENT}
    fault: dict[str, Any] = {"times": chance.randint(1, 2)}
    if kind == "failure":
        fault |= {"operation": "bank", "behaviour": chance.choice(_FAILURES)}
        match |= {"route": chance.choice(ROUTES)} if chance.random() < 0.7 else {}
        if fault["behaviour"] not in ("lost-before-effect", "lost-after-effect", "limited"):
            fault |= {"code": "after"} if chance.random() < 0.4 else {}
        elif fault["behaviour"] == "limited":
            fault |= {"code": "1"} if chance.random() < 0.5 else {}
    elif kind == "slow":
        fault |= {"operation": "bank", "behaviour": "slow", "delay": chance.choice(_SLOW)}
    elif kind == "look":
        fault |= {"operation": "bank", "behaviour": chance.choice(_LOOKS)}
    elif kind == "token":
        fault |= {"operation": "bank_token", "behaviour": chance.choice(_TOKENS)}
        fault |= {"delay": 1} if fault["behaviour"] == "dies-early" else {}
        fault |= {"code": "cob.read pix.read"} if fault["behaviour"] == "fewer-scopes" else {}
    elif kind == "payment":
        fault |= {"operation": "bank_pix", "behaviour": chance.choice(_PAYMENTS), "delay": chance.choice(_LATE)}
    elif kind == "call":
        fault |= {"operation": "bank_webhook", "behaviour": chance.choice(_CALLS), "delay": chance.choice(_LATE)}
    else:
        fault |= {"operation": "bank_return", "behaviour": chance.choice(("slow", "reject")), "delay": 1}
    ordered_fault = await crowd.act("/faults", fault | {"match": match})
    crowd.done[f"bank {fault['behaviour']}" if ordered_fault is not None else "bank refuses a fault"] += 1


def befalls(chance: random.Random, requests: int) -> Fault:
    """An outage of ours: no worker lives, customers pay at the bank in time, and the orders' terms are over."""
    own = random.Random(chance.random())

    async def happen(crowd: Crowd) -> None:
        person = crowd.person(f"{crowd.name}-away", own)
        asked = [await ordered(person, person.cents(), expiration=86_400) for _ in range(_OUTAGE_ORDERS)]
        for name in WORKERS:
            crowd.town.kill(name)
        for made in asked:
            if made is not None:
                await _paid(person, {"qrcodeData": made["pix"]["qrcodeData"]})
        is_away = own.random() < 0.5
        if is_away:
            crowd.town.kill("simulator")
        await later(crowd, OUTAGE_AHEAD)
        await settled(crowd)
        await asyncio.gather(*(crowd.town.start(name) for name in WORKERS))
        if is_away:
            await asyncio.sleep(own.random() * 2)
            await crowd.town.start("simulator")
        crowd.done["outages"] += 1

    return Fault("outage at the bank", chance.randint(5, max(requests // 2, 6)), happen)
