"""Logs: one JSON object a line, the names of fields from an allow-list, never a body, a query or the value of a variable."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from collections.abc import MutableMapping

# What may be said. A field that is not here is left out, so that a new one is a decision.
ALLOWED = frozenset({
    "event", "level", "timestamp", "logger", "exception", "request_id", "company_id", "id", "path", "method", "status",
    "cause", "reason", "lane", "lanes", "failures", "sends", "kind", "code", "network_id", "subject", "count", "rail",
    "outcome", "duration_ms", "attempt", "port", "signal",
})  # fmt: skip


_LONGEST_CHAIN = 4  # causes told of one failure


def configure(level: int = logging.INFO) -> None:
    """Sends structlog's and the standard library's logs to standard output."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _where,
            _allowed,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stdout),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_Libraries()], force=True)


class _Libraries(logging.Handler):
    """What libraries log, without the values they put into it."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line: the library's name, its template, and where an exception came from."""
        log = structlog.get_logger()
        failed = record.exc_info[1] if record.exc_info else None
        log.log(record.levelno, str(record.msg)[:200], logger=record.name, exc_info=failed)


def _where(_: Any, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """An exception as its types and the lines it passed; its message may hold a client's data and is left out."""
    failed = fields.pop("exc_info", None)
    if failed is True:
        failed = sys.exc_info()[1]
    if isinstance(failed, BaseException):
        chain: list[str] = []
        seen: BaseException | None = failed
        while seen is not None and len(chain) < _LONGEST_CHAIN:
            frames = traceback.extract_tb(seen.__traceback__)
            lines = [f"{frame.filename.rpartition('site-packages/')[2]}:{frame.lineno} {frame.name}" for frame in frames]
            state = getattr(seen, "sqlstate", None)
            chain.append(" ".join(part for part in (type(seen).__name__, state, " < ".join(reversed(lines[-12:]))) if part))
            seen = seen.__cause__ or seen.__context__
        fields["exception"] = chain
    return fields


def _allowed(_: Any, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {k: v for k, v in fields.items() if k in ALLOWED}
