"""The page after a restore: what an era holds of a company, whom it is about, and what people do before it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from lastro import companies
from lastro.console import company_page, figures
from lastro.console.lists import Cell, party
from lastro.console.terms import Terms
from lastro.core.money import Money
from lastro.due_work import HELD_BY_KIND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asyncpg import Record

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

HERE = "/console/eras"
_MOST = 200  # of each kind that are shown
_COMPANIES = 500  # that are looked at for what of them waits
ERAS = "SELECT * FROM eras ORDER BY began_at DESC LIMIT 50"
_PARTY = "p.name, p.document_type AS type, p.document_number AS number, p.bank"
# Each by its key, whatever the planner thinks of how many there are.
_OF = "CROSS JOIN LATERAL (SELECT * FROM parties WHERE company_id = $1 AND id = {} OFFSET 0) p"
# The held rows of a company in the present era, at most $2 of each kind, the longest due first: for whom, and how much.
# page: the object at whose page it is called off. lines: of a plan, that are still to be made.
HELD = f"""
(SELECT 'payout' AS kind, h.id AS page, h.due, h.network_id, h.minor, h.currency, 0 AS lines, {_PARTY}
   FROM (SELECT id, start_at AS due, coalesce(end_to_end_id, control_number) AS network_id, amount_minor AS minor, currency,
                receiver_id FROM {HELD_BY_KIND["payout"]} AND company_id = $1 ORDER BY start_at LIMIT $2) h
   {_OF.format("h.receiver_id")} ORDER BY h.due)
UNION ALL
(SELECT 'plan', h.id, h.due, NULL, l.minor, l.currency, coalesce(h.unread, l.lines), NULL, NULL, NULL, NULL
   FROM (SELECT id, due_at AS due, CASE status WHEN 'VALIDATING' THEN lines END AS unread
           FROM {HELD_BY_KIND["plan"]} AND company_id = $1 ORDER BY due_at LIMIT $2) h
  CROSS JOIN LATERAL (
    SELECT sum(amount_minor)::bigint AS minor, min(currency) AS currency, count(*)::integer AS lines FROM payout_plan_lines
     WHERE company_id = $1 AND plan_id = h.id AND payout_id IS NULL AND issues IS NULL) l ORDER BY h.due)
UNION ALL
(SELECT 'charge', h.subscription_id, h.due, NULL, h.minor, h.currency, 0, {_PARTY}
   FROM (SELECT subscription_id, due_at AS due, amount_minor AS minor, currency FROM {HELD_BY_KIND["charge"]}
            AND company_id = $1 ORDER BY due_at LIMIT $2) h
  CROSS JOIN LATERAL (SELECT debtor_id FROM subscriptions WHERE company_id = $1 AND id = h.subscription_id OFFSET 0) s
   {_OF.format("s.debtor_id")} ORDER BY h.due)
UNION ALL
(SELECT 'subscription', h.id, h.due, NULL, h.minor, h.currency, 0, {_PARTY}
   FROM (SELECT id, charge_at AS due, fixed_minor AS minor, currency, debtor_id FROM {HELD_BY_KIND["subscription"]}
            AND company_id = $1 ORDER BY charge_at LIMIT $2) h
   {_OF.format("h.debtor_id")} ORDER BY h.due)
"""  # noqa: S608 names of our own
_PLACES = {"payout": "payouts", "plan": "plans", "charge": "subscriptions", "subscription": "subscriptions"}


@dataclass(frozen=True, slots=True)
class Held:
    """One held row. link: the page at which it is called off. amount: None where none is known yet."""

    link: str
    whom: Cell
    amount: Money | None
    due: Any
    network_id: str


@dataclass(frozen=True, slots=True)
class Group:
    """Held rows of one kind. sums: their amount together, by currency. is_whole: no others of the kind wait."""

    kind: str
    found: tuple[Held, ...]
    sums: tuple[Money, ...]
    is_whole: bool


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/eras: the company's held rows of the present era, and the actions."""
    say, company = Terms(user.language), company_page.company_of(user)
    is_ours = user.presence.person.only_company is None
    async with company_page.session_of(user) as session:
        eras = await session.fetch(ERAS)
        rows = await session.search(HELD, company, _MOST + 1)
    waits = [era for era in eras if era["held_until"] is not None and era["released_at"] is None]
    found, are_all = await _companies(user) if waits and is_ours else ([], True)
    return company_page.render(
        user, "eras.html", HERE, eras=eras, waits=waits, groups=grouped(rows, say), most=_MOST, is_ours=is_ours,
        companies=found, are_all=are_all, counted=figures.COUNTED,
    )  # fmt: skip


def grouped(rows: Sequence[Record], say: Terms) -> tuple[Group, ...]:
    """Groups rows of HELD by kind, in their order."""
    groups = []
    for kind, of_kind in groupby(rows, key=lambda row: str(row["kind"])):
        own = list(of_kind)
        found = tuple(_held(row, say) for row in own[:_MOST])
        currencies = sorted({one.amount.currency for one in found if one.amount is not None})
        sums = tuple(
            Money(sum(one.amount.minor for one in found if one.amount and one.amount.currency == currency), currency)
            for currency in currencies
        )
        groups.append(Group(kind, found, sums, len(own) <= _MOST))
    return tuple(groups)


def _held(row: Record, say: Terms) -> Held:
    amount = None if row["minor"] is None else Money(row["minor"], row["currency"])
    return Held(
        f"/console/{_PLACES[row['kind']]}/{row['page']}", _whom(row, say), amount, row["due"], row["network_id"] or ""
    )


def _whom(row: Record, say: Terms) -> Cell:
    """Returns the cell of the receiver or payer; of a plan its lines left."""
    if row["kind"] == "plan":
        return Cell(say.count("eras.lines", row["lines"]), "text")
    document = {"type": row["type"] or "", "number": row["number"]} if row["number"] else None
    bank = None if row["bank"] is None else msgspec.json.decode(row["bank"])
    return party({"name": row["name"], "document": document, "bank": bank}, say)


async def _companies(user: User) -> tuple[list[tuple[int, str, int]], bool]:
    """Returns the companies with held rows, and whether every company was read. Each company with number, name and count."""
    found = []
    database = user.console_context.app_context.database
    async with database.session() as session:
        numbers = await companies.numbers(session)
    for number, company_id in numbers[:_COMPANIES]:
        async with database.session(company_id) as session:
            count = await figures.held(session, company_id)
            company = await companies.company(session, company_id) if count else None
        found += [] if company is None else [(number, company.name, count)]
    return found, len(numbers) <= _COMPANIES
