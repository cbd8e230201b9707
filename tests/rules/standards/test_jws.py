import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws as jose
from joserfc.jwk import ECKey, OctKey
from tests.in_one import in_one_test
from tests.signatures import (
    START,
    WAYS,
    Foreign,
    certificate,
    ec_private,
    location_key,
    pem,
    rsa_private,
    thumbprint,
)

from lastro.standards.jwk import MAX_CHAIN, MAX_KEYS
from lastro.standards.jws import JwsError, LocationKey, header, public_jwks, sign
from lastro.standards.jws import verify as verified_at

JKU = "https://pix.example.com/.well-known/jwks.json"
AT = datetime(2026, 6, 1, tzinfo=UTC)


ANA, BENTO = location_key("ana-1", JKU), location_key("bento-1", JKU)
KEYS = public_jwks([ANA, BENTO])
COMPACT = sign(b'{"txid":"x"}', ANA)


def verify(compact: str, keys: dict[str, Any], at: datetime = AT) -> bytes:
    return verified_at(compact, keys, at)


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
        "x5t": KEYS["keys"][0]["x5t"],
        "x5t#S256": KEYS["keys"][0]["x5t#S256"],
        "typ": "JOSE",
    } == GOOD


@in_one_test("algorithm", ["none", "HS256", "ES384", None, ["ES256"]])
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
    "no certificate": foreign({name: GOOD[name] for name in GOOD if not name.startswith("x5t")}),
    "another certificate's SHA-1": foreign(GOOD | {"x5t": KEYS["keys"][1]["x5t"]}),
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


@in_one_test("compact", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_trusted_is_refused(compact: str) -> None:
    with pytest.raises(JwsError):
        verify(compact, KEYS)


@in_one_test(
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
        LocationKey("k", pem(other), certificate(other), JKU)
    with pytest.raises(ValueError, match="another key"):
        LocationKey("k", ANA.private_pem, BENTO.certificate_der, JKU)
    short = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    with pytest.raises(ValueError, match="2048"):
        LocationKey("k", pem(short), certificate(short), JKU)
    with pytest.raises(ValueError, match="RS256 or PS256"):
        location_key("k", JKU, rsa_private(), rsa_algorithm="HS256")
    curve = ed25519.Ed25519PrivateKey.generate()
    text = curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with pytest.raises(TypeError):
        LocationKey("k", text, ANA.certificate_der, JKU)


@in_one_test("algorithm", ["RS256", "PS256"])
def test_an_rsa_key_signs_and_its_set_has_the_chain(algorithm: str) -> None:
    authority = ec_private()
    private, above = rsa_private(), certificate(authority, name="AC")
    key = LocationKey("k", pem(private), certificate(private, authority=authority), JKU, (above,), algorithm)
    compact, keys = sign(b"{}", key), public_jwks([key, ANA])
    assert (header(compact)["alg"], keys["keys"][0]["alg"]) == (algorithm, algorithm)
    assert [base64.b64decode(one) for one in keys["keys"][0]["x5c"]] == [key.certificate_der, above]
    assert verify(compact, keys) == b"{}"
    assert '"d"' not in json.dumps(keys)


@in_one_test(("algorithm", "names"), WAYS)
def test_each_way_of_other_banks_is_read(algorithm: str, names: tuple[str, ...]) -> None:
    key = Foreign.new("k", JKU, algorithm)
    compact = key.signed(b"{}", algorithm, names)
    for changes in ({}, {"alg": algorithm}, {"alg": "RSA"}, {"x5t": thumbprint(key.chain[0], "x5t")}):
        assert verify(compact, key.jwks(**changes)) == b"{}"


@in_one_test(
    "written",
    [
        lambda text: text + "=",
        lambda text: base64.b64encode(decoded(text) or b"").decode(),
        lambda text: b64((decoded(text) or b"").hex().encode()),
        lambda text: base64.b64encode((decoded(text) or b"").hex().upper().encode()).decode(),
    ],
)
@in_one_test("name", ["x5t", "x5t#S256"])
def test_thumbprints_are_read_as_banks_write_them(name: str, written: Any) -> None:
    key = Foreign.new("k", JKU, "RS256")
    text = written(thumbprint(key.chain[0], name))
    assert verify(key.signed(b"{}", "RS256", (), **{name: text}), key.jwks()) == b"{}"
    with pytest.raises(JwsError, match="does not name"):
        verify(key.signed(b"{}", "RS256", (), **{name: written(thumbprint(key.chain[1], name))}), key.jwks())


def test_a_certificate_may_be_folded_into_lines() -> None:
    key = Foreign.new("k", JKU, "RS256")
    text = base64.encodebytes(key.chain[0]).decode()
    assert "\n" in text.strip()
    assert verify(key.signed(b"{}", "RS256"), key.jwks(x5c=[text])) == b"{}"


@in_one_test("algorithm", ["RS256", "ES256"])
def test_a_certificate_holds_between_its_days(algorithm: str) -> None:
    key = Foreign.new("k", JKU, algorithm, start=AT, end=AT + timedelta(days=30))
    compact = key.signed(b"{}", algorithm)
    for at in (AT, AT + timedelta(days=30)):
        assert verify(compact, key.jwks(), at) == b"{}"
    for at in (AT - timedelta(seconds=1), AT + timedelta(days=30, seconds=1), AT + timedelta(days=60)):
        with pytest.raises(JwsError, match="2026-06-01 to 2026-07-01"):
            verify(compact, key.jwks(), at)


SIGNS, CIPHERS = "digital_signature", "key_encipherment"
# What a certificate says of its key, and why that signs no location; None: it does.
SAYS: list[tuple[dict[str, Any], str | None]] = [
    ({}, None),
    ({"uses": [SIGNS]}, None),
    ({"uses": [SIGNS, "content_commitment", CIPHERS], "is_authority": False}, None),
    ({"is_authority": False}, None),
    ({"uses": [CIPHERS]}, "no digital signature"),
    ({"uses": ["content_commitment"], "is_authority": False}, "no digital signature"),
    ({"uses": ["key_agreement", "encipher_only"]}, "no digital signature"),
    ({"uses": ["key_cert_sign", "crl_sign"], "is_authority": True}, "an authority"),
    ({"uses": [SIGNS, "key_cert_sign"], "is_authority": True}, "an authority"),
    ({"is_authority": True}, "an authority"),
]


@in_one_test("algorithm", ["RS256", "ES256"])
@in_one_test(("says", "why"), SAYS)
def test_a_certificate_may_forbid_its_key_to_sign(algorithm: str, says: dict[str, Any], why: str | None) -> None:
    key = Foreign.new("k", JKU, algorithm, **says)
    compact = key.signed(b"{}", algorithm)
    if why is None:
        assert verify(compact, key.jwks()) == b"{}"
        return
    with pytest.raises(JwsError, match=why):
        verify(compact, key.jwks())


def test_a_certificate_that_says_it_twice_is_refused() -> None:
    """By hand: no library makes one."""
    key = Foreign.new("k", JKU, "ES256", uses=[SIGNS], is_authority=False)
    constraints, usage = bytes.fromhex("0603551d13"), bytes.fromhex("0603551d0f")
    der = key.chain[0]
    assert (der.count(constraints), der.count(usage)) == (1, 1)
    twice = Foreign("k", JKU, key.private, (der.replace(constraints, usage), *key.chain[1:]))
    with pytest.raises(JwsError, match="cannot be read"):
        verify(twice.signed(b"{}", "ES256"), twice.jwks())


@in_one_test("algorithm", ["RS256", "PS256", "ES256"])
def test_a_certificate_must_be_of_the_key(algorithm: str) -> None:
    """Also where the header names that certificate, so that its thumbprint fits."""
    key = Foreign.new("k", JKU, algorithm)
    for other in (ec_private(), rsa_private(1)):
        der = certificate(other)
        compact = key.signed(b"{}", algorithm, (), **{"x5t#S256": thumbprint(der, "x5t#S256")})
        with pytest.raises(JwsError, match="of another key"):
            verify(compact, key.jwks(x5c=[base64.b64encode(der).decode()]))


def confused() -> dict[str, tuple[str, dict[str, Any]]]:
    """Headers whose algorithm is not that of the key: what was signed is right in each."""
    rs, es = Foreign.new("k", JKU, "RS256"), Foreign.new("k", JKU, "ES256")
    known = rs.jwk()
    return {
        "the modulus as a secret": (by_secret(rs, known["n"].encode()), rs.jwks()),
        "the certificate as a secret": (by_secret(rs, rs.chain[0]), rs.jwks()),
        "the certificate's text as a secret": (by_secret(rs, known["x5c"][0].encode()), rs.jwks()),
        "RSA by a header for P-256": (relabelled(rs.signed(b"{}", "RS256"), alg="ES256"), rs.jwks()),
        "P-256 by a header for RSA": (relabelled(es.signed(b"{}", "ES256"), alg="RS256"), es.jwks()),
        "one padding for the other": (relabelled(rs.signed(b"{}", "PS256"), alg="RS256"), rs.jwks()),
        "a key for PS256 alone": (rs.signed(b"{}", "RS256"), rs.jwks(alg="PS256")),
        "a key for HS256": (rs.signed(b"{}", "RS256"), rs.jwks(alg="HS256")),
        "a key for encryption": (rs.signed(b"{}", "RS256"), rs.jwks(use="enc")),
        "a key of another type": (rs.signed(b"{}", "RS256"), rs.jwks(kty="oct", k="AAAA")),
        "a type that is a list": (rs.signed(b"{}", "RS256"), rs.jwks(kty=["RSA"])),
        "SHA-512": (rs.signed(b"{}", "RS512"), rs.jwks()),
    }


def by_secret(key: Foreign, secret: bytes) -> str:
    made = OctKey.import_key(b64(secret))
    return jose.serialize_compact(key.header("HS256"), b"{}", made, algorithms=["HS256"])


def relabelled(compact: str, **changes: Any) -> str:
    protected, rest = compact.split(".", 1)
    return b64(json.dumps(json.loads(decoded(protected) or b"") | changes).encode()) + "." + rest


CONFUSED = confused()


@in_one_test(("compact", "keys"), CONFUSED.values(), ids=CONFUSED)
def test_an_algorithm_is_not_confused_with_another(compact: str, keys: dict[str, Any]) -> None:
    with pytest.raises(JwsError):
        verify(compact, keys)


def test_what_is_read_has_a_bound() -> None:
    key = Foreign.new("k", JKU, "RS256")
    compact, own = key.signed(b"{}", "RS256"), key.jwk()
    other = Foreign.new("other", JKU, "RS256").jwk()
    assert verify(compact, {"keys": [other] * (MAX_KEYS - 1) + [own]}) == b"{}"
    assert verify(compact, key.jwks(x5c=own["x5c"] * (MAX_CHAIN // 2))) == b"{}"
    short, long = rsa_private(0, 1024), 1 << 8200
    for keys in (
        {"keys": [other] * MAX_KEYS + [own]},
        key.jwks(x5c=own["x5c"] * MAX_CHAIN),
        key.jwks(x5c=[own["x5c"][0], "A" * 20_000]),
        key.jwks(x5c=[own["x5c"][0] + "\n" * 20_000]),
        key.jwks(x5c=own["x5c"][0]),
        key.jwks(n="A" * 100_000),
        key.jwks(n=b64(long.to_bytes(1026, "big"))),
        key.jwks(e=b64((1 << 63 | 1).to_bytes(8, "big"))),
        key.jwks(e="AQ"),
        key.jwks(e=""),
        {"keys": [own, own]},
    ):
        with pytest.raises(JwsError):
            verify(compact, keys)
    weak = Foreign("k", JKU, short, (certificate(short),))
    with pytest.raises(JwsError, match="2048"):
        verify(weak.signed(b"{}", "RS256"), weak.jwks())


def test_keys_of_one_name_are_told_apart_by_their_certificates() -> None:
    old, new = Foreign.new("k", JKU, "ES256"), Foreign.new("k", JKU, "ES256", start=START)
    keys = {"keys": [old.jwk(), Foreign.new("k", JKU, "RS256").jwk(), new.jwk()]}
    for one in (old, new):
        assert verify(one.signed(b"{}", "ES256"), keys) == b"{}"


@given(st.data())
def test_a_certificate_that_cannot_be_read_is_refused(data: st.DataObject) -> None:
    der = bytearray(RSA.chain[0])
    for at in data.draw(st.lists(st.integers(0, len(der) - 1), min_size=1, max_size=4, unique=True)):
        der[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises(JwsError):
        verify(RSA_COMPACT, RSA.jwks(x5c=[base64.b64encode(der).decode()]))


RSA = Foreign.new("k", JKU, "RS256")
RSA_COMPACT = RSA.signed(b"{}", "RS256")
