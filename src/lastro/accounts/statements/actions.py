"""The verbs of statements: a page of an account's entries, and a whole period as a file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from lastro import ledger
from lastro.accounts.statements import rendering, store
from lastro.accounts.statements.formats import MOST_ENTRIES, WRITERS
from lastro.accounts.statements.model import MICROSECOND, Statement, day_of
from lastro.accounts.statements.problems import DATE_OUT_OF_RANGE, FORMAT_OUT_OF_RANGE
from lastro.accounts.store import account_by_id
from lastro.api_kit.paging import SETTLED_AFTER
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import NotYet, Refused
from lastro.core.media import saved_as
from lastro.core.money import Money
from lastro.core.runner import Act, Done, RequestContext

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.accounts.model import Account, Institution
    from lastro.accounts.statements.formats import Writer
    from lastro.accounts.statements.model import EntryFilter, Period
    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Database, Session

_QUICKLY_RENDERED = 200  # rows; more are rendered in a thread, so that no other request waits for them
_AT_ONCE = 2_000  # entries of a file in memory at a time
_ROUNDS = 20  # of posting late entries, before an answer is put off
_AGAIN_SECONDS = 0.6
_USUALLY_BEHIND = timedelta(seconds=4)  # entries of an active company, with the worker at it


@dataclass(frozen=True, slots=True)
class EntriesOfPage:
    """A page's entries, and its body if rendered already."""

    part: Part[Record]
    body: bytes | None = None


@dataclass(frozen=True)
class ListEntries(Act["EntriesOfPage | None"]):
    """A page of an account's entries. account_id None: no account has such an id."""

    account_id: UUID | None
    wanted: EntryFilter
    page: Page

    async def read(self, session: Session, context: RequestContext) -> EntriesOfPage | None:
        """Reads the entries; None: the account is not the company's."""
        if self.account_id is None or await account_by_id(session, context.company_id, self.account_id) is None:
            return None
        own = ledger.customer(context.company_id, self.account_id, self.wanted.currency).id
        rows = await store.entries_in(session, context.company_id, own, self.wanted, self.page)
        if self.page.is_descending:
            rows = await self._ending_in_what_is_final(session, context, own, rows)
        # An entry that is not final may still be followed by an older one, as in a list whose rows date themselves.
        settled_at = context.now if not rows else rows[0]["entered_until"] + SETTLED_AFTER
        try:
            return EntriesOfPage(self.page.settled(rows, lambda row: row["created_at"], settled_at))
        except NotYet:
            await ledger.post_entries(session, context.company_id)
            raise

    async def _ending_in_what_is_final(
        self, session: Session, context: RequestContext, own: UUID, rows: list[Record]
    ) -> list[Record]:
        """Returns the page, or the part of it that is entered.

        A debit may be entered later than a credit, and so come to lie past the cursor of the next page. Raises NotYet.
        """
        last = None if len(rows) < self.page.reach else rows[self.page.limit - 1]
        if last is None or last["created_at"] < last["entered_until"]:
            return rows
        until = last["entered_until"]
        for is_behind in (context.now - until > _USUALLY_BEHIND, True):
            if is_behind:
                until = await _entered(session, context.company_id)
            page = replace(self.page, until=min(self.page.until, until - MICROSECOND))
            found = await store.entries_in(session, context.company_id, own, self.wanted, page)
            if found:
                return found
        wait = (last["created_at"] - (context.now - SETTLED_AFTER)).total_seconds()
        raise NotYet(min(max(wait, _AGAIN_SECONDS), SETTLED_AFTER.total_seconds()))

    async def call_out(self, known: EntriesOfPage | None, context: RequestContext) -> EntriesOfPage | None:
        """Renders a long page in a thread."""
        if known is None or len(known.part.rows) < _QUICKLY_RENDERED:
            return known
        return replace(known, body=await asyncio.to_thread(self._render, known))

    def decide(self, known: EntriesOfPage | None, context: RequestContext) -> Done | Refused:
        """Shows it."""
        return NOT_FOUND if known is None else Done(None, known.body or self._render(known))

    def _render(self, known: EntriesOfPage) -> bytes:
        shown = partial(rendering.entry, currency=self.wanted.currency)
        return render(self.page.answer(rendering.Entries, known.part, shown))


@dataclass(frozen=True, slots=True)
class Bounds:
    """A file's account and last instant. opening, closing: balance in minor units and number of entries up to then."""

    account: Account
    until: datetime
    opening: tuple[int, int]
    closing: tuple[int, int]


@dataclass(frozen=True)
class ReadFile(Act["Bounds | None"]):
    """A period as a file of that format. It has final entries alone, so that the same file is made again later."""

    account_id: UUID | None
    currency: str
    period: Period
    format: str
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> Bounds | None:
        """Enters what can be entered, and reads what lies at both ends; None where the account is not the company's."""
        account = await account_by_id(session, context.company_id, self.account_id)
        if account is None:
            return None
        if self.period.since > context.now:
            return Bounds(account, self.period.since, (0, 0), (0, 0))
        entered = await _entered(session, context.company_id)
        until = min(self.period.until, entered - MICROSECOND) if self.period.until > context.now else self.period.until
        if entered <= until or until < self.period.since:
            raise NotYet(_AGAIN_SECONDS)
        own = self._own(context).id
        opening = await store.balance_by(session, context.company_id, own, self.period.since - MICROSECOND)
        return Bounds(account, until, opening, await store.balance_by(session, context.company_id, own, until))

    def decide(self, known: Bounds | None, context: RequestContext) -> Done | Refused:
        """Its head; the entries follow while it is sent."""
        if known is None:
            return NOT_FOUND
        if self.period.since > context.now:
            return DATE_OUT_OF_RANGE.refused(why="must not be in the future")
        if self.format == "cnab240" and known.closing[1] - known.opening[1] > MOST_ENTRIES:
            return FORMAT_OUT_OF_RANGE.refused(most_entries=MOST_ENTRIES)
        opening, closing = Money(known.opening[0], self.currency), Money(known.closing[0], self.currency)
        statement = Statement(
            known.account, self.institution, self.currency, self.period.since, known.until, opening, closing, context.now,
            context.chance.uuid(context.now), day_of(self.period.until),
        )  # fmt: skip
        ending, media, writer = WRITERS[self.format]
        name = f"extrato-{known.account.number}-{day_of(self.period.since)}-{day_of(known.until)}.{ending}"
        own = self._own(context).id
        more = partial(_parts, company_id=context.company_id, own=own, statement=statement, writer=writer(statement))
        return Done(None, b"", headers=(saved_as(name),), media=media, more=more)

    def _own(self, context: RequestContext) -> ledger.LedgerAccount:
        assert self.account_id is not None, "an account was found"
        return ledger.customer(context.company_id, self.account_id, self.currency)


async def _entered(session: Session, company_id: UUID) -> datetime:
    """Enters what can be entered; the moment up to which all is."""
    for _ in range(_ROUNDS):
        if await ledger.post_entries(session, company_id) < ledger.REACH:
            break
    return await store.entered_until(session, company_id)


async def _parts(
    database: Database, *, company_id: UUID, own: UUID, statement: Statement, writer: Writer
) -> AsyncGenerator[bytes, None]:
    """A file, part by part. While one is written the next entries are read, each time on a connection lent for that alone.

    Entries never change and nothing comes between them, so that they need no snapshot. RuntimeError: they do not lead from
    the opening balance to the closing one, and no file may say that they do.
    """

    async def after(since: datetime) -> list[Record]:
        async with database.session(company_id) as session:
            return await store.entries_after(session, company_id, own, since, statement.until, _AT_ONCE)

    left = statement.opening.minor
    coming = asyncio.ensure_future(after(statement.since))
    try:
        yield writer.head()
        while rows := await coming:
            if len(rows) == _AT_ONCE:
                coming = asyncio.ensure_future(after(rows[-1]["created_at"] + MICROSECOND))
            left = rows[-1]["balance_minor"]
            yield await asyncio.to_thread(writer.entries, rows)
            if len(rows) < _AT_ONCE:
                break
        if left != statement.closing.minor:
            raise RuntimeError("a statement's entries do not lead to its closing balance")
        yield writer.foot()
    finally:
        coming.cancel()
