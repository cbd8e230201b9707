"""Which names count as one domain's, when places for look-ups are shared out."""

import pytest
from tests.in_one import in_one_test

from lastro.http_client.dns_fairness import domain_of


@in_one_test(
    ("host", "domain"),
    [
        ("example.com", "example.com"),
        ("a.example.com", "example.com"),
        ("a.b.c.example.com", "example.com"),
        ("com", "com"),
        ("localhost", "localhost"),
        # In Brazil whatever stands before .br is a category.
        ("hooks.loja.com.br", "loja.com.br"),
        ("loja.com.br", "loja.com.br"),
        ("a.b.loja.tec.br", "loja.tec.br"),
        ("a.loja.curitiba.br", "loja.curitiba.br"),
        ("a.usp.br", "a.usp.br"),
        ("usp.br", "usp.br"),
        # Elsewhere it is one where registries keep it so.
        ("a.b.example.co.uk", "example.co.uk"),
        ("example.co.uk", "example.co.uk"),
        ("a.example.com.mx", "example.com.mx"),
        ("a.example.go.jp", "example.go.jp"),
        ("co.uk", "co.uk"),
        # A short name of somebody's own is no such word, or it would be as many domains as he likes.
        ("a.b.t7.io", "t7.io"),
        ("a.b.abc.de", "abc.de"),
        ("a.com.example", "com.example"),
        ("a.b.com.org", "com.org"),
    ],
)
def test_a_domain_is_what_was_registered(host: str, domain: str) -> None:
    assert domain_of(host) == domain


@pytest.mark.parametrize("host", ["A.Example.COM", "a.example.com.", "b.EXAMPLE.com."])
def test_one_domain_however_its_names_are_written(host: str) -> None:
    assert domain_of(host) == "example.com"
