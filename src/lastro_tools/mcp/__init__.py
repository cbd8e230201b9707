"""`lastro mcp`: the API as tools of an agent, by the Model Context Protocol."""

from lastro_tools.mcp.command import perform, syntax

__all__ = ["perform", "syntax"]
