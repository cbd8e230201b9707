"""What may be paid of what a location says, and which location it is."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails.locations.judging import DUE_DATE, has_due_date, host_of, judged, our_token, url_of
from lastro.rails.port import Charge, NoCharge
from lastro.standards import payload

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
TOKEN = "00001Ab3dEf5hIj7lMn9pQ"
CHARGE = payload.ChargePayload(
    revision=0, created_at=NOW - timedelta(seconds=60), presented_at=NOW, expiration=60, txid="a" * 26, status="ATIVA",
    amount="10.50", key="fabio@fora.example",
)  # fmt: skip


def said(**changes: Any) -> bytes:
    return payload.encode(replace(CHARGE, **changes))


@pytest.mark.parametrize(
    ("changes", "amount", "may_change"),
    [
        ({}, 1050, False),
        ({"open_amount": True}, 1050, True),
        ({"amount": "0.00", "open_amount": True}, None, True),
        ({"amount": "9999999999.99"}, 999_999_999_999, False),
    ],
)
def test_a_charge_that_may_be_paid(changes: dict[str, Any], amount: int | None, *, may_change: bool) -> None:
    asked = None if amount is None else Money(amount, "BRL")
    assert judged(said(**changes), NOW) == Charge("fabio@fora.example", asked, "a" * 26, may_change)


@pytest.mark.parametrize(
    ("changes", "at"),
    [
        ({}, NOW + timedelta(microseconds=1)),
        ({"status": "CONCLUIDA"}, NOW),
        ({"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}, NOW),
        ({"status": "REMOVIDA_PELO_PSP"}, NOW),
    ],
)
def test_a_charge_that_is_over(changes: dict[str, Any], at: datetime) -> None:
    found = judged(said(**changes), at)
    assert isinstance(found, NoCharge)
    assert found.issue == "EXPIRED"


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", said().replace(b"10.50", b"10.5"), b"[" * 100_000])
def test_what_is_no_charge(body: bytes) -> None:
    found = judged(body, NOW)
    assert isinstance(found, NoCharge)
    assert found.issue == "INVALID"


@pytest.mark.parametrize(
    ("location", "token"),
    [
        (f"pix.lastro.example/qr/v2/{TOKEN}", TOKEN),
        (f"PIX.Lastro.Example/qr/v2/{TOKEN}", TOKEN),
        (f"pix.lastro.example:443/qr/v2/{TOKEN}", TOKEN),
        (f"pix.lastro.example./qr/v2/{TOKEN}", TOKEN),
        (f"127.0.0.1:8080/qr/v2/{TOKEN}", TOKEN),
        (f"pix.lastro.example/behind/qr/v2/{TOKEN}", TOKEN),
        (f"pix.lastro.example/qr/v2/rec/{TOKEN}", ""),
        (f"pix.lastro.example/qr/v2/{TOKEN}x", ""),
        (f"pix.lastro.example/qr/v2/{TOKEN}?x=1", ""),
        ("pix.lastro.example/sandbox/clock", ""),
        ("pix.lastro.example", ""),
        (f"pix.lastro.example.evil.example/qr/v2/{TOKEN}", None),
        (f"evil.example/pix.lastro.example/qr/v2/{TOKEN}", None),
        (f"pix.lastro.example:8443/qr/v2/{TOKEN}", None),
        (f"127.0.0.1:8081/qr/v2/{TOKEN}", None),
    ],
)
def test_whose_location_it_is(location: str, token: str | None) -> None:
    assert our_token(location, {"pix.lastro.example", "127.0.0.1:8080"}) == token


@pytest.mark.parametrize(
    ("location", "sandbox", "url"),
    [
        ("127.0.0.1:8090/qr/v2/x", True, "http://127.0.0.1:8090/qr/v2/x"),
        ("localhost:8090/qr/v2/x", True, "http://localhost:8090/qr/v2/x"),
        ("pix.bank.example/x", True, "https://pix.bank.example/x"),
        ("10.0.0.1/x", True, "https://10.0.0.1/x"),
        ("127.0.0.1:8090/qr/v2/x", False, "https://127.0.0.1:8090/qr/v2/x"),
        ("[::1/x", True, "https://[::1/x"),
    ],
)
def test_what_is_fetched(location: str, url: str, *, sandbox: bool) -> None:
    assert url_of(location, sandbox=sandbox) == url


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://keys.bank.example/jwks", "keys.bank.example"),
        ("https://KEYS.bank.example:443/jwks", "keys.bank.example"),
        ("https://keys.bank.example:8443/jwks", "keys.bank.example:8443"),
        ("http://127.0.0.1:80/jwks", "127.0.0.1"),
        ("https://trusted.example@evil.example/jwks", "evil.example"),
        ("https://evil.example\\@trusted.example/jwks", "trusted.example"),  # the guard refuses the backslash
        ("jwks", ""),
        ("https://[::1/jwks", ""),
        ("https://keys.bank.example:x/jwks", ""),
    ],
)
def test_the_host_that_has_to_be_registered(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("location", "is_one"),
    [
        ("pix.bank.example/v2/cobv/abc", True), ("pix.bank.example/cobv/abc?DPP=2026-01-31", True),
        ("pix.bank.example/v2/abc", False), ("pix.bank.example/cobv", False), ("cobv/abc/def", False),
    ],
)  # fmt: skip
def test_charges_with_a_due_date_are_known_by_their_path(location: str, *, is_one: bool) -> None:
    assert has_due_date(location) == is_one
    assert DUE_DATE.issue == "NOT_SUPPORTED"


@pytest.mark.parametrize("cash", [b'{"saque":{}}', b'{"troco":{}}', b"{}"])
def test_a_signed_withdrawal_is_not_supported(cash: bytes) -> None:
    body = said().replace(b'"modalidadeAlteracao":0', b'"modalidadeAlteracao":0,"retirada":' + cash)
    found = judged(body, NOW)
    assert isinstance(found, NoCharge)
    assert found.issue == "NOT_SUPPORTED"
    assert isinstance(judged(body.replace(cash, b"null"), NOW), Charge)
