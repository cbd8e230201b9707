"""`lastro events`: an API's events in a terminal, as a client of it."""

from lastro_tools.events.command import perform, syntax

__all__ = ["perform", "syntax"]
