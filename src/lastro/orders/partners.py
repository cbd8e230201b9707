"""Chooses an order's partner: the one that it names, else that of its company's route, else the usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.orders.methods import known_method, method_of, rails_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from lastro.companies import Route
    from lastro.orders.methods import Method


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


def route_problem(method_name: str, partner: str, fallback: str | None) -> str | None:
    """Returns the problem of a route of these; None: it has none. All names are the public ones."""
    method = method_of(method_name)
    names = () if method is None else tuple(partner_name(rail) for rail in rails_of(known_method(method_name)))
    if not names:
        return f"{method_name[:60]!r} is no method with a partner."
    if partner not in names or fallback not in (None, *names):
        return f"the partners of {method_name} are {', '.join(names)}."
    return "partner and fallback are the same." if partner == fallback else None
