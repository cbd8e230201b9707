"""The keys for tokens in this process: ours and an outside issuer's. They refresh by themselves."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import structlog

from lastro.companies.outside import KeySetUnreadable, OutsideVerifier, pinned_keys
from lastro.companies.tokens import Verifier, public_keys
from lastro.companies.verifying import KeyUnknown, TokenRefused
from lastro.core.ids import printed_so
from lastro.core.secrets import UNREADABLE, SecretUnreadable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from uuid import UUID

    from lastro.companies.outside import OutsideIssuer
    from lastro.companies.signing import SigningKeys
    from lastro.companies.verifying import Claims, SignedTokens

OWN_EVERY_SECONDS: Final = 60.0
OUTSIDE_EVERY_SECONDS: Final = 600.0
_OWN_PAUSE_SECONDS: Final = 3.0  # between two looks that unknown keys ask for, however many tokens name them
_OUTSIDE_PAUSE_SECONDS: Final = 60.0

_log = structlog.get_logger(__name__)
_company = lru_cache(maxsize=4096)(printed_so)  # asked of every request, and few ask


class _Looking:
    """Looks for keys, one look at a time, and pauses after each.

    So the cost of strangers' tokens does not rise with their number.
    """

    def __init__(self, look: Callable[[], Awaitable[None]], pause_seconds: float, monotonic: Callable[[], float]) -> None:
        self._look = look
        self._pause_seconds = pause_seconds
        self._monotonic = monotonic
        self._looked_at = float("-inf")
        self._under_way: asyncio.Future[None] | None = None

    async def again(self) -> None:
        """Looks for keys, or waits for the look under way. It does nothing where one has just been."""
        if self._under_way is None:
            if self._monotonic() - self._looked_at < self._pause_seconds:
                return
            self._looked_at = self._monotonic()
            self._under_way = asyncio.ensure_future(self._look())
            self._under_way.add_done_callback(self._ended)
        await asyncio.shield(self._under_way)  # a caller that hangs up leaves the look to the others

    def _ended(self, look: asyncio.Future[None]) -> None:
        self._under_way = None
        if not look.cancelled():
            look.exception()  # raised in the callers that still wait, if any


class OwnKeys:
    """The institution's keys as this process knows them.

    load: reads those that are published now. monotonic: machine seconds.
    """

    def __init__(
        self, keys: SigningKeys, load: Callable[[], Awaitable[SigningKeys]], issuer: str, monotonic: Callable[[], float]
    ) -> None:
        self.now = keys
        self.verifier: SignedTokens = Verifier(public_keys(keys.tokens), issuer)
        self._load = load
        self._issuer = issuer
        self._looking = _Looking(self.refresh, _OWN_PAUSE_SECONDS, monotonic)

    def current(self) -> SigningKeys:
        """Returns the keys that sign and are published now."""
        return self.now

    async def refresh(self) -> None:
        """Takes over what has changed. DatabaseAway: everything stays as it is."""
        try:
            keys = await self._load()
        except SecretUnreadable:
            _log.error("keys.unreadable", reason=UNREADABLE)
            return
        if keys == self.now:
            return
        if keys.tokens != self.now.tokens:
            self.verifier = Verifier(public_keys(keys.tokens), self._issuer)
        self.now = keys

    async def look_again(self) -> None:
        """Looks for keys, if there was no look a moment ago. A token names a key that is not known here."""
        await self._looking.again()


class OutsideKeys:
    """An outside issuer's keys, kept while it does not answer.

    fetch: the bytes of its key set, None where there was no good answer.
    """

    def __init__(
        self, trusted: OutsideIssuer, fetch: Callable[[], Awaitable[bytes | None]], monotonic: Callable[[], float]
    ) -> None:
        self.verifier: SignedTokens = OutsideVerifier(trusted, {})
        self._trusted = trusted
        self._fetch = fetch
        self._monotonic = monotonic
        self._seen: bytes | None = None
        self._good_at = float("-inf")
        self._looking = _Looking(self._refresh, _OUTSIDE_PAUSE_SECONDS, monotonic)

    async def refresh_if_old(self) -> None:
        """Fetches where the last good answer is old; at most once in a minute where there is none."""
        if self._monotonic() - self._good_at >= OUTSIDE_EVERY_SECONDS:
            await self._looking.again()

    async def look_again(self) -> None:
        """Fetches the keys, if not done in the last minute. A token names a key that is not known here."""
        await self._looking.again()

    async def _refresh(self) -> None:
        raw = await self._fetch()
        if raw is None:
            return
        try:
            keys = pinned_keys(raw)
        except KeySetUnreadable as unreadable:
            _log.warning("outside.keys_unreadable", reason=str(unreadable))
            return
        self._good_at = self._monotonic()
        if raw == self._seen:
            return
        self._seen = raw
        self.verifier = OutsideVerifier(self._trusted, keys)
        _log.info("outside.keys", count=len(keys))


class Callers:
    """Finds callers by our tokens and a trusted outside issuer's."""

    def __init__(self, own: OwnKeys, outside: OutsideKeys | None = None) -> None:
        self._sources: tuple[OwnKeys | OutsideKeys, ...] = (own,) if outside is None else (own, outside)

    def company_of(self, token: str) -> UUID | None:
        """Returns the company of a lately verified token. The token may no longer count."""
        for source in self._sources:
            if (found := source.verifier.remembered(token)) is not None:
                return _company(found.company_id)
        return None

    async def claims(self, token: str, now: float) -> Claims:
        """Returns the claims of a token.

        now: Unix machine time in seconds. TokenRefused: it does not count. DatabaseAway: its key is unknown here and
        could not be looked for.
        """
        for source in self._sources:
            try:
                return source.verifier.verify(token, now)
            except KeyUnknown:
                continue
        for source in self._sources:
            await source.look_again()
            try:
                return source.verifier.verify(token, now)
            except KeyUnknown:
                continue
        raise TokenRefused
