"""lastro reconcile: a day's state at each rail, its differences and their remedies."""

from __future__ import annotations

import argparse
import asyncio
import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import as_id
from lastro.cli.options import reason_of, who
from lastro.core.db import Database
from lastro.core.declined import CommandFailed
from lastro.core.errors import DatabaseAway
from lastro.reconciliation import Accept, Again, days_of, item_company, proposal, whom_to_call
from lastro.standards.calendar import brasilia_day
from lastro.terminal.parsing import Parser
from lastro.terminal.printing import as_json, printable
from lastro.terminal.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from uuid import UUID

    from lastro.cli.command_context import CommandContext
    from lastro.config.settings import Settings
    from lastro.core.db import Dsn
    from lastro.core.money import Money
    from lastro.reconciliation import Day, Open

RECONCILED, OPEN, UNKNOWN = 0, 1, 2  # the exit statuses
WORDS = ("accept", "again")  # its commands that change something; without one of them it shows a day
_RAIL = re.compile(r"[a-z0-9_]{2,20}")
_INDENT = " " * 4


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    accept = command(
        _accept, "accept", "Close a difference that people have settled outside; the books stay as they are.", "--by"
    )
    accept.add_argument("item", help="its id, as lastro reconcile shows it")
    accept.add_argument("--reason", required=True, help="how it was settled, for the history")
    again = command(_again, "again", "Take the statement of a day once more, since its partner has issued it anew.", "--by")
    again.add_argument("--rail", required=True, type=_rail, help="pix, ted, boleto or another")
    again.add_argument("--day", required=True, type=_day, help="such as 2026-11-22")


async def _accept(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by, reason = who(given), reason_of(given)
    item_id = as_id(given.item.lower())
    if item_id is not None and (owner := await _owner(context, item_id)) is not None:
        return await context.act(owner, Accept(item_id, by, reason))
    raise CommandFailed(f"There is no difference {given.item[:60]!r}: give its id, as lastro reconcile shows it.")


async def _owner(context: CommandContext, item_id: UUID) -> UUID | None:
    """Returns the company of a difference: each is asked, as none sees another's."""
    companies = await context.every_company()
    with Progress("companies") as progress:
        for number, company in enumerate(companies, 1):
            progress(number, len(companies), f"looking at company {company.number}")
            async with context.database.session(company.id) as session:
                owner = await item_company(session, item_id)
            if owner is not None:
                return owner
    return None


async def _again(context: CommandContext, given: argparse.Namespace) -> dict[str, Any]:
    by = who(given)
    institution = await context.company("0")
    return await context.act(institution.id, Again(given.rail, given.day, by))


def declare_day(parser: argparse.ArgumentParser) -> None:
    """Adds the options that choose the day."""
    parser.add_argument("--day", type=_day, help="such as 2026-11-22; without it yesterday")
    parser.add_argument("--rail", type=_rail, help="this one alone: pix, ted, boleto or another")
    parser.add_argument("--json", action="store_true", help="for machines: JSON on standard output")


def show(words: Sequence[str], settings: Callable[[], Settings], say: Callable[[str], object]) -> int:
    """Shows a day. The exit status: 0 all its statements are taken and explained, 1 something is open, 2 it is not known."""
    parser = Parser(prog="lastro reconcile", description="How a day stands at each rail.")
    declare_day(parser)
    given = parser.parse_args(list(words))
    try:
        with Progress("rails") as progress:
            day, days = asyncio.run(_read(settings().audit, given.day, given.rail, progress))
    except DatabaseAway as away:
        say(f"The database does not answer: {away}")
        return UNKNOWN
    say(as_json({"day": day.isoformat(), "rails": [_shown(one) for one in days]}) if given.json else _text(day, days))
    if any(one.open or one.has_gap for one in days):
        return OPEN
    return RECONCILED if days and all(one.is_reconciled for one in days) else UNKNOWN


async def _read(audit: Dsn, day: date | None, rail: str | None, progress: Progress) -> tuple[date, list[Day]]:
    database = Database(audit, size=1)
    try:
        if day is None:
            async with database.session() as session:
                day = brasilia_day(await session.value("SELECT business_now()")) - timedelta(days=1)
        return day, await days_of(database, day, rail, progress)
    finally:
        await database.close()


def _shown(one: Day) -> dict[str, Any]:
    return {
        "rail": one.rail, "state": one.state, "edition": one.edition, "lines": one.lines, "matched": one.matched,
        "booked": one.booked, "explained": one.explained, "accepted": one.accepted, "in": str(one.came_in),
        "out": str(one.went_out), "opening": _money(one.opening), "closing": _money(one.closing),
        "closedWithBefore": _money(one.before), "tellsBalance": one.tells_balance,
        "isReconciled": one.is_reconciled, "open": [_item(item) for item in one.open],
    }  # fmt: skip


def _item(item: Open) -> dict[str, Any]:
    do, call = proposal(item.rail, item.kind, item.difference), whom_to_call(item.rail)
    return {
        "id": item.id, "company": item.company, "kind": item.kind, "networkId": item.network_id,
        "difference": item.difference, "since": item.created_at, "lineId": item.line_id, "theirs": _money(item.theirs),
        "ours": _money(item.ours), "theirReference": item.their_reference, "ourReference": item.our_reference,
        "ourState": item.our_state, "proposal": {"en": do.en, "pt": do.pt}, "call": {"en": call.en, "pt": call.pt},
    }  # fmt: skip


def _text(day: date, days: Sequence[Day]) -> str:
    """Formats a line for each rail, with its open differences below."""
    if not days:
        return f"{day}: no statement of this day is known."
    lines = []
    for one in days:
        agrees = "reconciled" if one.tells_balance else "movements agree, the balance is not told"
        stands = agrees if one.is_reconciled else "being taken" if one.state != "TAKEN" else f"{len(one.open)} open"
        gap = f"{_INDENT}opens with {one.opening}, and the day before closed with {one.before}: ask which of both is right"
        lines.append(
            f"{day}  {one.rail:<8}  {stands}: {one.lines} lines, {one.matched} matched, {one.booked} booked,"
            f" {one.explained} explained, {one.accepted} accepted; in {one.came_in}, out {one.went_out}"
        )
        lines += [gap] if one.has_gap else []
        lines += [text for item in one.open for text in _lines(item)]
    return "\n".join(lines)


def _lines(item: Open) -> list[str]:
    do, call = proposal(item.rail, item.kind, item.difference), whom_to_call(item.rail)
    sides = f"theirs {_money(item.theirs) or '-'} {item.their_reference or ''}, ours {_money(item.ours) or '-'}"
    return [
        f"{_INDENT}{item.id}  {item.difference}  {item.kind} {printable(item.network_id)}, company {item.company}",
        f"{_INDENT * 2}{printable(sides)} {item.our_reference or ''} {item.our_state or ''}".rstrip(),
        f"{_INDENT * 2}en: {do.en} Call {call.en}.",
        f"{_INDENT * 2}pt: {do.pt} Contato: {call.pt}.",
    ]


def _money(amount: Money | None) -> str | None:
    return None if amount is None else str(amount)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2026-11-22") from None


def _rail(text: str) -> str:
    if _RAIL.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no rail such as pix")
    return text
