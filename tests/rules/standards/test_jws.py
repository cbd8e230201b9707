import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws as jose
from joserfc.jwk import ECKey, OctKey

from lastro.standards.jws import JwsError, LocationKey, header, public_jwks, sign, verify

Private = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
JKU = "https://pix.example.com/.well-known/jwks.json"


def certificate(private: Private) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "pix.example.com")])
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2026, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2036, 1, 1, tzinfo=UTC))
        .sign(private, hashes.SHA256())
        .public_bytes(Encoding.DER)
    )


def pem(private: Private) -> bytes:
    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def location_key(kid: str) -> LocationKey:
    private = ec.generate_private_key(ec.SECP256R1())
    return LocationKey(kid=kid, private_pem=pem(private), certificate_der=certificate(private), jku=JKU)


ANA, BENTO = location_key("ana-1"), location_key("bento-1")
KEYS = public_jwks([ANA, BENTO])
COMPACT = sign(b'{"txid":"x"}', ANA)


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def foreign(protected: dict[str, Any], payload: bytes = b"{}", key: LocationKey = ANA) -> str:
    """A JWS made by another library, with whatever header the test wants."""
    registry = jose.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
    registry.max_header_length = 100_000
    return jose.serialize_compact(protected, payload, ECKey.import_key(key.private_pem), registry=registry)


GOOD = header(COMPACT)


def test_the_header_names_key_set_and_certificate() -> None:
    assert {
        "alg": "ES256",
        "kid": "ana-1",
        "jku": JKU,
        "x5t#S256": KEYS["keys"][0]["x5t#S256"],
        "typ": "JOSE",
    } == GOOD


@pytest.mark.parametrize("algorithm", ["none", "HS256", "ES384", None, ["ES256"]])
def test_the_header_of_another_algorithm_is_not_read(algorithm: object) -> None:
    with pytest.raises(JwsError, match="ES256"):
        header(f"{b64(json.dumps(GOOD | {'alg': algorithm}).encode())}.e30.AA")


@given(st.binary(max_size=2000))
def test_what_is_signed_is_verified(payload: bytes) -> None:
    assert verify(sign(payload, BENTO), KEYS) == payload


def test_another_library_agrees() -> None:
    jwk = ECKey.import_key({name: KEYS["keys"][0][name] for name in ("kty", "crv", "x", "y")})
    assert jose.deserialize_compact(COMPACT, jwk, algorithms=["ES256"]).payload == b'{"txid":"x"}'
    assert verify(foreign(GOOD, b"theirs"), KEYS) == b"theirs"


def test_unknown_names_and_long_headers_are_read() -> None:
    assert verify(foreign(GOOD | {"iat": 1, "x5c": ["A" * 4000]}), KEYS) == b"{}"


def test_a_key_set_shows_no_private_half() -> None:
    text = json.dumps(KEYS)
    assert '"d"' not in text
    assert {jwk["kid"] for jwk in KEYS["keys"]} == {"ana-1", "bento-1"}
    assert "PRIVATE" not in repr(ANA)


@given(st.data())
def test_any_changed_character_is_refused(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(COMPACT) - 1))
    other = data.draw(st.sampled_from("ABCyz019-_.=+ é"))
    changed = COMPACT[:at] + other + COMPACT[at + 1 :]
    signature = changed.rpartition(".")[2]
    # The last character of 64 bytes holds four unused bits: another text for the same signature.
    same = changed == COMPACT or (at == len(COMPACT) - 1 and decoded(signature) == decoded(COMPACT.rpartition(".")[2]))
    if not same:
        with pytest.raises(JwsError):
            verify(changed, KEYS)


def decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return None


def unsigned(protected: dict[str, Any]) -> str:
    return f"{b64(json.dumps(protected).encode())}.{b64(b'{}')}."


def signed_by_secret() -> str:
    secret = OctKey.import_key(b64(ANA.certificate_der))
    return jose.serialize_compact(GOOD | {"alg": "HS256"}, b"{}", secret, algorithms=["HS256"])


REFUSED = {
    "no algorithm": unsigned(GOOD | {"alg": "none"}),
    "algorithm left out": unsigned({name: GOOD[name] for name in GOOD if name != "alg"}),
    "public text as secret": signed_by_secret(),
    "no signature": COMPACT.rpartition(".")[0] + ".",
    "unknown kid": foreign(GOOD | {"kid": "caio-1"}),
    "no kid": foreign({name: GOOD[name] for name in GOOD if name != "kid"}),
    "kid of another type": unsigned(GOOD | {"kid": ["ana-1"]}),
    "key of another kid": foreign(GOOD, key=BENTO),
    "certificate of another key": foreign(GOOD | {"x5t#S256": KEYS["keys"][1]["x5t#S256"]}),
    "no certificate": foreign({name: GOOD[name] for name in GOOD if name != "x5t#S256"}),
    "certificate of surrogates": unsigned(GOOD | {"x5t#S256": "\ud800"}),
    "critical and unknown": f"{b64(json.dumps(GOOD | {'crit': ['exp'], 'exp': 1}).encode())}.{COMPACT.partition('.')[2]}",
    "two parts": "a.b",
    "five parts": "a.b.c.d.e",
    "empty": "",
    "header of no JSON": f"{b64(b'{')}.e30.AA",
    "header of a list": f"{b64(b'[]')}.e30.AA",
    "header nested without end": f"{b64(b'[' * 20_000)}.e30.AA",
    "too long": COMPACT + "A" * 70_000,
}


@pytest.mark.parametrize("compact", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_trusted_is_refused(compact: str) -> None:
    with pytest.raises(JwsError):
        verify(compact, KEYS)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"keys": None},
        {"keys": []},
        {"keys": ["ana-1"]},
        {"keys": [KEYS["keys"][0], KEYS["keys"][0]]},
        {"keys": [KEYS["keys"][0] | {"x": KEYS["keys"][1]["x"]}]},
        {"keys": [KEYS["keys"][0] | {"x": 7}]},
        {"keys": [{name: value for name, value in KEYS["keys"][0].items() if name != "y"}]},
        {"keys": [KEYS["keys"][0] | {"x5c": KEYS["keys"][1]["x5c"]}]},
        {"keys": [KEYS["keys"][0] | {"x5c": []}]},
        {"keys": [KEYS["keys"][0] | {"x5c": ["%"]}]},
        {"keys": [{name: value for name, value in KEYS["keys"][0].items() if not name.startswith("x5")}]},
    ],
)
def test_a_key_set_that_does_not_fit_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(JwsError):
        verify(COMPACT, keys)


def test_a_key_set_may_state_the_thumbprint_alone() -> None:
    stated = {name: value for name, value in KEYS["keys"][0].items() if name != "x5c"}
    assert verify(COMPACT, {"keys": [stated]}) == b'{"txid":"x"}'


def test_a_key_must_be_what_it_says() -> None:
    other = ec.generate_private_key(ec.SECP384R1())
    with pytest.raises(ValueError, match="P-256"):
        LocationKey(kid="k", private_pem=pem(other), certificate_der=certificate(other), jku=JKU)
    with pytest.raises(ValueError, match="another key"):
        LocationKey(kid="k", private_pem=ANA.private_pem, certificate_der=BENTO.certificate_der, jku=JKU)
    numbers = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    with pytest.raises(TypeError):
        LocationKey(kid="k", private_pem=pem(numbers), certificate_der=ANA.certificate_der, jku=JKU)
