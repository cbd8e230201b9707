"""Chooses an order's partner: the one that it names, else that of its company's route, else the usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders import problems as refusals
from lastro.orders.methods import known_method, method_of, rails_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from lastro.companies import Route
    from lastro.core.errors import Problem
    from lastro.orders.methods import Method
    from lastro.orders.model import Installation

_UNKNOWN = "no such partner is configured"
_RESTING = "is a connection of yours that makes no new orders: its file has issuing = false, or no cob in capabilities"


def partner_name(rail: str) -> str:
    """Returns a partner's public name, the `financialPartner`."""
    return rail.upper()


def ways(
    method: Method, configured: Collection[str], route: Route | None, named: str | None, down: Collection[str] = ()
) -> tuple[str, ...]:
    """Returns an order's possible rails, in the order of asking. None: `named` is no partner of the method.

    configured: rails of configured partners. A named partner is the only one: the client has chosen. down: rails that are
    known to be away, which stand behind the fallback of a route; without a fallback nobody else is asked.
    """
    there = tuple(rail for rail in rails_of(method) if rail in configured)
    if named is not None:
        return tuple(rail for rail in there if partner_name(rail) == named)
    if route is None:
        return there[:1]
    chosen = tuple(rail for rail in (route.partner, route.fallback) if rail in there)
    return tuple(sorted(chosen, key=lambda rail: rail in down)) or there[:1]


def connection_named(place: Installation, named: str | None) -> str | None:
    """Returns the rail of the connection that is named, whosever it is. None: there is none."""
    return next((rail for rail in place.at_banks if partner_name(rail) == named), None)


def unfit_partner(place: Installation, rail: str | None, company: int) -> Problem | None:
    """Returns what is wrong with a named partner; None: it is a connection that makes orders.

    rail: of the connection that was named; None: it is none. Another company's is answered as a name that nobody has.
    """
    if rail is None or place.at_banks[rail].company != company:
        return refusals.FINANCIAL_PARTNER_NOT_SUPPORTED.problem(why=_UNKNOWN)
    return None if rail in place.connections else refusals.FINANCIAL_PARTNER_NOT_SUPPORTED.problem(why=_RESTING)


def route_problem(method_name: str, partner: str, fallback: str | None) -> str | None:
    """Returns the problem of a route of these; None: it has none. All names are the public ones."""
    method = method_of(method_name)
    names = () if method is None else tuple(partner_name(rail) for rail in rails_of(known_method(method_name)))
    if not names:
        return f"{method_name[:60]!r} is no method with a partner."
    if partner not in names or fallback not in (None, *names):
        return f"the partners of {method_name} are {', '.join(names)}."
    return "partner and fallback are the same." if partner == fallback else None
