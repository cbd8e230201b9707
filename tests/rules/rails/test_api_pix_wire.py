"""What banks say in API Pix, read to the letter: amounts and instants strictly, all the rest leniently."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastro.core.money import Money
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.dialects import Clock
from lastro.rails.messages import Malformed

E2E = "E12345678202611231300abcdef12345"
AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
PIX: dict[str, Any] = {"endToEndId": E2E, "valor": "10.50", "horario": "2026-11-23T13:00:00Z"}
RETURN: dict[str, Any] = {
    "id": "r1", "rtrId": "D12345678202611231300abcdef12345", "valor": "1.00", "natureza": "ORIGINAL", "status": "DEVOLVIDO",
    "horario": {"solicitacao": "2026-11-23T12:59:00Z", "liquidacao": "2026-11-23T13:00:00Z"},
}  # fmt: skip


def raw(value: object) -> bytes:
    return msgspec.json.encode(value)


@pytest.mark.parametrize(
    "text",
    [
        "10", "10.5", "10,50", "10.500", " 10.50", "10.50 ", "+10.50", "-1.00", "1e2", "x10.00y", "12345678901.00", "0.00",
        "\u0661\u0660.50", "", ".50", "10.", "1_0.00", None,
    ],
)  # fmt: skip
def test_an_amount_in_another_form_is_refused(text: str | None) -> None:
    with pytest.raises(Malformed, match=r"^valor$"):
        wire.money(text, "valor")


@given(st.integers(1, 999_999_999_999))
def test_an_amount_is_read_as_it_is_written(minor: int) -> None:
    assert wire.money(str(Money(minor, "BRL")), "valor") == Money(minor, "BRL")


@pytest.mark.parametrize(
    ("text", "clock", "at"),
    [
        ("2026-11-23T13:00:00Z", "utc", AT), ("2026-11-23t13:00:00z", "utc", AT), ("2026-11-23T10:00:00-03:00", "utc", AT),
        ("2026-11-23T10:00:00-0300", "utc", AT), ("2026-11-23T13:00Z", "utc", AT), ("2026-11-23 13:00:00Z", "utc", AT),
        ("2026-11-23T13:00:00.123456789Z", "utc", AT.replace(microsecond=123456)),
        ("2026-11-23T10:00:00", "local", AT), ("2026-11-23T13:00:00Z", "local", AT),
        ("2026-11-23T10:00:00Z", "local-marked-z", AT), ("2026-11-23T10:00:00-03:00", "local-marked-z", AT),
        ("2026-11-23T10:00:00.0", "local-marked-z", AT),
    ],
)  # fmt: skip
def test_an_instant_is_read_by_the_banks_clock(text: str, clock: Clock, at: datetime) -> None:
    read = wire.instant(text, clock, "horario")
    assert (read, read.tzinfo) == (at, UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-23T13:00:00", "2026-11-23", "23/11/2026 13:00:00", "20261123T130000Z", "2026-13-01T00:00:00Z", "", None,
        "2026-11-23T24:30:00Z", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-W48-1T00:00:00Z",
    ],
)  # fmt: skip
def test_an_instant_in_another_form_is_refused(text: str | None) -> None:
    with pytest.raises(Malformed, match=r"^horario$"):
        wire.instant(text, "utc", "horario")


def test_a_question_has_no_fraction_of_a_second() -> None:
    assert wire.asked_instant(AT.replace(microsecond=999_999)) == "2026-11-23T13:00:00Z"


def test_a_payment_is_read() -> None:
    more = {"txid": "t" * 32, "chave": "loja@example.com", "infoPagador": "\x00", "new": {"a": [1]}}
    assert wire.payment(raw(PIX | more), "utc") == wire.BankPayment(
        E2E, Money(1050, "BRL"), AT, "t" * 32, "loja@example.com"
    )


@pytest.mark.parametrize("absent", [{}, {"txid": None, "chave": None, "devolucoes": None}])
def test_null_is_absent(absent: dict[str, None]) -> None:
    read = wire.payment(raw(PIX | absent), "utc")
    assert (read.txid, read.key, wire.return_rows(read.returns)) == (None, None, ())


@pytest.mark.parametrize(
    "changes",
    [
        {"valor": 10.5}, {"valor": 10}, {"valor": "10,50"}, {"valor": None}, {"endToEndId": E2E + "x"}, {"endToEndId": ""},
        {"endToEndId": None}, {"horario": None}, {"horario": "now"}, {"horario": 1763900000}, {"txid": 7}, {"chave": []},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_no_payment(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        wire.payment(raw(PIX | changes), "utc")


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"<html>", b'{"endToEndId":', b"\xff", b'{"x":' + b"[" * 100_000])
def test_what_is_no_object_is_no_payment(body: bytes) -> None:
    with pytest.raises(Malformed):
        wire.payment(body, "utc")


def test_returns_are_read() -> None:
    pending = RETURN | {"id": "r2", "status": "EM_PROCESSAMENTO", "horario": {"solicitacao": "2026-11-23T13:00:00Z"}}
    payment = wire.payment(
        raw(PIX | {"devolucoes": [RETURN, pending, RETURN | {"natureza": None, "motivo": " a\nb "}]}), "utc"
    )
    done, waits, bare = (wire.return_(row, "utc") for row in wire.return_rows(payment.returns))
    assert done == wire.BankReturn("r1", Money(100, "BRL"), "DEVOLVIDO", "ORIGINAL", AT, RETURN["rtrId"])
    assert (waits.status, waits.settled_at) == ("EM_PROCESSAMENTO", None)
    assert (bare.nature, bare.reason) == (None, "a b")


def test_a_return_that_tells_one_time_alone_settled_then() -> None:
    assert wire.return_(raw(RETURN | {"horario": {"solicitacao": "2026-11-23T13:00:00Z"}}), "utc").settled_at == AT


@pytest.mark.parametrize(
    "changes",
    [{"id": ""}, {"id": "a-b"}, {"id": "x" * 36}, {"status": "PAGO"}, {"valor": "1"}, {"horario": None}, {"horario": {}}],
)
def test_what_cannot_be_read_is_no_return(changes: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        wire.return_(raw(RETURN | changes), "utc")


def test_a_return_that_cannot_be_read_leaves_its_payment_readable() -> None:
    payment = wire.payment(raw(PIX | {"devolucoes": [RETURN, {"id": 1}]}), "utc")
    good, bad = wire.return_rows(payment.returns)
    assert wire.return_(good, "utc").return_id == "r1"
    with pytest.raises(Malformed):
        wire.return_(bad, "utc")


def test_a_page_says_what_it_covers() -> None:
    paging = {"paginaAtual": 0, "itensPorPagina": "100", "quantidadeDePaginas": "3", "quantidadeTotalDeItens": 201}
    asked = {"inicio": "2026-11-23T13:00:00Z", "fim": "2026-11-23T13:00:00Z", "paginacao": paging}
    page = wire.listing(raw({"parametros": asked, "pix": [PIX, 7]}), "pix", "utc")
    assert page == wire.Listing((raw(PIX), b"7"), AT, AT, 3, 201)


@pytest.mark.parametrize("parameters", [None, 7, {}, {"paginacao": {"quantidadeDePaginas": -1}}, {"inicio": "?"}])
def test_a_page_may_say_nothing_of_itself(parameters: object) -> None:
    assert wire.listing(raw({"parametros": parameters, "pix": []}), "pix", "utc") == wire.Listing((), None, None, None, None)


@pytest.mark.parametrize("body", [b"{}", b'{"pix": null}', b'{"cobs": []}', b"[]", b"", b"<html>", b'{"pix": {}}'])
def test_an_answer_without_a_list_does_not_pass_for_an_empty_one(body: bytes) -> None:
    with pytest.raises(Malformed):
        wire.listing(body, "pix", "utc")


def test_a_list_may_be_left_out_where_none_is_counted() -> None:
    body = raw({"parametros": {"paginacao": {"quantidadeTotalDeItens": 0, "quantidadeDePaginas": 1}}})
    assert wire.listing(body, "pix", "utc").rows == ()


def test_the_bodies_that_are_sent() -> None:
    payer = {"cpf": "12345678909", "nome": "Bento"}
    assert wire.new_charge(Money(1050, "BRL"), "k", 60, payer, "Café") == (
        '{"calendario":{"expiracao":60},"devedor":{"cpf":"12345678909","nome":"Bento"},"valor":{"original":"10.50"},"chave":"k",'
        '"solicitacaoPagador":"Café"}'.encode()
    )
    assert wire.new_charge(Money(1, "BRL"), "k", 1, None, None) == (
        b'{"calendario":{"expiracao":1},"valor":{"original":"0.01"},"chave":"k"}'
    )
    assert wire.removal() == b'{"status":"REMOVIDA_PELO_USUARIO_RECEBEDOR"}'
    assert wire.new_return(Money(100, "BRL")) == b'{"valor":"1.00","natureza":"ORIGINAL"}'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PIX, *RETURN, "x"]), inner, max_size=4),
    max_leaves=8,
)


@given(JSON, st.sampled_from(["utc", "local", "local-marked-z"]))
def test_anything_is_read_or_refused(value: object, clock: Clock) -> None:
    for read in (wire.payment, wire.return_):
        try:
            read(raw(value), clock)
        except Malformed:
            continue
