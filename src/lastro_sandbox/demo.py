"""`lastro demo`: plays the first journey against the running sandbox and shows each step, and what moved in the ledger."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import aiohttp

from lastro.base.db import Database
from lastro.base.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.base.db import Dsn

_PATIENCE_SECONDS = 10.0
_MOVED = """
SELECT t.kind, t.type, t.amount_minor, t.currency, d.code || coalesce('(' || d.rail || ')', '') AS debit,
       c.code || coalesce('(' || c.rail || ')', '') AS credit
  FROM transfers t
  JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
  JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
 WHERE t.company_id = $1 AND t.reference_id = $2 ORDER BY t.created_at, t.id
"""
_STORY = """
SELECT trigger, from_state, to_state, created_at FROM history WHERE company_id = $1 AND reference_id = $2 ORDER BY version
"""


async def demo(sandbox: Mapping[str, Any], audit: Dsn, say: Callable[[str], object]) -> int:
    """Plays the paid order; 0 when every step was seen."""
    database = Database(audit, size=1)
    timeout = aiohttp.ClientTimeout(total=30)
    try:
        async with aiohttp.ClientSession(timeout=timeout, trust_env=False) as http:
            return await _Demo(sandbox, database, http, say).paid_order()
    except aiohttp.ClientConnectionError:
        say(f"{sandbox['baseUrl']} does not answer: start the sandbox with make run.")
        return 1
    finally:
        await database.close()


@dataclass
class _Demo:
    sandbox: Mapping[str, Any]
    database: Database
    http: aiohttp.ClientSession
    say: Callable[[str], object]

    async def paid_order(self) -> int:
        """An order is created, read by the payer's bank, paid, booked and told."""
        base, sim = self.sandbox["baseUrl"], self.sandbox["simulatorUrl"]
        login = {k: self.sandbox[k] for k in ("clientId", "clientSecret")}
        token = (await self._call("POST", f"{base}/auth/v1/token", login))["token"]
        headers = {"authorization": f"Bearer {token}"}
        account = self.sandbox["accounts"][0]["id"]
        balance = f"{base}/order/v2/account/balance?accountId={account}"
        before = await self._call("GET", balance, headers=headers)
        self.say(f"1. The account has {_text(before['available'])}.")

        order = await self._call("PUT", f"{base}/order/v2/transparent", self._order(sim, account), headers)
        self.say(f"2. An order of {_text(order['amount'])} is created: {order['id']}, {order['status']}.")
        self.say(f"   Its QR says {order['pix']['qrcodeData']}")

        seen = await self._call("POST", f"{sim}/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})
        self.say(f"3. The payer's bank fetches the location and verifies its signature: {seen['receiver']['name']} asks")
        self.say(f"   {seen['amount']} BRL, until {seen['expiresAt']}.")

        paid = await self._call("POST", f"{sim}/phone/pay", {"qrcodeData": order["pix"]["qrcodeData"]})
        self.say(f"4. Paid on the phone: {paid['status']}, {paid['endToEndId']}.")

        url = f"{base}/order/v2/transparent/{order['id']}"
        after = await self._until(lambda: self._call("GET", url, headers=headers), lambda o: o["status"] != "INITIAL")
        self.say(f"5. The order is {after['status']}, paid by {after['payer']['name']}.")
        await self._ledger(UUID(order["id"]))

        now = await self._call("GET", balance, headers=headers)
        self.say(f"7. The account has {_text(now['available'])}.")
        event = await self._until(lambda: self._webhook(sim, order["id"]), lambda e: e is not None)
        good = "its signature is good" if event["signatureValid"] else "ITS SIGNATURE IS WRONG"
        self.say(f"8. The merchant was told {event['eventType']} (event {event['sequence']}), {good}.")
        grown = _minor(now["available"]) - _minor(before["available"]) == _minor(order["amount"])
        return 0 if after["status"] == "PAID" and grown and event["signatureValid"] else 1

    async def _ledger(self, order_id: UUID) -> None:
        company_id = UUID(self.sandbox["companyId"])
        async with self.database.session() as session:
            story = await session.fetch(_STORY, company_id, order_id)
            moved = await session.fetch(_MOVED, company_id, order_id)
        steps = ", ".join(f"{r['trigger']} → {r['to_state']}" for r in story)
        self.say(f"   Its history: {steps}.")
        self.say("6. In the ledger:")
        for r in moved:
            amount = Money(r["amount_minor"], r["currency"])
            self.say(f"   {r['kind']:<7} {r['debit']:<10} → {r['credit']:<6} {amount} {amount.currency}  {r['type']}")

    async def _webhook(self, sim: str, order_id: str) -> dict[str, Any] | None:
        events = (await self._call("GET", f"{sim}/merchant/webhooks"))["data"]
        return next((e for e in reversed(events) if e["body"].get("id") == order_id), None)

    async def _until(self, look: Callable[[], Any], enough: Callable[[Any], bool]) -> Any:
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            seen = await look()
            if enough(seen):
                return seen
            if asyncio.get_running_loop().time() > deadline:
                raise SystemExit("The sandbox did not get there in time: look at the logs in its home.")
            await asyncio.sleep(0.02)

    async def _call(
        self, method: str, url: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        async with self.http.request(method, url, json=body, headers=headers) as answer:
            said: dict[str, Any] = await answer.json()
            if answer.status >= 400:
                raise SystemExit(f"{method} {url} answered {answer.status}: {said}")
            return said

    @staticmethod
    def _order(sim: str, account: str) -> dict[str, Any]:
        return {
            "customer": {
                "name": "Bento",
                "entityType": "INDIVIDUAL",
                "document": {"type": "CPF", "number": "12345678909"},
                "email": "bento@example.com",
            },
            "order": {
                "externalId": f"demo-{uuid4()}",
                "accountId": account,
                "paymentMethod": "PIX",
                "amount": {"currency": "BRL", "value": "10.50"},
                "description": "A book",
                "notificationUrl": f"{sim}/merchant/webhooks/demo",
            },
        }


def _text(money: Mapping[str, str]) -> str:
    return f"{money['value']} {money['currency']}"


def _minor(money: Mapping[str, str]) -> int:
    return Money.parse(money["value"], money["currency"]).minor if money["value"] != "0.00" else 0
