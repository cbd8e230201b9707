"""How fast orders of every method with a partner are created over HTTP, beside the same write by pgbench.

No partner is in the figures: vouchers, slips and account numbers are told to theirs after the answer, a card is one whose
token is kept, and rates come from a quoter that answers at once.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import aiohttp
from bench.figures import Figure, Rounds
from bench.house import free_port, ready
from bench.load import UNIQUE, asking
from bench.orders import Http, connections_held, floor_of, in_turns

from lastro.config.settings import read
from lastro.orders.methods import known_method

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from bench.house import House, Payee

_PATH = "/order/v2/transparent"
METHODS = ("BOLETO", "SPEI", "DEPOSIT", "OXXO", "PAYNET", "CREDIT_CARD", "BINANCE_PAY")
_FIRST = 20  # where the numbers of the floors begin: those of PIX are below
BROWSER = {
    "userAgent": "Mozilla/5.0", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24, "screenHeight": 900,
    "screenWidth": 1440, "timeZoneOffset": 360, "javascriptEnabled": True,
}  # fmt: skip
CARD = {
    "holderName": "Benito", "holderDocument": "GOD**********", "number": "4000000000101008", "cvv": "123", "expiry": "12/49",
}  # fmt: skip
_CUSTOMER = {
    "name": "Maria da Silva Santos", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "12345678909"},
    "email": "maria.santos@example.com", "phone": "+5511987654321",
    "address": {"state": "SP", "city": "São Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "1",
                "postalCode": "01310100"},
}  # fmt: skip


def _asked(payee: Payee, method: str, code: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
    order: dict[str, Any] = {
        "externalId": code, "accountId": str(payee.account_id), "paymentMethod": method,
        "amount": {"currency": known_method(method).currency, "value": "49.90"},
        "description": "Dois bolos e um cento de salgados", "notificationUrl": "http://127.0.0.1:9/webhooks",
    }  # fmt: skip
    if details is not None:
        order["paymentDetails"] = {**details, "browser": BROWSER}
    return {"order": order, "customer": _CUSTOMER}


async def throughput(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Creates per second of one API process, of each method."""
    port, quoter = house.settings.port, free_port()
    variables = {"LASTRO_CRYPTO_URL": f"http://127.0.0.1:{quoter}"}
    figures = []
    async with _quoter(house, quoter), house.process("api", "lastro.cli.main", "api", **variables) as api:
        await ready(port)
        tokens = await _kept_cards(house)
        quoted = replace(house, settings=read({**house.environment, **variables}))
        for place, method in enumerate(METHODS):
            is_card = method == "CREDIT_CARD"
            details = [{"cardToken": tokens[p.company_id]} if is_card else None for p in house.payees]
            texts = [
                asking("PUT", _PATH, p, port, _asked(p, method, f"{method}-{port}-{UNIQUE}", how))
                for p, how in zip(house.payees, details, strict=True)
            ]
            figures.append(await _beside_its_write(quoted, api.pid, method, texts, _FIRST + 10 * place, rounds, seconds))
    return figures


async def _beside_its_write(
    house: House, api: int, method: str, texts: Sequence[str], first: int, rounds: int, seconds: float
) -> Figure:
    made = Http(house, {house.settings.port: texts}, [api])
    await made.run(1)
    made.forget()
    connections = await connections_held(house)
    floor = await floor_of(house, connections, texts, first)
    ways: dict[str, Callable[[], Any]] = {
        "floor": lambda: floor.run(connections, seconds),
        "ours": lambda: made.run(seconds),
    }
    rates = await in_turns(house, ways, rounds)
    note = f"{connections} connections; {made.cost}"
    return Figure(f"create by {method}", "/s", Rounds(tuple(rates["ours"])), Rounds(tuple(rates["floor"])), 0.20, note=note)


async def _kept_cards(house: House) -> dict[Any, str]:
    """A token of a card of each company, made by an order of it."""
    found: dict[Any, str] = {}
    async with aiohttp.ClientSession(f"http://127.0.0.1:{house.settings.port}", trust_env=False) as client:
        for payee in {p.company_id: p for p in house.payees}.values():
            body = _asked(payee, "CREDIT_CARD", "card", {"creditCard": CARD})
            async with client.put(_PATH, json=body, headers={"authorization": f"Bearer {payee.token}"}) as answered:
                said = await answered.json()
                if answered.status >= 300:
                    raise RuntimeError(f"an order by card was answered with {answered.status}: {said}")
            found[payee.company_id] = said["card"]["cardToken"]
    return found


@asynccontextmanager
async def _quoter(house: House, port: int) -> AsyncIterator[None]:
    async with house.process("quoter", "bench.quoter", str(port)):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
                continue
            writer.close()
            break
        yield
