"""Callers who do not wait: several requests in one piece on one connection, cut anywhere, and now and then one hangs up unheard."""

import asyncio
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
from tests.http_contract import contract
from tests.journeys.play import Answer
from tests.journeys.stage import HOST
from tests.world.whole.buying import asking
from tests.world.whole.crowd import AWAY, LATER, PATIENCE_SECONDS, Crowd, Request

if TYPE_CHECKING:
    from collections.abc import Sequence


async def sends_ahead(crowd: Crowd) -> None:
    """Orders are made, read and canceled by requests that follow each other unasked. What is not answered is asked again, one by one."""
    wanted = [_one(crowd) for _ in range(crowd.chance.randint(2, 6))]
    hangs_up, cuts = crowd.chance.random() < 0.2, sorted(crowd.chance.random() for _ in range(crowd.chance.randrange(4)))
    answers: list[Answer] = []
    with suppress(*AWAY):
        written = _written(wanted, crowd.play.stage.base_url, await crowd.token("ana"))
        places = [0, *(int(cut * len(written)) for cut in cuts), len(written)]
        await _told(crowd, wanted, [written[a:b] for a, b in pairwise(places)], answers, hangs_up=hangs_up)
    for request, answer in zip(wanted, [*answers, *[None] * (len(wanted) - len(answers))], strict=True):
        await _heard(crowd, request, answer)


def _one(crowd: Crowd) -> Request:
    """One of them."""
    known, chance = crowd.some("order of ana"), crowd.chance.random()
    if known is None or chance < 0.5:
        body = msgspec.json.encode(asking(crowd, crowd.cents()))
        headers = {"idempotency-key": crowd.uuid(), "content-type": "application/json"}
        return Request("create_order", "/order/v2/transparent", body, headers, "ana")
    target = f"/order/v2/transparent/{known}"
    if chance < 0.6:
        headers = {"idempotency-key": crowd.uuid(), "content-type": "application/json"}
        return Request("cancel_order", f"{target}/cancel", b"{}", headers, "ana")
    return Request("read_order", target, None, {}, "ana")


def _written(wanted: "Sequence[Request]", base_url: str, token: str) -> bytes:
    """All of them as they go over the line."""
    lines = b""
    for request in wanted:
        body = request.body or b""
        headers = {"host": base_url.partition("://")[2], "authorization": f"Bearer {token}", **request.headers}
        if request.body is not None:
            headers["content-length"] = str(len(body))
        told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        lines += f"{request.method} {request.target} HTTP/1.1\r\n{told}\r\n".encode() + body
    return lines


async def _told(
    crowd: Crowd, wanted: "Sequence[Request]", pieces: "Sequence[bytes]", answers: list[Answer], *, hangs_up: bool
) -> None:
    """Sends the pieces, and adds what is answered, in turn, for as long as the connection lasts."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection(HOST, int(crowd.play.stage.base_url.rpartition(":")[2]))
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.002)
            for request in () if hangs_up else wanted:
                answers.append(await _next(reader))
                seen = answers[-1]
                contract().holds(request.method, request.target, seen.status, seen.headers, seen.body)
                if seen.headers.get("connection") == "close":
                    break
            else:
                if not hangs_up and (more := await _more(reader)):
                    crowd.wrong.append(f"{len(wanted)} requests were sent ahead, and more was answered: {more[:200]!r}")
        finally:
            writer.transport.abort()


async def _next(reader: asyncio.StreamReader) -> Answer:
    """The next answer of a connection. ConnectionError: it has ended before."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Answer(int(first.split()[1]), headers, await reader.readexactly(int(headers["content-length"])))
    except asyncio.IncompleteReadError as ended:
        raise ConnectionResetError(str(ended)) from ended


async def _more(reader: asyncio.StreamReader) -> bytes:
    """What comes though nothing was asked, in a moment."""
    with suppress(TimeoutError):
        async with asyncio.timeout(0.05):
            return await reader.read(1000)
    return b""


async def _heard(crowd: Crowd, request: Request, answer: Answer | None) -> None:
    """Each answer is its own request's; who is told to come again comes again."""
    crowd.done["sent ahead"] += 1
    if answer is not None and answer.status in LATER:
        crowd.refused[f"{answer.status} for now"] += 1
    if answer is None or answer.status in LATER or answer.status == 401:
        answer = await crowd.insist(request)
        if answer is None and request.body is not None:
            crowd.unanswered.append(request)
    elif answer.status >= 500:
        crowd.wrong.append(f"{request.method} {request.target} {answer.status}, sent ahead")
    if request.body is None:
        crowd.done[request.operation] += 1
    else:
        crowd.heard(request, answer)
    if answer is not None and answer.status == 200 and not _is_its_own(request, answer.json):
        crowd.wrong.append(f"{request.method} {request.target} was answered by what another asked: {answer.body[:300]!r}")
    if request.operation == "create_order" and answer is not None and answer.status == 200:
        crowd.keep("order of ana", answer.json["id"])


def _is_its_own(request: Request, shown: Any) -> bool:
    """Whether an answer is of the order that this request is about."""
    if request.operation == "create_order":
        assert request.body is not None
        asked = msgspec.json.decode(request.body)["order"]["externalId"]
        return bool(shown["externalId"] == asked)
    return bool(shown["id"] == request.target.split("/")[4])
