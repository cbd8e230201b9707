"""A counter: Ana asks that her account be closed, an operator blocks it, and a worker ends what hangs on it."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import msgspec
from tests.cast import PLACE, Cast, Client, Seller
from tests.laws import breaches
from tests.rooms.orders.shop import Shop
from tests.rooms.payouts.office import Office
from tests.rooms.subscriptions.desk import Desk

from lastro.accounts import ChangeStatus, Why
from lastro.api_kit.routes import Incoming
from lastro.closing import Clear, Close, routes
from lastro.core.errors import Refused
from lastro.core.runner import Done, Reply
from lastro.rails.port import KeyAccount, KeyOwner, Permanent, Transient

WHY = "We are moving"
ROUTES = {route.operation: route for route in routes()}
CLOSE, READ = "request_account_close", "read_account_close"


@dataclass
class Directory:
    """Where keys are. says: what it answers instead of yes; of_one: of this key alone, or of each where it is None."""

    says: Transient | Permanent | None = None
    of_one: str | None = None
    deleted: list[tuple[str, str]] = field(default_factory=list)

    async def register_key(
        self, *, request_id: UUID, key_type: str, key: str | None, owner: KeyOwner, account: KeyAccount
    ) -> str:
        """Whatever is asked for."""
        return key or str(request_id)

    async def register_participant(self, *, name: str, jku: str, host: str) -> None:
        """Nobody fetches a location here."""

    async def delete_key(self, *, key: str, reason: str) -> None:
        """Gone, unless it says otherwise."""
        if self.says is not None and self.of_one in (None, key):
            raise self.says
        self.deleted.append((key, reason))


@dataclass
class Counter:
    """What one test does with Ana's account; shop, office and desk are of the same one."""

    cast: Cast
    ana: Seller
    directory: Directory = field(default_factory=Directory)

    @property
    def shop(self) -> Shop:
        return Shop(self.cast, self.ana)

    @property
    def desk(self) -> Desk:
        return Desk.open(self.cast, self.ana)

    async def office(self, cents: int = 0) -> Office:
        return await Office.open(self.cast, self.ana, cents)

    async def ask(
        self, operation: str, body: Any = None, *, by: Client | None = None, key: str | None = None, **path: str
    ) -> Reply | Refused:
        client, route = by or self.ana.client, ROUTES[operation]
        raw = b"" if body is None else msgspec.json.encode(body)
        verb = route.parse(Incoming(client.company_id, path, {}, raw, body or {}, key))
        if isinstance(verb, Refused):
            return verb
        call: dict[str, Any] = {"operation": operation, "permission": route.permission, "status": route.success}
        return await self.cast.run(client, verb, key=key, request=raw, **call)

    async def close(self, *, by: Client | None = None, key: str | None = None, of: str | None = None) -> Reply | Refused:
        """A client asks that the account be closed."""
        return await self.ask(CLOSE, {"closeRequestReason": WHY}, by=by, key=key, id=of or str(self.ana.account_id))

    async def answered(self, **asked: Any) -> dict[str, Any]:
        """The answer of a request that is taken, granted or refused."""
        reply = await self.close(**asked)
        assert isinstance(reply, Reply), reply
        assert reply.status == 201
        return dict(msgspec.json.decode(reply.body))

    async def obstacles(self) -> list[tuple[str, Any]]:
        """What stands in the way of a request: of money its value and currency, of what is unfinished how many."""
        made = await self.answered()
        assert made["status"] == "REFUSED", made
        assert await self.status() != "CLOSED"
        return [
            (one["type"], one["count"] if "count" in one else f"{one['amount']['value']} {one['amount']['currency']}")
            for one in made["obstacles"]
        ]

    async def changes(self, trigger: str, why: Why | None = None) -> Done | Refused:
        """An operator blocks or unblocks it."""
        verb = ChangeStatus(self.ana.account_id, trigger, why or Why("OPERATOR_DECISION"))
        return await self.cast.runner.act(self.ana.company_id, verb)

    async def operator_closes(self) -> Done | Refused:
        """lastro account close."""
        return await self.cast.runner.act(self.ana.company_id, Close(self.ana.account_id, Why("HOLDER_REQUEST", by="Olga")))

    async def step(self, request_id: str) -> Done | Refused:
        """A worker finds the request once."""
        return await self.cast.runner.act(self.ana.company_id, Clear(UUID(request_id), PLACE, self.directory))

    async def work(self, request_id: str) -> int:
        """A worker finds it until there is nothing to do; how often it wrote something."""
        for times in range(100):
            done = await self.step(request_id)
            if isinstance(done, Refused) or done.write is None:
                return times
        raise AssertionError("it has no end")

    async def read(self, request_id: str) -> dict[str, Any]:
        reply = await self.ask(READ, id=request_id)
        assert isinstance(reply, Reply), reply
        return dict(msgspec.json.decode(reply.body))

    async def status(self) -> str:
        (status,) = await self.shop.column("SELECT status FROM accounts WHERE id = $1", self.ana.account_id)
        return str(status)

    async def told(self) -> list[tuple[str, str, str, str]]:
        """Of each change that was told: from, to, and the reason's code and description."""
        sql = "SELECT body FROM events WHERE type = 'ACCOUNT.STATUS_CHANGED' ORDER BY created_at"
        bodies = [msgspec.json.decode(body) for body in await self.shop.column(sql)]
        return [(b["previousStatus"], b["status"], b["reason"]["code"], b["reason"]["description"]) for b in bodies]

    async def at_rest(self, database: Any) -> None:
        """Nothing is on its way: then a closed account has nothing."""
        found = await breaches(database.audit, companies=[self.ana.company_id])
        assert found.get("law_a_closed_account_has_nothing_at_rest", []) == []
