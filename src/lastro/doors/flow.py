"""What a connection waits by, beyond uvicorn's own: it may hold back what has arrived, or hear nothing more."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.flow_control import FlowControl


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
