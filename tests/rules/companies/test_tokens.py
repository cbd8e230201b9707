import base64
import json
import os
import timeit
import warnings
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws, jwt
from joserfc.jwk import KeySet, OctKey, OKPKey
from tests.in_one import in_one_test

from lastro.companies.tokens import (
    SCOPE,
    Claims,
    SigningKey,
    TokenRefused,
    Verifier,
    issue,
    jwks,
    new_signing_key,
    public_keys,
)

ISSUER = "https://pay.example.com"
NOW = 1_800_000_000
KEY, OTHER = new_signing_key(os.urandom), new_signing_key(os.urandom)


def token(key: SigningKey = KEY, **changes: Any) -> str:
    fields: dict[str, Any] = {
        "issuer": ISSUER, "client_id": "01890a5d-client", "company_id": "01890a5d-company", "now_machine": NOW,
        "jti": "jti-1",
    }  # fmt: skip
    return issue(key, **{**fields, **changes})


def verifier(*keys: SigningKey, cache_size: int = 4096) -> Verifier:
    return Verifier(public_keys(keys or (KEY,)), ISSUER, cache_size=cache_size)


def part(text: str, at: int) -> dict[str, object]:
    piece = text.split(".")[at]
    return msgspec.json.decode(base64.urlsafe_b64decode(piece + "=" * (-len(piece) % 4)), type=dict[str, object])


def signed(claims: object, header: dict[str, object] | None = None, key: SigningKey = KEY) -> str:
    """A token with any content, with a right signature."""
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    head = base64.urlsafe_b64encode(json.dumps({"alg": "EdDSA", "kid": key.kid, **(header or {})}).encode())
    start = head.rstrip(b"=") + b"." + base64.urlsafe_b64encode(payload).rstrip(b"=")
    return (
        start + b"." + base64.urlsafe_b64encode(Ed25519PrivateKey.from_private_bytes(key.private).sign(start)).rstrip(b"=")
    ).decode()


def test_the_token_says_what_it_must_and_nothing_else() -> None:
    text = token()
    assert part(text, 0) == {"alg": "EdDSA", "kid": KEY.kid, "typ": "JWT"}
    assert part(text, 1) == {
        "iss": ISSUER, "sub": "01890a5d-client", "aud": "api://app-order-prd", "scp": "api://app-order-prd",
        "company": "01890a5d-company", "iat": NOW, "exp": NOW + 3600, "jti": "jti-1",
    }  # fmt: skip


def test_what_is_issued_verifies_and_says_who() -> None:
    claims = verifier().verify(token(now_machine=NOW + 0.5), NOW + 1)
    assert claims == Claims("01890a5d-client", "01890a5d-company", SCOPE, "jti-1", NOW + 0.5, NOW + 3600)


@given(st.floats(1e9, 3e9, allow_nan=False))
def test_a_token_is_never_from_the_future(now: float) -> None:
    issued = verifier().verify(token(now_machine=now), now).issued_at
    assert now - 0.002 < issued <= now


def test_rfc_8037_appendix_a() -> None:
    # A.1 and A.2: the key pair; A.3: its thumbprint; A.4: a signature.
    private = base64.urlsafe_b64decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=")
    key = SigningKey("any", private)
    assert jwks({"any": key.public})["keys"][0]["x"] == "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    assert new_signing_key(lambda _: private).kid == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    signature = Ed25519PrivateKey.from_private_bytes(key.private).sign(
        b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
    )
    assert base64.urlsafe_b64encode(signature).rstrip(b"=") == (
        b"hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    )


def test_others_read_our_tokens_with_the_published_set() -> None:
    published = jwks(public_keys([KEY, OTHER]))
    assert json.dumps(published).count('"d"') == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        decoded = jwt.decode(
            token(OTHER),
            KeySet.import_key_set({"keys": [dict(key) for key in published["keys"]]}),
            algorithms=["EdDSA"],
        )
    assert decoded.claims["sub"] == "01890a5d-client"


def test_no_warning_is_given_at_each_token() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verifier().verify(token(), NOW)


def test_two_keys_are_published_while_one_takes_over() -> None:
    both = verifier(KEY, OTHER)
    assert both.verify(token(KEY), NOW) == both.verify(token(OTHER), NOW)
    with pytest.raises(TokenRefused):
        verifier(OTHER).verify(token(KEY), NOW)


@pytest.mark.parametrize(("now", "good"), [(NOW, True), (NOW + 3599.999, True), (NOW + 3600, False), (NOW + 1e9, False)])
def test_expiry_is_looked_at_each_time(now: float, good: bool) -> None:
    checked = verifier()
    text = token()
    checked.verify(text, NOW)
    if good:
        checked.verify(text, now)
    else:
        with pytest.raises(TokenRefused):
            checked.verify(text, now)
        checked.verify(text, NOW)


BODY = part(token(), 1)


@in_one_test(
    "claims",
    [
        {**BODY, "iss": "https://other.example.com"},
        {**BODY, "iss": ISSUER + "/"},
        {**BODY, "aud": "api://other"},
        {**BODY, "aud": ["api://other"]},
        {**BODY, "aud": []},
        {**BODY, "aud": None},
        {**BODY, "exp": NOW},
        {**BODY, "exp": str(NOW + 1)},
        {**BODY, "exp": True},
        {**BODY, "nbf": NOW + 1},
        {**BODY, "nbf": "soon"},
        {**BODY, "sub": 7},
        *[{name: value for name, value in BODY.items() if name != missing} for missing in BODY],
        [],
        "text",
        b"",
        b"{",
        b"\xff",
        b'{"exp": 1e999}',
        b"[" * 3000,
    ],
)
def test_a_rightly_signed_token_with_wrong_claims_is_refused(claims: object) -> None:
    with pytest.raises(TokenRefused) as caught:
        verifier().verify(signed(claims), NOW)
    assert caught.value.args == ()
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("claims", [{**BODY, "aud": ["x", SCOPE]}, {**BODY, "nbf": NOW}, {**BODY, "more": 1}])
def test_other_rightly_signed_tokens_pass(claims: object) -> None:
    assert verifier().verify(signed(claims), NOW).client_id == "01890a5d-client"


@pytest.mark.parametrize(
    "header",
    [
        {"kid": OTHER.kid},
        {"kid": "unknown"},
        {"kid": None},
        {"kid": 5},
        {"kid": ["a"]},
        {"alg": "none"},
        {"alg": "HS256"},
        {"alg": "Ed25519"},
        {"alg": "ES256"},
        {"alg": 5},
        {"alg": None},
        {"crit": ["exp"], "exp": 1},
        {"crit": ["b64"], "b64": False},
    ],
)
def test_a_token_with_another_header_is_refused(header: dict[str, object]) -> None:
    with pytest.raises(TokenRefused):
        verifier().verify(signed(BODY, header), NOW)


def test_the_public_key_is_no_shared_secret() -> None:
    # The classic confusion: HMAC with the published key as its key.
    forged = jws.serialize_compact({"alg": "HS256", "kid": KEY.kid}, json.dumps(BODY), OctKey.import_key(KEY.public))
    with pytest.raises(TokenRefused):
        verifier().verify(forged, NOW)


def test_a_key_inside_the_token_is_not_used() -> None:
    jwk = OKPKey.import_key(OTHER._key.as_dict(private=False)).as_dict(private=False)
    with pytest.raises(TokenRefused):
        verifier().verify(signed(BODY, {"jwk": jwk, "kid": KEY.kid}, OTHER), NOW)


@pytest.mark.parametrize(
    "text",
    [
        "", ".", "..", "...", "a.b.c", "a" * 100_000, "é.é.é", "\ud800", token() + ".", "." + token(), token() + "x" * 4000,
        token()[:-1], token().rpartition(".")[0] + ".", f"Bearer {token()}", token().replace(".", ""), "\0",
    ],
)  # fmt: skip
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(TokenRefused):
        verifier().verify(text, NOW)


@given(st.integers(0, len(token()) - 1), st.sampled_from("ABCxyz019-_.~ "))
def test_no_changed_token_means_something_else(at: int, character: str) -> None:
    text = token()
    changed = text[:at] + character + text[at + 1 :]
    try:
        claims = verifier().verify(changed, NOW)
    except TokenRefused:
        return
    # The last digit of base64 has spare bits; whoever changes those has the same token.
    assert claims == verifier().verify(text, NOW)


def test_only_good_signatures_are_kept_and_no_more_than_the_limit() -> None:
    checked = verifier(cache_size=3)
    for number in range(20):
        checked.verify(token(jti=str(number)), NOW)
        with pytest.raises(TokenRefused):
            checked.verify(token(OTHER, jti=str(number)), NOW)
    assert [claims.jti for claims in checked._good.values()] == ["17", "18", "19"]
    checked.verify(token(jti="17"), NOW)
    checked.verify(token(jti="20"), NOW)
    assert [claims.jti for claims in checked._good.values()] == ["19", "17", "20"]


def test_a_key_does_not_print_itself() -> None:
    assert repr(KEY) == f"SigningKey(kid={KEY.kid!r})"
    with pytest.raises(ValueError, match="32 bytes"):
        _ = SigningKey("k", b"short").public


def test_a_cached_verification_takes_microseconds() -> None:
    checked, text = verifier(), token()
    checked.verify(text, NOW)
    best = min(timeit.repeat(lambda: checked.verify(text, NOW), number=1000, repeat=20)) / 1000
    assert best < 10e-6
