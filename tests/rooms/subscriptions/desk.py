"""A desk: Ana asks for subscriptions as her client does, and time passes over them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import PLACE, Cast, Client, Seller

from lastro import orders, subscriptions
from lastro.api_kit.routes import Incoming, Route
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.runner import Done, Reply, RequestContext
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions import Lapse

JOURNEY_2, JOURNEY_3 = "AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
HOOK = "https://ana.example/hook"


def brl(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}


@dataclass
class Desk:
    """What one test does. Its routes are those of one process, which remembers."""

    cast: Cast
    ana: Seller
    routes: Mapping[str, Route]

    @classmethod
    def open(cls, cast: Cast, ana: Seller) -> "Desk":
        routes = (*subscriptions.routes(PLACE), *orders.routes(PLACE))
        return cls(cast, ana, {route.operation: route for route in routes})

    def body(self, journey: str = JOURNEY_2, **changes: Any) -> dict[str, Any]:
        """A create that is good, from tomorrow on; of journey 3 with a first charge of 29.90."""
        body = {
            "accountId": str(self.ana.account_id), "type": journey, "allowChargeAfterDueDate": True,
            "allowAdjustToBusinessDay": False, "frequencyType": "MONTHLY", "startDate": self.day(1),
            "debtor": {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}},
            "webhookUrl": HOOK, "externalId": os.urandom(8).hex(),
        }  # fmt: skip
        if journey == JOURNEY_3:
            body["initialCharge"] = {"pixKey": self.ana.pix_key, "amount": brl("29.90")}
        return {name: value for name, value in {**body, **changes}.items() if value is not None}

    def day(self, days: int) -> str:
        """So many days after today in Brasilia."""
        return (brasilia_day(datetime.now(UTC)) + timedelta(days=days)).isoformat()

    async def ask(
        self, operation: str, body: Any = None, *, query: Mapping[str, str] | None = None, key: str | None = None,
        client: Client | None = None, **path: str,
    ) -> Reply | Refused:  # fmt: skip
        """As the HTTP door asks."""
        client, route, raw = client or self.ana.client, self.routes[operation], msgspec.json.encode(body)
        incoming = Incoming(client.company_id, path, query or {}, b"" if body is None else raw, body or {}, key)
        verb = route.parse(incoming)
        if isinstance(verb, Refused):
            return verb
        call: dict[str, Any] = {"operation": operation, "permission": route.permission, "status": route.success}
        return await self.cast.run(client, verb, key=key, request=raw + repr(path).encode(), **call)

    async def done(self, operation: str, body: Any = None, **asked: Any) -> dict[str, Any]:
        """The body of a yes."""
        reply = await self.ask(operation, body, **asked)
        assert isinstance(reply, Reply), reply
        assert reply.status == self.routes[operation].success
        found: dict[str, Any] = msgspec.json.decode(reply.body)
        return found

    async def refused(self, operation: str, body: Any = None, **asked: Any) -> list[tuple[str, str]]:
        """Field and issue of everything that stands in the way."""
        outcome = await self.ask(operation, body, **asked)
        assert isinstance(outcome, Refused), outcome
        return [(problem.field, problem.issue) for problem in outcome.problems]

    async def make(self, journey: str = JOURNEY_2, **changes: Any) -> dict[str, Any]:
        return await self.done("create_subscription", self.body(journey, **changes))

    async def make_at(self, at: datetime, journey: str = JOURNEY_2, **changes: Any) -> dict[str, Any]:
        """One that was made at that time."""
        body, company = self.body(journey, **changes), self.ana.company_id
        verb = self.routes["create_subscription"].parse(Incoming(company, {}, {}, msgspec.json.encode(body), body, None))
        assert not isinstance(verb, Refused), verb
        context = RequestContext(company, at, self.cast.chance)
        async with self.cast.database.session(company) as session:
            known = await verb.read(session, context)
        outcome = verb.decide(known, context)
        assert isinstance(outcome, Done), outcome
        assert outcome.write is not None
        await commit(self.cast.database, outcome.write)
        made: dict[str, Any] = msgspec.json.decode(outcome.body)
        return made

    async def read(self, subscription_id: str) -> dict[str, Any]:
        return await self.done("read_subscription", id=subscription_id)

    async def sweep(self, subscription_id: str, at: datetime) -> bool:
        """A worker finds it at that time; whether anything was done. What is written bears the time it is now."""
        company, verb = self.ana.company_id, Lapse(UUID(subscription_id), PLACE)
        async with self.cast.database.session(company) as session:
            known = await verb.read(session, RequestContext(company, at, self.cast.chance))
        outcome = verb.decide(known, RequestContext(company, at, self.cast.chance))
        assert isinstance(outcome, Done), outcome
        if outcome.write is not None:
            await commit(self.cast.database, outcome.write)
        return outcome.write is not None

    async def column(self, sql: str, *arguments: Any) -> list[Any]:
        async with self.cast.database.session(self.ana.company_id) as session:
            return [row[0] for row in await session.fetch(sql, *arguments)]

    async def events(self) -> list[tuple[str, dict[str, Any], str]]:
        """Type, body and URL of all that was told, in the order of the types."""
        async with self.cast.database.session(self.ana.company_id) as session:
            rows = await session.fetch("SELECT type, body, url FROM events WHERE company_id = tenant() ORDER BY type, id")
        return [(row["type"], msgspec.json.decode(row["body"]), row["url"]) for row in rows]
