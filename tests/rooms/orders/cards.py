"""Orders by card in a shop: an acquirer that says what a test wants, and what is asked of Ana's shop and told to it."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import PLACE, Seller

from lastro import ledger, orders
from lastro.api_kit.routes import Incoming
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Done, Reply
from lastro.core.write import Touch, Write
from lastro.orders import CardOver
from lastro.rails import port
from lastro.rails.port import CARD, CardAuthenticated, CardChargeback, CardToken, Collected, CollectionRefused
from lastro.standards.cards import CardNumber, Expiry, SecurityCode

from .shop import Shop

NUMBER, CVV = "5105105105105100", "847"
ADDRESS = {
    "state": "CDMX", "city": "Ciudad de México", "street": "Reforma", "neighborhood": "Centro", "number": "10",
    "postalCode": "06000",
}  # fmt: skip
BENITO = {"name": "Benito", "entityType": "INDIVIDUAL", "document": {"type": "RFC", "number": "GODE561231GR8"},
          "email": "benito@example.com", "phone": "+525512345678", "address": ADDRESS}  # fmt: skip
BROWSER: dict[str, str | int | bool] = {
    "userAgent": "Mozilla/5.0", "acceptHeader": "*/*", "language": "es-MX", "colorDepth": 24, "screenHeight": 900,
    "screenWidth": 1440, "timeZoneOffset": 360, "javascriptEnabled": True,
}  # fmt: skip
TYPED = {"holderName": "Benito", "holderDocument": "GOD**********", "number": NUMBER, "cvv": CVV, "expiry": "12/49",
         "brand": "MASTERCARD", "installments": 3}  # fmt: skip
URL = "https://bank.example/challenge/1"
CRYPTOGRAM = "AAABBEg0VhI0VniQEjRWAAAAAAA="


class Acquirer:
    """The tokenizer of a partner: it says what the test wants, and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str, dict[str, str]]] = []
        self.says: Exception | None = None
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def tokenize(self, number: CardNumber, code: SecurityCode, expiry: Expiry, holder: Mapping[str, str]) -> CardToken:
        self.told.append((number.reveal(), code.reveal(), str(expiry.last_day), dict(holder)))
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.says is not None:
            raise self.says
        return CardToken(f"tok_{len(self.told)}")

    async def close(self) -> None:
        """It has no connections."""


async def send(
    shop: Shop, acquirer: Acquirer, body: dict[str, Any], *, seller: Seller | None = None, key: str | None = None
) -> Reply | Refused:
    who = seller or shop.ana
    route = next(r for r in orders.routes(PLACE, None, acquirer) if r.operation == "create_order")
    verb = route.parse(Incoming(who.company_id, {}, {}, msgspec.json.encode(body), body, key))
    if isinstance(verb, Refused):
        return verb
    return await shop.cast.run(who.client, verb, operation="create_order", key=key, status=route.success)


def wish(details: dict[str, Any] | None = None, **order: Any) -> dict[str, Any]:
    given = {
        "externalId": "card-1", "paymentMethod": "CREDIT_CARD", "description": "Flores",
        "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": "MXN", "value": "123.45"},
        "paymentDetails": details or {"creditCard": TYPED, "browser": BROWSER}, **order,
    }  # fmt: skip
    return {"order": {name: value for name, value in given.items() if value is not None}, "customer": BENITO}


async def make(shop: Shop, acquirer: Acquirer, details: dict[str, Any] | None = None, **order: Any) -> dict[str, Any]:
    reply = await send(shop, acquirer, wish(details, **order))
    assert isinstance(reply, Reply), reply
    return dict(msgspec.json.decode(reply.body))


async def reference(shop: Shop, made: dict[str, Any]) -> str:
    (found,) = await shop.column("SELECT reference FROM instruments WHERE order_id = $1::text::uuid", made["id"])
    return str(found)


async def told(shop: Shop, kind: str, news: Any) -> str:
    return await shop.told(kind, news, news.reference, CARD)


async def result(shop: Shop, made: dict[str, Any], status: str, url: str | None = URL) -> str:
    news = CardAuthenticated(
        await reference(shop, made), status, url if status == "C" else None, "05", "ds-1", "2.2.0", CRYPTOGRAM
    )
    return await told(shop, port.CARD_AUTHENTICATED, news)


async def captured(shop: Shop, made: dict[str, Any], name: str = "P1", cents: int = 12345) -> str:
    at = datetime.now(UTC)
    news = Collected(f"{made['id']}:{name}", await reference(shop, made), Money(cents, "MXN"), at, at)
    return await told(shop, port.COLLECTION_SETTLED, news)


async def declined(shop: Shop, made: dict[str, Any], code: str = "51") -> str:
    return await told(shop, port.COLLECTION_REFUSED, CollectionRefused(await reference(shop, made), code))


async def charged_back(shop: Shop, made: dict[str, Any], cents: int = 12345, name: str = "B1") -> str:
    news = CardChargeback(
        f"{made['id']}:{name}",
        f"{made['id']}:P1",
        await reference(shop, made),
        Money(cents, "MXN"),
        datetime.now(UTC),
        "10.4",
    )
    return await told(shop, port.CARD_CHARGEBACK, news)


async def stands(shop: Shop, made: dict[str, Any]) -> tuple[str, str]:
    """The order's status, and the state of its payment by card."""
    sql = "SELECT o.status, k.state FROM orders o JOIN card_payments k ON k.order_id = o.id WHERE o.id = $1::text::uuid"
    ((status, state),) = await shop.rows(sql, made["id"])
    return status, state


async def money(shop: Shop) -> int:
    """What Ana has of pesos."""
    async with shop.cast.database.session(shop.ana.company_id) as session:
        (balance,) = await ledger.balances_of(session, shop.ana.company_id, [shop.ana.account_id], "MXN")
    return balance.available.minor


async def outbox(shop: Shop) -> list[str]:
    return await shop.column("SELECT kind FROM outbox WHERE rail = 'card' ORDER BY created_at, id")


async def pass_time(shop: Shop, made: dict[str, Any]) -> None:
    """The sweep comes by after the order's time."""
    order_id = UUID(made["id"])
    ((version,),) = await shop.rows("SELECT version FROM orders WHERE id = $1", order_id)
    early = {"ends_at": datetime.now(UTC) - timedelta(seconds=1)}
    await commit(shop.cast.database, Write(shop.ana.company_id, touches=(Touch("orders", order_id, version, early),)))
    assert isinstance(await shop.cast.runner.act(shop.ana.company_id, CardOver(order_id, PLACE)), Done)


async def paid(shop: Shop, acquirer: Acquirer, **order: Any) -> dict[str, Any]:
    made = await make(shop, acquirer, **order)
    await result(shop, made, "Y")
    await captured(shop, made)
    return made
