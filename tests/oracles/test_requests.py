"""What lastro writes to a bank keeps the document, whatever it is given within the bounds of its port."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from lastro.core.money import Money
from lastro.rails.api_pix import issuing, wire
from lastro.rails.port import Person
from lastro.rails.port.issuing import ChargeRequest

from . import pix_api

pytestmark = pix_api.needed

TXID = "000012c97ea847e78e8849634473c1f1"
# Letters, marks and signs as people write them, with what JSON has to escape; half a surrogate pair is no text.
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=160)
DOCUMENTS = st.tuples(st.just("CPF"), st.from_regex(r"[0-9]{11}", fullmatch=True)) | st.tuples(
    st.just("CNPJ"), st.from_regex(r"[0-9A-Z]{12}[0-9]{2}", fullmatch=True)
)
OTHERS = st.tuples(st.sampled_from(["CPF", "CNPJ", "PASSPORT"]), st.text("0123456789AZaz.-/ ", max_size=15))
PERSONS = st.builds(
    lambda name, document: Person(name, *document), st.text(min_size=0, max_size=220), DOCUMENTS | DOCUMENTS | OTHERS
)
CHARGES = st.builds(
    ChargeRequest,
    st.just(TXID),
    st.integers(-1, 10**12).map(lambda minor: Money(minor, "BRL")),
    st.text("abc@.+-0123456789", max_size=40) | st.integers(75, 80).map("k".__mul__),
    st.integers(-1, 2**31),
    st.just("Ana"),
    st.just("SP"),
    st.none() | PERSONS,
    st.none() | TEXT,
)
BIGGEST = ChargeRequest(
    TXID, Money(999_999_999_999, "BRL"), "k" * 77, 2**31 - 1, "Ana", "SP", Person("n" * 300, "CPF", "1" * 11), "t" * 140
)


@given(CHARGES)
@example(BIGGEST)
def test_a_charge_that_is_asked_for_keeps_the_document(request: ChargeRequest) -> None:
    """And names nothing that the document does not. What is beyond the bounds is refused before it is written."""
    body = pix_api.oracle().of_request("PUT", "/cob/{txid}")
    written = _written(request)
    if written is None:
        return
    assert body.problems(written) == []
    assert body.unnamed(written) == []
    assert "modalidadeAlteracao" not in written["valor"]
    assert len({"cpf", "cnpj"} & written.get("devedor", {"cpf": ""}).keys()) == 1


def _written(request: ChargeRequest) -> dict[str, Any] | None:
    """The body of a charge; None where it is refused."""
    try:
        written: dict[str, Any] = json.loads(issuing.charge_body(request))
    except ValueError as refused:
        if str(refused) not in {"seconds", "amount", "key", "text", "payer"}:
            raise
        return None
    return written


def test_the_largest_charge_is_written() -> None:
    assert json.loads(issuing.charge_body(BIGGEST))["valor"] == {"original": "9999999999.99"}


def test_a_removal_keeps_the_document() -> None:
    body = pix_api.oracle().of_request("PATCH", "/cob/{txid}")
    assert body.problems(json.loads(wire.removal())) == []
    assert body.unnamed(json.loads(wire.removal())) == []


@given(st.integers(1, 999_999_999_999))
def test_a_return_that_is_asked_for_keeps_the_document(minor: int) -> None:
    body = pix_api.oracle().of_request("PUT", "/pix/{e2eid}/devolucao/{id}")
    written = json.loads(wire.new_return(Money(minor, "BRL")))
    assert body.problems(written) == []
    assert body.unnamed(written) == []


@given(st.datetimes(datetime(2015, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 the zone is beside it
def test_a_period_that_is_asked_for_keeps_the_document(at: datetime) -> None:
    asked = wire.asked_instant(at)
    assert pix_api.oracle().target_problems("GET", f"/pix?inicio={asked}&fim={asked}") == []
    assert pix_api.oracle().target_problems("PUT", wire.charge_path(TXID)) == []
