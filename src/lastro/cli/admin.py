"""lastro admin."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from lastro import people
from lastro.core.declined import CommandFailed
from lastro.core.errors import Refused

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext
    from lastro.people import Person, Register

_ROLES = [role.value.lower() for role in people.Role]


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    invite = command(
        _invite, "invite", "Let a person in; prints a link of 15 minutes by which it chooses a password, this once."
    )
    invite.add_argument("email")
    invite.add_argument("--name", help="as others see it; the address where none is given")
    invite.add_argument("--role", action="append", choices=_ROLES, help="once for each; administer where none is said")
    invite.add_argument("--company", help="number or id of the one company it sees; else it is the institution's")
    command(_list, "list", "List who may enter the console, and who no longer.")
    roles = command(_permit, "permit", "Say what a person may do, in place of what it might; it has to enter again.")
    roles.add_argument("email")
    roles.add_argument("roles", nargs="+", choices=_ROLES, metavar="role", help=", ".join(_ROLES))
    factor = command(_factor, "remove-factor", "Take the second factor off a person who has lost it.")
    factor.add_argument("email")
    out = command(_sign_out, "sign-out", "End every session of a person.")
    out.add_argument("email")
    end = command(_end, "end", "Turn a person away: it is out now and enters no more.")
    end.add_argument("email")


async def _invite(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company = None if given.company is None else (await context.company(given.company)).id
    register = await register_of(context)
    there = await register.of_email(given.email)  # of whom what is not said stays, and what is said otherwise is refused
    roles = people.roles_of(given.role or [people.Role.ADMINISTER.value])
    name = given.name or given.email
    if there is not None:
        roles, name = roles if given.role else there.roles, given.name or there.name
        company = there.only_company if given.company is None else company
    made = await register.invite(given.email, name, roles, company)
    if isinstance(made, Refused):
        raise CommandFailed("That was refused: " + "; ".join(f"{p.field} {p.description}" for p in made.problems) + ".")
    person, link = made
    url = f"{context.settings.public_url}/console/link/{link.reveal()}"
    return {"email": person.email, "roles": _shown(person), "companyId": person.only_company, "link": url}


async def _list(context: CommandContext, _: argparse.Namespace) -> list[dict[str, Any]]:
    return [
        {
            "email": one.email, "name": one.name, "roles": _shown(one), "companyId": one.only_company,
            "hasPassword": one.has_password, "hasSecondFactor": one.has_factor, "createdAt": one.created_at,
            "endedAt": one.ended_at,
        }
        for one in await (await register_of(context)).everybody(None)
    ]  # fmt: skip


async def _permit(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    register = await register_of(context)
    return await _changed(context, given, partial(register.permit, roles=people.roles_of(given.roles)))


async def _factor(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _changed(context, given, (await register_of(context)).take_factor)


async def _sign_out(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _changed(context, given, (await register_of(context)).sign_out)


async def _end(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _changed(context, given, (await register_of(context)).end)


async def _changed(context: CommandContext, given: argparse.Namespace, act: Callable[[Person], Any]) -> dict[str, Any]:
    register = await register_of(context)
    whom = await register.of_email(given.email)
    if whom is None or whom.ended_at is not None:
        raise CommandFailed(f"Nobody who may enter has the address {given.email[:80]!r}: lastro admin list shows who does.")
    refused: Refused | None = await act(whom)
    if refused is not None:
        raise CommandFailed("Somebody else changed the same person at the same moment: try again.")
    now = await register.of_email(given.email)
    assert now is not None
    return {"email": now.email, "roles": _shown(now), "endedAt": now.ended_at}


async def register_of(context: CommandContext) -> Register:
    """Returns the register of the console's users. StartRefused: the key file cannot be used."""
    ring = await context.key_ring()
    return people.Register(people.Entrance(context.database, ring, context.chance, partial(datetime.now, UTC)))


def _shown(person: Person) -> list[str]:
    return [role.value.lower() for role in people.Role if role in person.roles]
