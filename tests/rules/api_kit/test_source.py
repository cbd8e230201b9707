"""Where a request came from: what a proxy of ours says is believed, what anybody else says is not."""

from ipaddress import ip_address, ip_network
from typing import Any

from tests.in_one import in_one_test

from lastro.api_kit.proxies import Proxies

PROXIES = tuple(ip_network(text) for text in ("10.0.0.0/8", "2001:db8:1::/48"))


def source(peer: str | None, *lines: str, proxies: Any = PROXIES) -> str | None:
    headers = [(b"host", b"lastro.test"), *((b"x-forwarded-for", line.encode("latin-1")) for line in lines)]
    scope: Any = {"client": None if peer is None else (peer, 5000), "headers": headers}
    found = Proxies(proxies).address(scope)
    return None if found is None else str(found)


@in_one_test(
    ("peer", "lines", "expected"),
    [
        # Nobody's word counts but a proxy's.
        ("203.0.113.7", (), "203.0.113.7"),
        ("203.0.113.7", ("198.51.100.1",), "203.0.113.7"),
        ("203.0.113.7", ("10.0.0.1",), "203.0.113.7"),
        # The proxy says it.
        ("10.0.0.1", ("203.0.113.7",), "203.0.113.7"),
        ("2001:db8:1::1", ("2001:db8:2::7",), "2001:db8:2::7"),
        # What stands before the address that the last proxy added is the caller's own tale.
        ("10.0.0.1", ("198.51.100.1, 203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", ("10.0.0.9, 203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", ("garbage, 203.0.113.7",), "203.0.113.7"),
        # Proxies behind proxies, in one line or in several.
        ("10.0.0.1", ("198.51.100.1, 203.0.113.7, 10.0.0.2",), "203.0.113.7"),
        ("10.0.0.1", ("198.51.100.1, 203.0.113.7", "10.0.0.2"), "203.0.113.7"),
        ("10.0.0.1", ("203.0.113.7", "2001:db8:1::2", "10.0.0.2"), "203.0.113.7"),
        # The proxy itself.
        ("10.0.0.1", (), "10.0.0.1"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("10.0.0.1", (" , ,",), "10.0.0.1"),
        ("10.0.0.1", ("10.0.0.2",), "10.0.0.2"),
        # One caller has one address, however it is printed.
        ("::ffff:203.0.113.7", (), "203.0.113.7"),
        ("::ffff:10.0.0.1", ("::ffff:203.0.113.7",), "203.0.113.7"),
        ("10.0.0.1", ("2001:DB8:0:0::7",), "2001:db8::7"),
        ("10.0.0.1", ("203.0.113.7:51234",), "203.0.113.7"),
        ("10.0.0.1", ("[2001:db8::7]:51234",), "2001:db8::7"),
        ("10.0.0.1", ("[2001:db8::7]",), "2001:db8::7"),
        ("10.0.0.1", ("[10.0.0.2]:1, 10.0.0.3:2",), "10.0.0.2"),
        # What is no address is nobody: who is bound to networks is refused.
        ("10.0.0.1", ("unknown",), None),
        ("10.0.0.1", ("203.0.113.7, unknown",), None),
        ("10.0.0.1", ("203.0.113.7, unknown, 10.0.0.2",), None),
        ("10.0.0.1", ("203.0.113.300",), None),
        ("10.0.0.1", ("0xcb007107",), None),
        ("10.0.0.1", ("203.0.113.7:",), None),
        ("10.0.0.1", ("203.0.113.7:x",), None),
        ("10.0.0.1", (":80",), None),
        ("10.0.0.1", ("[]:80",), None),
        ("10.0.0.1", ("203.0.113.7\u00ff",), None),
        ("10.0.0.1", ("\u00b2\u00b2.0.0.1",), None),
        ("a name", ("203.0.113.7",), None),
        (None, ("203.0.113.7",), None),
    ],
)  # fmt: skip
def test_the_source(peer: str | None, lines: tuple[str, ...], expected: str | None) -> None:
    assert source(peer, *lines) == expected


def test_without_proxies_the_header_is_not_read() -> None:
    assert source("10.0.0.1", "203.0.113.7", proxies=()) == "10.0.0.1"


def test_a_network_holds_an_address_however_it_was_printed() -> None:
    assert ip_address(source("::ffff:203.0.113.7") or "") in ip_network("203.0.113.0/24")


@in_one_test(
    ("lines", "expected"),
    [(("203.0.113.7",), "203.0.113.7"), (("203.0.113.7", "198.51.100.1"), None)],
)
def test_a_line_that_may_have_come_behind_a_chunked_body_is_not_believed(
    lines: tuple[str, ...], expected: str | None
) -> None:
    headers = [(b"transfer-encoding", b"chunked"), *((b"x-forwarded-for", line.encode()) for line in lines)]
    scope: Any = {"client": ("10.0.0.1", 5000), "headers": headers}
    found = Proxies(PROXIES).address(scope)
    assert (None if found is None else str(found)) == expected
