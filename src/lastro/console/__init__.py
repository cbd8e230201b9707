"""The console: web pages for the API's operations, each act recorded with its person."""

from lastro.console.plugin import Plugin
from lastro.console.serving import paths

__all__ = ["Plugin", "paths"]
