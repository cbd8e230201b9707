"""What we sign and publish, as two readers see it that lastro does not sign with: joserfc, and Node's own cryptography."""

import base64
import json
import shutil
import subprocess
from typing import Any

import pytest
from joserfc import jws as jose
from joserfc.errors import BadSignatureError
from joserfc.jwk import KeySet
from tests.in_one import in_one_test
from tests.signatures import certificate, ec_private, location_key, pem, rsa_private, thumbprint

from lastro.standards.jws import LocationKey, header, public_jwks, sign

JKU = "https://pix.example.com/.well-known/pix-jwks.json"
PAYLOAD = '{"txid":"x","solicitacaoPagador":"Manutenção"}'.encode()

# Reads as a bank's program does: the key by kid, the certificate by both thumbprints, one against the other, the signature.
_NODE = """
const { createHash, createPublicKey, verify, constants, X509Certificate } = require('node:crypto');
const { compact, jwks } = JSON.parse(process.argv[1]);
const [protectedPart, payload, signature] = compact.split('.');
const header = JSON.parse(Buffer.from(protectedPart, 'base64url'));
const jwk = jwks.keys.find((one) => one.kid === header.kid);
const key = createPublicKey({ key: jwk, format: 'jwk' });
const chain = jwk.x5c.map((one) => new X509Certificate(Buffer.from(one, 'base64')));
const how = {
  ES256: { key, dsaEncoding: 'ieee-p1363' },
  RS256: { key, padding: constants.RSA_PKCS1_PADDING },
  PS256: { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
}[header.alg];
console.log(JSON.stringify({
  good: verify('sha256', Buffer.from(`${protectedPart}.${payload}`), how, Buffer.from(signature, 'base64url')),
  payload: Buffer.from(payload, 'base64url').toString('base64'),
  algorithms: [header.alg, jwk.alg],
  sameKey: chain[0].publicKey.equals(key),
  chained: chain.slice(1).every((above, at) => chain[at].verify(above.publicKey)),
  x5t: createHash('sha1').update(chain[0].raw).digest('base64url') === header.x5t && header.x5t === jwk.x5t,
  x5tS256: createHash('sha256').update(chain[0].raw).digest('base64url') === header['x5t#S256'],
}));
"""


def keys() -> dict[str, LocationKey]:
    """One of each kind that an installation may sign with; the RSA ones have a chain."""
    authority, private = ec_private(), rsa_private()
    above, leaf = certificate(authority, name="AC"), certificate(private, authority=authority)
    return {
        "ES256": location_key("es", JKU),
        "RS256": LocationKey("rs", pem(private), leaf, JKU, (above,)),
        "PS256": LocationKey("ps", pem(private), leaf, JKU, (above,), "PS256"),
    }


KEYS = keys()
JWKS = public_jwks(KEYS.values())


@in_one_test("algorithm", KEYS)
def test_joserfc_reads_ours(algorithm: str) -> None:
    compact = sign(PAYLOAD, KEYS[algorithm])
    published: Any = JWKS
    found = jose.deserialize_compact(compact, KeySet.import_key_set(published), algorithms=[algorithm])
    assert found.payload == PAYLOAD
    with pytest.raises(BadSignatureError):
        jose.deserialize_compact(compact[:-8] + "AAAAAAAA", KeySet.import_key_set(published), algorithms=[algorithm])


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
@in_one_test("algorithm", KEYS)
def test_node_reads_ours(algorithm: str) -> None:
    given = json.dumps({"compact": sign(PAYLOAD, KEYS[algorithm]), "jwks": JWKS})
    ran = subprocess.run(["node", "-e", _NODE, given], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "good": True, "payload": base64.b64encode(PAYLOAD).decode(), "algorithms": [algorithm, algorithm],
        "sameKey": True, "chained": True, "x5t": True, "x5tS256": True,
    }  # fmt: skip


def test_the_header_has_what_the_manual_asks_for_and_what_readers_know() -> None:
    """Some banks read `x5t` alone, some `x5t#S256`: both stand there."""
    for algorithm, key in KEYS.items():
        said = header(sign(b"{}", key))
        assert {"alg", "kid", "jku", "x5t", "x5t#S256", "typ"} == said.keys()
        assert said["alg"] == algorithm
        assert [said[name] for name in ("x5t", "x5t#S256")] == [
            thumbprint(key.certificate_der, name) for name in ("x5t", "x5t#S256")
        ]
