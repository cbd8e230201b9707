"""Answers for a silent partner: the client retries, and we are told. The partner was asked while the client waited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from lastro.rails.port import Transient

_AGAIN_SECONDS = 5
_log = structlog.get_logger(__name__)


def silent(rail: str, operation: str, why: Transient) -> Refused:
    """Returns a 503 with a time to retry. The log line has nothing of the request.

    operation: `quote`, `tokenize`, `charge`, `remove`, `payment` or `recurrence`.
    """
    _log.warning("partner.silent", rail=rail, kind=operation, reason=why.reason)
    return Refused(Kind.UNAVAILABLE, retry_after_seconds=why.retry_after_seconds or _AGAIN_SECONDS)
