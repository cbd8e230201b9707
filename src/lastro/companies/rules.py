"""The rules for companies and clients: names, permissions, networks, limits, subjects."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING

from lastro.companies import problems as refusals
from lastro.companies.fees import OUT, PAYERS
from lastro.companies.model import PERMISSIONS, is_subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.core.errors import Problem

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
        return [refusals.NAME_INVALID.problem(longest=_LONGEST_NAME)]
    if any(unicodedata.category(c)[0] == "C" for c in name):
        return [refusals.NAME_NOT_PRINTABLE.problem()]
    return []


def permission_problems(permissions: Sequence[str]) -> list[Problem]:
    """Returns the problems of a client's wanted permissions."""
    if not permissions:
        return [refusals.PERMISSIONS_REQUIRED.problem()]
    unknown = sorted({p for p in permissions if p not in PERMISSIONS})
    if unknown:
        return [refusals.PERMISSIONS_INVALID.problem(unknown=", ".join(unknown), known=", ".join(PERMISSIONS))]
    return []


def in_order(permissions: Sequence[str]) -> list[str]:
    """Returns valid permissions, each once, in the order of the interface."""
    return [p for p in PERMISSIONS if p in permissions]


def networks(texts: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """Returns networks as `203.0.113.0/24`, each once, and their problems. A single address is a network."""
    kept: list[str] = []
    problems: list[Problem] = []
    if len(texts) > _MOST_NETWORKS:
        problems.append(refusals.NETWORKS_TOO_LONG.problem(most=_MOST_NETWORKS))
    for text in texts[:_MOST_NETWORKS]:
        try:
            network = ip_network("" if "%" in text else text)  # a zone means something on one machine alone
        except ValueError:
            problems.append(refusals.NETWORK_INVALID.problem(text=text))
            continue
        if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
            # Requests from there are seen under their IPv4 address: such a network would admit no client.
            problems.append(refusals.NETWORK_IS_IPV4.problem(text=text))
        elif str(network) not in kept:
            kept.append(str(network))
    return kept, problems


def certificate_problems(thumbprints: Sequence[str]) -> list[Problem]:
    """Returns the problems of a client's certificates. Each is named by `x5t#S256` (RFC 8705 §3.1)."""
    problems = []
    if len(thumbprints) > _MOST_CERTIFICATES:
        problems.append(refusals.CERTIFICATES_TOO_LONG.problem(most=_MOST_CERTIFICATES))
    if any(_THUMBPRINT.match(one) is None for one in thumbprints):
        problems.append(refusals.CERTIFICATES_INVALID.problem())
    return problems


_MAPPED = IPv6Network((IPv6Address("::ffff:0:0"), 96))


def limit_problems(requests_per_minute: int | None) -> list[Problem]:
    """Returns the problems of a client's own limit; None: the default of every client."""
    if requests_per_minute is None or 0 < requests_per_minute <= _HIGHEST_LIMIT:
        return []
    return [refusals.LIMIT_OUT_OF_RANGE.problem(highest=_HIGHEST_LIMIT)]


def subject_problems(subject: str) -> list[Problem]:
    """Returns the problems of an outside issuer's subject for a client."""
    if is_subject(subject):
        return []
    return [refusals.SUBJECT_INVALID.problem()]


def price_problems(direction: str, method: str, basis_points: int, payer: str | None) -> list[Problem]:
    """Returns the problems of a plan of fees. payer None: no bearer is named."""
    problems: list[Problem] = []
    if direction == OUT and method not in _OUT_METHODS:
        problems.append(refusals.OUT_METHOD_INVALID.problem(methods=", ".join(_OUT_METHODS)))
    elif _METHODS.match(method) is None:
        problems.append(refusals.METHOD_INVALID.problem())
    if not 0 <= basis_points <= _WHOLE:
        problems.append(refusals.PERCENT_OUT_OF_RANGE.problem())
    if direction == OUT and payer is not None:
        problems.append(refusals.PAYER_NOT_ALLOWED.problem())
    elif payer is not None and payer not in PAYERS:
        problems.append(refusals.PAYER_INVALID.problem(payers=" or ".join(PAYERS)))
    return problems
