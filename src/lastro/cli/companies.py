"""lastro company."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lastro import companies, orders, webhooks
from lastro.cli import fees
from lastro.cli.options import amount_of
from lastro.core.declined import CommandFailed
from lastro.core.money import Money
from lastro.rails import port

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext
    from lastro.companies import Company


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    add = command(_add, "add", "Found a company; prints its webhook secret, this once.")
    add.add_argument("name")
    add.add_argument("--partner", help="the financialPartner on which a Pix order may lack its customer")
    command(_list, "list", "List every company.")
    command(_show, "show", "Show one company.", "company")
    command(
        _rotate_webhook_secret, "rotate-webhook-secret", "Give a company a new webhook secret; prints it, this once.",
        "company",
    )  # fmt: skip
    duplicates = command(
        _refuse_duplicates, "refuse-duplicates", "Refuse a payout that is like one just made, or only say so.", "company"
    )
    duplicates.add_argument("switch", choices=("on", "off"))
    cards = command(
        _unauthenticated_cards, "unauthenticated-cards", "Charge a card whose issuer did not say who pays, or refuse it.",
        "company",
    )  # fmt: skip
    cards.add_argument("switch", choices=("on", "off"))
    review = command(_review, "review", "Have payouts above an amount wait until a person approves them.", "company")
    line = review.add_mutually_exclusive_group(required=True)
    line.add_argument("--above", help="in reais, such as 50000.00; a payout of just that much does not wait")
    line.add_argument("--off", action="store_true", help="from now on none waits; those that do stay until they are decided")

    approvals = command(
        _approvals, "approvals", "How many clients sign a plan of payouts, beside the one that made it.", "company"
    )
    approvals.add_argument("needed", type=int, choices=range(21), metavar="0-20")
    route = command(
        _route, "route", "Say which partner a company's orders of a method go to, and which where that is down.", "company"
    )
    route.add_argument("method", help="such as BINANCE_PAY")
    to = route.add_mutually_exclusive_group(required=True)
    to.add_argument("--partner", help="such as CRYPTO2")
    to.add_argument("--usual", action="store_true", help="from now on the usual one, and no other")
    route.add_argument("--fallback", help="asked where the partner is down, before anything was promised")
    fees.declare(command)


async def _add(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    key_ring = await context.key_ring()
    async with context.database.session() as session:
        institution = await companies.company_of_number(session, companies.INSTITUTION_NUMBER)
    if institution is None:
        # Network messages that belong to nobody are the institution's own: without it nothing could come in.
        name = context.settings.institution_name
        verb = companies.FoundCompany(name, key_ring, port.RAILS, companies.INSTITUTION_NUMBER)
        try:
            await context.act(context.chance.uuid(datetime.now(UTC)), verb)
        except CommandFailed:
            async with context.database.session() as session:  # another command may have been first
                if await companies.company_of_number(session, companies.INSTITUTION_NUMBER) is None:
                    raise
    company_id = context.chance.uuid(datetime.now(UTC))
    return await context.act(
        company_id,
        companies.FoundCompany(given.name, key_ring, port.RAILS, customerless_partner=given.partner),
    )


async def _list(context: CommandContext, _: argparse.Namespace) -> list[dict[str, Any]]:
    return [_shown(company) for company in await context.every_company()]


async def _show(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return _shown(await context.company(given.company))


async def _rotate_webhook_secret(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company, now = await context.company(given.company), datetime.now(UTC)
    # No key: what is typed is not sent again, so that nothing keeps the answer.
    verb = webhooks.RotateSecret(company.id, await context.key_ring(), lambda: now, None)
    made = await context.act(company.id, verb)
    return {
        "number": company.number, "id": company.id, "webhookSecret": made["secret"],
        "olderSecretUntil": now + webhooks.OVERLAP,
    }  # fmt: skip


async def _refuse_duplicates(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await context.change_company(given.company, companies.RefuseDuplicates(refuses=given.switch == "on"))


async def _unauthenticated_cards(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await context.change_company(given.company, companies.TakeUnauthenticatedCards(takes=given.switch == "on"))


async def _review(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    line = None if given.off else amount_of("--above", given.above, "BRL")
    return await context.change_company(given.company, companies.ReviewAbove(line))


async def _approvals(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await context.change_company(given.company, companies.ApprovePlans(given.needed))


async def _route(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    route = None
    if not given.usual:
        if (wrong := orders.route_problem(given.method, given.partner, given.fallback)) is not None:
            raise CommandFailed(f"No such route: {wrong}")
        fallback = None if given.fallback is None else given.fallback.lower()
        route = companies.Route(given.partner.lower(), fallback)
    done = await context.change_company(given.company, companies.RouteOrders(given.method, route))
    return {**done, "partner": given.partner, "fallback": None if route is None else given.fallback}


def _route_of(method: str, route: companies.Route) -> str:
    asked = (route.partner,) if route.fallback is None else (route.partner, route.fallback)
    return f"{method}:{','.join(map(orders.partner_name, asked))}"


def _shown(company: Company) -> dict[str, Any]:
    above = company.review_above_minor
    return {
        "number": company.number, "id": company.id, "name": company.name, "defaultAccountId": company.default_account_id,
        "customerlessPartner": company.customerless_partner, "refusesDuplicates": company.refuses_duplicates,
        "reviewAbove": None if above is None else str(Money(above, "BRL")), "planApprovals": company.plan_approvals,
        "feePayer": company.fee_payer, "takesUnauthenticatedCards": company.takes_unauthenticated_cards,
        "routes": [_route_of(method, company.routes[method]) for method in sorted(company.routes)],
        "createdAt": company.created_at,
    }  # fmt: skip
