"""A small network that speaks the participant's protocol and misbehaves as a test says."""

from __future__ import annotations

import asyncio
import json
import secrets
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from aiohttp import web

from lastro.standards import recurrence_ids

ISPB = "99999010"
TOKEN = "the-participants-token"
PAYER = {
    "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}, "ispb": "99999020",
    "branch": "0001", "account": "123456", "accountType": "CACC", "ibgeCode": "3550308",
}  # fmt: skip


@dataclass
class Network:
    """messages: to be told, in order. given: how often each was handed out. received: what was sent here, by msgId."""

    messages: list[str] = field(default_factory=list)
    confirmed: int = 0
    given: list[str] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    statuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    deleted: int = 0
    misbehave: list[str] = field(default_factory=list)  # for the next posts: lost, down, refuse, hang
    lose_pulls: int = 0  # so many answers to pulls are lost on the way
    pulled: list[str] = field(default_factory=list)
    silent: bool = False  # questions are not answered
    gateway: str | None = None  # what stands on the way here answers them, with 404 and this
    url: str = ""
    _told: asyncio.Event = field(default_factory=asyncio.Event)
    _pulls: dict[str, int] = field(default_factory=dict)

    def tell(self, *messages: dict[str, Any] | str) -> None:
        self.messages += [m if isinstance(m, str) else json.dumps(m) for m in messages]
        self._told.set()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [m for m in self.received if m["type"] == kind]

    def application(self) -> web.Application:
        app = web.Application(middlewares=[_authorized])
        app.router.add_post("/spi/v1/in/{ispb}/msgs", self._in)
        app.router.add_get("/spi/v1/out/{ispb}/stream/start", self._start)
        app.router.add_get("/spi/v1/out/{ispb}/stream/{cursor}", self._next)
        app.router.add_delete("/spi/v1/out/{ispb}/stream/{cursor}", self._end)
        app.router.add_get("/spi/v1/payments/{id}", self._status)
        app.router.add_get("/spi/v1/returns/{id}", self._status)
        app.router.add_get("/spi/v1/cancellations/{id}", self._status)
        app.router.add_get("/spi/v1/charges/{id}", self._status)
        app.router.add_get("/spi/v1/charge-cancellations/{id}", self._status)
        app.router.add_post("/dict/v2/entries", self._entry)
        app.router.add_put("/participants/{ispb}", self._participant)
        return app

    async def _in(self, request: web.Request) -> web.Response:
        behaviour = self.misbehave.pop(0) if self.misbehave else "fine"
        if behaviour == "down":
            return web.json_response({"error": "UNAVAILABLE", "message": "down"}, status=503)
        if behaviour == "refuse":
            return web.json_response({"error": "INVALID_REQUEST", "message": "no"}, status=400)
        message = await request.json()
        self.received.append(message)
        if message["type"] == "pacs.004":
            self.statuses.setdefault(message["returnId"], {
                "returnId": message["returnId"], "endToEndId": message["endToEndId"], "status": "PENDING", "amount": message["amount"],
            })  # fmt: skip
        if message["type"] == "pain.011":
            self.statuses.setdefault(message["msgId"], {
                "msgId": message["msgId"], "idRec": message["idRec"], "status": "PENDING", "decidedAt": None,
            })  # fmt: skip
        if message["type"] in {"pain.013", "camt.055"}:
            self.statuses.setdefault(message["msgId"], {
                "msgId": message["msgId"], "idRec": message["idRec"], "txId": message["txId"], "status": "PENDING",
                "instructionMsgId": message.get("originalMsgId"), "decidedAt": None,
            })  # fmt: skip
        if behaviour == "lost":
            assert request.transport is not None
            request.transport.abort()
        if behaviour == "hang":
            await asyncio.Event().wait()
        return web.json_response({"resourceId": "r"}, status=201)

    async def _start(self, request: web.Request) -> web.Response:
        name = secrets.token_hex(4)
        self._pulls[name] = self.confirmed
        return await self._pull(request, name)

    async def _next(self, request: web.Request) -> web.Response:
        name = self._confirm(request.match_info["cursor"])
        return await self._pull(request, name)

    async def _end(self, request: web.Request) -> web.Response:
        self._pulls.pop(self._confirm(request.match_info["cursor"]))
        self.deleted += 1
        return web.Response(status=204)

    def _confirm(self, cursor: str) -> str:
        name, _, upto = cursor.partition("-")
        if name not in self._pulls:
            raise web.HTTPNotFound(text='{"error": "NOT_FOUND"}', content_type="application/json")
        self.confirmed = max(self.confirmed, int(upto))
        return name

    async def _pull(self, request: web.Request, name: str) -> web.Response:
        self.pulled.append(request.path)
        limit = int(request.query["limit"])
        batch = self.messages[self.confirmed : self.confirmed + limit]
        if not batch:
            self._told.clear()
            try:
                async with asyncio.timeout(min(float(request.query["wait"]), 0.2)):
                    await self._told.wait()
            except TimeoutError:
                pass
            batch = self.messages[self.confirmed : self.confirmed + limit]
        self.given += batch
        if batch and self.lose_pulls:
            self.lose_pulls -= 1
            assert request.transport is not None
            request.transport.abort()
        after = {"PI-Pull-Next": f"/spi/v1/out/{ISPB}/stream/{name}-{self.confirmed + len(batch)}"}
        if not batch:
            return web.Response(status=204, headers=after)
        body = '{"messages":[' + ",".join(batch) + "]}"
        return web.Response(text=body, content_type="application/json", headers=after)

    async def _status(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        self.asked.append(name)
        if self.silent:
            raise web.HTTPServiceUnavailable
        if self.gateway is not None:
            raise web.HTTPNotFound(text=self.gateway)
        if name not in self.statuses:
            raise web.HTTPNotFound(text='{"error": "NOT_FOUND"}', content_type="application/json")
        return web.json_response(self.statuses[name])

    async def _entry(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.received.append({"type": "entry", **asked, "keyType": asked["type"]})
        if asked.get("key") == "taken@example.com":
            return web.json_response({"type": "EntryAlreadyExists", "title": "taken", "status": 409}, status=409)
        return web.json_response({"key": asked.get("key") or "made-there"}, status=201)

    async def _participant(self, request: web.Request) -> web.Response:
        self.received.append({"type": "participant", **await request.json()})
        return web.json_response({})


@web.middleware
async def _authorized(request: web.Request, handler: Any) -> web.StreamResponse:
    if request.headers.get("Authorization") != f"Bearer {TOKEN}":
        raise web.HTTPUnauthorized
    answered: web.StreamResponse = await handler(request)
    return answered


def end_to_end_id(number: int, ispb: str = "99999020") -> str:
    return f"E{ispb}202611201200{number:011d}"


def recurrence_id(number: int, company: int = 7, ispb: str = ISPB) -> str:
    return recurrence_ids.recurrence_id(ispb, date(2026, 11, 20), company, number, retries=True)


def message(kind: str, name: str, **fields: Any) -> dict[str, Any]:
    return {"msgId": name, "type": kind, "createdAt": "2026-11-20T12:00:00.000Z", **fields}


def word(name: str, id_rec: str, status: str = "ACCP", **fields: Any) -> dict[str, Any]:
    """A pain.012: what a payer says of a recurrence."""
    said = {"idRec": id_rec, "status": status, "decidedAt": "2026-11-20T12:00:00.000Z", "payer": PAYER}
    return message("pain.012", name, **(said | fields))


def ask(name: str, number: int, account: str, **changes: Any) -> dict[str, Any]:
    """A pacs.008: the network asks whether this Pix may come in."""
    receiver = {"ispb": ISPB, "branch": "0001", "account": account, "accountType": "TRAN", "key": "k@example.com"}
    fields = {
        "endToEndId": end_to_end_id(number), "amount": "10.00", "acceptedAt": "2026-11-20T12:00:00.000Z",
        "localInstrument": "QRDN", "purpose": "IPAY", "payer": PAYER, "receiver": receiver,
    }  # fmt: skip
    return message("pacs.008", name, **(fields | changes))


def final(name: str, number: int, status: str = "ACCC", **fields: Any) -> dict[str, Any]:
    settled = {"settledAt": "2026-11-20T12:00:01.000Z"} if status != "RJCT" else {}
    return message("pacs.002", name, endToEndId=end_to_end_id(number), status=status, **settled, **fields)
