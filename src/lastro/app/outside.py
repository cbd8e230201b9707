"""Fetches the key set of the outside issuer. The operator gave its address, so that it may be one of a private network."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import aiohttp
import structlog

from lastro.companies import SCOPE, OutsideIssuer, OutsideKeys

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lastro.config.settings import Settings

TIMEOUT_SECONDS = 5
MOST_BYTES = 64 * 1024
_OK = 200
_HEADERS = {"user-agent": "lastro", "accept": "application/jwk-set+json, application/json", "accept-encoding": "identity"}
_log = structlog.get_logger(__name__)


class _NotFetched(Exception):  # noqa: N818 - reads as what happened
    """A failed fetch; its text says why."""


def outside_of(settings: Settings) -> OutsideKeys | None:
    """Returns the keys of the outside issuer that is trusted; None: there is none."""
    trusted = settings.outside
    if trusted is None:
        return None
    issuer = OutsideIssuer(trusted.issuer, trusted.company_claim, trusted.audience or SCOPE)
    return OutsideKeys(issuer, fetching(trusted.jwks_url), time.monotonic)


def fetching(url: str, timeout_seconds: float = TIMEOUT_SECONDS) -> Callable[[], Awaitable[bytes | None]]:
    """Returns a function that fetches an address: 5 s, 64 KiB, no redirects.

    It returns None where it cannot, with a log line.
    """

    async def fetch() -> bytes | None:
        try:
            async with asyncio.timeout(timeout_seconds):
                return await _fetched(url)
        except _NotFetched as failed:
            reason = str(failed)
        except (aiohttp.ClientError, OSError, ValueError) as failed:  # TimeoutError is an OSError
            reason = type(failed).__name__
        _log.warning("outside.keys_not_fetched", reason=reason)
        return None

    return fetch


async def _fetched(url: str) -> bytes:
    # Once in ten minutes: a connection is not worth keeping.
    async with (
        aiohttp.ClientSession(trust_env=False, headers=_HEADERS) as http,
        http.get(url, allow_redirects=False) as answer,
    ):
        if answer.status != _OK:
            raise _NotFetched(f"status {answer.status}")
        received = bytearray()
        async for piece in answer.content.iter_any():
            received += piece
            if len(received) > MOST_BYTES:
                raise _NotFetched(f"more than {MOST_BYTES} bytes")
        return bytes(received)
