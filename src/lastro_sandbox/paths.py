"""The sandbox's own paths on the API: a page to start from, and the clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.api_kit import forms
from lastro.api_kit.http import Response, refusal
from lastro.core.errors import DatabaseAway, Kind, Problem, Refused
from lastro_sandbox import clock
from lastro_sandbox.durations import LAST_YEAR, after

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import HTTPScope

    from lastro_sandbox.clock import Pending

_ANSWER_WITHIN_SECONDS = 15.0
_TRIES = 8  # to be the one who aims the clock, where others do so at the same time


@dataclass(frozen=True)
class ClockPath:
    """GET and PUT /sandbox/clock."""

    pending: Pending

    async def show(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET: the time, and the count of due work that is not done."""
        return Response(200, msgspec.json.encode(await self.pending.shown()))

    async def step(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """PUT {"advance": "P3D"} or {"now": "…"}: walks there, and answers when all due work has run, or after 15 s."""
        try:
            body = forms.parsed(raw)
        except forms.NotJson as error:
            return _wrong("body", "INVALID", str(error))
        refused = await self.walk(body)
        return refused or await self.show(scope, raw, headers)

    async def walk(self, body: Mapping[str, Any]) -> Response | None:
        """Walks there, until all due work has run, or for 15 s. body: as of PUT. Answers the refusal."""
        refused = await self._aim(body)
        if refused is None:
            await self.pending.arrived(_ANSWER_WITHIN_SECONDS)
        return refused

    async def _aim(self, body: Mapping[str, Any]) -> Response | None:
        for _ in range(_TRIES):
            async with self.pending.work.session() as session:
                row = await session.row(clock.READ)
                assert row is not None
            now, aimed = row["now"], row["target_at"]
            target = _target(body, now if aimed is None else max(now, aimed))
            if isinstance(target, Response):
                return target
            if target < now:
                return _wrong("now", "OUT_OF_RANGE", "the clock never goes back")
            if await clock.aim(self.pending.database, target, aimed):
                return None
        raise DatabaseAway("others step the clock all the time, or this database has no sandbox clock")


def _target(body: Mapping[str, Any], ahead: datetime) -> datetime | Response:
    """Returns the target of a request.

    ahead: the time at which the clock is, or to which it walks already: a duration is counted from there.
    """
    advance, moment = body.get("advance"), body.get("now")
    if (advance is None) == (moment is None):
        return _wrong("advance", "MUTUALLY_EXCLUSIVE", "give either advance or now")
    if advance is not None:
        target = after(ahead, advance) if isinstance(advance, str) else None
        if target is not None and target.year > LAST_YEAR:
            return _wrong("advance", "OUT_OF_RANGE", f"must not lead beyond the year {LAST_YEAR}")
        return target or _wrong("advance", "INVALID", "must be an ISO 8601 duration, such as P3D or PT90S")
    try:
        target = datetime.fromisoformat(moment) if isinstance(moment, str) else None
    except ValueError:
        target = None
    if target is None or target.tzinfo is None or target.year > LAST_YEAR:
        return _wrong("now", "INVALID", f"must be an ISO 8601 time with its offset, up to the year {LAST_YEAR}")
    return target


def _wrong(field: str, issue: str, description: str) -> Response:
    return refusal(Refused(Kind.INVALID, (Problem(field, issue, description),)))


@dataclass(frozen=True)
class Welcome:
    """GET /: links to the pages of the sandbox."""

    simulator_url: str

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers with a page of links."""
        sim = escape(self.simulator_url, quote=True)
        page = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            "<title>lastro sandbox</title><h1>lastro</h1><p>The sandbox runs. Nothing in it is real money.</p><ul>"
            '<li><a href="/start">Start</a>: a first order, step by step</li>'
            f'<li><a href="{sim}/phone">Phone</a>: pay a QR code</li>'
            f'<li><a href="{sim}/merchant">Merchant</a>: see the webhooks arrive</li>'
            '<li><a href="/docs">Reference</a>: every operation and event</li>'
            '<li><a href="/sandbox/clock">Clock</a></li><li><a href="/health">Health</a></li></ul></html>'
        )
        policy = ((b"content-security-policy", b"default-src 'self'"),)
        return Response(200, page.encode(), b"text/html; charset=utf-8", policy)
