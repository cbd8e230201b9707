"""The bank as an ASGI application of its own. A socket with mTLS serves it, or a test without one.

It is no part of the other simulators' application: the certificate at the socket and a connection that is cut belong to the
protocol below HTTP, and the paths are the document's alone.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

import msgspec

from lastro_sim import faults, logs
from lastro_sim.clock import SECOND
from lastro_sim.network import Network

from . import calling, customers, disguises, locations, operations, signing, tokens, troubles
from .calls import Answer, Call
from .dialects import DIALECTS, Dialect
from .problems import ProblemError, not_found
from .recurring import locations as recurrence_locations
from .recurring import terms
from .shapes import problem

EXTENSION = "lastro.bank"  # what the socket's protocol tells of a connection
LARGEST_BODY = 1_048_576
TOKEN_PATH = "/oauth/token"  # noqa: S105 an address
_LOCATION: Final = re.compile(r"(?:/bank)?/qr/v2/(?P<kind>rec/)?(?P<token>[^/]+)")


class CutError(Exception):
    """A connection that the bank cuts. Without a socket the caller meets this error."""


class BankServer:
    """The bank's application."""

    def __init__(self, network: Network) -> None:
        self._network = network

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        connection: Mapping[str, Any] = scope.get("extensions", {}).get(EXTENSION, {})
        body = await _body(receive)
        try:
            answer = TOO_LARGE if body is None else await self._answer(scope, body, connection.get("fingerprint"), receive)
        except CutError:
            if "cut" not in connection:
                raise
            connection["cut"]()
            await _gone(receive)
            return
        await _send(send, answer, head_only=scope["method"] == "HEAD")

    async def _answer(self, scope: Any, body: bytes, fingerprint: str | None, receive: Any) -> Answer:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        path = scope.get("raw_path", scope["path"].encode()).decode("ascii", "replace").partition("?")[0]
        matched = operations.matched(path)
        scope["path_template"] = TOKEN_PATH if path == TOKEN_PATH else matched and matched.path  # for the log
        try:
            public = self._public(scope["method"], path, headers, body, fingerprint)
            if public is not None:
                return public
            customer, granted = tokens.bearer(self._network, headers.get("authorization", ""), fingerprint)
        except ProblemError as error:
            return problem(error, DIALECTS["standard"], self._network.chance.uuid())
        query = tuple(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=100))
        call = Call(self._network, customer, scope["method"], path, query, body, headers)
        return await CustomersCall(call, DIALECTS[customer.dialect], granted, receive).run()

    def _public(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, fingerprint: str | None
    ) -> Answer | None:
        """Answers what needs no token: tokens, locations and their keys."""
        if path == TOKEN_PATH:
            if method != "POST":
                raise wrong_method(["POST"])
            return self._token(headers, body, fingerprint)
        found = _LOCATION.fullmatch(path)
        if found is not None:
            if method not in {"GET", "HEAD"}:
                raise wrong_method(["GET"])
            return located(self._network, found["kind"] or "", unquote(found["token"]))
        if path == signing.KEYS and method in {"GET", "HEAD"}:
            return Answer(200, signing.published(self._network))
        return None

    def _token(self, headers: Mapping[str, str], body: bytes, fingerprint: str | None) -> Answer:
        owner = None if fingerprint is None else customers.by_certificate(self._network, fingerprint)
        about = {"clientId": None if owner is None else owner.client_id}
        fault = faults.strike(self._network, tokens.OPERATION, about, troubles.FAILURES | troubles.LOST)
        if fault is not None and fault.behaviour in troubles.LOST:
            raise CutError
        return tokens.grant(self._network, headers, body, fingerprint) if fault is None else troubles.failure(fault)


class CustomersCall:
    """One call of a customer: with the faults that a test has ordered for it."""

    def __init__(self, call: Call, dialect: Dialect, granted: frozenset[str], receive: Any) -> None:
        self._call = call
        self._dialect = dialect
        self._granted = granted
        self._receive = receive
        self._about: dict[str, str | None] = {"clientId": call.customer.client_id}

    async def run(self) -> Answer:
        """Carries the call out and answers it in the customer's dialect."""
        try:
            operation, call = self._found()
            before = self._strike(troubles.FAILURES | {"lost-before-effect"})
            if before is not None and before.behaviour == "lost-before-effect":
                raise CutError
            if before is not None and before.code != troubles.AFTER:
                return troubles.failure(before)
            if operation.route in calling.ROUTES:
                await calling.check(call)
            with call.network.store.writing():
                answer = self._done(operation, call)
            slow = self._strike(troubles.SLOW)
            if slow is not None:
                await _hold(self._receive, slow.delay / SECOND)
            if self._strike({"lost-after-effect"}) is not None:
                raise CutError
            if before is not None:
                return troubles.failure(before)
        except ProblemError as error:
            return problem(error, self._dialect, self._call.network.chance.uuid())
        return troubles.changed(call.network, self._about, dressed(answer, operation, self._dialect))

    def _found(self) -> tuple[operations.Operation, Call]:
        """Finds the operation, and checks what the bank wants of every call."""
        call, dialect = self._call, self._dialect
        matched = operations.matched(call.path)
        if matched is None or matched.version != dialect.version(matched.resource):
            raise not_found()
        allowed = {name: one for name, one in matched.operations.items() if _offers(dialect, one)}
        operation = allowed.get(call.method)
        if operation is None:
            raise wrong_method(list(allowed))
        tokens.demand(call.customer, self._granted, operation.scope)
        _check_gateway(call, dialect)
        values = {name: unquote(value) for name, value in matched.parameters.items()}
        self._about |= {
            "route": operation.route, "txId": values.get("tx_id"), "endToEndId": values.get("e2eid"),
            "returnId": values.get("id"), "idRec": values.get("id_rec"),
        }  # fmt: skip
        if "e2eid" in values:
            logs.about(values["e2eid"])
        elif terms.ID_REC.fullmatch(values.get("id_rec", "")):
            logs.about(values["id_rec"])
        return operation, replace(call, path=matched.resource, parameters=values)

    def _done(self, operation: operations.Operation, call: Call) -> Answer:
        lists = operations.LISTS.get(operation.route)
        if lists is None:
            return operation.does(call)
        return lists(call, 0 if self._strike(troubles.PAGE_CHANGES) is None else 1)

    def _strike(self, among: "frozenset[str] | set[str]") -> faults.Fault | None:
        return faults.strike(self._call.network, troubles.OPERATION, self._about, among)


def build_bank(network: Network) -> BankServer:
    """Builds the bank's application over a network."""
    return BankServer(network)


def located(network: Network, kind: str, token: str) -> Answer:
    """Returns the signed payload at a location; raises ProblemError where it shows nothing. kind: its path, or empty."""
    payload = recurrence_locations.payload if kind else locations.payload
    body = msgspec.json.encode(payload(network, token))
    return Answer(200, signing.signed(network, body).encode(), "application/jose", {"Cache-Control": "no-store"})


def dressed(answer: Answer, operation: operations.Operation, dialect: Dialect) -> Answer:
    """Returns an answer as the dialect has it."""
    body, status = answer.body, answer.status
    if status in {200, 201}:
        if operation.path.startswith(("/cob", "/rec", "/solicrec")):
            status = min(status, dialect.created)
        elif operation.path.endswith("/devolucao/{id}"):
            status = min(status, dialect.returned)
    if isinstance(body, dict):
        body = body if dialect.code_field == "pixCopiaECola" else disguises.code_as(dialect.code_field)(body)
        body = disguises.nulls(body) if dialect.nulls else body
        body = disguises.local_times(body) if dialect.local_times else body
    return replace(answer, status=status, body=body)


def wrong_method(allowed: list[str]) -> ProblemError:
    """Returns a 405."""
    return ProblemError(405, "RequisicaoInvalida", "Método não permitido.", headers={"Allow": ", ".join(sorted(allowed))})


def _offers(dialect: Dialect, operation: operations.Operation) -> bool:
    """Tells whether a bank of this dialect has the operation."""
    if operation.route == "POST /cob":
        return dialect.posts
    return dialect.lists_webhooks or operation.route != "GET /webhook"


def _check_gateway(call: Call, dialect: Dialect) -> None:
    """Refuses calls without the headers and parameters that the bank's gateway wants."""
    given = dict(call.query)
    missing = [name for name in dialect.required_headers if not call.headers.get(name)]
    missing += [name for name in dialect.required_parameters if not given.get(name)]
    if missing:
        raise ProblemError(400, "RequisicaoInvalida", "Requisição inválida.", f"Falta {missing[0]}.")


TOO_LARGE: Final = Answer(413, b"", "text/plain")


async def _gone(receive: Any) -> None:
    """Returns once the caller has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _hold(receive: Any, seconds: float) -> None:
    """Waits so long, or until the caller disconnects."""
    try:
        await asyncio.wait_for(_gone(receive), seconds)
    except TimeoutError:
        return
    raise CutError


async def _body(receive: Any) -> bytes | None:
    """Reads the body of a request; None: it is too large."""
    parts, size = [], 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


async def _live(receive: Any, send: Any) -> None:
    """Answers the server's start and end; there is nothing to do."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _send(send: Any, answer: Answer, *, head_only: bool) -> None:
    body = (
        answer.body if isinstance(answer.body, bytes) else b"" if answer.body is None else msgspec.json.encode(answer.body)
    )
    headers = {"content-length": str(len(body)), "cache-control": "no-store"}
    headers |= {"content-type": answer.media_type} if body else {}
    headers |= {name.lower(): value for name, value in answer.headers.items()}
    if answer.status == 204:
        del headers["content-length"]
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": encoded})
    await send({"type": "http.response.body", "body": b"" if head_only else body})
