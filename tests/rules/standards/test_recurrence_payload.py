import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.standards.payload import Debtor, PayloadError
from lastro.standards.recurrence_payload import (
    Frequency,
    Receiver,
    RecurrencePayload,
    Status,
    Update,
    decode,
    encode,
)

CREATED = datetime(2024, 3, 20, 10, 12, 7, 567_000, tzinfo=UTC)
# API Pix 2.9.0, example recPayload1, as it stands there.
PUBLISHED = {
    "idRec": "RN123456782024011577825445612",
    "vinculo": {
        "contrato": "5582610",
        "devedor": {"cpf": "45164632481", "nome": "Fulano de Tal"},
        "objeto": "Serviço de Streamming de Música.",
    },
    "calendario": {"dataFinal": "2025-04-01", "dataInicial": "2024-04-01", "periodicidade": "MENSAL"},
    "politicaRetentativa": "NAO_PERMITE",
    "valor": {"valorRec": "35.00"},
    "recebedor": {"cnpj": "28765007802371", "nome": "Startup Musical", "ispbParticipante": "12345678"},
    "atualizacao": [{"status": "CRIADA", "data": "2024-03-20T10:12:07.567Z"}],
}
READ = RecurrencePayload(
    recurrence_id="RN123456782024011577825445612",
    contract="5582610",
    purpose="Serviço de Streamming de Música.",
    debtor=Debtor(name="Fulano de Tal", document_type="CPF", document="45164632481"),
    starts_on=date(2024, 4, 1),
    ends_on=date(2025, 4, 1),
    frequency="MONTHLY",
    retries=False,
    amount="35.00",
    receiver=Receiver(name="Startup Musical", cnpj="28765007802371", ispb="12345678"),
    updates=(Update(status="CRIADA", at=CREATED),),
)
# The published documents have wrong check digits, which are read but never written.
OURS = replace(
    READ,
    debtor=Debtor(name="Fulano de Tal", document_type="CPF", document="12345678909"),
    receiver=Receiver(name="Startup Musical", cnpj="11222333000181", ispb="12345678"),
)


def wire(**changes: Any) -> bytes:
    """The published example with fields replaced, or removed where the value is `...`; two lines lead inside."""
    body = json.loads(json.dumps(PUBLISHED))
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


def test_the_published_example_is_read() -> None:
    assert decode(wire()) == READ


def test_ours_is_written_as_the_published_example() -> None:
    body = json.loads(json.dumps(PUBLISHED))
    body["vinculo"]["devedor"]["cpf"] = "12345678909"
    body["recebedor"]["cnpj"] = "11222333000181"
    assert json.loads(encode(OURS)) == body


def test_what_may_be_absent_is_absent() -> None:
    bare = replace(OURS, purpose=None, ends_on=None, amount=None)
    body = json.loads(encode(bare))
    assert "valor" not in body
    assert "objeto" not in body["vinculo"]
    assert "dataFinal" not in body["calendario"]
    assert decode(encode(bare)) == bare
    assert decode(wire(valor={})).amount is None


def test_a_floor_stands_alone() -> None:
    floor = replace(OURS, amount=None, floor="10.00")
    assert json.loads(encode(floor))["valor"] == {"valorMinimoRecebedor": "10.00"}
    assert decode(encode(floor)) == floor


@in_one_test(
    ("frequency", "period"),
    [("WEEKLY", "SEMANAL"), ("MONTHLY", "MENSAL"), ("QUARTERLY", "TRIMESTRAL"), ("SEMIANNUAL", "SEMESTRAL"), ("ANNUAL", "ANUAL")],
)  # fmt: skip
def test_periods_have_the_words_of_the_central_bank(frequency: Frequency, period: str) -> None:
    assert json.loads(encode(replace(OURS, frequency=frequency)))["calendario"]["periodicidade"] == period


def test_times_of_other_zones_are_read_as_utc() -> None:
    brasilia = CREATED.astimezone(timezone(timedelta(hours=-3)))
    assert decode(encode(replace(OURS, updates=(Update(status="CRIADA", at=brasilia),)))) == OURS


def test_fields_unknown_to_this_reader_are_ignored() -> None:
    assert decode(wire(novo={"campo": 1}, recebedor__convenio="123")) == READ


moments = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
amounts = st.from_regex(r"[1-9][0-9]{0,9}\.[0-9]{2}", fullmatch=True)
payloads = st.builds(
    lambda retries, **given: RecurrencePayload(
        recurrence_id=f"R{'R' if retries else 'N'}1234567820240115abcdefghijk", retries=retries, **given
    ),
    retries=st.booleans(),
    contract=st.text(min_size=1, max_size=35),
    purpose=st.none() | st.text(max_size=35),
    debtor=st.builds(
        Debtor, name=st.text(min_size=1, max_size=140), document_type=st.just("CNPJ"), document=st.just("12ABC34501DE35")
    ),
    starts_on=st.dates(max_value=date(2100, 1, 1)),
    ends_on=st.none() | st.dates(min_value=date(2100, 1, 1)),
    frequency=st.sampled_from(get_args(Frequency)),
    receiver=st.builds(Receiver, name=st.text(min_size=1, max_size=140), cnpj=st.just("11222333000181"), ispb=st.just("12ABC345")),
    updates=st.lists(st.builds(Update, status=st.sampled_from(get_args(Status)), at=moments), max_size=3).map(tuple),
    amount=st.none() | amounts,
)  # fmt: skip


@given(payloads)
def test_what_is_encoded_decodes_to_itself(payload: RecurrencePayload) -> None:
    assert decode(encode(payload)) == payload


REFUSED = {
    "no JSON": (b"{", ""),
    "no UTF-8": (b'{"idRec":"\xff"}', None),
    "a list": (b"[]", ""),
    "no id": (wire(idRec=...), ""),
    "another id": (wire(idRec="SC876456782024021577825445312"), "idRec"),
    "a policy against the id": (wire(politicaRetentativa="PERMITE_3R_7D"), "politicaRetentativa"),
    "an id against the policy": (wire(idRec="RR123456782024011577825445612"), "politicaRetentativa"),
    "a policy nobody knows": (wire(politicaRetentativa="PERMITE"), "politicaRetentativa"),
    "no contract": (wire(vinculo__contrato=...), "vinculo"),
    "empty contract": (wire(vinculo__contrato=""), "vinculo.contrato"),
    "contract of 36": (wire(vinculo__contrato="x" * 36), "vinculo.contrato"),
    "purpose of 36": (wire(vinculo__objeto="x" * 36), "vinculo.objeto"),
    "debtor of no name": (wire(vinculo__devedor__nome=...), "vinculo.devedor"),
    "debtor of an empty name": (wire(vinculo__devedor__nome=""), "vinculo.devedor.nome"),
    "debtor of a long name": (wire(vinculo__devedor__nome="x" * 141), "vinculo.devedor.nome"),
    "debtor of no document": (wire(vinculo__devedor__cpf=...), "vinculo.devedor"),
    "debtor of both documents": (wire(vinculo__devedor__cnpj="11222333000181"), "vinculo.devedor"),
    "debtor of a document with dots": (wire(vinculo__devedor__cpf="451.646.324"), "vinculo.devedor.cpf"),
    "no start": (wire(calendario__dataInicial=...), "calendario"),
    "start of no date": (wire(calendario__dataInicial="2024-02-30"), "calendario.dataInicial"),
    "end before start": (wire(calendario__dataFinal="2024-03-31"), "calendario.dataFinal"),
    "unknown period": (wire(calendario__periodicidade="DIARIA"), "calendario.periodicidade"),
    # So it stands in the JWS that API Pix prints beside the example.
    "misspelt period": (wire(calendario__periodicidade=..., calendario__peridiocidade="MENSAL"), "calendario"),
    "both amounts": (wire(valor__valorMinimoRecebedor="1.00"), "valor"),
    "amount as number": (wire(valor__valorRec=35), "valor.valorRec"),
    "amount without decimals": (wire(valor__valorRec="35"), "valor.valorRec"),
    "amount of zero": (wire(valor__valorRec="0.00"), "valor.valorRec"),
    "floor of eleven digits": (wire(valor={"valorMinimoRecebedor": "12345678901.00"}), "valor.valorMinimoRecebedor"),
    "a person as receiver": (wire(recebedor__cnpj="12345678909"), "recebedor.cnpj"),
    "receiver without name": (wire(recebedor__nome=""), "recebedor.nome"),
    "receiver without institution": (wire(recebedor__ispbParticipante=...), "recebedor"),
    "receiver of no ISPB": (wire(recebedor__ispbParticipante="1234567"), "recebedor.ispbParticipante"),
    "no history": (wire(atualizacao=...), ""),
    "unknown status": (wire(atualizacao=[{"status": "ATIVA", "data": "2024-03-20T10:12:07Z"}]), "atualizacao[0].status"),
    "naive time": (wire(atualizacao=[{"status": "CRIADA", "data": "2024-03-20T10:12:07"}]), "atualizacao.data"),
}  # fmt: skip


@in_one_test(("data", "field"), REFUSED.values(), ids=REFUSED)
def test_what_api_pix_does_not_allow_is_refused(data: bytes, field: str | None) -> None:
    with pytest.raises(PayloadError) as caught:
        decode(data)
    assert field is None or caught.value.field == field


@in_one_test(
    ("payload", "field"),
    [
        (READ, "vinculo.devedor.cpf"),
        (replace(READ, debtor=OURS.debtor), "recebedor.cnpj"),
        (replace(OURS, retries=True), "politicaRetentativa"),
        (replace(OURS, floor="1.00"), "valor"),
        (replace(OURS, contract=""), "vinculo.contrato"),
        (replace(OURS, updates=(Update(status="CRIADA", at=CREATED.replace(tzinfo=None)),)), "atualizacao.data"),
    ],
)
def test_what_api_pix_does_not_allow_is_not_written(payload: RecurrencePayload, field: str) -> None:
    with pytest.raises(PayloadError) as caught:
        encode(payload)
    assert caught.value.field == field
