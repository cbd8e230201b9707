"""`lastro events`: what the API tells, from a terminal, as a client of it."""

from lastro.doors.commands.events.command import perform, syntax

__all__ = ["perform", "syntax"]
