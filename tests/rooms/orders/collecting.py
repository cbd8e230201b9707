"""Orders that a partner collects, by whatever method: how they are made, and what their partner tells of them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from tests.cast import PLACE
from tests.rooms.lists import ROUTES

from lastro import orders
from lastro.api_kit.routes import Incoming, Route
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.orders.methods import known_method
from lastro.rails import port
from lastro.rails.port import CRYPTO, Collected, Person, Quote

from .shop import Shop

HERE = replace(PLACE, methods=frozenset({"PIX", "BINANCE_PAY"}))
HALF_AN_HOUR = timedelta(minutes=30)
CARLA = Person("Carla", "CPF", "11144477735")
ADDRESS = {
    "state": "SP", "city": "São Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "10", "postalCode": "01001000",
}  # fmt: skip
BENTO = {"name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "52998224725"},
         "email": "bento@example.com", "address": ADDRESS}  # fmt: skip
LUCIA = {"name": "Lucía Ñuñez", "entityType": "INDIVIDUAL", "email": "lucia@example.com",
         "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}  # fmt: skip


@dataclass
class Market:
    """The partner, asked for rates: it notes what it is asked, and says what a test has it say."""

    asked: list[port.QuoteWish] = field(default_factory=list)
    silent: Exception | None = None
    holds_for: timedelta = HALF_AN_HOUR
    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def quote(self, wish: port.QuoteWish) -> Quote:
        self.asked.append(wish)
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.silent is not None:
            raise self.silent
        until = min(wish.valid_until, datetime.now(UTC) + self.holds_for)
        link = f"https://app.example/{wish.reference}"
        return Quote(wish.reference, wish.amount, "USDT", "22.726017", "5.4321", until, "binance://pay/1", link, link)

    async def close(self) -> None:
        self.asked.clear()


def asking(markets: dict[str, port.Quotes]) -> Route:
    """How an order is made whose rate these partners are asked for."""
    return next(r for r in orders.routes(HERE, markets) if r.operation == "create_order")


def wish(method: str, **order: Any) -> dict[str, Any]:
    currency = known_method(method).currency
    given = {
        "externalId": "order-1", "paymentMethod": method, "description": "Flores",
        "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": currency, "value": "123.45"}, **order,
    }  # fmt: skip
    body = {name: value for name, value in given.items() if value is not None}
    return {"order": body, "customer": BENTO if currency == "BRL" else LUCIA}


async def send(shop: Shop, body: dict[str, Any], route: Route = ROUTES["create_order"]) -> Reply | Refused:
    verb = route.parse(Incoming(shop.ana.company_id, {}, {}, msgspec.json.encode(body), body, None))
    if isinstance(verb, Refused):
        return verb
    call = {"operation": "create_order", "permission": route.permission, "status": route.success}
    return await shop.cast.run(shop.ana.client, verb, **call)


async def make(shop: Shop, method: str, **order: Any) -> dict[str, Any]:
    route = asking({CRYPTO: Market()}) if known_method(method).is_quoted else ROUTES["create_order"]
    return made_of(await send(shop, wish(method, **order), route))


def made_of(reply: Reply | Refused) -> dict[str, Any]:
    assert isinstance(reply, Reply), reply
    return dict(msgspec.json.decode(reply.body))


def reference(made: dict[str, Any]) -> str:
    """What its partner knows the order by: of a slip the nosso número, out of the bars."""
    if "boleto" in made:
        return str(made["boleto"]["barcode"][23:43])
    return str(made["cash"]["reference"] if "cash" in made else made["crypto"]["qrcodeData"].rpartition("/")[2])


def payment(
    made: dict[str, Any], name: str = "P1", cents: int = 12345, *, settled: bool = True, later: timedelta = timedelta(0)
) -> Collected:
    """Of a slip somebody else is told as its payer; of the others nobody is."""
    at, who = datetime.now(UTC) + later, CARLA if "boleto" in made else None
    currency = known_method(made["paymentMethod"]).currency
    return Collected(f"{made['id']}:{name}", reference(made), Money(cents, currency), at, at if settled else None, who)


def rail_of(made: dict[str, Any]) -> str:
    return str(known_method(made["paymentMethod"]).rail)


async def told(shop: Shop, made: dict[str, Any], kind: str, news: Any) -> str:
    return await shop.told(kind, news, news.reference, rail_of(made))


async def announced(shop: Shop, made: dict[str, Any], name: str = "P1") -> str:
    return await told(shop, made, port.COLLECTION_ANNOUNCED, payment(made, name, settled=False))


async def settled(shop: Shop, made: dict[str, Any], name: str = "P1", cents: int = 12345) -> str:
    return await told(shop, made, port.COLLECTION_SETTLED, payment(made, name, cents))


async def states(shop: Shop, made: dict[str, Any]) -> tuple[str, list[str]]:
    """The order's, and those of the payments at its partner."""
    (order,) = await shop.column("SELECT status FROM orders WHERE id = $1::text::uuid", made["id"])
    sql = "SELECT state FROM pix_payments WHERE rail = $1 ORDER BY created_at, id"
    return order, await shop.column(sql, rail_of(made))


async def outbox(shop: Shop, made: dict[str, Any]) -> list[str]:
    return await shop.column("SELECT kind FROM outbox WHERE rail = $1 ORDER BY created_at, id", rail_of(made))
