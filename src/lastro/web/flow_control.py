"""What a connection waits by, beyond uvicorn's own: it may hold back what has arrived, or hear nothing more."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.flow_control import FlowControl

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle


class Flow(FlowControl):
    """Of a connection that may hold back what has arrived: nothing more is taken until that is read."""

    holds_back = False

    def resume_reading(self) -> None:
        """Goes on, unless something is held back: who has answered, or waits for a body, asks for it."""
        if not self.holds_back:
            super().resume_reading()


class StaysSet(asyncio.Event):
    """Of a caller who will say nothing more: whoever listens is told so each time."""

    def __init__(self) -> None:
        super().__init__()
        self.set()

    def clear(self) -> None:
        """It is so for ever."""


def ended_quietly(cycle: RequestResponseCycle, app: ASGI3Application) -> ASGI3Application:
    """The application, for a caller that may hang up: nothing is written to who is gone, and no error is logged for it."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            try:
                await send(message)
            except RuntimeError:
                if not cycle.transport.is_closing():
                    raise
                cycle.disconnected = True  # its transport refuses to be written to before it says that it is lost

        await app(scope, receive, sent)
        if cycle.response_started and not cycle.response_complete:
            cycle.disconnected = True
            cycle.transport.close()  # the answer was cut: nobody takes a part for the whole

    return answer
