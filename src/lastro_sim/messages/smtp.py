"""A mail server (RFC 5321) that keeps every letter and relays none. It has one line a command, and no extensions."""

import asyncio
import email
import email.policy
import re
from contextlib import suppress
from pathlib import Path

from lastro_sim.network import Network

from . import box

PORT_FILE = "mail-port"  # in the sandbox's folder, for senders
_TO = re.compile(r"TO:\s*<([^<>\s]{3,254})>", re.IGNORECASE)
# A browser sending some page's form here: the next lines would be read as commands.
_HTTP = re.compile(r"[A-Z]+ \S+ HTTP/[0-9.]+")
_PATIENCE_SECONDS = 30.0
_MOST_RECIPIENTS = 10


class MailServer:
    """A mail server on a free local port, written to a file."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._server: asyncio.Server | None = None
        self._sessions: set[asyncio.Task[None]] = set()

    @property
    def port_file(self) -> Path:
        """The file with the port."""
        return self._network.settings.home / PORT_FILE

    async def open(self) -> int:
        """Starts to listen; returns the port."""
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0, limit=box.LONGEST)
        port: int = self._server.sockets[0].getsockname()[1]
        new = self.port_file.with_suffix(".new")
        new.write_text(f"{port}\n", encoding="ascii")
        new.replace(self.port_file)  # written whole, or not at all
        return port

    async def close(self) -> None:
        """Ends every session."""
        if self._server is not None:
            self._server.close()
        for session in self._sessions:
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._sessions.add(task)
        try:
            with suppress(ConnectionError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await _Session(self._network, reader, writer).run()
        finally:
            self._sessions.discard(task)
            writer.close()


class _Session:
    """One client's session."""

    def __init__(self, network: Network, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._network = network
        self._reader = reader
        self._writer = writer
        self._to: list[str] = []
        self._is_begun = False

    async def run(self) -> None:
        """Serves from the greeting to QUIT, or until the client is silent."""
        await self._say("220 lastro-sim")
        while True:
            line = (await self._line()).decode("utf-8", "replace").strip()
            word = line[:4].upper()
            if _HTTP.fullmatch(line) is not None:
                return
            if word == "QUIT":
                await self._say("221 bye")
                return
            if word == "DATA" and self._to:
                if not await self._take():
                    return
            elif not await self._answer(word, line):
                return

    async def _answer(self, word: str, line: str) -> bool:
        """Answers a command without a body; False where the line is cut."""
        if word in ("HELO", "EHLO", "RSET", "NOOP"):
            self._to, self._is_begun = [], False
            await self._say("250 ok")
        elif word == "MAIL" and not self._is_begun:
            self._is_begun = True
            await self._say("250 ok")
        elif word == "RCPT" and self._is_begun and len(self._to) < _MOST_RECIPIENTS:
            return await self._recipient(line)
        else:
            await self._say("503 not now" if word in ("MAIL", "RCPT", "DATA") else "502 not known")
        return True

    async def _recipient(self, line: str) -> bool:
        found = _TO.search(line)
        if found is None:
            await self._say("501 no address")
            return True
        fault = box.strike(self._network, found[1].lower())
        if fault is not None and fault.behaviour == "down":
            await self._say("421 not now")
            return False
        if fault is not None and fault.behaviour == "reject":
            await self._say("550 nobody here has this address")
            return True
        if fault is not None:  # the letter is taken, and the answer to it is lost
            await self._say("250 ok")
            await self._line()
            await self._say("354 go on")
            self._keep(found[1].lower(), await self._body())
            return False
        self._to.append(found[1].lower())
        await self._say("250 ok")
        return True

    async def _take(self) -> bool:
        await self._say("354 go on")
        body = await self._body()
        for to in self._to:
            self._keep(to, body)
        self._to, self._is_begun = [], False
        await self._say("250 taken")
        return True

    def _keep(self, to: str, body: bytes) -> None:
        letter = email.message_from_bytes(body, policy=email.policy.default)
        part = letter.get_body(("plain",))
        text = "" if part is None else str(part.get_content()).replace("\r\n", "\n").strip()
        message_id = str(letter.get("Message-ID", "")) or self._network.chance.uuid()
        box.keep(self._network, message_id, box.EMAIL, to, text)

    async def _body(self) -> bytes:
        """Reads the lines up to a single dot (RFC 5321 §4.5.2)."""
        found = bytearray()
        while True:
            line = await self._line()
            if line in (b".\r\n", b".\n"):
                return bytes(found)
            found += line[1:] if line.startswith(b".") else line
            if len(found) > box.LONGEST:
                raise ValueError("a letter longer than any that is expected")

    async def _line(self) -> bytes:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the client has hung up")
        return line

    async def _say(self, line: str) -> None:
        self._writer.write(f"{line}\r\n".encode())
        await self._writer.drain()
