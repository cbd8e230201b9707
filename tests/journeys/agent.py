"""An agent that speaks MCP by the official client, over standard input and output of a `lastro mcp` of its own."""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from mcp import Client, StdioServerParameters
from tests import forked

from lastro_tools.mcp.results import UNTRUSTED

from .play import Play
from .stage import PATIENCE_SECONDS


@dataclass
class Agent:
    """One session. The client holds every answer against the schema that the tool gave."""

    client: Client

    async def uses(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool that does what it is asked."""
        told = await self.client.call_tool(tool, arguments)
        assert not told.is_error, told.content
        (text,) = told.content
        assert text.type == "text"
        result: dict[str, Any] = told.structured_content
        assert msgspec.json.decode(text.text) == result
        return result

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The sentence of a tool that does not."""
        told = await self.client.call_tool(tool, arguments)
        assert told.is_error, told.structured_content
        (text,) = told.content
        assert text.type == "text"
        assert "\n" not in text.text
        assert text.text.endswith(".")
        return text.text


@asynccontextmanager
async def agent(play: Play, client: Mapping[str, str] | None = None, /, **environment: str) -> AsyncIterator[Agent]:
    """A session of the sandbox's own client, or of another one."""
    own = {} if client is None else {"LASTRO_CLIENT_ID": client["clientId"], "LASTRO_CLIENT_SECRET": client["clientSecret"]}
    given = {"LASTRO_HOME": str(play.stage.home), "PYTHONPATH": str(forked.ROOT / "src"), **own, **environment}
    command = StdioServerParameters(command=sys.executable, args=["-m", "lastro.cli.main", "mcp"], env=given)
    async with Client(command, read_timeout_seconds=PATIENCE_SECONDS) as session:
        yield Agent(session)


def text_of(value: Any) -> Any:
    """What an outsider wrote, out of its mark."""
    assert set(value) == {UNTRUSTED}
    return value[UNTRUSTED]
