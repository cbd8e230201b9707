"""PostgreSQL from a wheel, started beside the sandbox and never left behind."""

from .refusal import StartRefused
from .server import EmbeddedServer, start

__all__ = ["EmbeddedServer", "StartRefused", "start"]
