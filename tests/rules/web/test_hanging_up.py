"""A caller that hangs up in the middle of its answer: no traceback, and no error of the server's."""

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest

from lastro.web.flow_control import ended_quietly

SCOPE: Any = {}
START: dict[str, Any] = {"type": "http.response.start", "status": 200, "headers": []}


class Cycle:
    """Of uvicorn's, what is looked at; its transport is closed, and says so by raising, as uvloop's does."""

    def __init__(self, *, closes: bool) -> None:
        self.disconnected = self.response_started = self.response_complete = False
        self.transport = Mock()
        self.transport.is_closing.return_value = closes

    async def send(self, message: Any) -> None:
        if self.disconnected:
            return
        self.response_started = True
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")


async def answers(_: Any, __: Any, send: Any) -> None:
    for _ in range(2):
        await send(START)


async def test_nothing_is_raised_for_a_caller_that_is_gone() -> None:
    cycle: Any = Cycle(closes=True)
    await ended_quietly(cycle, answers)(SCOPE, Mock(), cycle.send)
    assert cycle.disconnected


async def test_what_is_wrong_with_an_answer_is_raised() -> None:
    cycle: Any = Cycle(closes=False)
    with pytest.raises(RuntimeError):
        await ended_quietly(cycle, answers)(SCOPE, Mock(), cycle.send)


async def test_an_answer_that_is_cut_ends_the_connection_and_is_no_error() -> None:
    cycle: Any = Cycle(closes=False)

    async def cut(_: Any, __: Any, ___: Any) -> None:
        cycle.response_started = True
        await asyncio.sleep(0)

    await ended_quietly(cycle, cut)(SCOPE, Mock(), cycle.send)
    assert cycle.disconnected
    cycle.transport.close.assert_called_once_with()
