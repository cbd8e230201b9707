"""The certificate of a caller, as proxies hand it on: whose word counts, how it is written, and when it is good."""

import base64
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_from_bytes

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, load_pem_private_key, pkcs12
from tests.in_one import in_one_test
from tests.rules.api_kit.test_source import PROXIES
from tests.self_signed import self_signed

from lastro.api_kit.proxies import Proxies, certificate_of, proxies, thumbprint

PROXY, STRANGER = "10.0.0.1", "203.0.113.7"
DAY = 86_400.0


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("made") / "both.pem", "client.example.com", 2)


@pytest.fixture(scope="module")
def shown(both: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(both.read_bytes())


def of_rfc_9440(certificate: x509.Certificate) -> bytes:
    return b":" + base64.b64encode(certificate.public_bytes(Encoding.DER)) + b":"


def of_nginx(certificate: x509.Certificate) -> bytes:
    return quote_from_bytes(certificate.public_bytes(Encoding.PEM), safe="").encode()


def seen(*values: bytes, by: str = PROXY, header: str | None = "client-cert", now: float, also: str = "host") -> str | None:
    scope: Any = {"client": (by, 5000), "headers": [(also.encode(), b"x"), *((b"client-cert", value) for value in values)]}
    return Proxies(PROXIES, header).peer(scope, lambda: now).certificate


@in_one_test("written", [of_rfc_9440, of_nginx, lambda one: one.public_bytes(Encoding.PEM).replace(b"\n", b"%0A")])
def test_a_proxy_hands_it_on(shown: x509.Certificate, written: Any) -> None:
    now = shown.not_valid_after_utc.timestamp() - DAY
    found = seen(written(shown), now=now)
    assert found == thumbprint(shown)
    assert len(found) == 43
    assert seen(written(shown), by=STRANGER, now=now) is None, "a stranger's word is nothing"
    assert seen(written(shown), header=None, now=now) is None, "nobody was told to look"
    assert seen(written(shown), written(shown), now=now) is None, "which of the two would it be"
    assert seen(written(shown), also="transfer-encoding", now=now) is None, "it may have come behind a chunked body"


def test_a_certificate_of_a_version_that_nobody_makes_is_none(shown: x509.Certificate) -> None:
    odd = shown.public_bytes(Encoding.DER).replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x01", 1)
    with pytest.raises(x509.InvalidVersion):
        x509.load_der_x509_certificate(odd)
    assert seen(b":" + base64.b64encode(odd) + b":", now=0.0) is None


def test_it_is_good_in_its_time_alone(shown: x509.Certificate) -> None:
    begins, ends = shown.not_valid_before_utc.timestamp(), shown.not_valid_after_utc.timestamp()
    for now, is_good in ((begins - 1, False), (begins, True), (ends, True), (ends + 1, False)):
        assert (seen(of_nginx(shown), now=now) is not None) == is_good, now


@in_one_test(
    "value",
    [
        b"", b":", b"::", b":AAAA:", b":%%%:", b"-----BEGIN CERTIFICATE-----", b"nobody", b"\xff\xfe", b":" + b"A" * 20_000 + b":",
        quote("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").encode(),
    ],
)  # fmt: skip
def test_what_is_no_certificate_is_none(value: bytes) -> None:
    assert seen(value, now=0.0) is None


def test_the_certificate_of_a_file(both: Path, shown: x509.Certificate) -> None:
    key: Any = load_pem_private_key(both.read_bytes(), None)
    closed = pkcs12.serialize_key_and_certificates(b"client", key, shown, None, BestAvailableEncryption(b"secret"))
    for content, password in ((both.read_bytes(), None), (shown.public_bytes(Encoding.DER), None), (closed, b"secret")):
        assert certificate_of(content, password) == shown
    for content, password in ((closed, None), (closed, b"wrong"), (b"", None), (b"-----BEGIN NOTHING-----", None)):
        with pytest.raises(ValueError, match=r"."):
            certificate_of(content, password)


@in_one_test(
    ("given", "expected", "problem"),
    [
        ("", None, ""), ("Client-Cert", "client-cert", ""), ("X-SSL-Client-Cert", "x-ssl-client-cert", ""),
        ("client cert", None, "the name of a header"), ("a:b", None, "the name of a header"),
    ],
)  # fmt: skip
def test_the_setting(given: str, expected: str | None, problem: str) -> None:
    problems: list[str] = []
    made = proxies(given, problems, PROXIES)
    assert problem in "".join(problems) if problem else (made, problems) == (Proxies(PROXIES, expected), [])


def test_a_header_needs_proxies_that_may_send_it() -> None:
    problems: list[str] = []
    proxies("client-cert", problems, ())
    assert "needs LASTRO_PROXIES" in problems[0]
