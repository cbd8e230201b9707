"""lastro client."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cryptography.x509 import InvalidVersion

from lastro import companies
from lastro.api_kit.proxies import certificate_of, thumbprint
from lastro.core.declined import CommandFailed
from lastro.core.secrets import new_machine_secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.cli.command_context import CommandContext
    from lastro.companies import Client
    from lastro.core.runner import Verb

_LONGEST_OVERLAP_HOURS = 24 * 90
# No token of a client can be older than the client; what an outside issuer has issued before counts too.
_EVER = datetime.fromtimestamp(0, UTC)


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    add = command(_add, "add", "Let a client in; prints its secret, this once.", "company")
    add.add_argument("name")
    _rights(add)
    trust = command(_trust, "trust", "Let in whom the outside issuer calls SUBJECT.", "company")
    trust.add_argument("subject", help="the `sub` of its tokens")
    trust.add_argument("name")
    _rights(trust)
    command(_list, "list", "List a company's clients, revoked ones too.", "company")
    _of_client(command(_show, "show", "Show one client."))
    permit = _of_client(command(_permit, "permit", "Say what a client may do, in place of what it might."))
    permit.add_argument("permissions", nargs="+", metavar="permission", help="such as orders:write")
    networks = _of_client(command(_networks, "networks", "Say where a client's requests may come from."))
    either = networks.add_mutually_exclusive_group(required=True)
    either.add_argument("networks", nargs="*", metavar="cidr", default=[], help="such as 203.0.113.0/24")
    either.add_argument("--anywhere", action="store_true", help="no bounds")
    certificates = _of_client(
        command(_certificates, "certificates", "Say which certificates a client must show one of (mTLS).")
    )
    certificates.add_argument("--add", action="append", default=[], metavar="FILE", help="PEM, DER or PKCS#12")
    certificates.add_argument("--password-file", metavar="FILE", help="what opens the PKCS#12 files")
    certificates.add_argument(
        "--remove", action="append", default=[], metavar="FILE", help="or --remove=THUMBPRINT, as `client show` has it"
    )
    certificates.add_argument("--none", action="store_true", help="it needs to show none any more")
    limit = _of_client(command(_limit, "limit", "Say how many requests a minute a client has in each API process."))
    either = limit.add_mutually_exclusive_group(required=True)
    either.add_argument("limit", nargs="?", type=int, help="requests a minute")
    either.add_argument("--default", action="store_true", help="what every client has")
    rotate = _of_client(command(_rotate, "rotate-secret", "Give a client a new secret; prints it, this once."))
    rotate.add_argument(
        "--overlap", type=_hours, default=24, metavar="HOURS", help="for how long the old one admits too (default: 24)"
    )
    _of_client(command(_revoke, "revoke", "Turn a client away for good, from its next request on."))
    _of_client(command(_revoke_tokens, "revoke-tokens", "Let a client's tokens up to now count no more."))


def _of_client(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("client", help="its id")
    parser.add_argument("--company", help="number or id; needed for a client of the outside issuer")
    return parser


def _rights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--permission", action="append", dest="permissions", metavar="PERMISSION", help="such as orders:write; default: all"
    )
    parser.add_argument("--network", action="append", dest="networks", metavar="CIDR", default=[], help="default: anywhere")
    parser.add_argument("--requests-per-minute", type=int, metavar="N", help="default: what every client has")


def _hours(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > _LONGEST_OVERLAP_HOURS:
        raise argparse.ArgumentTypeError(f"must be a whole number of hours from 0 to {_LONGEST_OVERLAP_HOURS}")
    return int(text)


async def _add(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    permissions = tuple(given.permissions or companies.PERMISSIONS)
    verb = companies.AddClient(given.name, permissions, tuple(given.networks), given.requests_per_minute)
    return await context.change_company(given.company, verb)


async def _trust(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company = await context.company(given.company)
    permissions = tuple(given.permissions or companies.PERMISSIONS)
    networks = tuple(given.networks)
    verb = companies.TrustSubject(given.subject, given.name, _EVER, permissions, networks, given.requests_per_minute)
    return {**await context.act(company.id, verb), "companyId": company.id}


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company = await context.company(given.company)
    async with context.database.session(company.id) as session:
        found = await companies.clients(session, company.id)
    return [_row(client) for client in found]


async def _show(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    _, client = await context.client(given.client, given.company)
    until = client.previous_until
    return {
        **_row(client), "permissions": list(client.permissions), "tokensValidAfter": client.tokens_valid_after,
        "olderSecretUntil": until if until is not None and until > client.read_at else None,
        "revokedAt": client.revoked_at, "certificates": list(client.certificates) or None,
    }  # fmt: skip


async def _permit(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _change(context, given, companies.Permit(given.client, tuple(given.permissions)))


async def _networks(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _change(context, given, companies.BindNetworks(given.client, tuple(given.networks)))


async def _certificates(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    _, client = await context.client(given.client, given.company)
    if not (given.add or given.remove or given.none):
        return {"clientId": client.id, "certificates": list(client.certificates)}
    password = _read(given.password_file).strip() if given.password_file else None
    added = tuple(_thumbprint(path, password) for path in given.add)
    remove = client.certificates if given.none else tuple(_named(one, password) for one in given.remove)
    verb = companies.BindCertificates(given.client, added, remove, stays_bound=not given.none)
    return await _change(context, given, verb)


def _thumbprint(path: str, password: bytes | None) -> str:
    """Returns the thumbprint of a file's certificate. The private key that a PKCS#12 file may hold is not read."""
    try:
        return thumbprint(certificate_of(_read(path), password))
    except (ValueError, InvalidVersion):
        raise CommandFailed(f"{path} holds no certificate, or one behind another password.") from None


def _named(one: str, password: bytes | None) -> str:
    """Returns a file's certificate thumbprint, or the thumbprint itself."""
    return _thumbprint(one, password) if Path(one).is_file() else one


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as unread:
        raise CommandFailed(f"{path} cannot be read: {unread.strerror}.") from unread


async def _limit(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _change(context, given, companies.LimitRequests(given.client, given.limit))


async def _rotate(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    secret = new_machine_secret(companies.SECRET_PREFIX, context.chance.bytes)
    return await _change(context, given, companies.RotateSecret(given.client, secret, timedelta(hours=given.overlap)))


async def _revoke(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _change(context, given, companies.Revoke(given.client))


async def _revoke_tokens(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    return await _change(context, given, companies.RevokeTokens(given.client))


async def _change(context: CommandContext, given: argparse.Namespace, verb: Verb[Any]) -> dict[str, Any]:
    company_id, _ = await context.client(given.client, given.company)
    return await context.act(company_id, verb)


def _row(client: Client) -> dict[str, Any]:
    permissions = ["all"] if client.permissions == companies.PERMISSIONS else list(client.permissions)
    return {
        "clientId": client.id, "name": client.name, "state": _state(client),
        "permissions": permissions, "networks": list(client.networks) or ["anywhere"],
        "requestsPerMinute": client.requests_per_minute, "createdAt": client.created_at,
    }  # fmt: skip


def _state(client: Client) -> str:
    if client.revoked_at is not None and client.revoked_at <= client.read_at:
        return "revoked"
    return "by the outside issuer" if client.secret_hash is None else "by its secret"
