"""lastro account."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro import accounts, closing, companies, keys, ledger, payouts
from lastro.accounts import Holder
from lastro.app import networks, wiring
from lastro.cli import openings
from lastro.cli.options import amount_of, maybe_line, who
from lastro.core.declined import CommandFailed
from lastro.core.money import Money
from lastro.rails import port

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.accounts import Account
    from lastro.cli.command_context import CommandContext

_DOCUMENTS = {"individual": "CPF", "organization": "CNPJ"}
_LIMITS = ("transaction", "day", "night")
_FOREIGN = tuple(rail for rail, currency in port.RAILS.items() if currency != "BRL")
_MOST_SETTLEMENTS = 1000
_LONGEST_DESCRIPTION = 140
_PUNCTUATION = re.compile(r"[ ./-]")  # as people write a document
_MOST_CLAIMS = 100
_SPACING = re.compile(r"[ ().-]")  # as people write a telephone number


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    opened = command(_open, "open", "Open an account for a holder; prints its number.", "company")
    opened.add_argument("--holder-type", required=True, choices=tuple(_DOCUMENTS), help="whether a person or a firm")
    opened.add_argument("--name", required=True, help="the holder's full name")
    opened.add_argument("--document", required=True, help="CPF of an individual, CNPJ of an organization")
    opened.add_argument("--email", required=True, help="where the holder is written to")
    opened.add_argument("--phone", required=True, help="with its country, such as +5511987654321")
    command(_list, "list", "List a company's accounts.", "company")
    command(
        _mend, "mend-statements", "Enter what an older version left out of statements as the server's clock stepped back."
    )
    command(_show, "show", "Show one account: its Pix keys, what it has and what it owes.", "account")
    command(
        _default, "default", "Say which account is credited when an order names neither account nor key.", "company",
        "account",
    )  # fmt: skip
    limits = command(_limits, "limits", "Show what an account may send, or set it for one method.", "account", "--by")
    limits.add_argument("--method", choices=("PIX", "TED"), help="whose limits are set; without it they are shown")
    limits.add_argument("--transaction", help="in reais; a payout above it is split into transfers")
    limits.add_argument("--day", help="in reais, from 06:00 to 06:00 of Brasilia, or none")
    limits.add_argument("--night", help="in reais, from 20:00 to 06:00 of Brasilia, or none")
    settle = command(_settle, "settle", "Book that an account's money in another currency than BRL was paid out.", "account")
    settle.add_argument("--rail", required=True, choices=_FOREIGN, help="at which the money had come in")
    settle.add_argument("--amount", required=True, help="in the currency of the rail, such as 1500.00")
    settle.add_argument("--reference", required=True, help="of the payment that was made; the same again books nothing more")
    command(_settlements, "settlements", "Show what was settled of an account, newest first.", "account")
    for act, name, codes, summary in (
        (_block, "block", accounts.BLOCKING, "Block an account: nothing new comes in or goes out until it is unblocked."),
        (
            partial(_block, way="unblock"),
            "unblock",
            accounts.UNBLOCKING,
            "Lift the block of an account; what waited goes on.",
        ),
        (_close, "close", accounts.CLOSING, "Close an account for ever, if it has nothing and nothing of it is unfinished."),
    ):
        decided = command(act, name, summary, "account", "--by")
        meanings = "; ".join(f"{code}, {meaning}" for code, meaning in codes.items())
        decided.add_argument("--reason", required=True, choices=tuple(codes), help=meanings)
        decided.add_argument("--description", help="more of it, in one line; the client is told this, too")
    openings.declare(command)
    command(_keys, "keys", "Show the Pix keys that lead to an account, oldest first.", "account")
    command(_claims, "claims", "Show the claims of Pix keys by and of an account, the newest first.", "account")
    command(_add_key, "add-key", "Register a random Pix key in the directory that leads to an account.", "account")


async def _open(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company = await context.company(given.company)
    holder = Holder(
        given.holder_type.upper(), given.name, _DOCUMENTS[given.holder_type], _PUNCTUATION.sub("", given.document).upper(),
        given.email, _SPACING.sub("", given.phone),
    )  # fmt: skip
    return await context.act(company.id, accounts.OpenAccount(networks.place_of(context.settings).institution, holder))


async def _list(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company = await context.company(given.company)
    async with context.database.session(company.id) as session:
        return [_shown(account) for account in await accounts.accounts_of(session, company.id)]


async def _mend(context: CommandContext, _: argparse.Namespace) -> list[dict[str, Any]]:
    """Returns each missing entry of every company, with its number now."""
    answer = []
    for company in await context.every_company():
        async with context.database.session(company.id) as session:
            answer += [{"company": company.number, **_entered(row)} for row in await ledger.mend(session, company.id)]
    return answer


def _entered(row: Any) -> dict[str, Any]:
    """Formats an entry for a list.

    amount: the sum that it has moved, of a hold and its end nothing; balance and held: after it.
    """
    return {
        "account": str(row["account_id"]), "kind": row["code"], "number": row["number"], "type": row["type"],
        "amount": str(Money(row["amount_minor"] * row["side"], row["currency"])),
        "balance": str(Money(row["balance_minor"], row["currency"])),
        "held": str(Money(row["held_minor"], row["currency"])),
        "bookedAt": row["booked_at"], "enteredAt": row["created_at"],
        "reference": str(row["reference_id"]),
    }  # fmt: skip


async def _show(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company_id, account = await context.account(given.account)
    async with context.database.session(company_id) as session:
        found = await keys.keys_of(session, company_id, account.id)
        (balance,) = await ledger.balances_of(session, company_id, [account.id], "BRL")
        (pesos,) = await ledger.balances_of(session, company_id, [account.id], "MXN")
    holder = account.holder
    return {
        **_shown(account), "companyId": company_id, "city": account.city, "holderType": holder.type,
        "document": f"{holder.document_type} {holder.document_number}", "email": holder.email, "phone": holder.phone,
        "pixKeys": found, "available": str(balance.available), "held": str(balance.held), "owes": str(balance.owed),
        "pesos": str(pesos.available),
    }  # fmt: skip


async def _default(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company = await context.company(given.company)
    company_id, account = await context.account(given.account)
    if company_id != company.id:
        raise CommandFailed(f"The account {account.number} is not one of company {company.number}.")
    if not account.is_active:
        raise CommandFailed(f"The account {account.number} is {account.status}: only an active one can be credited.")
    return await context.act(company.id, companies.ChooseAccount(account.id, account.version))


async def _limits(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]] | dict[str, Any]:
    by = who(given)
    company_id, account = await context.account(given.account)
    said = (given.transaction, given.day, given.night)
    if given.method is not None and any(text is not None for text in said):
        transaction, day, night = (_limit(name, text) for name, text in zip(_LIMITS, said, strict=True))
        if transaction == payouts.NO_LIMIT:
            raise CommandFailed("--transaction must be an amount: a transfer always has a limit.")
        wanted = payouts.Given(given.method, transaction, day, night)
        return await context.act(company_id, payouts.SetLimits(account.id, wanted, context.settings.limit_raise, by))
    if given.method is not None or any(text is not None for text in said):
        raise CommandFailed("To set limits give --method, and one of --transaction, --day and --night.")
    async with context.database.session(company_id) as session:
        known = await payouts.limits_of(session, company_id, account.id, "")
        now = await session.value("SELECT business_now()")
    rows = [{"paymentMethod": method, **payouts.shown_limits(limits.at(now))} for method, (limits, *_) in known.items()]
    names = list(dict.fromkeys(name for row in rows for name in row))  # a raise that waits has columns of its own
    return [{name: row.get(name) for name in names} for row in rows]


def _limit(name: str, text: str | None) -> Any:
    if text is None or text == payouts.NO_LIMIT:
        return text
    return amount_of(f"--{name}", text, "BRL")


async def _settle(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    company_id, account = await context.account(given.account)
    amount = amount_of("--amount", given.amount, port.currency_of(given.rail))
    institution = networks.place_of(context.settings).institution
    return await context.act(company_id, accounts.Settle(account.id, given.rail, amount, given.reference, institution))


async def _settlements(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company_id, account = await context.account(given.account)
    async with context.database.session(company_id) as session:
        return [one.shown for one in await accounts.settlements_of(session, company_id, account.id, _MOST_SETTLEMENTS)]


def _why(given: argparse.Namespace) -> accounts.Why:
    return accounts.Why(given.reason, maybe_line("--description", given.description, _LONGEST_DESCRIPTION), who(given))


async def _block(context: CommandContext, given: argparse.Namespace, way: str = "block") -> dict[str, Any]:
    why, (company_id, account) = _why(given), await context.account(given.account)
    return await context.act(company_id, accounts.ChangeStatus(account.id, way, why))


async def _close(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    why, (company_id, account) = _why(given), await context.account(given.account)
    said = await context.act(company_id, closing.Close(account.id, why))
    in_the_way = [_obstacle(one) for one in said.get("obstacles", ())]
    return {"id": said["id"], "number": account.number, "status": said["status"], "obstacles": in_the_way}


def _obstacle(one: dict[str, Any]) -> str:
    """Says an obstacle in two or three words."""
    if (amount := one.get("amount")) is not None:
        return f"{one['type']}:{amount['value']}{amount['currency']}"
    return f"{one['type']}:{one['count']}"


async def _keys(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company_id, account = await context.account(given.account)
    async with context.database.session(company_id) as session:
        found = await keys.active_keys(session, company_id, account.id)
    return [{"id": one.id, "type": one.type, "key": one.key, "createdAt": one.created_at} for one in found]


async def _claims(context: CommandContext, given: argparse.Namespace) -> list[dict[str, Any]]:
    company_id, account = await context.account(given.account)
    async with context.database.session(company_id) as session:
        found = await keys.claims.claims_of(session, company_id, account.id, _MOST_CLAIMS)
    return [
        {
            "id": one.id, "role": one.role, "claimType": one.type, "type": one.key_type, "key": one.key, "status": one.state,
            "otherBank": one.other_bank, "reason": one.reason, "resolutionUntil": one.resolution_at,
            "completionFrom": one.completable_at, "completionUntil": one.completable_until,
            "updatedAt": one.updated_at,
        }
        for one in found
    ]  # fmt: skip


async def _add_key(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    if not context.settings.has_network:
        raise CommandFailed("An account's own Pix key needs an institution's network: its key is at your bank.")
    company_id, account = await context.account(given.account)
    rail = wiring.rail_of(context.settings)
    request_id = UUID(bytes=context.chance.bytes(16), version=4)
    try:
        return await context.act(company_id, keys.RegisterRandomKey(account.id, request_id, rail))
    finally:
        await rail.close()


def _shown(account: Account) -> dict[str, Any]:
    return {
        "number": account.number, "id": account.id, "branch": account.branch,
        "status": account.status, "holder": account.holder.full_name, "createdAt": account.created_at,
    }  # fmt: skip
