import base64
import hashlib
import hmac
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.webhooks.signatures import new_webhook_secret, sign, verify, verify_short

# Published with the reference libraries of Standard Webhooks and with the manual of Svix, who began it.
PUBLISHED = [
    (
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ),
    (
        "whsec_plJ3nmyCDGBKInavdOK15jsl",
        "msg_loFOjxBNrRLzqYUf",
        1731705121,
        b'{"event_type":"ping","data":{"success":true}}',
        "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    ),
]
NEW, OLD = PUBLISHED[0][0], PUBLISHED[1][0]
NOW = 1_800_000_000
BODY = b'{"id":"1"}'


@pytest.mark.parametrize(("secret", "event_id", "timestamp", "body", "signature"), PUBLISHED)
def test_published_signatures(secret: str, event_id: str, timestamp: int, body: bytes, signature: str) -> None:
    headers = sign([secret], event_id, timestamp, body)
    assert headers["webhook-id"] == event_id
    assert headers["webhook-timestamp"] == str(timestamp)
    assert headers["webhook-signature"] == signature
    assert verify([secret], headers, body, now_seconds=timestamp)


def test_the_short_signature_takes_the_printed_secret_whole() -> None:
    expected = hmac.new(NEW.encode(), BODY, hashlib.sha256).hexdigest()
    headers = sign([NEW], "e", NOW, BODY)
    assert headers["X-Signature-SHA256"] == f"sha256={expected}"
    assert set(headers) == {"X-Signature-SHA256", "webhook-id", "webhook-timestamp", "webhook-signature"}


def test_an_old_secret_signs_beside_the_new_one() -> None:
    headers = sign([NEW, OLD], "e", NOW, BODY)
    only_new, only_old = sign([NEW], "e", NOW, BODY), sign([OLD], "e", NOW, BODY)
    assert headers["webhook-signature"] == f"{only_new['webhook-signature']} {only_old['webhook-signature']}"
    assert headers["X-Signature-SHA256"] == only_new["X-Signature-SHA256"]
    assert headers["X-Signature-SHA256-Previous"] == only_old["X-Signature-SHA256"]
    for secret in (NEW, OLD):
        assert verify([secret], headers, BODY, now_seconds=NOW)
        assert verify_short([secret], headers, BODY)


@given(st.binary(max_size=200), st.binary(max_size=200), st.integers(0, 2**33), st.uuids().map(str))
def test_a_signature_fits_its_own_body_alone(body: bytes, other: bytes, timestamp: int, event_id: str) -> None:
    secret = new_webhook_secret(os.urandom).reveal()
    headers = sign([secret], event_id, timestamp, body)
    assert verify([secret], headers, other, now_seconds=timestamp) == (body == other)
    assert verify_short([secret], headers, other) == (body == other)
    assert not verify([NEW], headers, body, now_seconds=timestamp)
    assert not verify_short([NEW], headers, body)


@pytest.mark.parametrize(("away", "good"), [(0, True), (300, True), (-300, True), (301, False), (-301, False)])
def test_time_counts(away: int, good: bool) -> None:
    assert verify([NEW], sign([NEW], "e", NOW, BODY), BODY, now_seconds=NOW + away) == good


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", "f"),
        ("webhook-id", ""),
        ("webhook-timestamp", str(NOW + 1)),
        ("webhook-timestamp", ""),
        ("webhook-timestamp", "soon"),
        ("webhook-timestamp", "-1"),
        ("webhook-timestamp", "٣"),
        ("webhook-timestamp", "9" * 5000),
        ("webhook-signature", ""),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1,é"),
        ("webhook-signature", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ("webhook-signature", "\ud800"),
    ],
)
def test_changed_headers_are_a_plain_no(name: str, value: str) -> None:
    assert not verify([NEW], {**sign([NEW], "e", NOW, BODY), name: value}, BODY, now_seconds=NOW)


def test_names_of_headers_count_in_any_case_and_unknown_versions_are_passed_over() -> None:
    headers = {name.upper(): value for name, value in sign([NEW], "e", NOW, BODY).items()}
    headers["WEBHOOK-SIGNATURE"] = f"v1a,abc {headers['WEBHOOK-SIGNATURE']}"
    assert verify([NEW], headers, BODY, now_seconds=NOW)
    assert verify_short([NEW], headers, BODY)
    assert not verify([NEW], {}, BODY, now_seconds=NOW)
    assert not verify_short([NEW], {}, BODY)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_***", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_é", "whsec_abc"])
def test_what_is_no_secret_does_not_sign_and_is_not_repeated(secret: str) -> None:
    with pytest.raises(ValueError, match=r"^a webhook secret is whsec_ and base64$"):
        sign([secret], "e", NOW, BODY)


@pytest.mark.parametrize("secrets", [[], [NEW, OLD, NEW]])
def test_one_secret_or_two(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="one secret or two"):
        sign(secrets, "e", NOW, BODY)


def test_a_new_secret_is_32_random_bytes_and_hidden() -> None:
    secret = new_webhook_secret(lambda count: bytes(range(count)))
    assert base64.b64decode(secret.reveal().removeprefix("whsec_")) == bytes(range(32))
    assert repr(secret) == "***"
