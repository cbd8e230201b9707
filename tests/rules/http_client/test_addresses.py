from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.in_one import in_one_test

from lastro.http_client.addresses import address_allowed, is_loopback, port_allowed, url_problem

from .urls import GOOD, HOSTILE, LOCAL


def test_the_table_is_long_enough() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) > 60


@in_one_test("sandbox", [False, True])
@in_one_test("url", HOSTILE)
def test_hostile_urls_are_refused_everywhere(url: str, sandbox: bool) -> None:
    problem = url_problem(url, sandbox=sandbox)
    assert problem is not None
    assert problem.endswith(".")


@pytest.mark.parametrize("url", LOCAL)
def test_loopback_and_http_are_for_the_sandbox(url: str) -> None:
    assert url_problem(url, sandbox=False) is not None
    assert url_problem(url, sandbox=True) is None


@in_one_test("sandbox", [False, True])
@in_one_test("url", GOOD)
def test_honest_urls_pass(url: str, sandbox: bool) -> None:
    assert url_problem(url, sandbox=sandbox) is None


@pytest.mark.parametrize("sandbox", [False, True])
@given(st.one_of(st.text(max_size=60), st.text(max_size=40).map("https://".__add__)))
def test_any_text_has_an_answer(sandbox: bool, text: str) -> None:
    problem = url_problem(text, sandbox=sandbox)
    assert problem is None or problem.endswith(".")


@given(st.ip_addresses(v=4))
def test_a_literal_passes_exactly_if_its_address_does(address: IPv4Address) -> None:
    allowed = address_allowed(str(address), sandbox=False)
    assert (url_problem(f"https://{address}/", sandbox=False) is None) == allowed
    assert (url_problem(f"https://[::ffff:{address}]/", sandbox=False) is None) == allowed
    assert (url_problem(f"https://[64:ff9b::{address}]/", sandbox=False) is None) == allowed
    # Python's own idea of "global" is never stricter than ours.
    assert address.is_global or not allowed


@given(st.ip_addresses(v=6))
def test_an_ipv6_literal_passes_exactly_if_its_address_does(address: IPv6Address) -> None:
    allowed = address_allowed(str(address), sandbox=False)
    assert (url_problem(f"https://[{address.exploded}]/", sandbox=False) is None) == allowed
    # Unicast that is given out, IPv4 inside, or IPv4 behind a translator.
    assert not allowed or int(address) >> 125 == 1 or int(address) >> 32 in (0xFFFF, 0x64FF9B << 64)


@given(
    st.integers(0, 2**32 - 1).map(IPv4Address),
    st.sampled_from(["{0}", "{0:#x}", "0{0:o}", "{1}.{2}", "{1:#x}.{2}", "0{1:o}.{2}"]),
)
def test_no_odd_form_of_any_ipv4_address_passes(address: IPv4Address, written: str) -> None:
    number = int(address)
    url = f"https://{written.format(number, number >> 24, number & 0xFFFFFF)}/"
    assert url_problem(url, sandbox=False) is not None
    assert url_problem(url, sandbox=True) is not None


@given(st.ip_addresses())
def test_the_sandbox_adds_loopback_and_nothing_else(address: IPv4Address | IPv6Address) -> None:
    text = str(address)
    assert address_allowed(text, sandbox=True) == (address_allowed(text, sandbox=False) or is_loopback(text))


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"])
def test_loopback_is_refused_outside_of_the_sandbox(address: str) -> None:
    assert is_loopback(address)
    assert not address_allowed(address, sandbox=False)
    assert address_allowed(address, sandbox=True)


@pytest.mark.parametrize(
    "address",
    [
        "", "localhost", "127.1", "0", "0.0.0.0", "::", "fe80::1%2", "::1%lo", "64:ff9b::127.0.0.1", "8.8.8.8 ",
        "1.1.1.1/32",
    ],
)  # fmt: skip
def test_what_is_no_address_to_connect_to_is_refused_everywhere(address: str) -> None:
    assert not address_allowed(address, sandbox=True)
    assert not address_allowed(address, sandbox=False)


@pytest.mark.parametrize(
    ("host", "port", "allowed"),
    [
        ("127.0.0.1", 8080, False), ("127.9.9.9", 8080, False), ("::1", 5432, False),
        ("::ffff:127.0.0.1", 5432, False), ("localhost", 8080, False), ("LOCALHOST.", 8080, False),
        ("127.0.0.1", 8090, True), ("localhost", 3000, True), ("8.8.8.8", 8080, True), ("example.com", 5432, True),
    ],
)  # fmt: skip
def test_our_own_ports_are_closed_on_loopback(host: str, port: int, allowed: bool) -> None:
    assert port_allowed(host, port, frozenset({8080, 5432})) == allowed
