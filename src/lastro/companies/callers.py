"""Whose tokens count in this process: keys that are looked at again by themselves, our own and an outside issuer's."""

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
    """One look at a time, and after it none for a while: what strangers' tokens cost does not rise with their number."""

    def __init__(self, look: Callable[[], Awaitable[None]], pause_seconds: float, monotonic: Callable[[], float]) -> None:
        self._look = look
        self._pause_seconds = pause_seconds
        self._monotonic = monotonic
        self._looked_at = float("-inf")
        self._under_way: asyncio.Future[None] | None = None

    async def again(self) -> None:
        """Looks, or waits for the look that is under way; nothing where one has just been."""
        if self._under_way is None:
            if self._monotonic() - self._looked_at < self._pause_seconds:
                return
            self._looked_at = self._monotonic()
            self._under_way = asyncio.ensure_future(self._look())
            self._under_way.add_done_callback(self._ended)
        await asyncio.shield(self._under_way)  # whoever hangs up leaves the look to the others

    def _ended(self, look: asyncio.Future[None]) -> None:
        self._under_way = None
        if not look.cancelled():
            look.exception()  # heard by whoever waits, if anybody still does


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
        """Those that sign and are published now."""
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
        """A token names a key that is not known here: a look, if there was none a moment ago."""
        await self._looking.again()


class OutsideKeys:
    """An outside issuer's keys, kept for as long as it does not answer.

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
        """A token names a key that is not known here: a fetch, if there was none in the last minute."""
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
    """Who asks, by our own tokens and by those of the outside issuer, where one is trusted."""

    def __init__(self, own: OwnKeys, outside: OutsideKeys | None = None) -> None:
        self._sources: tuple[OwnKeys | OutsideKeys, ...] = (own,) if outside is None else (own, outside)

    def company_of(self, token: str) -> UUID | None:
        """Whose token it was found to be lately. It says who asks, not that the token still counts."""
        for source in self._sources:
            if (found := source.verifier.remembered(token)) is not None:
                return _company(found.company_id)
        return None

    async def claims(self, token: str, now: float) -> Claims:
        """What a token claims. now: Unix machine time in seconds. TokenRefused: it does not count.

        DatabaseAway: its key is unknown here and could not be looked for.
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
