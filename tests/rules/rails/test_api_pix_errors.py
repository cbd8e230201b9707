"""The table of what a bank's answer means (bank-rail.md §4.7), each line of it."""

import json
from typing import Any

import pytest

from lastro.rails.api_pix.errors import LONGEST_REASON, Meaning, Where, is_denial, judge
from lastro.rails.network_client import NetworkAnswer

TYPE = "https://pix.bcb.gov.br/api/v2/error/"
DONE, LOOK, UNKNOWN, PERMANENT, TRANSIENT = (Meaning[name] for name in ("DONE", "LOOK", "UNKNOWN", "PERMANENT", "TRANSIENT"))
EVERYWHERE: tuple[Where, ...] = ("PUT cob", "GET cob", "PATCH cob", "GET list", "GET pix", "PUT return", "GET return")
PUTS: tuple[Where, ...] = ("PUT cob", "PUT return")
GETS: tuple[Where, ...] = ("GET cob", "GET pix", "GET return")
HTML = "<html><body>504 Gateway Time-out</body></html>"
SOAP = '<?xml version="1.0"?><soap:Envelope><soap:Body><soap:Fault>x</soap:Fault></soap:Body></soap:Envelope>'


def problem(name: str, **more: Any) -> dict[str, Any]:
    return {"type": TYPE + name, "title": "T", "status": "404", "detail": None} | more


NOBODYS: tuple[Any, ...] = (
    "", HTML, SOAP, {}, [], None, {"message": "no Route matched with those values"}, {"error": ""}, {"type": "about:blank"},
    {"statusCode": 404, "error": "Not Found", "message": "Resource not found"}, {"type": 7}, {"erros": []}, {"error": "NaoEncontrado"},
    {"type": "https://tools.ietf.org/html/rfc7231#section-6.5.4", "title": "Not Found", "status": 404}, {"nome": ""},
)  # fmt: skip
BANKS: tuple[Any, ...] = (
    problem("NaoEncontrado"), problem("CobNaoEncontrado"), problem("PixDevolucaoNaoEncontrada"),
    {"nome": "cobranca_nao_encontrada", "mensagem": "Nenhuma cobrança encontrada"},
    {"erros": [{"codigo": "4700101", "mensagem": "Cobrança não encontrada"}]},
)  # fmt: skip
REFUSALS: tuple[Any, ...] = (
    problem("CobOperacaoInvalida"), problem("PixDevolucaoInvalida"), problem("RequisicaoInvalida"), {"nome": "valor_invalido"},
    {"erros": [{"codigo": 4769515, "mensagem": "Chave inválida"}]}, {"type": "CobOperacaoInvalida", "title": None},
)  # fmt: skip
SET_UP: tuple[Any, ...] = (
    problem("AcessoNegado"), {"error": "insufficient_scope"}, {"nome": "x", "mensagem": "Falta o escopo cob.write"},
    {"statusCode": 400, "error": "invalid_scope"}, {"type": TYPE + "RequisicaoInvalida", "detail": "scope pix.read missing"},
    {"erros": [{"codigo": "1", "mensagem": "Escopo insuficiente"}]},
)  # fmt: skip
# A gateway, or a bank with words of its own: neither a refund nor a charge ends by it.
UNKNOWN_WORDS: tuple[Any, ...] = (
    {"type": "error"}, {"type": "Error", "title": "Bad Request"}, {"type": "https://tools.ietf.org/html/rfc7231#section-6.5.1"},
    {"type": "ValidationException", "nome": "x"}, problem("OutraCoisa"), problem("CobNaoEncontradoX"),
)  # fmt: skip
# Statuses, bodies, what was asked, what it means, whether an operator has to see it.
TABLE: tuple[tuple[tuple[int, ...], tuple[Any, ...], tuple[Where, ...], Meaning, bool], ...] = (
    ((200, 201), ("", {}, HTML), EVERYWHERE, DONE, False),
    ((202, 204), ("", {}), PUTS, LOOK, False),
    ((202, 204), ("", {}), ("PATCH cob",), DONE, False),
    ((202, 204), ("", {}), ("GET list", *GETS), TRANSIENT, True),
    ((400, 422), (problem("ServicoIndisponivel"), {"nome": "erro_interno"}), ("PUT cob", "PUT return"), TRANSIENT, False),
    ((400, 422), REFUSALS, ("PUT cob", "PATCH cob", "PUT return"), PERMANENT, False),
    ((400, 422), (*NOBODYS, *REFUSALS), ("GET list",), TRANSIENT, True),
    ((400, 422), (*NOBODYS, *UNKNOWN_WORDS), (*PUTS, "PATCH cob"), TRANSIENT, True),
    ((404,), BANKS, (*GETS, "PATCH cob"), UNKNOWN, False),
    ((404,), BANKS, ("GET list", *PUTS), TRANSIENT, True),
    ((404,), (*NOBODYS, *UNKNOWN_WORDS), EVERYWHERE, TRANSIENT, False),
    ((404,), (problem("ServicoIndisponivel"),), GETS, TRANSIENT, True),
    ((409,), ("", *REFUSALS), PUTS, LOOK, False),
    ((409,), ("", *REFUSALS), ("PATCH cob", *GETS), TRANSIENT, True),
    ((413, 415), ("", *REFUSALS), PUTS, PERMANENT, True),
    ((405, 406, 410, 418), ("", HTML, *BANKS, *REFUSALS), EVERYWHERE, TRANSIENT, True),
)  # fmt: skip


def answer(status: int, body: Any, **headers: str) -> NetworkAnswer:
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return NetworkAnswer(status, headers, raw)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0][0]}-{row[3].value}-{row[2][0]}")
def test_the_table(row: tuple[tuple[int, ...], tuple[Any, ...], tuple[Where, ...], Meaning, bool]) -> None:
    statuses, bodies, wheres, meaning, alarms = row
    for status in statuses:
        for body in bodies:
            for where in wheres:
                verdict = judge(answer(status, body), where)
                assert (verdict.meaning, verdict.alarms) == (meaning, alarms), (status, body, where)


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        (problem("CobOperacaoInvalida", detail="Valor é zero"), "CobOperacaoInvalida", "T: Valor é zero"),
        ({"nome": "valor_invalido", "mensagem": "O valor"}, "valor_invalido", "O valor"),
        ({"erros": [{"codigo": 47, "versao": "1", "mensagem": "A"}, {"mensagem": "B"}]}, "47", "A: B"),
        ({"statusCode": 400, "error": "Bad Request", "message": "no"}, "HTTP400", "no"),
        ({"error": "Bad", "error_description": "gone"}, "HTTP400", "gone"),
        ("", "HTTP400", "answered with HTTP status 400"),
        (HTML, "HTTP400", HTML), ("x" * 900, "HTTP400", "x" * LONGEST_REASON), ("a\r\n\x00b", "HTTP400", "a b"),
        ({"type": "x" * 65}, "HTTP400", "answered with HTTP status 400"),
    ],
)  # fmt: skip
def test_a_no_in_every_form(body: Any, code: str, reason: str) -> None:
    verdict = judge(answer(400, body), "PUT cob")
    assert (verdict.code, verdict.reason) == (code, reason)


def test_violations_are_kept_in_order_and_their_values_are_not() -> None:
    told = [
        {"razao": "R1", "propriedade": "cob.valor.original", "valor": "SECRET"},
        {"razao": None, "propriedade": "chave"},
        7,
    ]
    verdict = judge(answer(400, problem("CobOperacaoInvalida", violacoes=told)), "PUT cob")
    assert verdict.violations == (("cob.valor.original", "R1"), ("chave", ""))
    assert "SECRET" not in f"{verdict}{verdict.permanent}{verdict.transient}"


LETTERED = ("12ABC34501DE35", "12.ABC.345/01DE-35", "ABCDEFGHIJKL80")  # of companies since July 2026


@pytest.mark.parametrize("document", ["12345678909", "123.456.789-09", "11222333000181", "11.222.333/0001-81", *LETTERED])
def test_no_document_of_anybody_stays_in_a_reason(document: str) -> None:
    told = [{"razao": f"CPF {document} inválido", "propriedade": "devedor.cpf"}]
    body = problem("CobOperacaoInvalida", detail=f"devedor {document} recusado", violacoes=told)
    assert document not in repr(judge(answer(400, body), "PUT cob"))
    assert "*** recusado" in repr(judge(answer(400, body), "PUT cob"))


@pytest.mark.parametrize("body", SET_UP)
def test_a_no_about_permissions_is_known_by_type_or_by_words(body: Any) -> None:
    assert is_denial(answer(400, body).body)


@pytest.mark.parametrize("body", [*NOBODYS, *BANKS, *REFUSALS, {"title": "telescope is no field"}])
def test_any_other_no_is_not_about_permissions(body: Any) -> None:
    assert not is_denial(answer(400, body).body)


def test_a_copy_may_be_on_its_way_unless_the_bank_itself_has_spoken() -> None:
    assert judge(answer(400, HTML), "PUT return").transient.is_on_its_way
    assert judge(answer(400, {"type": "error"}), "PUT return").transient.is_on_its_way
    assert not judge(answer(400, problem("ErroInternoDoServidor")), "PUT return").transient.is_on_its_way
