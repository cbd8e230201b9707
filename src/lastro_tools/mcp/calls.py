"""All tools, and a call of one of them by its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lastro.core.declined import CommandFailed
from lastro_tools.mcp import arguments, charging, explaining, listing, paying_out, reading, resending, sandbox
from lastro_tools.mcp.api import NO_MONEY_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro_tools.mcp.api import Api
    from lastro_tools.mcp.results import Done
    from lastro_tools.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (
    *reading.TOOLS, *listing.TOOLS, *charging.TOOLS, *paying_out.TOOLS, *resending.TOOLS, *explaining.TOOLS, *sandbox.TOOLS,
)  # fmt: skip
BY_NAME = {tool.name: tool for tool in TOOLS}
_MONEY = re.compile(r"pay|refund|transfer|send|approve|apply|withdraw|money|pix|ted", re.IGNORECASE)


async def call(api: Api, name: str, given: Mapping[str, Any]) -> Done:
    """Runs a tool. Declined, in a sentence: there is none of the name, its arguments do not fit, or the API refuses."""
    tool = BY_NAME.get(name)
    if tool is None:
        raise CommandFailed(NO_MONEY_OUT if _MONEY.search(name) else f"There is no tool {name[:64]!r}.")
    wanted = arguments.read(name, tool.takes, given)
    if tool.in_sandbox_alone and not await api.is_sandbox():
        raise CommandFailed(f"{name} is for sandboxes alone, and {api.url} does not say that it is one.")
    return await tool.run(api, wanted)


async def offered(api: Api) -> tuple[Tool, ...]:
    """Returns the tools of this server; those of a sandbox only where it says that it is one."""
    try:
        is_sandbox = await api.is_sandbox()
    except CommandFailed:
        is_sandbox = False
    return tuple(tool for tool in TOOLS if is_sandbox or not tool.in_sandbox_alone)
