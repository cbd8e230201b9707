"""lastro audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import people

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_MOST = 1000


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    listing = command(_list, "list", "List the newest acts: of people on each other's access, or for one company.")
    listing.add_argument("--company", help="number or id: what was done for it in the console")
    listing.add_argument("--last", type=int, choices=range(1, _MOST + 1), default=100, metavar=f"1-{_MOST}", help="how many")


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    if given.company is None:
        async with context.database.session() as session:
            return [
                {
                    "at": one.created_at, "person": one.person, "act": one.act, "by": one.by, "from": one.address,
                    "detail": one.detail,
                }
                for one in await people.people_acts(session, None, None, given.last)
            ]  # fmt: skip
    company = await context.company(given.company)
    return [
        {
            "at": one.created_at, "person": one.person, "operation": one.operation, "path": one.path,
            "status": one.status, "issues": list(one.issues), "requestId": one.request_id, "detail": dict(one.detail),
        }
        for one in await people.console_acts(context.database, company.id, None, None, given.last)
    ]  # fmt: skip
