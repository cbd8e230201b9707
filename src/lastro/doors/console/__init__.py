"""The console: pages on which people see what the API says and do what it does, each act under their own name."""

from lastro.doors.console.annex import Annex
from lastro.doors.console.serving import paths

__all__ = ["Annex", "paths"]
