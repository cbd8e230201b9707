"""A terminal in which somebody types `lastro events`, and a shop in the making on the same machine."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from subprocess import DEVNULL, PIPE
from typing import Any

from aiohttp import web
from tests import forked

from lastro_tools.events import perform

from .stage import PATIENCE_SECONDS, Stage


class Terminal:
    """One running command. It is ended as a person ends it, or killed at the end of the test."""

    def __init__(self, process: forked.Begun) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._out, self._err = process, process.stdout, process.stderr
        self.said: list[str] = []

    async def line(self) -> str:
        """The next line of its answer."""
        return (await asyncio.wait_for(self._out.readline(), PATIENCE_SECONDS)).decode().rstrip("\n")

    async def notes(self, text: str) -> str:
        """The note on standard error that has this text in it, once it is there."""
        while True:
            note = (await asyncio.wait_for(self._err.readline(), PATIENCE_SECONDS)).decode()
            assert note, f"it ended without saying {text!r}: {self.said}"
            self.said.append(note)
            if text in note:
                return note

    async def ended(self) -> tuple[int, str, str]:
        """Its status and the rest of what it says."""
        out, err = await asyncio.wait_for(self._process.communicate(), PATIENCE_SECONDS)
        return self._process.returncode or 0, out.decode(), err.decode()

    async def interrupt(self) -> tuple[int, str, str]:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)
        return await self.ended()

    async def kill(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()


@asynccontextmanager
async def types(stage: Stage, *words: str, **environment: str) -> AsyncIterator[Terminal]:
    """`lastro events …` in a terminal that knows nothing but where the sandbox's files are."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")}
    process = await forked.begin(
        ("-m", "lastro.cli.main", "events", *words),
        env=clean | ({} if environment else {"LASTRO_HOME": str(stage.home)}) | environment,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    terminal = Terminal(process)
    try:
        yield terminal
    finally:
        await terminal.kill()


async def says(stage: Stage, *words: str, status: int = 0) -> tuple[str, str]:
    """What a command that ends by itself prints."""
    async with types(stage, *words) as terminal:
        ended, out, err = await terminal.ended()
    assert ended == status, err
    return out, err


async def asks(stage: Stage, *words: str) -> Any:
    """What a command that ends by itself says to a machine; without a process of its own, which takes a second to start."""
    said: list[str] = []
    assert await asyncio.to_thread(perform, (*words, "--json"), {"LASTRO_HOME": str(stage.home)}, said.append) == 0
    return json.loads("".join(said))


@asynccontextmanager
async def served(handle: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """A server on a port of its own."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@dataclass
class Receiver:
    """A shop in the making, on the developer's machine. statuses: of its next answers, then 200."""

    statuses: list[int] = field(default_factory=list)
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.came.append(({n.lower(): v for n, v in request.headers.items()}, await request.read()))
        if self.statuses:
            return web.Response(status=self.statuses.pop(0), text="out\x1b[2Jof order")
        return web.json_response({"returnCode": "SUCCESS"})
