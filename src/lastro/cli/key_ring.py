"""lastro keys, for the keys file: the keys that seal what must be readable again."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from lastro.core.declined import CommandFailed, StartRefused
from lastro.ops import key_proofs, key_rotation
from lastro.ops.keys_file import rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext

_STEP = 500  # rows that are read at once
_ID = re.compile(r"[a-zA-Z0-9._-]{1,64}")


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    command(_seals, "seals", "List the keys of the keys file, which one seals, and what each has sealed.")
    command(_add, "add-seal", "Add a new key to the keys file, which seals nothing yet.").add_argument("id", type=_key_id)
    command(_use, "seal-with", "Let a key of the keys file seal from now on.").add_argument("id", type=_key_id)
    command(
        _reseal,
        "reseal",
        "Seal anew, with the key that seals now, whatever another one sealed; may be cut off and run again.",
    )
    command(_drop, "drop-seal", "Take a key out of the keys file that no value needs any more.").add_argument(
        "id", type=_key_id
    )


def _key_id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise argparse.ArgumentTypeError("a key id is 1 to 64 letters, digits, '.', '_' or '-'")
    return text


async def _seals(context: CommandContext, _: argparse.Namespace) -> list[dict[str, Any]]:
    ring = await context.key_ring()
    held = await key_rotation.held(context.database)
    lacking = sorted({one.key_id for one in held} - set(ring.key_ids))
    return [
        {
            "id": key_id,
            "state": "seals" if key_id == ring.current else "lacking" if key_id in lacking else "opens",
            "values": sum(one.count for one in held if one.key_id == key_id),
            "where": ", ".join(one.place for one in held if one.key_id == key_id) or None,
        }
        for key_id in (*ring.key_ids, *lacking)
    ]


async def _add(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    ring = await context.key_ring()
    if given.id in ring.key_ids:
        raise CommandFailed(f"The keys file has a key {given.id} already.")
    if given.id in await key_proofs.known(context.database):
        raise CommandFailed(f"This database has met another key {given.id}, which its backups may need: choose another id.")
    fresh = ring.with_waiting_key(given.id)
    rewrite(context.settings.keys_file, fresh)
    try:
        await key_proofs.prove(context.database, fresh, context.settings.keys_file)
    except StartRefused:  # somebody else has added a key of this id meanwhile
        rewrite(context.settings.keys_file, ring)
        raise
    return {"id": given.id, "state": "opens"}


async def _use(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    ring = await _ring_with(context, given.id)
    rewrite(context.settings.keys_file, ring.sealing_with(given.id))
    return {"id": given.id, "state": "seals"}


async def _reseal(context: CommandContext, _: argparse.Namespace) -> dict[str, Any]:
    ring = await context.key_ring()
    done, unreadable = await key_rotation.reseal(context.database, ring, _STEP)
    if unreadable:
        raise CommandFailed(
            f"{done} values were sealed anew and {unreadable} could not be opened: put the keys that lastro keys seals calls"
            " lacking back into the keys file."
        )
    return {"id": ring.current, "sealed": done}


async def _drop(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    ring = await _ring_with(context, given.id)
    if given.id == ring.current:
        raise CommandFailed(f"The key {given.id} is the one that seals: let another one seal first.")
    held = [one for one in await key_rotation.held(context.database) if one.key_id == given.id]
    if held:
        told = ", ".join(f"{one.count} of {one.place}" for one in held)
        wait = " Codes hold for ten minutes." if any(one.place == key_rotation.CODES for one in held) else ""
        raise CommandFailed(f"The key {given.id} is still needed for {told}: run lastro keys reseal first.{wait}")
    rewrite(context.settings.keys_file, ring.without(given.id))
    return {"id": given.id, "state": "dropped"}


async def _ring_with(context: CommandContext, key_id: str) -> Any:
    ring = await context.key_ring()
    if key_id not in ring.key_ids:
        raise CommandFailed(f"The keys file has no key {key_id}: lastro keys seals lists them.")
    return ring
