"""Tokens of an outside issuer that this installation trusts: its keys, each pinned to one algorithm, and what it claims.

Source: RFC 7517 (key sets), RFC 8725 §3 (one algorithm a key, issuer and audience checked), OpenID Connect Core §2.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey

from lastro.api_kit.routes import as_id
from lastro.companies.model import is_subject, outside_client_id
from lastro.companies.tokens import SCOPE, Bound
from lastro.companies.verifying import Claims, OneAlgorithm, PinnedKey, SignedTokens, TokenRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

LEEWAY_SECONDS: Final = 30  # two houses, two clocks
_MOST_CHARACTERS: Final = 8192  # issuers that put groups and roles into a token need more than we do
_MOST_HEADER: Final = 4096
_CACHED: Final = 4096
_FEWEST_BITS: Final = 2048  # of an RSA key, RFC 7518 §3.3
_MOST_BITS: Final = 8192  # a verification must stay cheap
_FAR: Final = 1e11  # seconds, some 3,000 years: beyond it is no time, and what is no number is beyond it too
_KID: Final = re.compile(r"[\x20-\x7e]{1,255}\Z")
_ED25519, _P256, _RSA, _PSS = (OneAlgorithm(name, foreign=True) for name in ("EdDSA", "ES256", "RS256", "PS256"))


@dataclass(frozen=True, slots=True)
class OutsideIssuer:
    """The trusted outside issuer.

    issuer: `iss`, to the letter. company_claim: the claim that holds the id of the client's company.
    """

    issuer: str
    company_claim: str = "company"
    audience: str = SCOPE


class KeySetUnreadable(Exception):  # noqa: N818 - reads as what happened
    """The answer is no key set; the text gives the reason, and quotes nothing of it."""


def pinned_keys(raw: bytes) -> dict[str, PinnedKey]:
    """Returns the keys of a set that may sign, by id.

    A set is of RFC 7517 §5; the keys are Ed25519, P-256 and RSA, each with one algorithm. A key that says nothing of its
    algorithm is read as the kind's usual one (RSA: RS256). A key that is for another use or another algorithm, too weak,
    without an id, or shares its id with another is left out. KeySetUnreadable: not a set at all.
    """
    try:
        found = msgspec.json.decode(raw, type=_Set).keys
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise KeySetUnreadable("it is no JSON object with a list of keys") from None
    ids = [jwk.get("kid") for jwk in found]
    pinned = {}
    for jwk in found:
        kid = jwk.get("kid")
        if isinstance(kid, str) and _KID.match(kid) and ids.count(kid) == 1:
            key = _pinned(jwk)
            if key is not None:
                pinned[kid] = key
    return pinned


class _Set(msgspec.Struct):
    keys: list[dict[str, Any]]


def _pinned(jwk: Mapping[str, Any]) -> PinnedKey | None:
    may_verify = jwk.get("key_ops") is None or (isinstance(jwk["key_ops"], list) and "verify" in jwk["key_ops"])
    if jwk.get("use", "sig") != "sig" or not may_verify:
        return None
    try:
        match (jwk.get("kty"), jwk.get("crv"), jwk.get("alg")):
            # RFC 9864 calls the same algorithm Ed25519; the header of a token is what must say EdDSA.
            case ("OKP", "Ed25519", None | "EdDSA" | "Ed25519"):
                return PinnedKey(OKPKey.import_key(_public(jwk, "kty", "crv", "x")), _ED25519)
            case ("EC", "P-256", None | "ES256"):
                return PinnedKey(ECKey.import_key(_public(jwk, "kty", "crv", "x", "y")), _P256)
            case ("RSA", None, None | "RS256" | "PS256" as algorithm):
                if not _FEWEST_BITS <= _bits(jwk["n"]) <= _MOST_BITS:
                    return None
                return PinnedKey(RSAKey.import_key(_public(jwk, "kty", "n", "e")), _PSS if algorithm == "PS256" else _RSA)
    except (JoseError, ValueError, TypeError, KeyError):
        return None
    return None


def _public(jwk: Mapping[str, Any], *members: str) -> dict[str, Any]:
    """Returns the public half alone, in case more was published by mistake."""
    return {name: jwk[name] for name in members}


def _bits(modulus: str) -> int:
    """Returns the bits of an RSA modulus, given in base64url."""
    return int.from_bytes(base64.urlsafe_b64decode(modulus + "=" * (-len(modulus) % 4)), "big").bit_length()


class OutsideVerifier(SignedTokens):
    """Checks an outside issuer's tokens.

    Demanded are `iss`, `aud`, `sub`, `exp`, `iat` and the company's claim; `nbf` is honoured where it is there, and `cnf`
    (a token bound to anything but a certificate is refused: nobody here could tell who may send it). A token
    that does not say when it was issued could not be revoked by time, and one from the future is not yet good.
    """

    def __init__(self, trusted: OutsideIssuer, keys: Mapping[str, PinnedKey]) -> None:
        self._trusted = trusted
        super().__init__(keys, self._payload, cache_size=_CACHED, most_characters=_MOST_CHARACTERS, most_header=_MOST_HEADER)

    def _payload(self, raw: bytes) -> Claims:
        said = msgspec.json.decode(raw, type=dict[str, Any])
        audience = said["aud"]
        if said["iss"] != self._trusted.issuer or self._trusted.audience not in (
            audience if isinstance(audience, list) else [audience]
        ):
            raise TokenRefused
        subject, company = said["sub"], said[self._trusted.company_claim]
        company_id = as_id(company) if isinstance(company, str) else None
        if company_id is None or not isinstance(subject, str) or not is_subject(subject):
            raise TokenRefused
        issued, expires = _instant(said["iat"]), _instant(said["exp"])
        begins = issued if said.get("nbf") is None else max(issued, _instant(said["nbf"]))
        bound = None if said.get("cnf") is None else msgspec.convert(said["cnf"], Bound).certificate
        return Claims(
            client_id=outside_client_id(subject),
            company_id=str(UUID(company)),
            scope=self._trusted.audience,
            jti=str(said.get("jti", "")),
            issued_at=issued,
            expires_at=expires + LEEWAY_SECONDS,
            not_before=begins - LEEWAY_SECONDS,
            certificate=bound,
        )


def _instant(value: Any) -> float:
    """Returns a NumericDate (RFC 7519 §2): seconds, perhaps with a fraction."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_FAR < value < _FAR:
        raise TokenRefused
    return float(value)
