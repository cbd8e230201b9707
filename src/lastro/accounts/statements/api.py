"""The HTTP operation of statements."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lastro.accounts.statements import docs
from lastro.accounts.statements import problems as refusals
from lastro.accounts.statements.actions import ListEntries, ReadFile
from lastro.accounts.statements.formats import CSV_PT
from lastro.accounts.statements.model import (
    EARLIEST,
    JSON,
    LATEST,
    MEDIA,
    MICROSECOND,
    MOST_DAYS,
    OF_PAGES,
    OPERATIONS,
    EntryFilter,
    Period,
)
from lastro.api_kit.paging import (
    DAY_OR_MOMENT,
    LARGEST_LIMIT,
    first_instant,
    last_instant,
    page_queries,
    read_choice,
    read_page,
    read_timestamp,
)
from lastro.api_kit.routes import Incoming, Query, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.ledger import CURRENCIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from lastro.accounts.model import Institution
    from lastro.core.runner import Verb

_NAME = re.compile(r"[\x21-\x7e]{1,255}")  # of a payment in its network
_FLAG = {"type": "string", "enum": ["true", "false"], "default": "false"}
_QUERIES = (
    Query("currency", "BRL where nothing is said.", {"type": "string", "enum": list(CURRENCIES), "default": "BRL"}),
    *page_queries(LARGEST_LIMIT),
    Query("startDate", f"The first day, in Brasilia, or an instant (pages alone). A period has at most {MOST_DAYS} days.",
          DAY_OR_MOMENT),
    Query("endDate", "The last day, in Brasilia, with all of it, or an instant (pages alone).", DAY_OR_MOMENT),
    Query("operation", "What came in, or what went out.", {"type": "string", "enum": list(OPERATIONS)}),
    Query("endToEndId", "What this payment, or its refunds and returns, moved.", {"type": "string"}),
    Query("mergeBatch", "Whether the transfers of a payout batch are shown as one entry.", _FLAG),
    Query("format", "A whole period as a file, in place of a page; Accept may ask for it as well.",
          {"type": "string", "enum": list(MEDIA), "default": JSON}),
    Query("excel", "With `format=csv`: for a spreadsheet in Portuguese, with `;`, decimal commas and a byte order mark.",
          {"type": "string", "enum": ["pt"]}),
)  # fmt: skip


@dataclass(frozen=True)
class _StatementHandlers:
    institution: Institution

    def read(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/accounts/{id}/statements."""
        query, problems = incoming.query, list[Problem]()
        currency = read_choice(query, "currency", CURRENCIES, problems) or "BRL"
        by_accept = next((name for name, media in MEDIA.items() if media == incoming.media), JSON)
        form = read_choice(query, "format", MEDIA, problems) or by_accept
        excel = read_choice(query, "excel", ("pt",), problems)
        if excel is not None and form != "csv":
            problems.append(refusals.EXCEL_NOT_ALLOWED.problem())
        period = _period(query, problems)
        if form != JSON:
            problems += [refusals.OF_PAGES_ALONE.problem(name) for name in OF_PAGES if name in query]
            instants = [name for name in ("startDate", "endDate") if read_timestamp(query.get(name, "")) is not None]
            problems += [refusals.DATE_NOT_ALLOWED.problem(name) for name in instants]
            if "startDate" not in query:
                problems.append(refusals.START_DATE_REQUIRED.problem())
            if problems:
                return Refused(Kind.INVALID, tuple(problems))
            return ReadFile(incoming.id("id"), currency, period, form if excel is None else CSV_PT, self.institution)
        page = read_page({name: text for name, text in query.items() if name not in ("from", "to")}, problems)
        operation = read_choice(query, "operation", OPERATIONS, problems)
        name = query.get("endToEndId")
        if name is not None and not _NAME.fullmatch(name):
            name = ""  # a text that is no id of a payment finds nothing (contract.md §1)
        merges = read_choice(query, "mergeBatch", ("true", "false"), problems) == "true"
        if merges and name is not None:
            problems.append(refusals.MERGE_BATCH_MUTUALLY_EXCLUSIVE.problem())
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        bounded = replace(page, since=max(page.since, period.since), until=min(page.until, period.until))
        return ListEntries(incoming.id("id"), EntryFilter(currency, operation, name, period, merges), bounded)


def routes(institution: Institution) -> tuple[Route, ...]:
    """Returns the operation on statements. institution: named in files as the bank."""
    path = "/order/v1/banking/accounts/{id}/statements"
    read = _StatementHandlers(institution).read
    return (Route("GET", path, "read_statement", "accounts:read", read, docs.STATEMENT, queries=_QUERIES),)


def _period(query: Mapping[str, str], problems: list[Problem]) -> Period:
    """Reads the ends of a period. One end alone is as far from the other as a period may reach."""
    first, last = _end(query, "startDate", first_instant, problems), _end(query, "endDate", last_instant, problems)
    reach = timedelta(days=MOST_DAYS) - MICROSECOND
    if first is not None and last is not None and not timedelta() <= last - first <= reach:
        text = f"must not be before startDate, nor after {MOST_DAYS} days of it"
        problems.append(refusals.DATE_OUT_OF_RANGE.problem("endDate", why=text))
        return Period()
    if first is None and last is not None:
        first = last - min(reach, last - EARLIEST)
    elif last is None and first is not None:
        last = first + min(reach, LATEST - first)
    return Period(first or EARLIEST, last or LATEST)


def _end(
    query: Mapping[str, str], name: str, read: Callable[[str], datetime | None], problems: list[Problem]
) -> datetime | None:
    text = query.get(name)
    if text is None:
        return None
    at = read(text)
    if at is None:
        problems.append(refusals.DATE_INVALID.problem(name))
    return at
