"""A caller that hangs up in the middle of its answer: no traceback, and no error of the server's."""

import asyncio
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.web import middleware


def sending(messages: list[dict[str, Any]]) -> Any:
    """What an application sends by, where the server refuses to write. messages: what the server tells it next."""

    async def receive() -> Any:
        return messages.pop(0) if messages else await asyncio.Event().wait()

    async def send(_: Any) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")

    return middleware._until_gone(receive, send)


@in_one_test("before", [[], [{"type": "http.request", "body": b"", "more_body": False}]])
async def test_nothing_is_raised_for_a_caller_that_is_gone(before: list[dict[str, Any]]) -> None:
    await sending([*before, {"type": "http.disconnect"}])({"type": "http.response.start", "status": 200, "headers": []})


async def test_what_is_wrong_with_an_answer_is_raised() -> None:
    with pytest.raises(RuntimeError):
        await asyncio.wait_for(sending([])({"type": "http.response.start", "status": 99, "headers": []}), 5)
