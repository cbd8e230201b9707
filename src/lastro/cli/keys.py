"""lastro keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lastro import companies
from lastro.cli import key_ring
from lastro.core.declined import CommandFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from asyncpg import Record

    from lastro.cli.command_context import CommandContext


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    command(_list, "list", "List the keys that sign tokens and Pix locations, also those that are over.")
    rotate = command(_rotate, "rotate", "Let the key that is published already begin to sign.")
    rotate.add_argument("purpose", choices=(companies.TOKEN, companies.LOCATION))
    rotate.add_argument("--at-once", action="store_true", help="the older keys are stolen: what they signed is good no more")
    request = command(_request, "request", "Write a request for a certificate of a key of locations, for an authority.")
    request.add_argument("kid", help="as lastro keys list names it")
    request.add_argument("file", type=Path, help="where to write it, as PEM (PKCS#10)")
    certify = command(_certify, "certify", "Put an authority's certificate in place of that of the key that signs next.")
    certify.add_argument("kid", help="as lastro keys list names it")
    certify.add_argument("file", type=Path, help="PEM: the key's certificate first, then those that stand above it")
    key_ring.declare(command)


async def _list(context: CommandContext, _: argparse.Namespace) -> list[dict[str, Any]]:
    async with context.database.session() as session:
        rows = await companies.signing_keys_told(session)
    signing = {row["purpose"]: row["kid"] for row in rows if row["signs_from"] is not None}  # the last of each
    return [
        {
            "purpose": row["purpose"], "generation": row["generation"], "kid": row["kid"],
            "state": _state(row, signs=signing.get(row["purpose"]) == row["kid"]), "createdAt": row["created_at"],
            "signsFrom": row["signs_from"], "retiredAt": row["retired_at"],
            "certificateEnds": None if row["certificate"] is None else companies.certificate_end(row["certificate"]),
            "keyKind": None if row["certificate"] is None else companies.key_kind(row["certificate"]),
            "certificates": None if row["certificate"] is None else 1 + len(row["chain"]),
        }
        for row in rows
    ]  # fmt: skip


def _state(row: Record, *, signs: bool) -> str:
    if row["retired_at"] is not None and row["retired_at"] <= row["read_at"]:
        return "retired"
    if signs:
        return "signs"
    return "signs next" if row["signs_from"] is None else "published"


async def _rotate(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    kid = await (await context.keychain()).rotate(given.purpose, at_once=given.at_once)
    if kid is None:
        raise CommandFailed("There was nothing to rotate: no API process has made keys yet, or another rotation was first.")
    return {"purpose": given.purpose, "kid": kid, "state": "signs"}


async def _request(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    host = urlsplit(context.settings.public_url).hostname or ""
    try:
        given.file.write_text(await (await context.keychain()).request_certificate(given.kid, host), encoding="ascii")
        return {"kid": given.kid, "host": host, "file": str(given.file)}
    except OSError as unwritten:
        raise CommandFailed(f"The file cannot be written: {unwritten.strerror}.") from unwritten
    except companies.CertificateRefused as refused:
        raise CommandFailed(str(refused)) from refused


async def _certify(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    try:
        chain = await (await context.keychain()).certify(given.kid, given.file.read_bytes())
    except OSError as unread:
        raise CommandFailed(f"The file cannot be read: {unread.strerror}.") from unread
    except companies.CertificateRefused as refused:
        raise CommandFailed(str(refused)) from refused
    ends = companies.certificate_end(chain[0])
    return {"kid": given.kid, "state": "signs next", "certificateEnds": ends, "certificates": len(chain)}
