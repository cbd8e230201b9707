"""How a body arrives: whole, in time, of a size; whatever else happens is a refusal in words."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.core.errors import Kind
from lastro.web import middleware


def part(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


GONE = {"type": "http.disconnect"}
HALF = b"x" * (middleware.LARGEST_BODY // 2)


async def read(messages: Sequence[dict[str, Any]], headers: dict[bytes, bytes] | None = None, patience: float = 5) -> bytes:
    left = list(messages)

    async def receive() -> Any:
        if not left:
            await asyncio.Event().wait()  # nothing more ever comes
        return left.pop(0)

    return await middleware._body(receive, headers or {}, patience, middleware.LARGEST_BODY)


@in_one_test(
    ("messages", "body"),
    [
        ([part(b"")], b""),
        ([part(b"{}")], b"{}"),
        ([part(b"{", more=True), part(b"", more=True), part(b"}")], b"{}"),
        ([part(HALF, more=True), part(HALF)], HALF * 2),
        ([{"type": "http.request"}], b""),
    ],
)
async def test_a_body_is_all_its_parts(messages: Sequence[dict[str, Any]], body: bytes) -> None:
    assert await read(messages) == body


@in_one_test(
    ("messages", "headers", "kind", "field", "issue"),
    [
        ([part(b"{", more=True), GONE], {}, Kind.INVALID, "body", "INVALID"),
        ([GONE], {}, Kind.INVALID, "body", "INVALID"),
        ([part(b"{", more=True)], {}, Kind.INVALID, "body", "EXPIRED"),
        ([part(HALF, more=True), part(HALF + b"x")], {}, Kind.TOO_LARGE, "body", "TOO_LONG"),
        ([], {b"content-length": b"1048577"}, Kind.TOO_LARGE, "body", "TOO_LONG"),
        ([], {b"content-length": b"9" * 5000}, Kind.TOO_LARGE, "body", "TOO_LONG"),
        ([], {b"content-encoding": b"gzip"}, Kind.UNSUPPORTED_TYPE, "content-encoding", "NOT_SUPPORTED"),
        ([], {b"content-encoding": b"identity, br"}, Kind.UNSUPPORTED_TYPE, "content-encoding", "NOT_SUPPORTED"),
    ],
)
async def test_what_is_no_body_is_refused(
    messages: Sequence[dict[str, Any]], headers: dict[bytes, bytes], kind: Kind, field: str, issue: str
) -> None:
    with pytest.raises(middleware._Refuse) as caught:
        await read(messages, headers, patience=0.05)
    (problem,) = caught.value.refused.problems
    assert (caught.value.refused.kind, problem.field, problem.issue) == (kind, field, issue)
    assert issue != "EXPIRED" or problem.description == "must arrive within 0.05 s, and 100 KiB a second"


async def test_a_large_body_has_as_much_more_time_as_its_bytes_take_at_the_slowest_rate() -> None:
    """Half of the largest: five seconds more, so that a slow line gets a large file through."""
    left = [part(HALF, more=True), part(b"")]

    async def receive() -> Any:
        await asyncio.sleep(0 if len(left) == 2 else 0.1)
        return left.pop(0)

    assert await middleware._body(receive, {}, 0.05, middleware.LARGEST_BODY) == HALF


async def test_the_time_is_that_of_the_whole_body() -> None:
    """However often a byte arrives."""

    async def receive() -> Any:
        await asyncio.sleep(0.01)
        return part(b" ", more=True)

    with pytest.raises(middleware._Refuse):
        await middleware._body(receive, {}, 0.1, middleware.LARGEST_BODY)


@in_one_test(
    ("path", "raw", "refused"),
    [
        ("/", b"/", False), ("/health", b"/health", False), ("/a/b c", b"/a/b%20c", False), ("/a/%", b"/a/%25", False),
        ("/health/", b"/health/", True), ("//health", b"//health", True), ("/a//b", b"/a//b", True), ("//", b"//", True),
        ("/a/b", b"/a%2fb", True), ("/a/b", b"/a%2Fb", True), ("/health", b"", False),
    ],
)  # fmt: skip
def test_a_path_has_one_spelling(path: str, raw: bytes, refused: bool) -> None:
    assert (middleware._misspelt({"path": path, "raw_path": raw}) is not None) == refused
