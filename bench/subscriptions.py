"""How fast subscriptions of both journeys are created over HTTP, QR included, beside the same write by pgbench."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Rounds
from bench.load import UNIQUE, asking
from bench.orders import Http, connections_held, floor_of, in_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.house import House, Payee

_PATH = "/order/v1/banking/subscriptions"
_AMOUNT = {"currency": "BRL", "value": "29.90"}


def template(payee: Payee, port: int, key: str | None = None) -> str:
    """One request to create a subscription. key: of the account, for a first charge; None: without one."""
    content: dict[str, Any] = {
        "accountId": str(payee.account_id),
        "type": "AUTHORIZATION_QRCODE",
        "frequencyType": "MONTHLY",
        "startDate": "2099-01-10",
        "fixedAmount": _AMOUNT,
        "externalId": f"contrato-{port}-{UNIQUE}",
        "description": "Clube do pao",
        "allowChargeAfterDueDate": True,
        "allowAdjustToBusinessDay": True,
        "webhookUrl": "http://127.0.0.1:9/webhooks",
        "debtor": {"name": "Maria da Silva Santos", "document": {"type": "CPF", "number": "12345678909"}},
    }
    if key is not None:
        content["type"] = "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
        content["initialCharge"] = {"pixKey": key, "amount": _AMOUNT}
    return asking("POST", _PATH, payee, port, content)


async def throughput(house: House, rounds: int, seconds: float) -> list[Figure]:
    """Creates per second of one API process, of journey 2 and of journey 3, each beside its own write by pgbench."""
    port = house.settings.port
    rows = await house.as_superuser("SELECT DISTINCT ON (account_id) account_id, key FROM pix_keys ORDER BY account_id, key")
    keys = {row["account_id"]: row["key"] for row in rows}
    plain = [template(p, port) for p in house.payees]
    charged = [template(p, port, keys[p.account_id]) for p in house.payees]
    async with house.api() as api:
        return [
            await _beside_its_write(house, api.pid, "create a subscription", plain, 0, rounds, seconds),
            await _beside_its_write(house, api.pid, "the same with a first charge", charged, 1000, rounds, seconds),
        ]


async def _beside_its_write(
    house: House, api: int, name: str, texts: Sequence[str], first: int, rounds: int, seconds: float
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
    return Figure(name, "/s", Rounds(tuple(rates["ours"])), Rounds(tuple(rates["floor"])), 0.25, note=note)
