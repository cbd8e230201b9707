"""What a test does on a stage: Ana's shop calls the API, the phone pays, the books and the network are compared."""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec
from tests.http_contract import contract
from tests.journeys.stage import Stage, until
from tests.laws import Spread, repaired

from lastro.core.db import Database

if TYPE_CHECKING:
    import asyncpg

ORDERS = "/order/v2/transparent"
CUSTOMER = {
    "name": "Bento Braga",
    "entityType": "INDIVIDUAL",
    "document": {"type": "CPF", "number": "11144477735"},
    "email": "bento@example.com",
}
# What the network says became of a payment, and the states in which our books may then have it at rest.
_AGREE: dict[str, set[str | None]] = {
    "SETTLED": {"SETTLED", "RETURNED", "STRANDED"},
    "REJECTED": {"REFUSED", "FAILED", None},
}
_RETURNS_AGREE = {"SETTLED": "PAID", "REJECTED": "ERROR"}


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def problem(self) -> tuple[int, str, str]:
        """Status, field and issue of a refusal that has one problem."""
        (detail,) = self.json["details"]
        return self.status, detail["field"], detail["issue"]


@dataclass
class Play:
    """One test's calls. Everything it makes has a name of its own, so that the stage may be shared."""

    stage: Stage
    http: aiohttp.ClientSession
    books: "asyncpg.Connection[asyncpg.Record]"
    name: str = field(default_factory=lambda: secrets.token_hex(5))
    tokens: dict[str, str] = field(default_factory=dict)
    made: list[dict[str, Any]] = field(default_factory=list)
    begun: list["asyncio.Task[Any]"] = field(default_factory=list)

    # ── calling ──

    async def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        dora: bool = False,
        accept: str | None = None,
    ) -> Answer:
        """A call of the API by Ana's client, or by Dora's. key: for idempotency. accept: the media type that is wanted."""
        headers = {"authorization": f"Bearer {await self._token(self.stage.client(dora=dora))}"}
        if accept is not None:
            headers["accept"] = accept
        if key is not None:
            headers["idempotency-key"] = key
        return await self.ask(method, self.stage.base_url + path, body, headers)

    async def ask(self, method: str, url: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        """A call of anybody. Whatever our own API answers must be documented."""
        sent = ({} if body is None else {"content-type": "application/json"}) | dict(headers or {})
        data = body if isinstance(body, bytes) or body is None else msgspec.json.encode(body)
        async with self.http.request(method, url, data=data, headers=sent, allow_redirects=False) as answer:
            found = Answer(answer.status, answer.headers, await answer.read())
        if url.startswith(self.stage.base_url):
            contract().holds(method, url.removeprefix(self.stage.base_url), found.status, found.headers, found.body)
        return found

    async def act(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """An act on the simulator, which must be answered 200."""
        answer = await self.ask(method, self.stage.simulator_url + path, body)
        assert answer.status == 200, answer.body
        return answer.json

    async def _token(self, client: Mapping[str, str]) -> str:
        name = client["clientId"]
        if name not in self.tokens:
            answer = await self.ask("POST", f"{self.stage.base_url}/auth/v1/token", dict(client))
            assert answer.status == 200, answer.body
            self.tokens[name] = answer.json["token"]
        return self.tokens[name]

    # ── orders ──

    @property
    def account(self) -> dict[str, str]:
        """Ana's first account, which orders credit that say nothing."""
        found: dict[str, str] = self.stage.sandbox["accounts"][0]
        return found

    def asking(self, value: str | None = "10.50", *, customer: Any = CUSTOMER, **order: Any) -> dict[str, Any]:
        """The body of a create. value None: an open amount."""
        external_id = order.pop("externalId", None) or f"{self.name}-{secrets.token_hex(4)}"
        asked = {
            "externalId": external_id,
            "paymentMethod": "PIX",
            "description": "A book",
            "notificationUrl": f"{self.stage.simulator_url}/merchant/webhooks/{external_id}",
            **({} if value is None else {"amount": {"currency": "BRL", "value": value}}),
            **order,
        }
        return {"order": asked} | ({} if customer is None else {"customer": customer})

    async def order(self, value: str | None = "10.50", **order: Any) -> dict[str, Any]:
        """An order that must be made."""
        answer = await self.call("PUT", ORDERS, self.asking(value, **order))
        assert answer.status == 200, answer.body
        made: dict[str, Any] = answer.json
        self.made.append(made)
        return made

    async def shown(self, order: Mapping[str, Any]) -> dict[str, Any]:
        answer = await self.call("GET", f"{ORDERS}/{order['id']}")
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json
        return found

    async def becomes(self, order: Mapping[str, Any], status: str) -> dict[str, Any]:
        """The order once it has this status."""

        async def look() -> dict[str, Any] | None:
            found = await self.shown(order)
            return found if found["status"] == status else None

        return await until(look, f"order {status}") or {}

    async def pay(self, order: Mapping[str, Any], **act: Any) -> dict[str, Any]:
        """The phone pays the order's code."""
        paid: dict[str, Any] = await self.act("/phone/pay", {"qrcodeData": order["pix"]["qrcodeData"], **act})
        return paid

    async def tool(self, order: Mapping[str, Any], status: str, *, dora: bool = False) -> Answer:
        """Asks the sandbox to lead the order to a status."""
        body = {"id": order["id"], "status": status}
        return await self.call("PUT", "/order-tools/v1/order/status", body, dora=dora)

    async def fault(self, operation: str, behaviour: str, **more: Any) -> None:
        await self.act("/faults", {"operation": operation, "behaviour": behaviour, **more})

    async def location(self, order: Mapping[str, Any]) -> Answer:
        """What a payer's bank gets at the order's location."""
        token = order["pix"]["qrcodeImageUrl"].rpartition("/")[2].removesuffix(".png")
        return await self.ask("GET", f"{self.stage.base_url}/qr/v2/{token}")

    def meanwhile(self, act: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Begins something, whose end the test waits for later."""
        task = asyncio.create_task(act)
        self.begun.append(task)
        return task

    async def wait_for(self, sql: str, *arguments: Any) -> Any:
        """What a query of the books gives, once that is something."""
        return await until(lambda: self.books.fetchval(sql, *arguments), sql)

    async def reserved(self, order: Mapping[str, Any]) -> None:
        """Returns when a payment of the order was accepted and has not ended."""
        await self.wait_for(
            "SELECT true FROM pix_payments WHERE order_id = $1::text::uuid AND state = 'ACCEPTED'", order["id"]
        )

    # ── what happened ──

    async def balance(self, account: Mapping[str, str] | None = None, *, dora: bool = False) -> int:
        """Available cents of an account, of the first one when none is named."""
        account_id = "" if dora else f"?accountId={(account or self.account)['id']}"
        answer = await self.call("GET", f"/order/v2/account/balance{account_id}", dora=dora)
        assert answer.status == 200, answer.body
        return cents(answer.json["available"]["value"])

    async def webhooks(self, order: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What the merchant was sent about an order so far, oldest first, each as it is documented."""
        found = await self.act(f"/merchant/webhooks?path=/{order['externalId']}", method="GET")
        data: list[dict[str, Any]] = found["data"]
        for delivery in data:
            contract().told(delivery["eventType"], delivery["headers"], delivery["body"])
        return data

    async def told(self, order: Mapping[str, Any], *events: str) -> dict[str, Any]:
        """The body of the last notification, once these came and no other, each signed and told once."""

        async def look() -> list[dict[str, Any]]:
            came = await self.webhooks(order)
            return came if len(came) >= len(events) else []

        came = await until(look, f"webhooks {events}")
        assert [c["eventType"] for c in came] == list(events)
        assert all(c["signatureValid"] is True for c in came)
        assert all(c["body"]["event"] == c["eventType"] and c["body"]["id"] == order["id"] for c in came)
        last: dict[str, Any] = came[-1]["body"]
        return last

    async def statement(self, end_to_end_id: str) -> dict[str, Any]:
        """The network's own record of a payment."""
        (found,) = (await self.act(f"/payments?endToEndId={end_to_end_id}", method="GET"))["data"]
        payment: dict[str, Any] = found
        return payment

    async def payment_becomes(self, end_to_end_id: str, state: str) -> None:
        """Returns when our books have a payment in this state."""
        await self.wait_for("SELECT true FROM pix_payments WHERE end_to_end_id = $1 AND state = $2", end_to_end_id, state)

    async def moved(self, end_to_end_id: str) -> list[tuple[str, str, str, int]]:
        """Every transfer of a payment and of its return: kind, debit, credit, cents."""
        rows = await self.books.fetch(_MOVED, end_to_end_id)
        return [(r["kind"], r["debit"], r["credit"], r["amount_minor"]) for r in rows]

    async def advance(self, **to: str) -> None:
        """Steps the clock, and returns when all that fell due has run."""
        answer = await self.ask("PUT", f"{self.stage.base_url}/sandbox/clock", to)
        assert answer.status == 200, answer.body
        await self.rest()

    async def jump(self, ahead: timedelta) -> None:
        """Business time is suddenly later, without waiting for anything that is under way."""
        pool = Database(self.stage.dsn("lastro_app"), size=1)
        try:
            async with pool.session() as session:
                await session.fetch(_JUMP, ahead)
                await session.fetch(JUMPED)
        finally:
            await pool.close()

    async def rest(self) -> None:
        """Returns when nothing is due, here or in the network."""

        async def look() -> bool:
            ours, theirs = await asyncio.gather(
                self.ask("GET", f"{self.stage.base_url}/sandbox/clock"),
                self.ask("GET", f"{self.stage.simulator_url}/clock"),
            )
            return ours.status == theirs.status == 200 and ours.json["pending"] == 0 and theirs.json["quiet"]

        await until(look, "rest", 90.0)

    # ── the end ──

    async def end(self) -> None:
        """Cancels what is still open, so that it does not fall due in another test; then everything must add up."""
        await asyncio.gather(*self.begun, return_exceptions=True)
        await self.act("/faults", method="DELETE")
        for order in self.made:
            await self.call("POST", f"{ORDERS}/{order['id']}/cancel", {})
        await self.rest()
        if isinstance(self.books, Spread):
            await repaired(self.stage.dsn("lastro_app"), self.stage.dsn("lastro_audit"))
        broken = await self.stage.auditor.breaches()
        assert not broken, broken
        await self._agree()

    async def _agree(self) -> None:
        """Our books against the network's: every payment and return is known to both, with the same amount and end."""
        network = (await self.act("/payments?limit=10000", method="GET"))["data"]
        ours = {r["end_to_end_id"]: r for r in await self.books.fetch("SELECT * FROM pix_payments WHERE rail = 'pix'")}
        refunds = {r["return_id"]: r for r in await self.books.fetch(_RETURNS)}
        sent = {r["end_to_end_id"]: r for r in await self.books.fetch(_SENT)}
        for payment in [p for p in network if p["endToEndId"][1:9] == _ISPB]:
            if payment["endToEndId"] in refunds:  # what is given back by a payment of its own
                given = refunds.pop(payment["endToEndId"])
                assert (given["state"], given["amount_minor"]) == (
                    _RETURNS_AGREE[payment["status"]],
                    cents(payment["amount"]),
                )
                continue
            payout = sent.pop(payment["endToEndId"])
            assert payout["status"] in _PAYOUTS_AGREE[payment["status"]], (payment, payout)
            assert payout["amount_minor"] == cents(payment["amount"])
        assert not [r for r in sent.values() if r["status"] not in ("ERROR", "EXPIRED", "CANCELED")]
        for payment in [p for p in network if p["endToEndId"][1:9] != _ISPB and p["receiverIspb"] == _ISPB]:
            mine = ours.pop(payment["endToEndId"], None)
            assert (None if mine is None else mine["state"]) in _AGREE[payment["status"]], (payment, mine)
            assert mine is None or mine["amount_minor"] == cents(payment["amount"])
            for given in payment["returns"]:
                refund = refunds.pop(given["returnId"])
                assert (refund["state"], refund["amount_minor"]) == (_RETURNS_AGREE[given["status"]], cents(given["amount"]))
        assert not ours
        assert all(r["state"] == "ERROR" for r in refunds.values())
        await self._teds_agree()
        await self._teds_in_agree()

    async def _teds_agree(self) -> None:
        """Each TED is at the STR at most once, and each that we have as paid exactly once."""
        network = (await self.act("/teds?limit=10000", method="GET"))["data"]
        sent = {r["control_number"]: r for r in await self.books.fetch(_SENT_TEDS)}
        for ted in network:
            payout = sent.pop(ted["numCtrlIf"])
            expected = "REFUNDED" if ted["returned"] else _TEDS_AGREE[ted["status"]]
            assert (payout["status"], payout["amount_minor"]) == (expected, cents(ted["amount"])), (ted, payout)
            assert payout["str_control_number"] in (None, ted["numCtrlStr"])
        assert not [r for r in sent.values() if r["status"] not in ("ERROR", "EXPIRED", "CANCELED")]

    async def _teds_in_agree(self) -> None:
        """Each TED of another bank is booked here once, whole, and given back there where it is given back here."""
        network = (await self.act("/teds/in?limit=10000", method="GET"))["data"]
        ours = {r["end_to_end_id"]: r for r in await self.books.fetch("SELECT * FROM pix_payments WHERE rail = 'ted'")}
        for ted in network:
            mine = ours.pop(ted["numCtrlStr"])
            expected = {"SETTLED"} if ted["returned"] is None else {"RETURNED"}
            assert mine["state"] in expected | {"STRANDED"}, (ted, mine)
            assert mine["amount_minor"] == cents(ted["amount"])
        assert not ours


def cents(value: str) -> int:
    """The minor units of an amount as the wire prints it."""
    whole, _, rest = value.partition(".")
    return int(whole) * 100 + int(rest)


_ISPB = "99999010"
_RETURNS = "SELECT r.* FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id WHERE p.rail = 'pix'"
_SENT = "SELECT * FROM payouts WHERE rail = 'pix' AND message_id IS NOT NULL"
_SENT_TEDS = "SELECT * FROM payouts WHERE rail = 'ted' AND message_id IS NOT NULL"
_TEDS_AGREE = {"SETTLED": "PAID", "REJECTED": "ERROR", "PENDING": "PENDING"}
_PAYOUTS_AGREE = {"SETTLED": ("PAID", "PARTIAL_REFUNDED", "REFUNDED"), "REJECTED": ("ERROR",), "PENDING": ("PENDING",)}
_JUMP = """
UPDATE clock SET offset_us = offset_us + (extract(epoch FROM $1::interval) * 1000000)::bigint, version = version + 1
"""
JUMPED = "SELECT pg_notify('lastro_work', 'clock')"
_MOVED = """
SELECT t.kind, d.code AS debit, c.code AS credit, t.amount_minor FROM transfers t
  JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
  JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
 WHERE t.reference_id IN (
   SELECT id FROM pix_payments WHERE end_to_end_id = $1
   UNION SELECT order_id FROM pix_payments WHERE end_to_end_id = $1
   UNION SELECT r.id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
          WHERE p.end_to_end_id = $1)
 ORDER BY t.created_at, t.kind DESC
"""
