"""Outages of ours: no worker lives while customers pay in time at partners, and the terms are over when the workers are back.

The one of a storm fits into the week for which answers are kept. Slips have a longer term: theirs comes when nobody asks again.
"""

import asyncio
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from tests.journeys.play import Play, cents
from tests.world.whole.buying import is_at_its_partner, order_at_a_partner, order_by_card, typed_of
from tests.world.whole.crowd import Crowd
from tests.world.whole.matching import PARTNERS
from tests.world.whole.town import WORKERS
from tests.world.whole.weather import Fault, later, settled

from lastro_sim.card.numbers import BY_NUMBER

CARD, SLIP = "CREDIT_CARD", "BOLETO"
# By what an order may be asked for whose term is over within four days.
METHODS = ("SPEI", "DEPOSIT", "OXXO", "OXXOPAY", "PAYNET", "BINANCE_PAY", "BITSO_PAY", CARD)
_HEARD_WITHIN = 10.0  # seconds: a busy machine must not leave an outage without customers
AHEAD = timedelta(days=3, minutes=10)  # beyond the terms of all of them
_CHALLENGED = next(number for number, plays in BY_NUMBER.items() if plays == "challenge")
_AUTHENTICATED = "authenticated in time"
_TAKEN = frozenset({"SETTLED", "PENDING"})  # the phone's words for what was taken
_ENDS_AT = "SELECT max(ends_at) - business_now() FROM orders WHERE id = ANY($1::text[]::uuid[])"
_EXPIRED = """
SELECT o.id, i.rail, i.reference, o.expires_at FROM orders o
  JOIN instruments i ON i.company_id = o.company_id AND i.order_id = o.id WHERE o.status = 'EXPIRED'
"""
_CARD_ORDER = "SELECT o.status, o.error_message FROM orders o WHERE o.id = $1::text::uuid"


def befalls(chance: random.Random, requests: int) -> Fault:
    """One of some partners' customers, somewhere among so many requests."""
    methods, own = chance.sample(METHODS, chance.randint(2, 4)), random.Random(chance.random())

    async def happen(crowd: Crowd) -> None:
        await paid_meanwhile(crowd, own, methods, AHEAD)

    return Fault(f"outage {' '.join(methods)}", chance.randint(5, max(requests // 2, 6)), happen)


async def paid_meanwhile(crowd: Crowd, chance: random.Random, methods: Sequence[str], ahead: timedelta | None) -> None:
    """No worker lives, and customers pay. ahead: how far the clock goes on; None: just beyond the last of their terms.

    In half of them the partners are away, too, when the workers are back.
    """
    person = crowd.person(f"{crowd.name}-away", chance)
    asked = [one for method in methods if (one := await _ordered(person, method)) is not None]
    are_away = chance.random() < 0.5
    for name in WORKERS:
        crowd.town.kill(name)
    for order_id, method, typed in asked:
        if await _paid(crowd, order_id, method, typed):
            crowd.done[f"paid during an outage {method}"] += 1
    if are_away:
        crowd.town.kill("simulator")
    await later(crowd, ahead or await _beyond(crowd, [order_id for order_id, _, _ in asked]))
    await settled(crowd)
    await asyncio.gather(*(crowd.town.start(name) for name in WORKERS))
    if are_away:
        await asyncio.sleep(chance.random() * 2)
        await crowd.town.start("simulator")
        crowd.done["outages with partners away"] += 1
    crowd.done["outages"] += 1


async def _ordered(crowd: Crowd, method: str) -> tuple[str, str, str] | None:
    """An order that its partner knows: its id, its method, and what is typed to pay it; None where there is none soon."""
    value = f"{crowd.chance.randint(10, 300)}.25"
    if method == CARD:
        made, payment = await order_by_card(crowd, value, _CHALLENGED)
        return None if made is None or payment is None else (made["id"], method, payment["reference"])
    made = await order_at_a_partner(crowd, method, value)
    if made is None:
        return None
    typed = await typed_of(crowd, made, method)
    return (made["id"], method, typed) if await is_at_its_partner(crowd, typed, _HEARD_WITHIN) else None


async def _paid(crowd: Crowd, order_id: str, method: str, typed: str) -> bool:
    if method == CARD:
        passed = await crowd.act(f"/cards/{typed}/challenge", {"outcome": "pass"})
        if passed is not None:
            crowd.keep(_AUTHENTICATED, (order_id, typed))
        return passed is not None
    paid = await crowd.act("/phone/pay", {"qrcodeData": typed})
    return paid is not None and paid["status"] in _TAKEN


async def _beyond(crowd: Crowd, orders: list[str]) -> timedelta:
    left = await crowd.play.books.fetchval(_ENDS_AT, orders)
    return timedelta(minutes=10) + max(left or timedelta(0), timedelta(0))


# ── what holds ──


async def ended_unheard(crowd: Crowd) -> list[str]:
    """Orders that ended for want of money which their partners had in time."""
    return [*await _expired(crowd.play), *await _timed_out(crowd)]


async def _expired(play: Play) -> list[str]:
    items = {}
    for rail in ("boleto", *PARTNERS):
        for item in (await play.act(f"/collecting/{rail}?limit=10000", method="GET"))["data"]:
            items[rail, item["reference"]] = item
    wrong = []
    for order in await play.books.fetch(_EXPIRED):
        item = items.get((order["rail"], order["reference"]))
        came = [] if item is None else [one for one in item["payments"] if _is_in_time(one, order["expires_at"])]
        if item is not None and came and sum(cents(one["amount"]) for one in came) >= cents(item["amount"]):
            wrong.append(f"order {order['id']} is EXPIRED at {order['expires_at']}, and was paid in time: {came}")
    return wrong


def _is_in_time(payment: dict[str, Any], end: datetime) -> bool:
    return payment["status"] == "SETTLED" and datetime.fromisoformat(payment["paidAt"]) <= end


async def _timed_out(crowd: Crowd) -> list[str]:
    """Whoever proved himself in time is charged, or his bank declines it."""
    wrong = []
    cards = {one["reference"]: one for one in (await crowd.play.act("/cards?limit=10000", method="GET"))["data"]}
    for order_id, reference in crowd.found.get(_AUTHENTICATED, ()):
        if cards[reference]["status"] not in ("CAPTURED", "DECLINED"):
            order = await crowd.play.books.fetchrow(_CARD_ORDER, order_id)
            wrong.append(f"order {order_id} is {dict(order or {})}, and its payer had passed his bank's page in time")
    return wrong
