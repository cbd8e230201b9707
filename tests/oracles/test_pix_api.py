"""The oracle itself: the document is the published one, its corrections make it valid, and each is still needed."""

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from openapi_spec_validator import OpenAPIV30SpecValidator
from schemathesis.core.result import Err

from . import corrections, examples, pix_api
from .contract import Exchange, Oracle

pytestmark = pix_api.needed

E2E = "E12345678202009091221abcdef12345"
TXID = "7978c0c97ea847e78e8849634473c1f1"
NOW = "2020-09-09T20:15:00.358Z"
COB: dict[str, Any] = {"calendario": {"expiracao": 3600}, "valor": {"original": "10.00"}, "chave": "loja@exemplo.com.br"}
PIX: dict[str, Any] = {"endToEndId": E2E, "valor": "10.00", "horario": NOW}
LOC = {"id": 789, "location": "pix.example.com/qr/v2/9d36b84f", "tipoCob": "cob", "criacao": NOW}
GIVEN: dict[str, Any] = {
    **COB,
    "calendario": {"criacao": NOW, "expiracao": 3600},
    "txid": TXID,
    "revisao": 0,
    "status": "ATIVA",
}
PAGES = {"paginaAtual": 0, "itensPorPagina": 100, "quantidadeDePaginas": 1, "quantidadeTotalDeItens": 1}
ASKED = {"inicio": NOW, "fim": NOW, "paginacao": PAGES}
# How many values of the document each correction changes, adds or drops.
PLACES = {
    "patterns-in-slashes": 14,
    "static-codes": 4,
    "patterns-open": 45,
    "integers-as-text": 2,
    "locations-without-scheme": 6,
    "servers-without-variable": 3,
    "counted-with-maximum": 1,
    "demanded-but-no-property": 12,
    "pix-list-demands-cobs": 1,
    "stray-quote": 1,
    "webhook-without-key": 2,
    "location-is-sent": 1,
    "branches-overlap": 9,
    "branches-alike": 1,
    "amounts-as-objects": 1,
    "general-errors": 51,
    "put-again": 4,
}
Probe = Callable[[Oracle], list[str]]


def cob(**changed: Any) -> Probe:
    return lambda oracle: oracle.of_request("PUT", "/cob/{txid}").problems({**COB, **changed})


def answer(method: str, template: str, status: int, body: Any) -> Probe:
    return lambda oracle: oracle.validator_of(method, template, status).problems(body)


def refused(probe: Probe) -> Probe:
    """What has to be wrong: the problem is that it is not."""
    return lambda oracle: [] if probe(oracle) else ["it passes"]


def valid(oracle: Oracle) -> list[str]:
    return [error.message[:300] for error in OpenAPIV30SpecValidator(oracle.document).iter_errors()]


def unfit_for_schemathesis(oracle: Oracle) -> list[str]:
    """Operations that schemathesis cannot make requests of."""
    every = list(schemathesis.openapi.from_dict(copy.deepcopy(oracle.document)).get_all_operations())
    assert len(every) == 51
    return [str(error.err()) for error in every if isinstance(error, Err)]


def example(label: str) -> Probe:
    """One of the official examples that nothing is wrong with."""
    operation, status, _ = label.rsplit(" ", 2)
    known = next(e for e in examples.examples() if e.label == label)
    method, template = operation.split()
    if status == "request":
        return lambda oracle: oracle.of_request(method, template).problems(known.value)
    return answer(method, template, int(status), known.value)


def notified(**changed: Any) -> Probe:
    body = {"recs": [{**next(iter(examples.callbacks("rec", good=True))).value["recs"][0], **changed}]}
    return lambda oracle: oracle.of_callback("rec").problems(body)


def probes() -> dict[str, Probe]:
    """By correction, what is as it should be with it and is not without it."""
    cash = {"original": "0.00", "retirada": {"saque": {"valor": "5.00", "modalidadeAgente": "AGPSS", "prestadorDoServicoDeSaque": "12345678"}}}  # fmt: skip
    many = [{"nome": f"n{number}", "valor": "1"} for number in range(51)]
    return {
        "patterns-in-slashes": cob(devedor={"cpf": "12345678909", "nome": "Ana"}),
        "static-codes": answer("GET", "/pix/{e2eid}", 200, {**PIX, "txid": "LOJA1"}),
        "patterns-open": refused(cob(valor={"original": "x10.00y"})),
        "integers-as-text": valid,
        "locations-without-scheme": _uris_without_scheme,
        "servers-without-variable": unfit_for_schemathesis,
        "counted-with-maximum": refused(cob(infoAdicionais=many)),
        "demanded-but-no-property": answer("GET", "/cob/{txid}", 200, {**GIVEN, "loc": LOC}),
        "pix-list-demands-cobs": answer("GET", "/pix", 200, {"parametros": ASKED, "pix": [PIX]}),
        "stray-quote": notified(),
        "webhook-without-key": answer("GET", "/webhook/{chave}", 200, {"webhookUrl": "https://x.test/", "chave": "k", "criacao": NOW}),
        "location-is-sent": cob(loc={"id": 789}),
        "branches-overlap": cob(valor=cash),
        "branches-alike": example("PATCH /rec/{idRec} request retorno1"),
        "amounts-as-objects": _collected,
        "general-errors": lambda oracle: oracle.problems_of(_bad_question()),
        "put-again": lambda oracle: oracle.problems_of(_made(200)),
    }  # fmt: skip


def _collected(oracle: Oracle) -> list[str]:
    """A scheduled charge that was paid."""
    told = {"idRec": f"RR{'0' * 27}", "txid": TXID, "status": "CONCLUIDA", "pix": [{**PIX, "txid": TXID}]}
    told["atualizacao"] = [{"status": "CONCLUIDA", "data": NOW}]
    return oracle.of_callback("cobr").problems({"cobsr": [told]})


def _uris_without_scheme(oracle: Oracle) -> list[str]:
    """Schemas of a URI whose own example is none; jsonschema tries no URIs, other validators do."""
    found: list[str] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            shown = part.get("example", "")
            found.extend([shown] if part.get("format") == "uri" and shown and "://" not in shown else [])
        for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            look(one)

    look(oracle.document)
    return found


def _bad_question() -> Exchange:
    problem = {
        "type": "https://pix.bcb.gov.br/api/v2/error/PixConsultaInvalida",
        "title": "Consulta inválida.",
        "status": 400,
    }
    return Exchange("GET", "/pix?fim=1", None, 400, "application/problem+json", json.dumps(problem).encode())


def _made(status: int) -> Exchange:
    """A charge that is made, or was there."""
    told = json.dumps({**GIVEN, "loc": LOC}).encode()
    return Exchange("PUT", f"/cob/{TXID}", json.dumps(COB).encode(), status, "application/json", told)


def test_the_document_is_the_published_one() -> None:
    assert hashlib.sha256(pix_api.published()).hexdigest() == pix_api.SHA256
    assert len(pix_api.oracle().operations()) == 51


def test_the_published_document_is_no_valid_openapi() -> None:
    assert [error.message for error in OpenAPIV30SpecValidator(pix_api.raw()).iter_errors()]


def test_the_corrected_document_is_valid_openapi() -> None:
    assert valid(pix_api.oracle()) == []


def test_each_correction_has_a_name_and_a_reason() -> None:
    names = [one.name for one in corrections.CORRECTIONS]
    assert names == list(PLACES) == list(probes())
    assert len({one.reason for one in corrections.CORRECTIONS}) == len(names)


def test_each_correction_is_still_needed() -> None:
    """With all of them the probe finds nothing; without this one it finds something."""
    whole = pix_api.oracle()
    kept = {name: probe(whole) for name, probe in probes().items()}
    assert not {name: problems for name, problems in kept.items() if problems}
    needless = [name for name, probe in probes().items() if not probe(pix_api.oracle(without=name))]
    assert not needless


def test_each_correction_touches_as_many_places_as_it_did() -> None:
    whole = pix_api.oracle().document
    found = {name: sum(1 for _ in _changes(pix_api.oracle(without=name).document, whole)) for name in PLACES}
    assert found == PLACES


def test_a_correction_leaves_what_it_is_given() -> None:
    before = copy.deepcopy(pix_api.raw())
    corrections.corrected(pix_api.raw())
    assert pix_api.raw() == before


def test_the_bad_examples_are_those_that_were() -> None:
    every = examples.examples()
    bad = [f"{one.label}: {one.fault}" for one in every if one.fault]
    assert bad == examples.BAD_LIST.read_text(encoding="utf-8").splitlines()
    assert (len(every) - len(bad), len(bad)) == (202, 58)


def test_a_debtor_has_one_document() -> None:
    """CPF or CNPJ: asked for in text by the document, held by its oneOf, which the corrections leave."""
    body = pix_api.oracle().of_request("PUT", "/cob/{txid}")
    person, company = {"cpf": "12345678909"}, {"cnpj": "12345678000195"}
    assert body.problems({**COB, "devedor": {**person, "nome": "Ana"}}) == []
    assert body.problems({**COB, "devedor": {**company, "nome": "Loja"}}) == []
    assert body.problems({**COB, "devedor": {**person, **company, "nome": "Ana"}})
    assert body.problems({**COB, "devedor": {"nome": "Ana"}})


def test_cash_is_withdrawn_or_given_back_but_not_both() -> None:
    part = {"valor": "5.00", "modalidadeAgente": "AGTEC", "prestadorDoServicoDeSaque": "12345678"}
    body = pix_api.oracle().of_request("PUT", "/cob/{txid}")
    for given, is_right in (({"saque": part}, True), ({"troco": part}, True), ({"saque": part, "troco": part}, False)):
        assert (body.problems({**COB, "valor": {"original": "0.00", "retirada": given}}) == []) is is_right, given


@pytest.mark.parametrize("amount", ["x10.00y", "10.0", "10,00", "-10.00", " 10.00", "10.000", "12345678901.00", 10.00, 10])
def test_an_amount_has_two_decimals_and_nothing_else(amount: object) -> None:
    assert pix_api.oracle().of_request("PUT", "/cob/{txid}").problems({**COB, "valor": {"original": amount}})
    assert pix_api.oracle().validator_of("GET", "/pix/{e2eid}", 200).problems({**PIX, "valor": amount})


def test_times_are_times() -> None:
    body = pix_api.oracle().validator_of("GET", "/pix/{e2eid}", 200)
    assert body.problems(PIX) == []
    for wrong in ("2020-09-09", "2020-09-09T20:15:00", "09/09/2020 20:15"):
        assert body.problems({**PIX, "horario": wrong}), wrong


def test_a_path_finds_its_template() -> None:
    template_of = pix_api.oracle().template_of
    assert template_of("put", f"/cob/{TXID}") == "/cob/{txid}"
    assert template_of("GET", f"/cobv/{TXID}") == "/cobv/{txid}"
    assert template_of("GET", "/pix") == "/pix"
    assert template_of("GET", f"/pix/{E2E}/devolucao/1") == "/pix/{e2eid}/devolucao/{id}"
    assert template_of("DELETE", "/pix") is None
    assert template_of("GET", "/a/b/c") is None


@pytest.mark.parametrize(
    ("method", "target", "problem"),
    [
        ("GET", f"/v2/pix?inicio={NOW}&fim={NOW}", None),
        ("GET", f"/v2/pix?inicio={NOW}&fim={NOW}&paginacao.itensPorPagina=1000&devolucaoPresente=true&txid=LOJA1", None),
        ("GET", f"/v2/pix?inicio={NOW}", "fim is missing"),
        ("GET", f"/v2/pix?inicio={NOW}&fim=2020-09-09", "fim: "),
        ("GET", f"/v2/pix?inicio={NOW}&fim=2020-09-09T20:15:00+00:00", "fim: "),  # an open + is a space
        ("GET", f"/v2/pix?inicio={NOW}&fim={NOW}&inicio={NOW}", "inicio is given 2 times"),
        ("GET", f"/v2/pix?inicio={NOW}&fim={NOW}&pagina=1", "pagina is not documented"),
        ("GET", f"/v2/pix?inicio={NOW}&fim={NOW}&paginacao.itensPorPagina=1001", "paginacao.itensPorPagina: "),
        ("GET", f"/v2/pix?inicio={NOW}&fim={NOW}&txIdPresente=1", "txIdPresente: "),
        ("PUT", f"/v2/cob/{TXID}", None),
        ("GET", f"/v2/cob/{TXID}?revisao=0", None),
        ("PUT", "/v2/cob/short", "txid: "),
        ("PUT", f"/cob/{TXID}", "is not documented"),
        ("PUT", "/v2/pix/E1/devolucao/1", "e2eid: "),
    ],
)
def test_a_request_is_judged_by_path_and_query(method: str, target: str, problem: str | None) -> None:
    problems = pix_api.oracle().target_problems(method, target, base="/v2")
    assert problems == [] if problem is None else [p for p in problems if problem in p], problems


def test_an_exchange_is_judged_on_both_sides() -> None:
    oracle, sent = pix_api.oracle(), json.dumps(COB).encode()
    answered = json.dumps({**GIVEN, "loc": LOC}).encode()
    right = Exchange("PUT", f"/cob/{TXID}", sent, 201, "application/json; charset=utf-8", answered)
    assert oracle.problems_of(right) == []
    wrong = {
        "request valor/original": Exchange(
            "PUT", f"/cob/{TXID}", sent.replace(b"10.00", b"10.0"), 201, right.media, answered
        ),
        "201 valor/original": Exchange("PUT", f"/cob/{TXID}", sent, 201, right.media, answered.replace(b"10.00", b"10.0")),
        "is not documented": Exchange("PUT", f"/cob/{TXID}", sent, 418, right.media, answered),
        "is sent as": Exchange("PUT", f"/cob/{TXID}", sent, 201, "text/html", answered),
        "is no JSON": Exchange("PUT", f"/cob/{TXID}", sent, 201, right.media, b"<html>"),
        "has no body": Exchange("PUT", f"/cob/{TXID}", sent, 201, right.media, b""),
    }
    for problem, exchange in wrong.items():
        assert [one for one in oracle.problems_of(exchange) if problem in one], problem


def test_a_refused_request_may_be_wrong_and_its_refusal_not() -> None:
    oracle, exchange = pix_api.oracle(), _bad_question()
    assert oracle.problems_of(exchange) == []
    assert oracle.problems_of(Exchange("GET", exchange.target, None, 400, exchange.media, b'{"message":"no"}'))
    assert oracle.problems_of(Exchange("GET", "/pix?fim=1", None, 401, "text/plain", b"who?")) == []


def test_a_slip_in_a_name_is_told() -> None:
    body = pix_api.oracle().of_request("PUT", "/cob/{txid}")
    slips = {**COB, "solicitacaoPagado": "x", "devedor": {"cpf": "12345678909", "nome": "Ana", "fone": "1"}}
    assert body.problems(slips) == []
    assert body.unnamed(slips) == ["devedor/fone", "solicitacaoPagado"]
    assert body.unnamed(COB) == []


def test_each_operation_says_its_scope() -> None:
    oracle = pix_api.oracle()
    assert oracle.scopes_of("PUT", "/cob/{txid}") == {"cob.write"}
    assert oracle.scopes_of("GET", "/{pixUrlAccessToken}") == set()
    assert len(frozenset().union(*(oracle.scopes_of(*one) for one in oracle.operations()))) == 24


def test_the_corrected_file_is_the_corrected_document(tmp_path: Path) -> None:
    assert json.loads(pix_api.corrected_file(tmp_path).read_text(encoding="utf-8")) == pix_api.oracle().document


def test_another_edition_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "openapi.yaml"
    other.write_bytes(pix_api.published() + b"\n")
    monkeypatch.setenv(pix_api.WHERE, str(other))
    with pytest.raises(ValueError, match=r"not API Pix 2\.9\.0"):
        pix_api.raw.__wrapped__()
    monkeypatch.setenv(pix_api.WHERE, str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=pix_api.WHERE):
        pix_api.found()


def _changes(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """The places where two documents differ: of lists, and of objects that gain or lose names, the whole."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for name in before:
            yield from _changes(before[name], after[name], f"{at}/{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _changes(one, other, f"{at}/{number}")
    elif before != after:
        yield at
