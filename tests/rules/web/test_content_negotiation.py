"""Which media type a client wants: RFC 9110 §12.5.1 as a table, and how a file is named to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.api_kit.routes import Answer, Doc, Route
from lastro.core.media import CSV, JSON, PDF, Media, saved_as
from lastro.web.content_negotiation import chosen

BOTH = (JSON, PDF)


@in_one_test(
    ("accepted", "best"),
    [
        # Nothing is wished for.
        ("", JSON), (" ", JSON), (",", JSON), (", ,", JSON),
        # One, by its name, in any letters.
        ("application/json", JSON), ("application/pdf", PDF), ("Application/PDF", PDF), (" application/pdf ", PDF),
        ("\tapplication/pdf\t", PDF),
        # Ranges.
        ("*/*", JSON), ("application/*", JSON), ("*/*;q=0.1", JSON),
        # What we do not have.
        ("text/html", None), ("image/*", None), ("application/xml, text/csv", None), ("application/pd", None),
        ("text/html, application/pdf;q=0.1", PDF), ("text/html, */*;q=0.001", JSON),
        # Weights.
        ("application/json;q=0.5, application/pdf", PDF), ("application/json;q=0.5, application/pdf;q=0.4", JSON),
        ("application/json;q=0.5,application/pdf;q=0.501", PDF), ("application/pdf ; q=1.000, */* ; q=0.9", PDF),
        ("application/pdf;Q=0.3, application/json;Q=0.2", PDF),
        # 0 is no; the narrower range decides, whichever comes first.
        ("application/pdf;q=0", None), ("*/*;q=0", None), ("application/json;q=0, */*", PDF),
        ("*/*, application/json;q=0", PDF), ("application/*;q=0, application/pdf;q=0.1", PDF),
        ("application/*;q=0, */*", None), ("*/*;q=0, application/*;q=0.2", JSON), ("application/json;q=0, application/pdf;q=0.0", None),
        # Of equals the one that is named, then ours.
        ("application/pdf, application/json", JSON), ("application/pdf, */*", PDF), ("*/*, application/pdf", PDF),
        ("application/pdf, application/*", PDF), ("application/json, text/plain, */*", JSON),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", JSON),
        # The same range twice: the better counts.
        ("application/pdf;q=0, application/pdf", PDF), ("application/pdf, application/pdf;q=0", PDF),
        # Parameters say nothing, and may hold what separates.
        ("application/pdf;version=1.7", PDF), ("application/pdf;version=2;q=0.5, application/json;q=0.4", PDF),
        ('application/json;a="x, application/pdf;q=1"', JSON), ('application/pdf;a="\\",";q=0.2, application/json;q=0.1', PDF),
        ("application/pdf;q=0.5;ext=1, application/json;q=0.4", PDF),
        # What is no range is passed over; of nothing else, nothing is wished for.
        ("json", JSON), ("application/", JSON), ("/pdf", JSON), ("*/pdf", JSON), ("*", JSON), ("application/pdf/x", JSON),
        ("application / pdf", JSON), ("json, application/pdf", PDF), ('"application/pdf"', JSON), ("\xff/\xff", JSON),
        ("application/pdf;q=x", JSON), ("application/pdf;q=1.5", JSON), ("application/pdf;q=-1", JSON),
        ("application/pdf;q=", JSON), ("application/pdf;q=0.0001", JSON), ('application/pdf;q="1"', JSON),
        ("application/pdf;q=.5", JSON), ("application/pdf;q=0., application/json", JSON), ("application/pdf;q=1.", PDF),
        ("application/pdf;q=x, text/html", None), ('application/json;a="b', JSON),
    ],
)  # fmt: skip
def test_what_a_client_wants(accepted: str, best: str | None) -> None:
    assert chosen(accepted, BOTH) == best


def test_what_is_had_in_one_way_alone_is_refused_as_another() -> None:
    assert chosen("application/json", (CSV,)) is None
    assert chosen("text/*;q=0.1", (CSV,)) == CSV
    assert chosen("", (CSV,)) == CSV


def test_a_list_is_not_read_at_any_length() -> None:
    assert chosen(", ".join(["text/html"] * 49 + ["application/pdf"]), BOTH) == PDF
    assert chosen(", ".join(["text/html"] * 50 + ["application/pdf"]), BOTH) is None


@given(st.text(alphabet='aplictonjsdf/*;,q=.01" \\\t\xff', max_size=80), st.permutations(BOTH))
def test_any_header_chooses_one_or_none(accepted: str, offered: list[str]) -> None:
    assert chosen(accepted, offered) in {*offered, None}


class Wheel(Answer, kw_only=True, frozen=True):
    size: int


@in_one_test(
    ("doc", "offered"),
    [
        (Doc("Nothing"), ()),
        (Doc("JSON alone", answer=Wheel), ()),
        (Doc("Both", answer=Wheel, media=(Media(PDF),)), (JSON, PDF)),
        (Doc("A file alone", media=(Media(CSV, "a;b"),)), (CSV,)),
    ],
)
def test_what_an_operation_offers(doc: Doc, offered: tuple[str, ...]) -> None:
    assert Route("GET", "/wheels", "read_wheels", "wheels:read", lambda _: None, doc).offered == offered  # type: ignore[arg-type]


def test_what_is_kept_under_a_key_is_json() -> None:
    with pytest.raises(AssertionError, match="under a key"):
        Route("POST", "/wheels", "make", "wheels:write", lambda _: None, Doc("Make", media=(Media(PDF),)), key="optional")  # type: ignore[arg-type]


@in_one_test(
    ("name", "header"),
    [
        ("comprovante-1.pdf", 'attachment; filename="comprovante-1.pdf"'),
        ("a b_c.csv", 'attachment; filename="a b_c.csv"'),
        ("folha março.csv", "attachment; filename=\"folha mar_o.csv\"; filename*=UTF-8''folha%20mar%C3%A7o.csv"),
        ('a";\r\nx: y.csv', "attachment; filename=\"a____x_ y.csv\"; filename*=UTF-8''a%22%3B%0D%0Ax%3A%20y.csv"),
        ("a/../b.csv", "attachment; filename=\"a_.._b.csv\"; filename*=UTF-8''a%2F..%2Fb.csv"),
        ("100%'.csv", "attachment; filename=\"100__.csv\"; filename*=UTF-8''100%25%27.csv"),
    ],
)
def test_a_file_has_a_name(name: str, header: str) -> None:
    assert saved_as(name) == ("content-disposition", header)
