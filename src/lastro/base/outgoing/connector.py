"""What opens connections to strangers."""

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import aiohttp

from lastro.base.outgoing.guard import Guard
from lastro.base.outgoing.reading import AnswerReader

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler


class GuardedConnector(aiohttp.TCPConnector):
    """Connects to what the guard allows, by its sockets, and reads no more than an answer takes."""

    def __init__(self, guard: Guard, most_body_bytes: int, **settings: Any) -> None:
        super().__init__(resolver=guard, socket_factory=guard.socket, **settings)
        # The library's own maker of what reads a connection. It has no setting for it.
        self._factory = cast("partial[ResponseHandler]", partial(AnswerReader, most_body_bytes, loop=self._loop))
