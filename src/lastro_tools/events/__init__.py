"""`lastro events`: what the API tells, from a terminal, as a client of it."""

from lastro_tools.events.command import perform, syntax

__all__ = ["perform", "syntax"]
