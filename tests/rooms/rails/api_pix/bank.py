"""A bank for tests of the line: a real server with TLS of its own, which answers as a test says and keeps what it was asked.

It runs in threads: an asyncio server closes a refused handshake without the alert that banks' servers send.
"""

import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from tests.authority import Authority

from lastro.core.secrets import Secret
from lastro.rails.api_pix import DIALECTS, Ambient, BankLine, Connection
from lastro.rails.api_pix.tls import CertificateFiles
from lastro.rails.port import Transient

PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What the bank says. held: until it is set."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    held: threading.Event | None = None


class Bank:
    """Answers /oauth/token with a new token each time, and the rest with 200 {}; `tokens` and `answers` come first.

    pair: its own certificate; None: it speaks without TLS. wants_certificate: of its clients, signed by `authority`.
    """

    def __init__(self, authority: Authority, pair: Path | None = None, *, wants_certificate: bool = True) -> None:
        self.authority = authority
        self.asked: list[Asked] = []
        self.tokens: list[Answer] = []
        self.answers: list[Answer] = []
        self.dead: set[str] = set()  # tokens that it refuses
        self._lock = threading.Lock()
        context = None
        if pair is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pair)
            context.load_verify_locations(authority.file)
            context.verify_mode = ssl.CERT_REQUIRED if wants_certificate else ssl.CERT_NONE
        self._server = _Server(self, context)
        self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def token_requests(self) -> list[Asked]:
        return [one for one in self.asked if one.path.startswith("/oauth/token")]

    @property
    def requests(self) -> list[Asked]:
        return [one for one in self.asked if not one.path.startswith("/oauth/token")]

    def answer(self, asked: Asked) -> Answer:
        is_token = asked.path.startswith("/oauth/token")
        with self._lock:
            self.asked.append(asked)
            if asked.headers.get("Authorization", "").removeprefix("Bearer ") in self.dead:
                return Answer(401)
            planned = self.tokens if is_token else self.answers
            if planned:
                return planned.pop(0)
            return token(f"token-{len(self.token_requests)}") if is_token else Answer()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def connection(self, dialect: str = "standard", **changes: Any) -> Connection:
        """A connection to it. changes: fields of its own."""
        given: dict[str, Any] = {
            "name": "efi1", "company": 12, "dialect": DIALECTS[dialect], "base_url": self.url,
            "token_url": f"{self.url}/oauth/token", "client_id": "client", "client_secret": Secret("very-secret"),
            "certificate": None, "ca_file": self.authority.file, "keys": {}, **changes,
        }  # fmt: skip
        return Connection(**given)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, bank: Bank, context: ssl.SSLContext | None) -> None:
        self.bank = bank
        self.context = context
        super().__init__(("127.0.0.1", 0), _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.context is not None:
            request.settimeout(PATIENCE_SECONDS)
            request = self.context.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
            try:
                request.do_handshake()
            except OSError:
                _linger(request)
                return
        with suppress(OSError):
            super().finish_request(request, client_address)
        if self.context is not None:
            request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """What breaks off is the test's affair."""


def _linger(refused: socket.socket) -> None:
    """Reads what the client has still sent, as banks' servers do: closed over unread bytes, its end would hide the alert."""
    with suppress(OSError):
        socket.socket.shutdown(refused, socket.SHUT_WR)
        while socket.socket.recv(refused, 65_536):
            pass
    refused.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bank = cast("_Server", self.server).bank
        said = bank.answer(Asked(self.command, self.path, dict(self.headers.items()), body))
        if said.held is not None:
            said.held.wait(PATIENCE_SECONDS)
        self.send_response_only(said.status)
        if "Date" not in said.headers:
            self.send_header("Date", self.date_time_string())
        for name, value in {
            "Content-Length": str(len(said.body)),
            "Content-Type": "application/json",
            **said.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said.body)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815 the library's names

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


Lined = Callable[..., BankLine]


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def __call__(self) -> float:
        return self.at


async def transient(asked: Awaitable[Any]) -> Transient:
    with pytest.raises(Transient) as told:
        await asked
    return told.value


def token(text: str, **more: Any) -> Answer:
    return Answer(body=json.dumps({"access_token": text, "token_type": "Bearer", "expires_in": 3600, **more}).encode())


def line_to(connection: Connection, clock: Callable[[], float] = time.monotonic) -> BankLine:
    numbers = itertools.count(1)
    return BankLine(connection, Ambient(clock, lambda: datetime.now(UTC), lambda: f"request-{next(numbers)}"))


def shown(file: Path, key_file: Path | None = None, password_file: Path | None = None) -> CertificateFiles:
    return CertificateFiles(file, key_file, password_file)
