"""Reads callers' addresses and certificates from our proxies (RFC 8705, RFC 9440)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from lastro.core.rights import Peer

if TYPE_CHECKING:
    from collections.abc import Callable
    from ipaddress import IPv4Address, IPv4Network, IPv6Network

    from litestar.types import HTTPScope

# Some proxies add the port that the caller had: 203.0.113.7:5123, [2001:db8::7]:5123.
_PORT: Final = re.compile(r"^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$")
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,63}\Z")
LOOPBACK: Final = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
_LONGEST: Final = 16 * 1024  # of a header with a certificate, in bytes


@dataclass(frozen=True, slots=True)
class Proxies:
    """Our own proxies and their headers.

    networks: of the proxies, the only ones whose x-forwarded-for is trusted. certificate_header: in lower case, the one in
    which they hand on the certificate that a caller showed; None: in none.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    certificate_header: str | None = None

    def peer(self, scope: HTTPScope, machine_now: Callable[[], float]) -> Peer:
        """Returns the peer of a request. machine_now: Unix time in seconds, for a certificate's validity."""
        if self.certificate_header is None:
            return Peer(self.address(scope))
        return Peer(self.address(scope), self._certificate(scope, machine_now))

    def address(self, scope: HTTPScope) -> IPv4Address | IPv6Address | None:
        """Returns the last address that no proxy of ours added; None: none.

        Each proxy adds to the header's line or adds a line (RFC 9110 §5.3: lines of one name are one list).
        """
        found = _neighbour(scope)
        if not self.networks:
            return found
        lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
        if len(lines) > 1 and _may_have_trailers(scope):
            return None
        told = [text.strip() for text in ",".join(lines).split(",") if text.strip()]
        while told and found is not None and any(found in network for network in self.networks):
            found = _address(_PORT.sub(r"\1\2", told.pop()))
        return found

    def _certificate(self, scope: HTTPScope, machine_now: Callable[[], float]) -> str | None:
        """Returns the SHA-256 of the caller's certificate, if in force. Only a proxy of ours may send it, and only once."""
        neighbour, named = _neighbour(scope), (self.certificate_header or "").encode()
        told = [value for name, value in scope["headers"] if name == named]
        if len(told) != 1 or neighbour is None or not any(neighbour in network for network in self.networks):
            return None
        if _may_have_trailers(scope):
            return None
        seen = _certificate(told[0]) if len(told[0]) <= _LONGEST else None
        return None if seen is None or not seen.begins <= machine_now() <= seen.ends else seen.thumbprint


def proxies(header: str, problems: list[str], networks: tuple[IPv4Network | IPv6Network, ...]) -> Proxies:
    """Returns the proxies of an installation. header: as its setting says. problems: gets a sentence for each problem."""
    header = header.lower()
    if header and _NAME.match(header) is None:
        problems.append("LASTRO_CLIENT_CERTIFICATE_HEADER must be the name of a header, such as client-cert.")
    elif header and not networks:
        problems.append("LASTRO_CLIENT_CERTIFICATE_HEADER needs LASTRO_PROXIES: it is believed from there alone.")
    return Proxies(networks, header or None)


def counted_as(source: IPv4Address | IPv6Address | None) -> str:
    """Returns the name that an address is rate-limited by. It is the /64 for IPv6, since one owner has 2^64 addresses."""
    return str(ip_network((source, 64), strict=False)) if isinstance(source, IPv6Address) else str(source)


def thumbprint(certificate: x509.Certificate) -> str:
    """Returns `x5t#S256` of RFC 8705 §3.1. SHA-256 of the DER, in base64url without padding, 43 characters."""
    digest = sha256(certificate.public_bytes(Encoding.DER)).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def certificate_of(content: bytes, password: bytes | None = None) -> x509.Certificate:
    """Reads the first certificate of a PEM, DER or PKCS#12 file.

    A password may protect PKCS#12. ValueError: there is none, or it cannot be read.
    """
    if b"-----BEGIN" in content:
        return x509.load_pem_x509_certificate(content)
    try:
        return x509.load_der_x509_certificate(content)
    except ValueError:
        found = pkcs12.load_key_and_certificates(content, password)[1]
    if found is None:
        raise ValueError("no certificate")
    return found


@dataclass(frozen=True, slots=True)
class _Shown:
    """A certificate that a caller showed. begins, ends: its validity, Unix time in seconds."""

    thumbprint: str
    begins: float
    ends: float


@lru_cache(maxsize=1024)
def _certificate(text: bytes) -> _Shown | None:
    """Returns the certificate of a header: between colons as RFC 9440 §2.1 has it, or PEM, percent-encoded as nginx does."""
    try:
        if text.startswith(b":"):
            found = x509.load_der_x509_certificate(
                base64.b64decode(text.removeprefix(b":").removesuffix(b":"), validate=True)
            )
        else:
            found = x509.load_pem_x509_certificate(unquote_to_bytes(text))
    except (ValueError, binascii.Error, x509.InvalidVersion):
        return None
    begins, ends = found.not_valid_before_utc.timestamp(), found.not_valid_after_utc.timestamp()
    return _Shown(thumbprint(found), begins, ends)


def _may_have_trailers(scope: HTTPScope) -> bool:
    """Tells whether a body is chunked. The parser behind a proxy takes a stranger's bytes after it for headers."""
    return any(name == b"transfer-encoding" for name, _ in scope["headers"])


def _neighbour(scope: HTTPScope) -> IPv4Address | IPv6Address | None:
    """Returns the address that the connection comes from."""
    client = scope.get("client")
    return _address(client[0]) if client else None


@lru_cache(maxsize=1024)
def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    # One caller has one address, however the socket or the proxy prints it.
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
