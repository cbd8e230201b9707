"""The rules for companies and clients: names, permissions, networks, limits, subjects."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING

from lastro.companies.fees import OUT, PAYERS
from lastro.companies.model import PERMISSIONS, is_subject
from lastro.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_NAME = 140
_MOST_CERTIFICATES = 20
_THUMBPRINT = re.compile(r"[A-Za-z0-9_-]{43}\Z")
_MOST_NETWORKS = 50
_WHOLE = 10_000  # basis points
# The methods of orders and of payouts; crypto carries its brand (contract.md §6).
_METHODS = re.compile(r"(?:PIX|TED|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)\Z")
_OUT_METHODS = ("PIX", "TED")
_HIGHEST_LIMIT = 100_000_000  # requests a minute; more than any machine serves


def name_problems(name: str) -> list[Problem]:
    """Returns the problems of a company's or a client's name."""
    if not name.strip() or len(name) > _LONGEST_NAME:
        return [Problem("name", "INVALID", f"must have 1 to {_LONGEST_NAME} characters")]
    if any(unicodedata.category(c)[0] == "C" for c in name):
        return [Problem("name", "INVALID", "has a character that is not allowed here")]
    return []


def permission_problems(permissions: Sequence[str]) -> list[Problem]:
    """Returns the problems of a client's wanted permissions."""
    if not permissions:
        return [Problem("permissions", "REQUIRED", "must name at least one; to take all away, revoke the client")]
    unknown = sorted({p for p in permissions if p not in PERMISSIONS})
    if unknown:
        known = ", ".join(PERMISSIONS)
        return [Problem("permissions", "INVALID", f"has no {', '.join(unknown)[:200]}; there are {known}")]
    return []


def in_order(permissions: Sequence[str]) -> list[str]:
    """Returns valid permissions, each once, in the order of the interface."""
    return [p for p in PERMISSIONS if p in permissions]


def networks(texts: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """Returns networks as `203.0.113.0/24`, each once, and their problems. A single address is a network."""
    kept: list[str] = []
    problems: list[Problem] = []
    if len(texts) > _MOST_NETWORKS:
        problems.append(Problem("networks", "TOO_LONG", f"must be at most {_MOST_NETWORKS}"))
    for text in texts[:_MOST_NETWORKS]:
        try:
            network = ip_network("" if "%" in text else text)  # a zone means something on one machine alone
        except ValueError:
            problems.append(
                Problem("networks", "INVALID", f"must be such as 203.0.113.0/24 or 2001:db8::/32, not {text!r:.60}")
            )
            continue
        if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
            # Requests from there are seen under their IPv4 address: such a network would admit no client.
            problems.append(Problem("networks", "INVALID", f"must be written as IPv4, not {text!r:.60}"))
        elif str(network) not in kept:
            kept.append(str(network))
    return kept, problems


def certificate_problems(thumbprints: Sequence[str]) -> list[Problem]:
    """Returns the problems of a client's certificates. Each is named by `x5t#S256` (RFC 8705 §3.1)."""
    problems = []
    if len(thumbprints) > _MOST_CERTIFICATES:
        problems.append(Problem("certificates", "TOO_LONG", f"must be at most {_MOST_CERTIFICATES}"))
    if any(_THUMBPRINT.match(one) is None for one in thumbprints):
        text = "must be 43 characters of base64url each: the SHA-256 of a certificate"
        problems.append(Problem("certificates", "INVALID", text))
    return problems


_MAPPED = IPv6Network((IPv6Address("::ffff:0:0"), 96))


def limit_problems(requests_per_minute: int | None) -> list[Problem]:
    """Returns the problems of a client's own limit; None: the default of every client."""
    if requests_per_minute is None or 0 < requests_per_minute <= _HIGHEST_LIMIT:
        return []
    return [Problem("requestsPerMinute", "OUT_OF_RANGE", f"must be from 1 to {_HIGHEST_LIMIT}")]


def subject_problems(subject: str) -> list[Problem]:
    """Returns the problems of an outside issuer's subject for a client."""
    if is_subject(subject):
        return []
    return [Problem("subject", "INVALID", "must be 1 to 255 printable ASCII characters without blanks")]


def price_problems(direction: str, method: str, basis_points: int, payer: str | None) -> list[Problem]:
    """Returns the problems of a plan of fees. payer None: no bearer is named."""
    problems: list[Problem] = []
    if direction == OUT and method not in _OUT_METHODS:
        problems.append(Problem("method", "INVALID", f"must be one by which payouts go: {', '.join(_OUT_METHODS)}"))
    elif _METHODS.match(method) is None:
        problems.append(Problem("method", "INVALID", "must be PIX, TED, BOLETO or another method of orders, or a BRAND_PAY"))
    if not 0 <= basis_points <= _WHOLE:
        problems.append(Problem("percent", "OUT_OF_RANGE", "must be from 0.00 to 100.00"))
    if direction == OUT and payer is not None:
        problems.append(Problem("payer", "NOT_ALLOWED", "is not said of payouts: who sends one bears its fee"))
    elif payer is not None and payer not in PAYERS:
        problems.append(Problem("payer", "INVALID", f"must be {' or '.join(PAYERS)}"))
    return problems
