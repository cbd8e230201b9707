"""What our own proxies tell of a caller: its address, and the certificate that it showed them (RFC 8705, RFC 9440)."""

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
    """networks: of our own proxies, whose x-forwarded-for is believed, and nobody else's.

    certificate_header: in lower case, the one in which they hand on the certificate that a caller showed; None: in none.
    """

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    certificate_header: str | None = None

    def peer(self, scope: HTTPScope, machine_now: Callable[[], float]) -> Peer:
        """Who stands at the other end of a request. machine_now: Unix time in seconds, for a certificate's validity."""
        if self.certificate_header is None:
            return Peer(self.address(scope))
        return Peer(self.address(scope), self._certificate(scope, machine_now))

    def address(self, scope: HTTPScope) -> IPv4Address | IPv6Address | None:
        """Where it came from: the last address that a proxy of ours did not add itself. None: that is no address.

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
        """Its SHA-256, where a proxy of ours says so itself, once, and it is neither too young nor too old."""
        neighbour, named = _neighbour(scope), (self.certificate_header or "").encode()
        told = [value for name, value in scope["headers"] if name == named]
        if len(told) != 1 or neighbour is None or not any(neighbour in network for network in self.networks):
            return None
        if _may_have_trailers(scope):
            return None
        seen = _certificate(told[0]) if len(told[0]) <= _LONGEST else None
        return None if seen is None or not seen.begins <= machine_now() <= seen.ends else seen.thumbprint


def proxies(header: str, problems: list[str], networks: tuple[IPv4Network | IPv6Network, ...]) -> Proxies:
    """The proxies of an installation. header: as its setting says. problems: is told what is wrong with it."""
    header = header.lower()
    if header and _NAME.match(header) is None:
        problems.append("LASTRO_CLIENT_CERTIFICATE_HEADER must be the name of a header, such as client-cert.")
    elif header and not networks:
        problems.append("LASTRO_CLIENT_CERTIFICATE_HEADER needs LASTRO_PROXIES: it is believed from there alone.")
    return Proxies(networks, header or None)


def counted_as(source: IPv4Address | IPv6Address | None) -> str:
    """Whose requests are counted together: who has an IPv6 address has 2^64 of them."""
    return str(ip_network((source, 64), strict=False)) if isinstance(source, IPv6Address) else str(source)


def thumbprint(certificate: x509.Certificate) -> str:
    """`x5t#S256` of RFC 8705 §3.1: SHA-256 of the DER, in base64url without padding, 43 characters."""
    digest = sha256(certificate.public_bytes(Encoding.DER)).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def certificate_of(content: bytes, password: bytes | None = None) -> x509.Certificate:
    """The first certificate of a PEM file, the one of a DER file, or that of a PKCS#12 file, which a password may close.

    ValueError: there is none, or it cannot be read.
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
    """begins, ends: its validity, Unix time in seconds."""

    thumbprint: str
    begins: float
    ends: float


@lru_cache(maxsize=1024)
def _certificate(text: bytes) -> _Shown | None:
    """The certificate of a header: between colons as RFC 9440 §2.1 has it, or PEM, percent-encoded as nginx does."""
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
    """Tells of a chunked body: the parser behind a proxy takes what follows it for headers, whoever wrote it."""
    return any(name == b"transfer-encoding" for name, _ in scope["headers"])


def _neighbour(scope: HTTPScope) -> IPv4Address | IPv6Address | None:
    """Whoever opened the connection."""
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
