"""Official examples as what a bank answers: the good ones are read, the bad ones are read or refused, and nothing crashes."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from lastro.core.money import Money
from lastro.rails.api_pix import SetUpWrongly, issuing, wire
from lastro.rails.api_pix.errors import Meaning, Where, judge
from lastro.rails.api_pix.line import demand_answer
from lastro.rails.messages import Malformed
from lastro.rails.network_client import NetworkAnswer
from lastro.rails.port import Transient
from lastro.rails.port.issuing import ChargeRequest

from . import pix_api
from .examples import Example, answers, callbacks, examples

pytestmark = pix_api.needed

# What lastro asks of a bank: by operation, the name under which its answer is judged.
ASKED: dict[str, Where] = {
    "PUT /cob/{txid}": "PUT cob", "GET /cob/{txid}": "GET cob", "PATCH /cob/{txid}": "PATCH cob", "GET /cob": "GET list",
    "GET /pix": "GET list", "GET /pix/{e2eid}": "GET pix", "PUT /pix/{e2eid}/devolucao/{id}": "PUT return",
    "GET /pix/{e2eid}/devolucao/{id}": "GET return",
}  # fmt: skip
Read = Callable[[Any], list[tuple[str, Money]]]


def test_every_operation_that_is_asked_is_in_the_document() -> None:
    assert ASKED.keys() <= {f"{method} {template}" for method, template in pix_api.oracle().operations()}


def test_good_answers_are_read_with_the_amounts_they_have() -> None:
    known = list(_successes(good=True))
    assert len(known) == 4
    for one, read in known:
        _same_amounts(one, read(one.value))


def test_bad_answers_are_read_or_refused() -> None:
    """Those of payments have an id of 34 characters, which is refused; those of charges lack what nothing rests on."""
    outcome: dict[str, str] = {}
    for one, read in _successes(good=False):
        try:
            _same_amounts(one, read(one.value))
            outcome[one.label] = "read"
        except Malformed as error:
            outcome[one.label] = str(error)
    assert len(outcome) == 19
    refused = {label: why for label, why in outcome.items() if why != "read"}
    assert refused == dict.fromkeys(
        ["GET /pix/{e2eid} 200 retorno2", "GET /pix/{e2eid} 200 retorno3", "GET /pix 200 getCobs1"], "endToEndId"
    )


def test_no_example_crashes_any_reader() -> None:
    """An answer of one operation in place of another's, a gateway's mistake, is refused or read as what it is."""
    assert len(examples()) == 260
    for one in examples():
        for read in (_charge, _payment, _return, _charges, _payments):
            try:
                read(one.value)
            except Malformed:
                continue


def test_nothing_but_what_was_asked_is_taken_for_made() -> None:
    """The examples of charges pay another key, let the payer choose, or lead to no location of a code."""
    made = [
        one for one in examples() if one.operation in {"PUT /cob/{txid}", "GET /cob/{txid}"} and one.status in {200, 201}
    ]
    assert len(made) == 9
    asked = ChargeRequest(
        "7978c0c97ea847e78e8849634473c1f1", Money(3700, "BRL"), "7d9f0335-8dcc-4054-9bf9-0dbd61d36906", 3600, "Ana", "SP"
    )
    for one in made:
        with pytest.raises(Malformed):
            issuing.issued(asked, wire.charge(json.dumps(one.value).encode()), "utc")


def test_a_notification_of_payments_keeps_the_document_and_is_read() -> None:
    """The document has no example of it: its payments are those of its lists."""
    assert callbacks("listaPix", good=True) == callbacks("listaPix", good=False) == []
    body = {"pix": [one.value for one in answers("GET /pix/{e2eid}", good=True) if one.status == 200]}
    assert body["pix"]
    assert pix_api.oracle().of_callback("listaPix").problems(body) == []
    for one in body["pix"]:
        assert _payment(one)


def test_official_refusals_mean_what_their_status_says() -> None:
    seen = 0
    for operation, where in ASKED.items():
        for one in [*answers(operation, good=True), *answers(operation, good=False)]:
            if one.status >= 400:
                seen += 1
                _judged(one.status, json.dumps(one.value).encode(), where, one.label)
    assert seen >= 20


def test_every_type_of_error_that_the_text_names_means_what_its_status_says() -> None:
    named = set(_named())
    assert len({name for name, *_ in named}) >= 14
    for name, status, where in sorted(named):
        body = {"type": f"https://pix.bcb.gov.br/api/v2/error/{name}", "title": "Não.", "status": status}
        code = _judged(status, json.dumps(body).encode(), where, f"{name} {where}")
        assert code == name


def _judged(status: int, body: bytes, where: Where, label: str) -> str:
    """Holds what an answer of the bank's own means (bank-rail.md §4.7), and returns its code."""
    answer = NetworkAnswer(status, {}, body)
    verdict = judge(answer, where)
    if status == 403 or status >= 500:  # the line itself raises for what is not about the object
        with pytest.raises(Transient) as told:
            demand_answer(where.partition(" ")[0], answer, datetime.now(UTC))
        assert isinstance(told.value, SetUpWrongly) is (status == 403), label
        return verdict.code
    demand_answer(where.partition(" ")[0], answer, datetime.now(UTC))
    is_of_one = where in {"GET cob", "PATCH cob", "GET pix", "GET return"}  # of one object by its name
    meaning = Meaning.TRANSIENT
    if status == 404 and is_of_one:
        meaning = Meaning.UNKNOWN
    if status == 400 and where != "GET list":
        meaning = Meaning.PERMANENT
    alarms = status == 410 or (status == 404 and not is_of_one) or (status == 400 and where == "GET list")
    assert (verdict.meaning, verdict.alarms, verdict.is_worded) == (meaning, alarms, True), label
    return verdict.code


def _named() -> Iterator[tuple[str, int, Where]]:
    """Types of errors as the text has them, each with a status and an operation of ours; general ones with all of ours."""
    text = pix_api.raw()["info"]["description"]
    for name, said in re.findall(r"### `(\w+)`(.*?)(?=\n##|\Z)", text, re.DOTALL):
        statuses = {int(status) for status in re.findall(r"\[(\d{3})", said)}
        told = re.search(r"__endpoints?__: (.*)", said)
        operations = list(ASKED) if told is None else list(_spelled_out(told[1]))
        yield from ((name, status, ASKED[one]) for status in statuses for one in operations if one in ASKED)


def _spelled_out(endpoints: str) -> Iterator[str]:
    """Operations of `[GET|PATCH] /cob/{txid}` and the like."""
    for methods, path in re.findall(r"`\[?([A-Z|]+)\]? (/[^`]*)`", endpoints):
        yield from (f"{method} {path}" for method in methods.split("|"))


def _successes(*, good: bool) -> Iterator[tuple[Example, Read]]:
    readers: dict[str, Read] = {"GET /cob": _charges, "GET /pix": _payments, "GET /pix/{e2eid}": _payment}
    for one in answers(*ASKED, "POST /cob", good=good):
        if one.status < 300:
            other = _return if "devolucao" in one.operation else _charge
            yield one, readers.get(one.operation, other)


def _same_amounts(one: Example, read: list[tuple[str, Money]]) -> None:
    assert read, one.label
    assert all(str(amount) == text for text, amount in read), one.label


def _charge(value: Any) -> list[tuple[str, Money]]:
    read = wire.charge(json.dumps(value).encode())
    if read.txid is None or read.valor is None or read.valor.original is None:
        raise Malformed("no charge")
    paid = [amount for row in read.pix or () for amount in _payment(json.loads(bytes(row)))]
    if read.valor.original == "0.00":  # cash is withdrawn
        return [*paid, ("0.00", Money(0, "BRL"))]
    return [*paid, (value["valor"]["original"], wire.money(read.valor.original, "valor.original"))]


def _payment(value: Any) -> list[tuple[str, Money]]:
    read = wire.payment(json.dumps(value).encode(), "utc")
    returns = [wire.return_(row, "utc") for row in wire.return_rows(read.returns)]
    returned = zip(value.get("devolucoes") or (), returns, strict=True)
    return [(value["valor"], read.amount), *((told["valor"], one.amount) for told, one in returned)]


def _return(value: Any) -> list[tuple[str, Money]]:
    read = wire.return_(json.dumps(value).encode(), "utc")
    return [(value["valor"], read.amount)]


def _charges(value: Any) -> list[tuple[str, Money]]:
    rows = wire.listing(json.dumps(value).encode(), "cobs", "utc").rows
    return [amount for row in rows for amount in _charge(json.loads(row))]


def _payments(value: Any) -> list[tuple[str, Money]]:
    rows = wire.listing(json.dumps(value).encode(), "pix", "utc").rows
    return [amount for row in rows for amount in _payment(json.loads(row))]
