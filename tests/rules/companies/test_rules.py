"""What may be said of companies and clients."""

import pytest

from lastro.companies import PERMISSIONS, rules
from lastro.companies.model import is_subject, outside_client_id


@pytest.mark.parametrize("name", ["Ana", "Ação & Filhos Ltda", "a" * 140, "日本"])
def test_names(name: str) -> None:
    assert rules.name_problems(name) == []


@pytest.mark.parametrize("name", ["", " ", "a" * 141, "a\nb", "a\x1b[31m", "a\u202eb", "\ud800", "\u2028\x00"])
def test_names_that_are_none(name: str) -> None:
    assert [p.field for p in rules.name_problems(name)] == ["name"]


def test_permissions_are_kept_once_in_the_interfaces_order() -> None:
    assert rules.permission_problems(PERMISSIONS) == []
    assert rules.in_order(("webhooks:read", "orders:write", "orders:write")) == ["orders:write", "webhooks:read"]


@pytest.mark.parametrize("given", [(), ("orders",), ("orders:delete",), ("ORDERS:READ",), ("orders:read", "all"), ("",)])
def test_unknown_permissions_are_refused(given: tuple[str, ...]) -> None:
    assert [p.field for p in rules.permission_problems(given)] == ["permissions"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ((), []),
        (("203.0.113.0/24",), ["203.0.113.0/24"]),
        (("203.0.113.7", "203.0.113.7/32"), ["203.0.113.7/32"]),
        (("2001:DB8::/32", "::1"), ["2001:db8::/32", "::1/128"]),
        (("0.0.0.0/0", "::/0"), ["0.0.0.0/0", "::/0"]),
    ],
)
def test_networks(given: tuple[str, ...], kept: list[str]) -> None:
    assert rules.networks(given) == (kept, [])


@pytest.mark.parametrize(
    "text", ["", "here", "203.0.113.1/24", "203.0.113.0/33", "203.0.113", "010.0.0.1", "::ffff:10.0.0.0/104", "::ffff:10.0.0.1", "fe80::1%eth0", "10.0.0.0/8,11.0.0.0/8"]
)  # fmt: skip
def test_networks_that_are_none(text: str) -> None:
    kept, problems = rules.networks((text, "10.0.0.0/8"))
    assert (kept, [p.field for p in problems]) == (["10.0.0.0/8"], ["networks"])


def test_networks_are_not_too_many() -> None:
    kept, problems = rules.networks([f"10.0.0.{n}" for n in range(51)])
    assert (len(kept), [p.issue for p in problems]) == (50, ["TOO_LONG"])


@pytest.mark.parametrize(("limit", "good"), [(None, True), (1, True), (100_000_000, True), (0, False), (-1, False), (100_000_001, False)])  # fmt: skip
def test_limits(limit: int | None, good: bool) -> None:
    assert (rules.limit_problems(limit) == []) is good


@pytest.mark.parametrize(("subject", "good"), [("auth0|5f7c", True), ("a" * 255, True), ("a" * 256, False), ("", False), ("a b", False), ("é", False), ("a\n", False), ("\x00", False)])  # fmt: skip
def test_subjects(subject: str, good: bool) -> None:
    assert is_subject(subject) is good
    assert (rules.subject_problems(subject) == []) is good


def test_no_subject_is_a_client_of_ours() -> None:
    assert outside_client_id("lc_0000100000000000000000").startswith("outside:")
