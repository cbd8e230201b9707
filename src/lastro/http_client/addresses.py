"""Rules for URLs from strangers and for addresses to connect to. Pure: no name is looked up here."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network

from yarl import URL

MAX_URL_CHARACTERS = 2048
_MAX_NAME_CHARACTERS = 253  # RFC 1035 §2.3.4, without the final dot

# Every block of the IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast, the reserved top,
# and one public address that a large host answers itself from inside a machine.
_REFUSED_V4 = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this host; Linux connects 0.0.0.0 to loopback
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, with Alibaba's metadata service
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, with most metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, with Oracle's metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved and broadcast
        "168.63.129.16/32",  # Azure's metadata and wire server
    )
)
_LOOPBACK_V4 = IPv4Network("127.0.0.0/8")
_LOOPBACK_V6 = IPv6Address("::1")

# Of IPv6 only what is given out to networks is global unicast (RFC 4291 §2.4); the rest is refused by not being in it.
_GLOBAL_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address of anybody's choice inside, and withdrawn (RFC 7526)
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
# A translator turns these into IPv4 (RFC 6052 §2.1). On a network without IPv4 every IPv4 receiver looks like this, so
# they are judged as the address inside; those for local use (64:ff9b:1::/48) are not global and stay out.
_NAT64_V6 = IPv6Network("64:ff9b::/96")

_AUTHORITY = re.compile(r"(?P<scheme>[A-Za-z]+)://(?P<authority>[^/?#]*)")
_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.%A-Za-z]*\]|[^:\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_RESERVED_NAMES = ("localhost", "local", "internal", "home.arpa", "invalid")


def _read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Reads an address in its usual form.

    None: a name, an odd form or a zone id. An IPv4-mapped address is that IPv4 address: the socket sends IPv4 packets to it
    (RFC 4291 §2.5.5.2).
    """
    try:
        if ":" not in text:
            return IPv4Address(text)
        address = IPv6Address(text)
    except AddressValueError:
        return None
    if address.scope_id is not None:
        return None
    return address.ipv4_mapped or address


def is_loopback(address: str) -> bool:
    """Tells whether an address is loopback (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3)."""
    read = _read_address(address)
    return read in _LOOPBACK_V4 if isinstance(read, IPv4Address) else read == _LOOPBACK_V6


@lru_cache(maxsize=8192)
def address_allowed(ip: str, *, sandbox: bool) -> bool:
    """Tells whether we may connect to a resolved address.

    It is global unicast, or loopback in the sandbox. Text that is no address is refused.
    """
    address = _read_address(ip)
    if address is None:
        return False
    if sandbox and is_loopback(ip):
        return True
    if isinstance(address, IPv6Address) and address in _NAT64_V6:
        address = IPv4Address(int(address) & 0xFFFFFFFF)
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _REFUSED_V4)
    return address in _GLOBAL_V6 and not any(address in block for block in _REFUSED_V6)


def port_allowed(host: str, port: int, own_ports: frozenset[int]) -> bool:
    """Tells whether we may connect to a port of a host.

    The host is an address or a name. `own_ports` holds the ports of our database and API, which are refused on loopback.
    Every other port on loopback is fine in the sandbox; outside of it loopback is refused before this check.
    """
    local = is_loopback(host) or host.lower().removesuffix(".") == "localhost"
    return not (local and port in own_ports)


class _Malformed(ValueError):  # noqa: N818 - a sentence for whoever gave the URL
    """A problem of a URL."""


@lru_cache(maxsize=8192)
def url_problem(url: str, *, sandbox: bool) -> str | None:
    """Returns the problem of a stranger's URL, in a sentence; None: fine.

    A URL that passes may still be refused at delivery, when its name is resolved and every address is checked.
    """
    try:
        _check_form(url, schemes=("https", "http") if sandbox else ("https",))
        _check_host(_host_of(url), sandbox=sandbox)
    except _Malformed as problem:
        return str(problem)
    return None


def _check_form(url: str, schemes: tuple[str, ...]) -> None:
    """Checks that a URL has a scheme, a host and visible characters. A port may follow the host. Raises _Malformed."""
    if len(url) > MAX_URL_CHARACTERS:
        raise _Malformed(f"A URL has at most {MAX_URL_CHARACTERS} characters.")
    if any(unicodedata.category(character)[0] in "CZ" for character in url) or "\\" in url:
        raise _Malformed("A URL holds no blanks, control characters or backslashes.")
    start = _AUTHORITY.match(url)
    if start is None or start["scheme"].lower() not in schemes:
        raise _Malformed("A URL begins with https:// and a host.")
    if "@" in start["authority"]:
        raise _Malformed("A URL holds no user name or password.")
    host_and_port = _HOST_AND_PORT.fullmatch(start["authority"])
    if host_and_port is None or not 1 <= int(host_and_port["port"] or 443) <= 65535:
        raise _Malformed("A URL holds a host and, if any, a port from 1 to 65535.")


def _host_of(url: str) -> str:
    """Returns a URL's host in ASCII, by the library that sends requests."""
    try:
        return URL(url).raw_host or ""
    except ValueError:
        raise _Malformed("The URL cannot be read.") from None


def _check_host(host: str, *, sandbox: bool) -> None:
    """Checks that a host may be on the public network. It is a name, or an address without brackets. Raises _Malformed."""
    name = host.lower().removesuffix(".")
    labels = name.split(".")
    # A name that ends in a number is an IPv4 address to every resolver, in whatever notation: 127.1, 0x7f.1.
    if ":" in host or _NUMBER.fullmatch(labels[-1]):
        if _read_address(host) is None:
            raise _Malformed("An address is four decimal numbers, or IPv6 without a zone.")
        if not address_allowed(host, sandbox=sandbox):
            raise _Malformed("The address is not a public one.")
        return
    if len(name) > _MAX_NAME_CHARACTERS or not all(_LABEL.fullmatch(label) for label in labels):
        raise _Malformed("The host is not a domain name.")
    if sandbox and name == "localhost":
        return
    if len(labels) == 1:
        raise _Malformed("The host is a name without a dot, which only a private network knows.")
    if any(name == reserved or name.endswith(f".{reserved}") for reserved in _RESERVED_NAMES):
        raise _Malformed("The host is a reserved name, which only a private network knows.")
