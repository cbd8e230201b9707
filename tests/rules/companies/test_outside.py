"""Tokens of a trusted outside issuer: every algorithm, and every way to lie about one."""

import base64
import hashlib
import hmac
import json
import warnings
from collections.abc import Mapping
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry
from tests.in_one import in_one_test

from lastro.companies.outside import LEEWAY_SECONDS, KeySetUnreadable, OutsideIssuer, OutsideVerifier, pinned_keys
from lastro.companies.tokens import SCOPE
from lastro.companies.verifying import KeyUnknown, TokenRefused

ISSUER = "https://login.example.com/"
COMPANY = "01890a5d-ac96-774b-bcce-b302099a8057"
NOW = 1_800_000_000
TRUSTED = OutsideIssuer(ISSUER)
BODY: dict[str, Any] = {"iss": ISSUER, "sub": "shop", "aud": SCOPE, "company": COMPANY, "iat": NOW, "exp": NOW + 300}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    KEYS: Mapping[str, Any] = {
        "EdDSA": OKPKey.generate_key("Ed25519"),
        "ES256": ECKey.generate_key("P-256"),
        "RS256": RSAKey.generate_key(2048),
        "PS256": RSAKey.generate_key(2048),
    }
    OTHERS: Mapping[str, Any] = {
        "EdDSA": OKPKey.generate_key("Ed25519"),
        "ES256": ECKey.generate_key("P-256"),
        "RS256": RSAKey.generate_key(2048),
        "PS256": RSAKey.generate_key(2048),
    }
ALGORITHMS = tuple(KEYS)


def jwk(algorithm: str, **members: Any) -> dict[str, Any]:
    """A key as it is published; its id is its algorithm's name. A member that is None is left out."""
    made = {**KEYS[algorithm].as_dict(private=False), "kid": algorithm, "use": "sig", "alg": algorithm, **members}
    return {name: value for name, value in made.items() if value is not None}


def published(*keys: dict[str, Any]) -> bytes:
    return json.dumps({"keys": keys or [jwk(a) for a in ALGORITHMS]}).encode()


def signed(algorithm: str, claims: Any = None, key: Any = None, **header: Any) -> str:
    head = {"alg": algorithm, "kid": algorithm, "typ": "JWT", **header}
    payload = json.dumps(BODY if claims is None else claims).encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        registry = JWSRegistry(algorithms=[*ALGORITHMS, "HS256", "RS512", "ES384", "none"], strict_check_header=False)
        return jws.serialize_compact(head, payload, key or KEYS[algorithm], registry=registry)


def verifier(raw: bytes | None = None, trusted: OutsideIssuer = TRUSTED) -> OutsideVerifier:
    return OutsideVerifier(trusted, pinned_keys(raw or published()))


def segment(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm(algorithm: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        claims = verifier().verify(signed(algorithm), NOW)
    assert (claims.client_id, claims.company_id, claims.issued_at) == ("outside:shop", COMPANY, NOW)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_another_ones_signature_is_refused(algorithm: str) -> None:
    with pytest.raises(TokenRefused):
        verifier().verify(signed(algorithm, key=OTHERS[algorithm]), NOW)


@in_one_test("kid", ALGORITHMS)
@in_one_test("algorithm", [*ALGORITHMS, "HS256", "none", "RS512", "ES384"])
def test_a_key_has_one_algorithm(kid: str, algorithm: str) -> None:
    """Whatever the header names, and though an RSA key could do it: no other algorithm is taken for it."""
    if kid == algorithm:
        return
    text = f"{segment({'alg': algorithm, 'kid': kid, 'typ': 'JWT'})}.{segment(BODY)}"
    forged = text + "."
    if algorithm == "HS256":
        # The classic confusion: HMAC with the published key as its key.
        public = KEYS[kid].public_key.public_bytes_raw() if kid == "EdDSA" else KEYS[kid].as_pem(private=False)
        forged += base64.urlsafe_b64encode(hmac.digest(public, text.encode(), hashlib.sha256)).rstrip(b"=").decode()
    elif KEYS[kid].key_type == "RSA" and algorithm in ("RS256", "PS256", "RS512"):
        forged = signed(algorithm, key=KEYS[kid], kid=kid)
    with pytest.raises(TokenRefused):
        verifier().verify(forged, NOW)


def test_an_rsa_key_that_says_nothing_is_read_as_rs256() -> None:
    checked = verifier(published(jwk("RS256", alg=None)))
    assert checked.verify(signed("RS256"), NOW)
    with pytest.raises(TokenRefused):
        checked.verify(signed("PS256", key=KEYS["RS256"], kid="RS256"), NOW)


@pytest.mark.parametrize(
    "header",
    [
        {"kid": "other"}, {"kid": None}, {"kid": 5}, {"kid": ["RS256"]}, {"kid": ""}, {"crit": ["exp"], "exp": 1},
        {"crit": ["mine"], "mine": 1}, {"crit": "kid"}, {"crit": 5},
    ],
)  # fmt: skip
def test_other_headers_are_refused(header: dict[str, Any]) -> None:
    head = segment({"alg": "RS256", "kid": "RS256", **header})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = f"{head}.{segment(BODY)}"
        signature = KEYS["RS256"].private_key.sign(text.encode(), *_rs256())
    with pytest.raises(TokenRefused):
        verifier().verify(f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}", NOW)


def _rs256() -> tuple[Any, Any]:
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import padding  # noqa: PLC0415

    return padding.PKCS1v15(), hashes.SHA256()


def test_what_a_header_says_besides_does_no_harm() -> None:
    assert verifier().verify(signed("RS256", x5t="abc", jku="https://evil.example/" + "x" * 600, nonce="n"), NOW)


def test_only_an_unknown_key_asks_for_another_look() -> None:
    with pytest.raises(KeyUnknown):
        verifier().verify(signed("RS256", kid="newer"), NOW)
    for token in (signed("RS256", key=OTHERS["RS256"]), "a.b.c", signed("RS256", {**BODY, "iss": "x"})):
        with pytest.raises(TokenRefused) as refused:
            verifier().verify(token, NOW)
        assert not isinstance(refused.value, KeyUnknown)


@in_one_test(
    "claims",
    [
        {**BODY, "iss": "https://login.example.com"},
        {**BODY, "iss": None},
        {**BODY, "iss": [ISSUER]},
        {**BODY, "aud": "api://other"},
        {**BODY, "aud": []},
        {**BODY, "aud": None},
        {**BODY, "aud": {SCOPE: 1}},
        {**BODY, "company": "Ana"},
        {**BODY, "company": COMPANY.upper()},
        {**BODY, "company": COMPANY.replace("-", "")},
        {**BODY, "company": [COMPANY]},
        {**BODY, "company": None},
        {**BODY, "sub": ""},
        {**BODY, "sub": "a b"},
        {**BODY, "sub": "\x00"},
        {**BODY, "sub": "a" * 256},
        {**BODY, "sub": 7},
        {**BODY, "exp": NOW - LEEWAY_SECONDS},
        {**BODY, "exp": str(NOW + 300)},
        {**BODY, "exp": True},
        {**BODY, "exp": 10**400},
        {**BODY, "exp": None},
        {**BODY, "iat": None},
        {**BODY, "iat": NOW + LEEWAY_SECONDS + 1},
        {**BODY, "iat": "now"},
        {**BODY, "nbf": NOW + LEEWAY_SECONDS + 1},
        {**BODY, "nbf": "soon"},
        *[{name: value for name, value in BODY.items() if name != missing} for missing in BODY],
        [],
        "text",
        5,
    ],
)
def test_wrong_claims_are_refused(claims: Any) -> None:
    with pytest.raises(TokenRefused):
        verifier().verify(signed("ES256", claims), NOW)


@pytest.mark.parametrize(
    "claims",
    [
        {**BODY, "aud": ["x", SCOPE]},
        {**BODY, "exp": NOW - LEEWAY_SECONDS + 1},
        {**BODY, "nbf": NOW + LEEWAY_SECONDS},
        {**BODY, "iat": NOW + LEEWAY_SECONDS},
        {**BODY, "iat": NOW - 0.5},
        {**BODY, "nbf": None, "more": {"a": [1]}},
    ],
)
def test_other_claims_pass(claims: Any) -> None:
    assert verifier().verify(signed("ES256", claims), NOW).client_id == "outside:shop"


def test_audience_and_claim_are_a_matter_of_configuration() -> None:
    trusted = OutsideIssuer(ISSUER, "https://ana.com/tenant", "api://lastro")
    claims = {**BODY, "aud": "api://lastro", "https://ana.com/tenant": COMPANY, "company": "nonsense"}
    assert verifier(trusted=trusted).verify(signed("ES256", claims), NOW).company_id == COMPANY
    with pytest.raises(TokenRefused):
        verifier(trusted=trusted).verify(signed("ES256"), NOW)


def test_what_has_ended_is_looked_at_each_time() -> None:
    checked, token = verifier(), signed("EdDSA")
    checked.verify(token, NOW)
    with pytest.raises(TokenRefused):
        checked.verify(token, NOW + 300 + LEEWAY_SECONDS)


# A modulus of 1,024 bits: whether it is a good one nobody asks any more.
WEAK = base64.urlsafe_b64encode(b"\xff" * 128).rstrip(b"=").decode()


@in_one_test(
    "key",
    [
        jwk("RS256", use="enc"), jwk("RS256", key_ops=["encrypt"]), jwk("RS256", key_ops="verify"), jwk("RS256", kty="oct"),
        jwk("RS256", alg="RS512"), jwk("RS256", alg="RSA-OAEP"), jwk("RS256", alg="HS256"), jwk("RS256", alg="none"),
        jwk("RS256", kid=None), jwk("RS256", kid=5), jwk("RS256", kid=""), jwk("RS256", n=None), jwk("RS256", n="AQAB"),
        jwk("RS256", n=5), jwk("RS256", e="Ag"), jwk("RS256", crv="P-256"), jwk("ES256", crv="P-384"), jwk("ES256", x="AAAA"),
        jwk("ES256", alg="ES384"), jwk("EdDSA", crv="X25519"), jwk("EdDSA", x="AAAA"), jwk("EdDSA", alg="ES256"),
        {"kty": "oct", "k": "AAAA", "kid": "RS256", "alg": "HS256"}, {}, {"kid": "RS256"},
        jwk("RS256", n=WEAK), jwk("RS256", n=WEAK * 10),
    ],
)  # fmt: skip
def test_keys_that_are_not_for_us_are_left_out(key: dict[str, Any]) -> None:
    assert pinned_keys(published(key)) == {}


def test_two_keys_of_one_name_are_no_key() -> None:
    assert pinned_keys(published(jwk("RS256", kid="a"), jwk("ES256", kid="a"), jwk("EdDSA"))).keys() == {"EdDSA"}


def test_a_private_half_published_by_mistake_is_not_taken() -> None:
    pinned = pinned_keys(published({**KEYS["ES256"].as_dict(private=True), "kid": "ES256"}))
    assert pinned["ES256"].key.is_private is False


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"keys":{}}', b'{"keys":[1]}', b"\xff", b"{", b"[" * 5000, b'"keys"'])
def test_what_is_no_key_set(raw: bytes) -> None:
    with pytest.raises(KeySetUnreadable):
        pinned_keys(raw)
