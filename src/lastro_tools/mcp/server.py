"""The Model Context Protocol over stdio, by its official library."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

import mcp_types as protocol
import msgspec
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from lastro.core.declined import CommandFailed
from lastro_tools.events.service import Away, Service
from lastro_tools.mcp import arguments, calls, results
from lastro_tools.mcp.api import NO_MONEY_OUT, Api

if TYPE_CHECKING:
    from typing import Any

    from mcp.server.context import ServerRequestContext

    from lastro_tools.events.access import Access
    from lastro_tools.mcp.results import Done
    from lastro_tools.mcp.tool import Tool

_ABOUT = (
    "lastro is a payments platform: customers pay orders by Pix, payouts send money. Tools act as one client of {url}, with"
    f" its permissions. {NO_MONEY_OUT} Amounts are decimal text, never numbers. {results.NOTE}"
)


async def serve(access: Access, version: str) -> None:
    """Serves the tools until standard input ends."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its warnings quote what was sent
    async with Service(access) as service:
        server = _server(Api(service, access.url), version)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


def _server(api: Api, version: str) -> Server[dict[str, Any]]:
    async def list_tools(
        _: ServerRequestContext[dict[str, Any]], __: protocol.PaginatedRequestParams | None
    ) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(tools=[described(tool) for tool in await calls.offered(api)])

    async def call_tool(
        _: ServerRequestContext[dict[str, Any]], asked: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        return await _called(api, asked)

    return Server(
        "lastro", version=version, title="lastro", instructions=_ABOUT.format(url=api.url), on_list_tools=list_tools,
        on_call_tool=call_tool,
    )  # fmt: skip


def described(tool: Tool) -> protocol.Tool:
    """Returns a tool as the protocol describes it."""
    return protocol.Tool(
        name=tool.name, title=tool.title, description=tool.description, input_schema=arguments.schema(tool.takes),
        output_schema=results.schema(tool.answer, is_list=tool.is_list),
        annotations=protocol.ToolAnnotations(
            title=tool.title, read_only_hint=tool.reads_only, destructive_hint=tool.is_destructive,
            idempotent_hint=tool.is_idempotent, open_world_hint=not tool.reads_only and not tool.in_sandbox_alone,
        ),
    )  # fmt: skip


async def _called(api: Api, asked: protocol.CallToolRequestParams) -> protocol.CallToolResult:
    try:
        done = await calls.call(api, asked.name, asked.arguments or {})
    except (CommandFailed, Away) as declined:
        return _said(str(declined))
    except Exception as error:  # noqa: BLE001 a fault of ours: its kind alone is told, since its text may quote anything
        sys.stderr.write(f"{asked.name}: {type(error).__name__}\n")
        return _said(f"lastro mcp failed ({type(error).__name__}): what was asked for may have been done; read the object.")
    return _answered(done)


def _answered(done: Done) -> protocol.CallToolResult:
    told = results.structured(done)
    text = msgspec.json.encode(told).decode()
    return protocol.CallToolResult(content=[protocol.TextContent(type="text", text=text)], structured_content=told)


def _said(sentence: str) -> protocol.CallToolResult:
    return protocol.CallToolResult(content=[protocol.TextContent(type="text", text=sentence)], is_error=True)
