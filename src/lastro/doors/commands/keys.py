"""lastro keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro import companies
from lastro.doors.commands import key_ring
from lastro.doors.declined import Declined

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from asyncpg import Record

    from lastro.doors.commands.desk import Desk


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    command(_list, "list", "List the keys that sign tokens and Pix locations, also those that are over.")
    rotate = command(_rotate, "rotate", "Let the key that is published already begin to sign.")
    rotate.add_argument("purpose", choices=(companies.TOKEN, companies.LOCATION))
    rotate.add_argument("--at-once", action="store_true", help="the older keys are stolen: what they signed is good no more")
    key_ring.declare(command)


async def _list(desk: Desk, _: argparse.Namespace) -> list[dict[str, Any]]:
    async with desk.database.session() as session:
        rows = await companies.signing_keys_told(session)
    signing = {row["purpose"]: row["kid"] for row in rows if row["signs_from"] is not None}  # the last of each
    return [
        {
            "purpose": row["purpose"], "generation": row["generation"], "kid": row["kid"],
            "state": _state(row, signs=signing.get(row["purpose"]) == row["kid"]), "createdAt": row["created_at"],
            "signsFrom": row["signs_from"], "retiredAt": row["retired_at"],
            "certificateEnds": None if row["certificate"] is None else companies.certificate_end(row["certificate"]),
        }
        for row in rows
    ]  # fmt: skip


def _state(row: Record, *, signs: bool) -> str:
    if row["retired_at"] is not None and row["retired_at"] <= row["read_at"]:
        return "retired"
    if signs:
        return "signs"
    return "signs next" if row["signs_from"] is None else "published"


async def _rotate(desk: Desk, given: argparse.Namespace) -> dict[str, Any]:
    kid = await (await desk.keychain()).rotate(given.purpose, at_once=given.at_once)
    if kid is None:
        raise Declined("There was nothing to rotate: no API process has made keys yet, or another rotation was first.")
    return {"purpose": given.purpose, "kid": kid, "state": "signs"}
