"""The console: pages on which people see what the API says and do what it does, each act under their own name."""

from lastro.console.plugin import Plugin
from lastro.console.serving import paths

__all__ = ["Plugin", "paths"]
