import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.payload import ChargePayload, Debtor, PayloadError, Status, decode, encode

NOON = datetime(2026, 11, 21, 12, 0, 0, 123_000, tzinfo=UTC)
CHARGE = ChargePayload(
    revision=0,
    created_at=NOON,
    presented_at=NOON + timedelta(seconds=5),
    expiration=3600,
    txid="0000A" + "x" * 27,
    status="ATIVA",
    amount="123.45",
    key="123e4567-e12b-12d1-a456-426655440000",
    debtor=Debtor(name="Ana Souza", document_type="CPF", document="12345678909"),
    payer_request="Pedido 1 ✓",
)


@in_one_test(
    "changes",
    [
        {"valor__retirada": None}, {"valor__modalidadeAlteracao": None}, {"calendario__expiracao": None},
        {"devedor": None}, {"solicitacaoPagador": None}, {"devedor__cnpj": None},
    ],
)  # fmt: skip
def test_null_is_as_good_as_absent(changes: dict[str, Any]) -> None:
    absent = {name: ... for name in changes if name not in ("valor__retirada", "devedor__cnpj")}
    assert decode(wire(**changes)) == decode(wire(**absent))


def test_a_debtors_wrong_check_digits_refuse_nothing() -> None:
    found = decode(wire(devedor__cpf="12345678900"))
    assert found.debtor is not None
    assert found.debtor.document == "12345678900"


def wire(**changes: Any) -> bytes:
    """The charge as JSON, with fields replaced, or removed where the value is `...`; dots lead inside."""
    body = json.loads(encode(CHARGE))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = body
        for parent in parents:
            place = place[parent]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return json.dumps(body).encode()


def test_the_wire_form() -> None:
    assert json.loads(encode(CHARGE)) == {
        "revisao": 0,
        "calendario": {
            "criacao": "2026-11-21T12:00:00.123Z",
            "apresentacao": "2026-11-21T12:00:05.123Z",
            "expiracao": 3600,
        },
        "txid": "0000Axxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "status": "ATIVA",
        "valor": {"original": "123.45", "modalidadeAlteracao": 0},
        "chave": "123e4567-e12b-12d1-a456-426655440000",
        "devedor": {"cpf": "12345678909", "nome": "Ana Souza"},
        "solicitacaoPagador": "Pedido 1 ✓",
    }


def test_what_may_be_absent_is_absent() -> None:
    bare = replace(CHARGE, debtor=None, payer_request=None)
    assert {"devedor", "solicitacaoPagador"}.isdisjoint(json.loads(encode(bare)))
    assert decode(encode(bare)) == bare


moments = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
debtors = st.builds(
    Debtor, name=st.text(min_size=1, max_size=200), document_type=st.just("CNPJ"), document=st.just("12ABC34501DE35")
)
charges = st.builds(
    ChargePayload,
    revision=st.integers(0, 1000),
    created_at=moments,
    presented_at=moments,
    expiration=st.integers(1, 2**31 - 1),
    txid=st.from_regex(r"[a-zA-Z0-9]{26,35}", fullmatch=True),
    status=st.sampled_from(get_args(Status)),
    amount=st.from_regex(r"[1-9][0-9]{0,9}\.[0-9]{2}", fullmatch=True),
    open_amount=st.booleans(),
    key=st.text(min_size=1, max_size=77),
    debtor=st.none() | debtors,
    payer_request=st.none() | st.text(max_size=140),
)


@given(charges)
def test_what_is_encoded_decodes_to_itself(charge: ChargePayload) -> None:
    assert decode(encode(charge)) == charge


def test_times_of_other_zones_are_read_as_utc() -> None:
    brasilia = NOON.astimezone(timezone(timedelta(hours=-3)))
    assert decode(encode(replace(CHARGE, created_at=brasilia))) == CHARGE
    assert decode(wire(calendario__criacao="2026-11-21T09:00:00.123-03:00")) == CHARGE


def test_what_is_left_out_has_its_default() -> None:
    assert decode(wire(valor__modalidadeAlteracao=...)) == CHARGE
    assert decode(wire(calendario__expiracao=...)).expiration == 86_400


def test_fields_unknown_to_this_reader_are_ignored() -> None:
    assert decode(wire(infoAdicionais=[{"nome": "a", "valor": "b"}], novo={"campo": 1})) == CHARGE


def test_an_open_amount_may_be_zero() -> None:
    charge = replace(CHARGE, amount="0.00", open_amount=True)
    assert decode(encode(charge)) == charge


REFUSED = {
    "no JSON": (b"{", ""),
    "no UTF-8": (b'{"txid":"\xff"}', None),
    "a list": (b"[]", ""),
    "a number as text": (wire(revisao="0"), "revisao"),
    "negative revision": (wire(revisao=-1), "revisao"),
    "no key": (wire(chave=...), ""),
    "empty key": (wire(chave=""), "chave"),
    "key of 78": (wire(chave="x" * 78), "chave"),
    "txid of 25": (wire(txid="x" * 25), "txid"),
    "txid with a hyphen": (wire(txid="x-" * 15), "txid"),
    "unknown status": (wire(status="PAGA"), "status"),
    "amount as number": (wire(valor__original=123.45), "valor.original"),
    "amount without decimals": (wire(valor__original="123"), "valor.original"),
    "negative amount": (wire(valor__original="-1.00"), "valor.original"),
    "amount of eleven digits": (wire(valor__original="12345678901.00"), "valor.original"),
    "fixed amount of zero": (wire(valor__original="0.00"), "valor.original"),
    "unknown modality": (wire(valor__modalidadeAlteracao=2), "valor.modalidadeAlteracao"),
    "withdrawal": (wire(valor__retirada={"saque": {}}), "valor.retirada"),
    "no creation": (wire(calendario__criacao=...), "calendario"),
    "naive time": (wire(calendario__criacao="2026-11-21T12:00:00"), "calendario.criacao"),
    "no time": (wire(calendario__apresentacao="ontem"), "calendario.apresentacao"),
    "expiration of zero": (wire(calendario__expiracao=0), "calendario.expiracao"),
    "expiration beyond reason": (wire(calendario__expiracao=2**31), "calendario.expiracao"),
    "debtor without name": (wire(devedor__nome=...), "devedor"),
    "debtor of an empty name": (wire(devedor__nome=""), "devedor.nome"),
    "debtor of a long name": (wire(devedor__nome="x" * 201), "devedor.nome"),
    "debtor without document": (wire(devedor__cpf=...), "devedor"),
    "debtor with both documents": (wire(devedor__cnpj="11222333000181"), "devedor"),
    "debtor of a wrong document": (wire(devedor__cpf="1234567890"), "devedor.cpf"),
    "request of 141": (wire(solicitacaoPagador="x" * 141), "solicitacaoPagador"),
}


@in_one_test(("data", "field"), REFUSED.values(), ids=REFUSED)
def test_what_api_pix_does_not_allow_is_refused(data: bytes, field: str | None) -> None:
    with pytest.raises(PayloadError) as caught:
        decode(data)
    assert field is None or caught.value.field == field


@in_one_test(
    ("charge", "field"),
    [
        (replace(CHARGE, created_at=NOON.replace(tzinfo=None)), "calendario.criacao"),
        (replace(CHARGE, amount="1.5"), "valor.original"),
        (replace(CHARGE, txid="short"), "txid"),
        (replace(CHARGE, debtor=Debtor(name="A", document_type="CPF", document="1")), "devedor.cpf"),
    ],
)
def test_what_api_pix_does_not_allow_is_not_written(charge: ChargePayload, field: str | None) -> None:
    with pytest.raises(PayloadError) as caught:
        encode(charge)
    assert caught.value.field == field
