"""What is told to those who are turned away: one of a few things, so that telling it costs nearly nothing."""

from __future__ import annotations

import secrets
from functools import lru_cache
from http import HTTPStatus
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from lastro.api_kit.http import headers_of, refusal, request_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.api_kit.http import Response
    from lastro.core.errors import Refused

CLOSES = (b"connection", b"close")
# Ids of what is answered here have to be unique, and no more: random bytes of the system would cost as much as parsing.
_OF_THIS_PROCESS, _NUMBERS = secrets.token_bytes(8), count()
_ID = b"x-request-id"


class Turned(NamedTuple):
    """Of a request that is turned away, what its answer depends on. given_id: its x-request-id, where it has one."""

    refused: Refused
    given_id: bytes
    keep_alive: bool
    wants_body: bool

    def printed(self, defaults: Iterable[tuple[bytes, bytes]]) -> bytes:
        """The whole answer. defaults: headers of every answer of the server."""
        before, after = _around(self.refused, self.keep_alive, self.wants_body)
        return b"".join((before, _lines(defaults), _ID, b": ", numbered(self.given_id), after))


def numbered(given_id: bytes) -> bytes:
    """The id that an answer without the application bears: the caller's own, or one of ours."""
    return request_id(given_id, _next)


def head(response: Response, id_: bytes, defaults: Iterable[tuple[bytes, bytes]], *more: tuple[bytes, bytes]) -> bytes:
    """The status line and headers, to the empty line behind them."""
    return _status(response.status) + _lines((*defaults, *headers_of(response, id_), *more)) + b"\r\n"


@lru_cache(maxsize=64)
def _around(refused: Refused, keep_alive: bool, wants_body: bool) -> tuple[bytes, bytes]:
    """What comes before the headers of the server, and from behind the request's id on."""
    response = refusal(refused)
    others = [header for header in headers_of(response, b"") if header[0] != _ID]
    lines = _lines((*others, *(() if keep_alive else (CLOSES,))))
    return _status(response.status), b"\r\n" + lines + b"\r\n" + (response.body if wants_body else b"")


def _status(status: int) -> bytes:
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n".encode()


def _lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    return b"".join([name + b": " + value + b"\r\n" for name, value in headers])


def _next(length: int) -> bytes:
    return _OF_THIS_PROCESS + next(_NUMBERS).to_bytes(length - len(_OF_THIS_PROCESS), "big")
