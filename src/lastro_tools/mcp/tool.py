"""A tool: its words for the agent, what it takes, which operations it may call, and how it acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import msgspec

    from lastro_tools.mcp.api import Api
    from lastro_tools.mcp.results import Done


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of an agent. operations: every one that run may call.

    answer: what its answer is, for the schema of the result.
    """

    name: str
    title: str
    description: str
    takes: type[msgspec.Struct]
    operations: tuple[str, ...]
    run: Callable[[Api, Any], Awaitable[Done]]
    answer: str
    reads_only: bool = True
    is_idempotent: bool = True
    is_destructive: bool = False
    is_list: bool = False
    in_sandbox_alone: bool = False
