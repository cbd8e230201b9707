"""What a connection may bring: one answer to one request, in no more bytes than an answer takes.

The library bounds each line and the number of headers. It bounds neither how many heads come before the one that counts
(RFC 9110 §15.2: any number of 1xx), nor what stands around the body's bytes, nor what comes behind the body; and it
reads heads that wait without letting others on, so that a few megabytes of them stop the whole process for seconds.
"""

from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler

_MOST_BEFORE = 65_536  # bytes up to the end of the head that counts
_PIECE = 16_384
# A body in chunks of one byte takes six bytes for each; trailers come on top.
_AROUND_A_BYTE = 8


class TooMuch(aiohttp.ClientPayloadError):
    """More bytes than an answer takes."""


class AnswerReader(ResponseHandler):
    """Reads a connection's answers for the library. `most_body_bytes`: of a body, as it is counted at its end."""

    def __init__(self, most_body_bytes: int, **given: Any) -> None:
        super().__init__(**given)
        self._most = _MOST_BEFORE + _AROUND_A_BYTE * most_body_bytes
        self._received = 0
        self._has_head = False
        self._has_surplus = False

    def set_response_params(self, **given: Any) -> None:
        """The library's sign that a request is about to be sent."""
        self._received = 0
        self._has_head = False
        super().set_response_params(**given)

    def data_received(self, data: bytes) -> None:
        """Read in pieces, so that little is read in vain when there is too much."""
        if len(data) <= _PIECE:
            self._read(data)
            return
        for start in range(0, len(data), _PIECE):
            if not self._read(data[start : start + _PIECE]):
                return

    def _read(self, piece: bytes) -> bool:
        """Whether more may be read. No bytes at all is how the library goes on with those it had put aside."""
        if piece and self._has_head and (self._payload is None or self._payload.is_eof()):
            self._has_surplus = True
        else:
            self._received += len(piece)
            super().data_received(piece)
        if self._has_surplus:
            # Nothing may wait here to be taken for the answer to the next request.
            self._hang_up()
        elif self._received > (self._most if self._has_head else _MOST_BEFORE):
            self._refuse()
        else:
            return True
        return False

    def feed_data(self, data: Any, size: int = 0) -> None:
        """A head has been read: take the first that is an answer and those before it, leave what comes behind."""
        if self._has_head:
            self._has_surplus = True
            return
        code = data[0].code
        self._has_head = code >= 200 or code == 101 or code < 100
        super().feed_data(data, size)

    def _refuse(self) -> None:
        too_much = TooMuch("more than an answer takes")
        self.set_exception(too_much)
        if self._payload is not None:
            self._payload.set_exception(too_much)
        self._hang_up()

    def _hang_up(self) -> None:
        if self.transport is not None:
            self.transport.abort()
