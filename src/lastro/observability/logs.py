"""Logs: one JSON object a line, the names of fields from an allow-list, never a body, a query or the value of a variable."""

from __future__ import annotations

import atexit
import json
import logging
import re
import sys
import traceback
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog

from lastro.core import trace
from lastro.observability.log_writer import LineStream, LogWriter, descriptor_of, to_descriptor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping

    from lastro.api_kit.http import RequestNotes
    from lastro.core.work_queue import Worked

# The allowed fields of a log line. Any other is left out, so that a new one is a decision.
ALLOWED = frozenset({
    "event", "level", "timestamp", "logger", "exception", "request_id", "company_id", "client_id", "operation", "id", "ids",
    "path", "method", "status", "issues", "cause", "reason", "lane", "lanes", "failures", "sends", "kind", "code",
    "network_id", "subject", "count", "rail", "outcome", "duration_ms", "attempt", "port", "signal", "endpoint", "failure",
    "trace_id",
})  # fmt: skip
LEVELS: Final[Mapping[str, int]] = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING}

_FIRST = ("timestamp", "level", "event")  # for those who read lines themselves
_LONGEST_CHAIN = 4  # causes logged of one failure
_LONGEST_TEXT = 200
# Texts that are made elsewhere, by a network, a driver, a library: what looks like a person's is taken out of them.
_FOREIGN = ("reason", "cause", "subject", "code")
_PERSONAL = re.compile(
    r"(?<![\w.-])(?:\d{3}\.\d{3}\.\d{3}-\d{2}"  # CPF as people write it
    r"|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-\d{2}"  # CNPJ likewise
    r"|\+?\d{10,19}"  # either in digits alone, a phone, or a card
    r"|[\w.+-]+@[\w-]+\.[\w.-]+)(?![\w-])"
)
_READS = frozenset({"GET", "HEAD"})
# Ends that are nobody's news: what went as it should for each event, and what has a line of its own that says why.
_QUIET = frozenset({"delivered", "failed", "broke", "not_sent", "overtaken"})
_encoder = msgspec.json.Encoder(enc_hook=str)  # ids as they are; of anything else its text, which a secret has none of
_log = structlog.get_logger()
_outputs: list[LogWriter] = []
_unsaid = [0]  # lines that could not even be made


def configure(level: str = "info") -> None:
    """Sends structlog's and the standard library's logs to standard output. level: one of LEVELS.

    From then on direct writes to standard output or error do not block either.
    """
    lines, errors = _output(descriptor_of(sys.stdout)), _output(descriptor_of(sys.stderr))
    structlog.configure(
        processors=[_said],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=lambda *_: _Lines(lines.writer.write),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_Libraries()], force=True)
    sys.stdout, sys.stderr = lines, errors


def lines_lost() -> int:
    """Returns the number of log lines lost since the process began."""
    return _unsaid[0] + sum(writer.lost for writer in _outputs)


def _output(descriptor: int | None) -> LineStream:
    writer = LogWriter(to_descriptor(descriptor), lambda count: _log.warning("log.lines_lost", count=count))
    _outputs.append(writer)
    stream = LineStream(writer, descriptor)
    atexit.register(stream.end)
    return stream


class _Lines:
    """A logger of structlog that queues each line, whatever its level."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.debug = self.info = self.warning = self.error = self.critical = write


def request(seen: RequestNotes, status: int, seconds: float) -> None:
    """Logs an answered request. At info if it wrote or was refused, at debug if it only read."""
    plain = status < 400 and seen.method in _READS
    tell = _log.debug if plain else _log.info
    tell(
        "request", method=seen.method, path=seen.path, operation=seen.operation, status=status,
        duration_ms=round(seconds * 1000, 2), request_id=seen.request_id, company_id=seen.company_id,
        client_id=seen.client_id, issues=seen.issues or None, **_objects(seen.objects),
    )  # fmt: skip


def worked(done: Worked) -> None:
    """Logs a finished piece of a worker's work. At info each outcome that means something to a business."""
    tell = _log.debug if done.outcome in _QUIET else _log.info
    tell(
        "worked", lane=done.queue, kind=done.kind, outcome=done.outcome, company_id=done.company_id,
        request_id=None if done.row_id is None else str(done.row_id), network_id=done.network_id, sends=done.sends,
        duration_ms=round(done.seconds * 1000, 2), **_objects(done.objects),
    )  # fmt: skip


def _objects(ids: Any) -> dict[str, Any]:
    """Returns id, of the object, or ids if there are several."""
    if not ids:
        return {}
    return {"id": ids[0]} if len(ids) == 1 else {"id": ids[0], "ids": list(ids)}


class _Libraries(logging.Handler):
    """Logs libraries' messages without their values."""

    def emit(self, record: logging.LogRecord) -> None:
        """Logs one line of a library: its name, its template's first line, and where an exception came from."""
        try:
            failed = record.exc_info[1] if record.exc_info else None
            said = str(record.msg).partition("\n")[0][:_LONGEST_TEXT]
            level = max(record.levelno // 10 * 10, logging.DEBUG)  # a level between two is told as the lower one
            structlog.get_logger().log(level, _PERSONAL.sub("***", said), logger=record.name, exc_info=failed)
        except Exception:  # noqa: BLE001 a message that cannot be told must not end what told it
            _unsaid[0] += 1


def _traced(_: Any, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Adds the ids of the present task's trace to a line."""
    found = trace.present()
    if found is not None:
        fields.setdefault("request_id", found.request_id)
        if found.company_id is not None:
            fields.setdefault("company_id", found.company_id)
        if found.trail is not None:
            fields.setdefault("trace_id", found.trail.trace.hex())
    return fields


def _where(_: Any, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Reduces an exception to its types and the lines it passed. Its message may hold a client's data and is left out."""
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
    first = {name: fields[name] for name in _FIRST if name in fields}
    return first | {name: value for name, value in fields.items() if name in ALLOWED and value is not None}


def _masked(_: Any, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in _FOREIGN:
        if name in fields:
            fields[name] = _PERSONAL.sub("***", str(fields[name]))[:_LONGEST_TEXT]
    return fields


def _line(_: Any, __: str, fields: MutableMapping[str, Any]) -> bytes:
    try:
        return _encoder.encode(fields)
    except (TypeError, ValueError):  # half a surrogate pair: a line that is badly spelt is better than none
        return json.dumps(fields, default=str).encode()


_STEPS = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    _traced,
    _where,
    _allowed,
    _masked,
    _line,
)


def _said(logger: Any, name: str, fields: MutableMapping[str, Any]) -> bytes:
    """Renders a line. A line that fails is counted, and its caller goes on."""
    told: Any = fields
    try:
        for step in _STEPS:
            told = step(logger, name, told)
    except Exception as broken:
        _unsaid[0] += 1
        raise structlog.DropEvent from broken
    return bytes(told)
