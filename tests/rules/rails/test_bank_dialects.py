"""What banks differ in, and how often one is asked."""

import pytest

from lastro.rails.api_pix import DIALECTS, Dialect
from lastro.rails.api_pix.dialects import LARGEST_PAGE
from lastro.rails.api_pix.pacing import AdaptivePace


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=list(DIALECTS))
def test_a_row_of_the_table(dialect: Dialect) -> None:
    assert DIALECTS[dialect.name] is dialect
    assert 1 <= dialect.window_days <= 31
    assert 1 <= dialect.page_size <= LARGEST_PAGE
    for address in (dialect.base_url, dialect.token_url):
        if dialect.name == "standard":
            assert address is None
        else:
            assert address is not None
            assert address.startswith("https://")
            assert not address.endswith("/")


@pytest.mark.parametrize(
    ("dialect", "style", "needs", "clock"),
    [
        ("standard", "basic-form", set(), "utc"),
        ("efi", "basic-json", set(), "utc"),
        ("bb", "basic-form", {"app_key"}, "utc"),
        ("inter", "secret-in-form", {"bank_account"}, "utc"),
        ("itau", "secret-in-form", set(), "local-marked-z"),
        ("santander", "secret-in-form", set(), "utc"),
        ("sicoob", "no-secret", set(), "utc"),
        ("sicredi", "basic-form", set(), "utc"),
        ("bradesco", "basic-form", set(), "utc"),
    ],
)
def test_what_each_bank_wants(dialect: str, style: str, needs: set[str], clock: str) -> None:
    row = DIALECTS[dialect]
    assert (row.oauth_style, set(row.needs), row.clock) == (style, needs, clock)
    assert row.has_secret is (dialect != "sicoob")
    assert row.takes_milliseconds is (dialect != "santander")


@pytest.mark.parametrize(
    ("dialect", "path", "outcome"),
    [
        ("efi", "/cob/abc", "/cob/abc"),
        ("sicredi", "/cob/abc", "/v3/cob/abc"),
        ("sicredi", "/cob", "/v2/cob"),
        ("sicredi", "/cob?inicio=a/b", "/v2/cob?inicio=a/b"),
        ("sicredi", "/cobv/abc", "/v2/cobv/abc"),
        ("sicredi", "/pix/abc/devolucao/1", "/v2/pix/abc/devolucao/1"),
        ("sicredi", "/webhook/abc", "/v2/webhook/abc"),
        ("sicredi", "/cobr/abc", "/v1/cobr/abc"),
        ("sicredi", "/rec/abc", "/v1/rec/abc"),
        ("sicredi", "/locrec/1", "/v1/locrec/1"),
        ("sicredi", "/webhookrec", "/v1/webhookrec"),
    ],
)
def test_the_version_of_a_resource(dialect: str, path: str, outcome: str) -> None:
    """As pypix-api asks Sicredi."""
    assert DIALECTS[dialect].path(path) == outcome


def test_a_bank_is_asked_so_often_and_no_more() -> None:
    pace = AdaptivePace(60)
    assert [pace.take(0.0) for _ in range(10)] == [0.0] * 10, "ten seconds' worth at once"
    assert [pace.take(0.0) for _ in range(3)] == [1.0, 2.0, 3.0]
    pace.give_back()
    assert pace.take(0.0) == 3.0
    assert pace.take(100.0) == 0.0


def test_a_pace_is_halved_and_doubles_again_each_minute() -> None:
    pace = AdaptivePace(64)
    pace.halve(10.0)
    assert pace.a_minute == 32
    pace.halve(10.5)
    assert pace.a_minute == 32, "answers that come together are one warning"
    pace.halve(11.0)
    assert pace.a_minute == 16
    pace.take(70.9)
    assert pace.a_minute == 16
    pace.take(71.0)
    assert pace.a_minute == 32
    pace.take(131.0)
    assert pace.a_minute == 64
    pace.take(1_000.0)
    assert pace.a_minute == 64
    for second in range(2_000, 2_050, 2):
        pace.halve(float(second))
    assert pace.a_minute == 1, "it is never left alone for good"
    assert pace.take(2_050.0) >= 0.0
