"""A partner that is asked while a client waits does not answer: the client is told to come again, and we are told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from lastro.rails.port import Transient

_AGAIN_SECONDS = 5
_log = structlog.get_logger(__name__)


def silent(rail: str, operation: str, why: Transient) -> Refused:
    """503 with a time to come again. operation: `quote` or `tokenize`. The line has nothing of what was asked."""
    _log.warning("partner.silent", rail=rail, kind=operation, reason=why.reason)
    return Refused(Kind.UNAVAILABLE, retry_after_seconds=why.retry_after_seconds or _AGAIN_SECONDS)
