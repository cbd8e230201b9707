"""A receiver that does all it has to, and others that each leave one thing undone."""

import asyncio
import base64
import hashlib
import hmac
import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.client_exceptions import ClientPayloadError

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
TOLERANCE_SECONDS = 300


class Refusal(Exception):  # noqa: N818 it says what happened
    def __init__(self, status: int, text: str = "") -> None:
        super().__init__(text)
        self.status = status


class Receiver:
    """Does everything right. What a receiver does is spread over methods, each of which another one may do worse."""

    largest_bytes = 1024 * 1024
    slow_seconds = 0.1  # what it is tried with

    def __init__(self, secret: str = SECRET) -> None:
        self.secret = secret
        self.done: dict[str, dict[str, Any]] = {}
        self.running: dict[str, asyncio.Lock] = {}
        self.at_once = 0
        self.requests: list[tuple[Mapping[str, str], bytes]] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.at_once += 1
        try:
            await self.take(request)
        except Refusal as refusal:
            return web.Response(status=refusal.status, text=str(refusal))
        finally:
            self.at_once -= 1
        return self.success()

    def success(self) -> web.StreamResponse:
        return web.json_response({"returnCode": "SUCCESS"})

    async def take(self, request: web.Request) -> None:
        event_id = request.headers["x-event-id"]
        body = await self.read(request)
        self.requests.append((dict(request.headers), body))
        if not self.is_genuine({name.lower(): value for name, value in request.headers.items()}, body):
            raise Refusal(401)
        async with self.running.setdefault(event_id, asyncio.Lock()):
            if event_id in self.done:
                self.repeat(event_id)
                return
            event = self.understand(body)
            self.work(request.headers, event)
            # Everybody who waits gets a turn: where there is no lock, a twin of the event comes in between.
            await asyncio.sleep(0)
            self.done[event_id] = event

    async def read(self, request: web.Request) -> bytes:
        return await request.read()

    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        sent_at = headers.get("webhook-timestamp", "")
        if not sent_at.isdigit() or not self.is_timely(int(sent_at)):
            return False
        return any(self.is_equal(self.standard(headers, body), given) for given in self.given(headers))

    def standard(self, headers: Mapping[str, str], body: bytes) -> str:
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

    def given(self, headers: Mapping[str, str]) -> list[str]:
        return headers.get("webhook-signature", "").split()

    def is_timely(self, sent_at: int) -> bool:
        return abs(time.time() - sent_at) <= TOLERANCE_SECONDS

    def is_equal(self, expected: str, given: str) -> bool:
        return hmac.compare_digest(expected, given)

    def understand(self, body: bytes) -> dict[str, Any]:
        event = json.loads(body)
        assert isinstance(event, dict)
        return event

    def repeat(self, event_id: str) -> None:
        """A known event: there is nothing to do."""

    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        """Whatever a shop does when an order was paid."""


class Lives(Receiver):
    """By the short form alone, and by all of it."""

    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        expected = "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        names = ("x-signature-sha256", "x-signature-sha256-previous")
        return any(hmac.compare_digest(expected, headers.get(name, "")) for name in names)


class KnowsNoPrevious(Lives):
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        return super().is_genuine({**headers, "x-signature-sha256-previous": ""}, body)


class ChecksOnlyIfSigned(Receiver):
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        return "webhook-signature" not in headers or super().is_genuine(headers, body)


class ChecksNothing(Receiver):
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        return True


class ComparesTheBeginning(Receiver):
    def is_equal(self, expected: str, given: str) -> bool:
        return expected.startswith(given)


class SignsTheEnvelope(Receiver):
    """Checks what stands in the headers, and never looks whether the body belongs to it."""

    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        if super().is_genuine(headers, body):
            return True
        richer = body.replace(b'"1000000.00"', b'"10.50"')
        return richer != body and super().is_genuine(headers, richer)


class ForgetsTheTime(Receiver):
    def is_timely(self, sent_at: int) -> bool:
        return True


class TrustsTheFuture(Receiver):
    def is_timely(self, sent_at: int) -> bool:
        return time.time() - sent_at <= TOLERANCE_SECONDS


class ReadsOneSignature(Receiver):
    def given(self, headers: Mapping[str, str]) -> list[str]:
        return super().given(headers)[:1]


class SignsWhatItParsed(Receiver):
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        again = json.dumps(json.loads(body), separators=(",", ":"), ensure_ascii=False).encode()
        return super().is_genuine(headers, again)


class BreaksOnForgery(Receiver):
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        if not super().is_genuine(headers, body):
            raise Refusal(500, "ValueError: signature")
        return True


class WantsATime(Receiver):
    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        if event["status"] == "PAID" and event["paidAt"] is None:
            raise Refusal(500, "TypeError: None")


class WantsPaidAlone(Receiver):
    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        if event["event"] == "ORDER-PAYIN.EXPIRED":
            raise Refusal(422)


class KnowsItsEvents(Receiver):
    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        if event["status"] not in {"PAID", "EXPIRED", "CANCELED", "ERROR", "PARTIAL_REFUNDED", "REFUNDED"}:
            raise Refusal(400, "unknown event")


class KnowsItsFields(Receiver):
    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        if "certification" in event:
            raise Refusal(400, "additional properties")


class StoresThreeBytes(Receiver):
    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        if any(ord(character) > 0xFFFF for character in event["description"]):
            raise Refusal(500, "Incorrect string value: '\\xF0\\x9F\\x91\\xA9'")


class TakesLittle(Receiver):
    async def read(self, request: web.Request) -> bytes:
        body = await super().read(request)
        if len(body) >= 64 * 1024:
            raise Refusal(413)
        return body


class RefusesWhatItKnows(Receiver):
    def repeat(self, event_id: str) -> None:
        raise Refusal(409, "duplicate")


class HasNoLock(Receiver):
    """Two at once both find nothing, and the second then meets the first one's row."""

    async def take(self, request: web.Request) -> None:
        event_id = request.headers["x-event-id"]
        body = await self.read(request)
        if not self.is_genuine({name.lower(): value for name, value in request.headers.items()}, body):
            raise Refusal(401)
        if event_id in self.done:
            return
        await asyncio.sleep(0.05)  # its database takes so long
        if event_id in self.done:
            raise Refusal(500, "duplicate key value violates unique constraint")
        self.done[event_id] = {}


class WantsOrder(Receiver):
    def __init__(self) -> None:
        super().__init__()
        self.ended: set[str] = set()

    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        if event["id"] in self.ended:
            raise Refusal(409, "illegal move")
        self.ended.add(event["id"])


class WantsEveryNumber(Receiver):
    def __init__(self) -> None:
        super().__init__()
        self.last = 0

    def work(self, headers: Mapping[str, str], event: dict[str, Any]) -> None:
        number = int(headers["x-event-sequence"])
        if number < self.last:
            raise Refusal(409, "stale")
        self.last = number


class TakesFew(Receiver):
    """Turns away what it has no room for, and takes it later."""

    async def read(self, request: web.Request) -> bytes:
        body = await super().read(request)
        crowded = self.at_once > 4
        await asyncio.sleep(0.05)  # so long it has no room for another
        if crowded:
            raise Refusal(503, "busy")
        return body


class WaitsForNobody(Receiver):
    slow_seconds = 1.5

    async def read(self, request: web.Request) -> bytes:
        try:
            async with asyncio.timeout(0.75):
                return await super().read(request)
        except TimeoutError:
            raise Refusal(408) from None


class HoldsOnToWhatBroke(Receiver):
    """Marks an event as begun when its head arrives, and lets go only when it has answered."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: set[str] = set()

    async def read(self, request: web.Request) -> bytes:
        event_id = request.headers["x-event-id"]
        if event_id in self.begun and event_id not in self.done:
            raise Refusal(409, "in progress")
        try:
            body = await super().read(request)
        except (ConnectionError, ClientPayloadError, web.RequestPayloadError):
            self.begun.add(event_id)
            raise
        return body


class RemembersFailures(Receiver):
    """Keeps the ids that it refused, and refuses them for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: set[str] = set()

    async def take(self, request: web.Request) -> None:
        event_id = request.headers["x-event-id"]
        if event_id in self.bad:
            raise Refusal(410, "refused before")
        try:
            await super().take(request)
        except Refusal:
            self.bad.add(event_id)
            raise


class TakesFewAndRemembers(TakesFew, RemembersFailures):
    pass


class Answers(Receiver):
    """The same to everything."""

    def __init__(self, status: int, body: str = '{"returnCode":"SUCCESS"}', **headers: str) -> None:
        super().__init__()
        self.said = (status, body, headers)

    def success(self) -> web.StreamResponse:
        status, body, headers = self.said
        return web.Response(status=status, text=body, headers=headers, content_type="application/json")


@asynccontextmanager
async def served(receiver: Receiver, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Its URL while it runs."""
    application = web.Application(client_max_size=receiver.largest_bytes)
    application.router.add_post("/hooks", receiver.answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        port = runner.addresses[0][1]
        host = "receiver.example.com" if tls else "127.0.0.1"
        yield f"{'https' if tls else 'http'}://{host}:{port}/hooks"
    finally:
        await runner.cleanup()
