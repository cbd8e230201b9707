"""HTTP/1.1 as uvicorn speaks it, with what it leaves open: a request that is broken, too large or too slow to be one is
refused in the interface's words, after everything asked before it has been answered.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import httptools

from lastro.api_kit.http import METHODS, not_allowed, refusal
from lastro.core.errors import Kind, Problem, Refused
from lastro.web.admission import WATCHED
from lastro.web.flow_control import Flow, StaysSet, ended_quietly
from lastro.web.rejections import CLOSES, Turned, head, numbered
from lastro.web.timeouts import PatientProtocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable

    from uvicorn._types import ASGI3Application
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

    from lastro.api_kit.http import Response
    from lastro.web.admission import Admission
    from lastro.web.connections import Connections

LARGEST_HEAD = 64 * 1024
MOST_QUEUED = 32  # requests of one connection that have been read and wait for those before them; a read may bring some more
_PIECE = 2048  # bytes that the parser is given at a time, where any of them may begin another request
_FRAMING = (b"content-length", b"transfer-encoding")
_AUTHORITY = re.compile(rb"[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*)")
_BETWEEN, _HEAD, _BODY = "between two requests", "in a head", "in a body"


class _TooLarge(Exception):  # noqa: N818
    pass


class Protocol(PatientProtocol):
    """One connection.

    admission: says which requests are turned away as soon as their head is read; connections: which one is closed where
    there are too many. None: as many as come.
    """

    admission: Admission | None = None
    connections_open: Connections[Protocol] | None = None
    flow: Flow

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._place = _BETWEEN
        self._held = b""  # what has arrived and was not given to the parser yet
        self._messages = self._head_bytes = self._body_bytes = self._other_bytes = 0
        self._unanswered = 0
        self._unframed = self._deaf = False
        self._turned: Turned | None = None  # is told so as soon as the parser gives back
        self._is_dropped = self._is_let_in = self._has_hung_up = False
        self._parting: Response | None = None  # the last thing that is said here; nothing after it is listened to
        self._address = ""

    # ── what arrives ──

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Whoever connects has something to say soon."""
        super().connection_made(transport)
        self.flow = Flow(transport)
        self._within(self.head_seconds)
        if self.connections_open is not None:
            self._address = self.client[0] if self.client else ""
            one_too_many = self.connections_open.opened(self, self._address)
            if one_too_many is not None:
                one_too_many.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._in_time()
        self._is_taken()
        self._unset_keepalive_if_required()
        if self.connections_open is not None:
            self.connections_open.lost(self, self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes of any number of requests."""
        self._held += data
        self._read_on()

    def _read_on(self) -> None:
        """Lets the parser read until enough requests wait: each takes a hundred times the memory of its bytes."""
        data, self._held = memoryview(self._held), b""
        while data and self._listens() and len(self.pipeline) < MOST_QUEUED:
            size = len(data) if len(data) <= _PIECE else self._piece()
            piece, data = data[:size], data[size:]
            while piece and self._listens():
                piece = self._fed(piece)
                if self._turned is not None:
                    self._turn_away()
        if data and self._listens():
            self._held = bytes(data)
        if self._place is _HEAD and self._late is None:
            self._within(self.head_seconds)
        self.flow.holds_back = bool(self._held)
        if self._held:
            self.flow.pause_reading()

    def _listens(self) -> bool:
        return self._parting is None and not self._has_hung_up and not self.transport.is_closing()

    def _piece(self) -> int:
        """How many bytes the parser is given: of a body that says how long it is, all of it."""
        if self._place is not _BODY:
            return _PIECE
        length = next((int(value) for name, value in self.headers if name == b"content-length"), 0)
        return max(_PIECE, length - self._body_bytes)

    def eof_received(self) -> bool | None:  # type: ignore[override]
        """The caller has nothing more to say, and may still listen: what it asked is answered before the end."""
        if self._parting is None and self._place is _BODY:
            self._part(_refused("body", "INVALID", "ended before it was whole"))
        elif self._parting is None and self._place is _HEAD:
            self._part(_refused("request", "INVALID", "ended before its headers did"))
        elif self._parting is None and self._unanswered:
            self.cycle.keep_alive = False
            # Most often it has hung up: what waits for something to tell waits no longer.
            self.cycle.message_event.set()
            self.cycle.message_event = StaysSet()
        return bool(self._unanswered) and not self.transport.is_closing()

    def _fed(self, data: memoryview) -> memoryview:
        """Lets the parser read; gives back what it has left."""
        messages, body_bytes = self._messages, self._body_bytes
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrade()
            return data[upgrade.args[0] :]
        except httptools.HttpParserInvalidMethodError:
            self._part(not_allowed(METHODS))
        except httptools.HttpParserError as error:
            large = isinstance(error.__context__, _TooLarge)
            self._part(_too_large() if large else _refused("request", "INVALID", "is not HTTP/1.1"))
        else:
            if messages == self._messages:
                # A header that never ends, or trailers and chunks of nothing: the parser keeps some of it in memory. This is
                # the coarse measure, of what it has not counted yet.
                self._other_bytes += len(data) - (self._body_bytes - body_bytes)
                if self._other_bytes > 2 * LARGEST_HEAD + 8 * self._body_bytes:
                    self._part(_too_large())
        return data[:0]

    def _decline_upgrade(self) -> None:
        """No other protocol is spoken here: what follows is the body, which the parser would leave to that protocol."""
        if not self._unframed:
            return
        framing = [name + b": " + value + b"\r\n" for name, value in self.headers if name in _FRAMING]
        self.parser = httptools.HttpRequestParser(self)
        self._unframed, self._deaf = False, True
        self.parser.feed_data(b"POST / HTTP/1.1\r\n" + b"".join(framing) + b"\r\n")
        self._deaf = False

    # ── what the parser finds ──

    def on_message_begin(self) -> None:
        """A request's first byte."""
        if self._deaf:
            return
        super().on_message_begin()
        self._place = _HEAD
        self._messages += 1
        self._head_bytes = self._body_bytes = self._other_bytes = 0
        self._is_dropped = False
        self._in_time()
        if self.connections_open is not None:
            self.connections_open.asked(self, self._address)

    def on_url(self, url: bytes) -> None:
        """A part of the path and query."""
        if not self._deaf:
            self._head_bytes += len(url)
            if self._head_bytes > LARGEST_HEAD:
                raise _TooLarge
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header. What looks like one behind the body is dropped: nobody has looked at it (RFC 9110 §6.5.1)."""
        if self._place is _HEAD:
            self._head_bytes += len(name) + len(value) + 4
            if self._head_bytes > LARGEST_HEAD:
                raise _TooLarge
            name = name.lower()
            if name == b"expect":
                self.expect_100_continue = value.lower() == b"100-continue"
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The request can begin to be served."""
        if self._deaf:
            return
        self._in_time()
        self._heed_authority()
        if self._is_turned_away():
            self._is_dropped = True
        else:
            super().on_headers_complete()
        self._place = _BODY
        self._unanswered += 1
        self._unframed = self.parser.should_upgrade() and any(name in _FRAMING for name, _ in self.headers)

    def _heed_authority(self) -> None:
        """A request line may name a host too, and would go before the header (RFC 9112 §3.2.2): both must be the same."""
        authority = _AUTHORITY.match(self.url)
        if authority is not None and (b"host", authority[1]) not in self.headers:
            self.headers.append((b"host", authority[1]))  # one beside another is refused

    def on_body(self, body: bytes) -> None:
        """A part of the body; where the answer has been given already it is dropped."""
        self._body_bytes += len(body)
        if not self._is_dropped:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request's last byte."""
        if self._unframed:
            return
        self._place = _BETWEEN
        self._in_time()
        if not self._is_dropped:
            super().on_message_complete()
        elif self.is_resting():
            self._rest()  # it was told long ago

    # ── whether it is served ──

    @property
    def is_quiet(self) -> bool:
        """Whether no whole request waits for its answer here."""
        return self._unanswered <= (self._place is _BODY)

    def _is_turned_away(self) -> bool:
        """Whether nothing of a request is looked at but its head: to begin it and then refuse would cost twice as much."""
        self._is_let_in = False
        # What waits for another's answer, and what names its host in the request line, is asked about when it begins.
        if self.admission is None or self._unanswered or not self.url.startswith(b"/") or self._is_watching():
            return False
        if (refused := self.admission.knock(self.scope)) is None:
            self._is_let_in = True
            return False
        keep_alive = self.parser.should_keep_alive() and self.parser.get_http_version() != "1.0"
        self._turned = Turned(refused, self._given_id(self.headers), keep_alive, self.parser.get_method() != b"HEAD")
        return True

    def _is_watching(self) -> bool:
        return self.url.partition(b"?")[0].decode("latin-1") in WATCHED

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Begins a request, unless it is turned away now that its turn has come."""
        if self._turned is not None:
            self.pipeline.appendleft((cycle, app))  # the one before it is told first
            return
        is_let_in, self._is_let_in = self._is_let_in, False
        if self.admission is None or cycle.scope["path"] in WATCHED:
            super()._start_asgi_task(cycle, ended_quietly(cycle, app))
        elif not is_let_in and (refused := self.admission.knock(cycle.scope)) is not None:
            self.loop.call_soon(self._turn_back, cycle, refused)  # later: this may be one of many on the connection
        else:
            arrive = partial(self.admission.arrive, self.admission.begin(cycle.scope))
            super()._start_asgi_task(cycle, partial(self._entered, arrive, ended_quietly(cycle, app)))

    async def _entered(self, arrive: Callable[[], None], app: ASGI3Application, scope: Any, receive: Any, send: Any) -> None:
        arrive()
        await app(scope, receive, send)

    def _turn_back(self, cycle: RequestResponseCycle, refused: Refused) -> None:
        """Turns one away that has been begun, without the application: to ask it costs five times as much."""
        if cycle.disconnected:
            return
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        given_id = self._given_id(cycle.scope["headers"])
        self._turned = Turned(refused, given_id, cycle.keep_alive, cycle.scope["method"] != "HEAD")
        self._turn_away()

    def _turn_away(self) -> None:
        turned, self._turned = self._turned, None
        if turned is None or self.transport.is_closing():
            return
        if self.flow.write_paused:
            self.transport.abort()  # it asks on and takes no answers
            return
        self.transport.write(turned.printed(self.server_state.default_headers))
        if not turned.keep_alive:
            self._hang_up()
        self.on_response_complete()

    def _hang_up(self) -> None:
        if self._place is _BODY and self.transport.can_write_eof():
            self._has_hung_up = True  # it is still sending: closing at once would lose what was said
            self.transport.write_eof()
        else:
            self.transport.close()

    # ── what is answered ──

    def on_response_complete(self) -> None:
        """One request is answered; perhaps it was the last, perhaps it is still arriving."""
        self.server_state.total_requests += 1
        self._unanswered -= 1
        if self.transport.is_closing():
            self._let_go()
        else:
            self._go_on()
        if self._unanswered:
            return
        if self._parting is not None:
            self._say(self._parting)
        elif self._place is _BODY:
            self._within(self.linger_seconds)

    def _go_on(self) -> None:
        """Begins what was asked behind it, or rests until something is asked."""
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self._rest()
        if self._held:
            self._read_on()
            self.flow.resume_reading()

    def _part(self, response: Response) -> None:
        """Refuses what came last, and listens to nothing more."""
        self._in_time()
        self._parting = response
        if self._place is _BODY:
            self._give_up(self.cycle)
        if not self._unanswered:
            self._say(response)

    def _give_up(self, cycle: RequestResponseCycle) -> None:
        """The last request that was begun never becomes whole."""
        if self._turned is not None and self._is_dropped:
            self._turned = None  # another thing is said of it
            self._unanswered -= 1
            return
        if self._is_dropped or cycle.response_complete:
            self.transport.close()
            return
        self._unanswered -= 1
        cycle.disconnected = True  # what it is answered is said here
        cycle.message_event.set()
        if cycle.response_started:
            self.transport.close()

    def _say(self, response: Response) -> None:
        if self.transport.is_closing():
            return
        given_id = self._given_id(self.headers or ()) if self._place is not _BETWEEN else b""
        said = head(response, numbered(given_id), self.server_state.default_headers, CLOSES) + response.body
        self.transport.write(said)
        self._unset_keepalive_if_required()
        # Closing at once would reset the connection under a caller who is still sending, and lose what was said.
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._within(self.linger_seconds)

    def _given_id(self, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
        return next((value for name, value in headers if name == b"x-request-id"), b"")

    # ── time ──

    def too_late(self) -> None:
        """A head that is still on its way is refused in words; where nothing is waited for in particular it is over."""
        if self._parting is None and self._place is _HEAD:
            self._part(_refused("headers", "EXPIRED", f"must arrive within {self.head_seconds:g} s"))
        else:
            super().too_late()

    def is_resting(self) -> bool:
        """Whether nothing is asked here, nor on its way."""
        return not self._unanswered and self._place is _BETWEEN


def speaking(admission: Admission | None = None, connections: Connections[Protocol] | None = None) -> type[Protocol]:
    """The protocol of one server, with what all its connections share."""
    return type("Protocol", (Protocol,), {"admission": admission, "connections_open": connections})


def _refused(field: str, issue: str, description: str) -> Response:
    return refusal(Refused(Kind.INVALID, (Problem(field, issue, description),)))


def _too_large() -> Response:
    return _refused("headers", "TOO_LONG", f"the request line and headers must have at most {LARGEST_HEAD} bytes")
