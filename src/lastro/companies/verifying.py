"""Checks a signed token: its key, its one algorithm, claims and times."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from joserfc import jws
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jws import JWSRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from joserfc.jwa import JWSAlgModel
    from joserfc.jwk import ECKey, OKPKey, RSAKey


class TokenRefused(Exception):  # noqa: N818 - reads as what happened
    """A token does not count. It never says why: the reason would help only who forges one."""


class KeyUnknown(TokenRefused):
    """The token names a key that is not among those known here; it may be a newer one."""


class OneAlgorithm(JWSRegistry):
    """Knows one algorithm, no matter which one a token's header names.

    RFC 9864 renames EdDSA to Ed25519 and the library warns at each use of the old name. Our keys have that one curve,
    and the old name is the one that clients' libraries read today.
    """

    def __init__(self, name: str, *, foreign: bool = False) -> None:
        """foreign: the header is another's, and may hold what we do not know and need not, unless it is marked critical."""
        super().__init__(strict_check_header=not foreign)
        self._name = name

    def get_alg(self, name: str) -> JWSAlgModel:
        """Returns the algorithm. UnsupportedAlgorithmError: any other name."""
        if name != self._name:
            raise UnsupportedAlgorithmError(name)
        return self.algorithms[self._name]


@dataclass(frozen=True, slots=True)
class PinnedKey:
    """A public key and the one algorithm it is used with."""

    key: OKPKey | ECKey | RSAKey
    registry: OneAlgorithm


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a token. Times are Unix machine time in seconds; `issued_at` has milliseconds.

    certificate: SHA-256 of the one that the sender of the token must show (RFC 8705 §3.1); None: it is bound to none.
    """

    client_id: str
    company_id: str
    scope: str
    jti: str
    issued_at: float
    expires_at: float
    not_before: float | None = None
    certificate: str | None = None


class SignedTokens:
    """Checks tokens against known keys.

    It caches by SHA-256 the claims of `cache_size` tokens with a good signature, since that check takes long; times are
    checked each time. It belongs to one event loop. A change of keys needs a new one: it forgets what the withdrawn keys
    signed.
    """

    def __init__(
        self, keys: Mapping[str, PinnedKey], read: Callable[[bytes], Claims], *, cache_size: int, most_characters: int,
        most_header: int = 512,
    ) -> None:  # fmt: skip
        """keys: by their id. read: returns the claims of a payload; raises TokenRefused, or ValueError, TypeError, KeyError.

        most_header: characters of a token's first part.
        """
        self._keys = keys
        self._claims_of = read
        self._cache_size = cache_size
        self._most_characters = most_characters
        self._sizes = JWSRegistry()
        self._sizes.max_header_length = most_header
        self._good: OrderedDict[bytes, Claims] = OrderedDict()

    def verify(self, token: str, now: float) -> Claims:
        """Returns the claims of a token. `now` is Unix machine time in seconds.

        TokenRefused: it does not count. KeyUnknown: nobody here knows its key.
        """
        if len(token) > self._most_characters or not token.isascii():
            raise TokenRefused
        digest = hashlib.sha256(token.encode()).digest()
        claims = self._good.get(digest)
        if claims is None:
            claims = self._read(token)
            self._good[digest] = claims
            if len(self._good) > self._cache_size:
                self._good.popitem(last=False)
        else:
            self._good.move_to_end(digest)
        if now >= claims.expires_at or (claims.not_before is not None and now < claims.not_before):
            raise TokenRefused
        return claims

    def remembered(self, token: str) -> Claims | None:
        """Returns the cached claims of a token, at any time.

        They are from the check of its signature; None: it was not seen lately.
        """
        return self._good.get(hashlib.sha256(token.encode()).digest())

    def _read(self, token: str) -> Claims:
        """Returns the claims of a token whose signature is right. Raise TokenRefused otherwise."""
        try:
            signed = jws.extract_compact(token.encode(), registry=self._sizes)
            kid = signed.headers()["kid"]
            if not isinstance(kid, str):
                raise TokenRefused
            pinned = self._keys.get(kid)
            if pinned is None:
                raise KeyUnknown
            # The names of protected headers are all there is: with an unknown extension marked critical, or another
            # algorithm, the library refuses.
            if not jws.validate_compact(signed, pinned.key, registry=pinned.registry):
                raise TokenRefused
            return self._claims_of(signed.payload)
        except (JoseError, msgspec.DecodeError, ValueError, TypeError, KeyError, RecursionError):
            raise TokenRefused from None
