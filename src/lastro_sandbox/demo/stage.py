"""The shared steps of the demo's scenes: call, wait, show history and ledger."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from lastro.core.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import aiohttp
    from asyncpg import Record

    from lastro.core.db import Database

_PATIENCE_SECONDS = 10.0
_MOVED = """
SELECT t.kind, t.type, t.amount_minor, t.currency, d.code || coalesce('(' || d.rail || ')', '') AS debit,
       c.code || coalesce('(' || c.rail || ')', '') AS credit
  FROM transfers t
  JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
  JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
 WHERE t.company_id = $1 AND t.reference_id = $2 ORDER BY t.created_at, t.id
"""
_STORY = "SELECT trigger, to_state FROM history WHERE company_id = $1 AND reference_id = $2 ORDER BY version"


class Stuck(Exception):  # noqa: N818 it says how the play is
    """The demo cannot go on; its text says why."""


@dataclass
class Stage:
    """The running sandbox as its demo company sees it. sandbox: what sandbox.json says.

    goes_on: called after each thing said, when the next begins that somebody waits for.
    """

    sandbox: Mapping[str, Any]
    database: Database
    http: aiohttp.ClientSession
    say: Callable[[str], object]
    goes_on: Callable[[], object] = lambda: None
    headers: dict[str, str] = field(default_factory=dict)
    steps: int = 0

    async def as_other(self) -> Stage:
        """Returns the stage as the second demo company sees it."""
        of_other = {
            "companyId": self.sandbox["otherCompanyId"], "accounts": self.sandbox["otherAccounts"],
            **self.sandbox["otherClient"],
        }  # fmt: skip
        other = replace(self, sandbox={**self.sandbox, **of_other}, headers={})
        await other.open()
        return other

    async def open(self) -> None:
        """Requests a token."""
        login = {k: self.sandbox[k] for k in ("clientId", "clientSecret")}
        token = (await self.api("POST", "/auth/v1/token", login))["token"]
        self.headers = {"authorization": f"Bearer {token}"}

    def title(self, text: str) -> None:
        """Begins a new scene."""
        self.say(f"\n── {text} ──")
        self.steps = 0
        self.goes_on()

    def step(self, *lines: str) -> None:
        """Prints the next step; further lines say more of it."""
        self.steps += 1
        first, *more = lines
        self.say(f"{self.steps}. {first}")
        for line in more:
            self.say(f"   {line}")
        self.goes_on()

    @property
    def account(self) -> Mapping[str, str]:
        """The first account of the demo company: its id and its pixKey."""
        account: Mapping[str, str] = self.sandbox["accounts"][0]
        return account

    @property
    def listens_at(self) -> str:
        """The URL of the simulated merchant's webhooks."""
        return f"{self.sandbox['simulatorUrl']}/merchant/webhooks/demo"

    async def api(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Calls lastro, with an idempotency key for each call. Stuck where it refuses."""
        keyed = (
            {**self.headers, "idempotency-key": str(uuid4())} if method in ("POST", "PUT") and self.headers else self.headers
        )
        return await self._call(method, self.sandbox["baseUrl"] + path, body, keyed)

    async def phone(self, act: str, **said: Any) -> dict[str, Any]:
        """Calls the payer's bank as its customer."""
        return await self._call("POST", f"{self.sandbox['simulatorUrl']}/phone/{act}", said, {})

    async def advance(self, name: str, **said: Any) -> dict[str, Any]:
        """Advances a dispute's object at the simulated directory. Stuck where it does not follow."""
        done = await self._call("POST", f"{self.sandbox['simulatorUrl']}/med/{name}/advance", said, {})
        if done["status"] == "REJECTED":
            raise Stuck(f"{name} does not go on to {said['status']}: {done['code']}.")
        return done

    async def until(self, path: str, enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Polls the object at this path until it satisfies the condition. Stuck when that takes too long."""
        found: dict[str, Any] = await self._until(lambda: self.api("GET", path), enough)
        return found

    async def balance(self) -> Money:
        """Returns the account's available balance."""
        found = await self.api("GET", f"/order/v2/account/balance?accountId={self.account['id']}")
        return money(found["available"])

    async def becomes(
        self, path: str, status: str, among: tuple[str, ...], patience_seconds: float = _PATIENCE_SECONDS
    ) -> dict[str, Any]:
        """Polls the object at this path until it leaves `among`.

        Stuck when that takes too long, or the object is then not in `status`.
        """
        found: dict[str, Any] = await self._until(
            lambda: self.api("GET", path), lambda o: o["status"] not in among, patience_seconds
        )
        if found["status"] != status:
            raise Stuck(f"{path} is {found['status']} and not {status}.")
        return found

    async def webhook(self, event: str, object_id: str) -> bool:
        """Shows the merchant's webhook; tells whether its signature is good."""
        url = f"{self.sandbox['simulatorUrl']}/merchant/webhooks?path=/demo"

        async def look() -> dict[str, Any] | None:
            told = (await self._call("GET", url, None, {}))["data"]
            of_it = (
                e for e in reversed(told) if e["eventType"] == event and e["body"].get("data", e["body"])["id"] == object_id
            )
            return next(of_it, None)

        found = await self._until(look, lambda e: e is not None)
        good: bool = found["signatureValid"]
        self.step(f"The merchant was told {event}, {'its signature is good' if good else 'ITS SIGNATURE IS WRONG'}.")
        return good

    async def history(self, object_id: str) -> str:
        """Returns every move of an object, in one line."""
        company_id = UUID(self.sandbox["companyId"])
        async with self.database.session(company_id) as session:
            rows = await session.fetch(_STORY, company_id, UUID(object_id))
        return "Its history: " + ", ".join(f"{r['trigger']} → {r['to_state']}" for r in rows) + "."

    async def ledger(self, object_id: str) -> None:
        """Shows the bookings of an object."""
        company_id = UUID(self.sandbox["companyId"])
        async with self.database.session(company_id) as session:
            rows = await session.fetch(_MOVED, company_id, UUID(object_id))
        self.step("In the ledger:", *(_booked(r) for r in rows))

    async def _until(
        self, look: Callable[[], Any], enough: Callable[[Any], bool], patience_seconds: float = _PATIENCE_SECONDS
    ) -> Any:
        deadline = asyncio.get_running_loop().time() + patience_seconds
        while True:
            seen = await look()
            if enough(seen):
                return seen
            if asyncio.get_running_loop().time() > deadline:
                raise Stuck("The sandbox did not get there in time: look at the logs in its home.")
            await asyncio.sleep(0.02)

    async def _call(self, method: str, url: str, body: Any, headers: Mapping[str, str]) -> dict[str, Any]:
        async with self.http.request(method, url, json=body, headers=headers) as answer:
            said: dict[str, Any] = await answer.json()
            if answer.status >= 400:
                raise Stuck(f"{method} {url} answered {answer.status}: {said}")
            return said


def money(said: Mapping[str, str]) -> Money:
    """Parses an amount of an answer. It may be nothing, and a balance may be more than any one payment."""
    return Money(int(said["value"].replace(".", "")), said["currency"])


def _booked(row: Record) -> str:
    amount = Money(row["amount_minor"], row["currency"])
    return f"{row['kind']:<7} {row['debit']:<10} → {row['credit']:<10} {amount} {amount.currency}  {row['type']}"
