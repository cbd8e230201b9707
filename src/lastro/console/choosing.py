"""A company's accounts to choose from, by name and number: all of them, or a search among many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lastro.api_kit.routes import as_id
from lastro.console import company_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.console.shell import User
    from lastro.core.db import Session

FIELD: Final = "accountId"  # of the form: the chosen account
TYPED: Final = "account"  # of the form: a name or a number, where there are too many to be listed
MOST: Final = 200  # accounts in a select
HITS: Final = 20  # of one search
WALKED: Final = 5_000  # of the newest accounts, a word within a name is looked for in so many
LONGEST: Final = 140  # characters of a name that is looked for
_FEWEST: Final = 2  # characters of a name that is looked for

FIRST = f"""
SELECT id, number, full_name, status FROM accounts WHERE company_id = $1 ORDER BY created_at LIMIT {MOST + 1}
"""  # noqa: S608
BY_ID = """
SELECT id, number, full_name, status FROM accounts WHERE company_id = $1 AND id = ANY ($2::uuid[])
"""
BY_NUMBER = """
SELECT a.id, a.number, a.full_name, a.status FROM account_numbers n
  JOIN accounts a ON a.company_id = n.company_id AND a.id = n.account_id
 WHERE n.number = $2 AND n.company_id = $1
"""
# The names that begin so are a stretch of accounts_of_name; within a name is looked among the newest. Compared as "C" does,
# the comparison is one that row-level security lets an index make.
BY_NAME = f"""
SELECT * FROM (
  SELECT id, number, full_name, status FROM accounts
   WHERE company_id = $1 AND full_name_folded COLLATE "C" >= (SELECT folded($2))
     AND full_name_folded COLLATE "C" < (SELECT folded($2) || chr(1114111))
   ORDER BY full_name_folded COLLATE "C" LIMIT {HITS + 1}) begins
UNION
SELECT * FROM (
  SELECT id, number, full_name, status FROM (
    SELECT id, number, full_name, status, full_name_folded FROM accounts
     WHERE company_id = $1 ORDER BY created_at DESC LIMIT {WALKED}) newest
   WHERE strpos(full_name_folded, (SELECT folded($2))) > 0 LIMIT {HITS + 1}) within
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Choice:
    """An account as it is read in a form: name and number."""

    id: UUID
    name: str
    number: str
    status: str = "ACTIVE"


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts that a form offers. is_whole: they are all of the company's; else one looks for others by `typed`.

    chosen: the id that is chosen; empty: none is. hits: of what was typed, where they are several or none.
    """

    offered: tuple[Choice, ...]
    is_whole: bool
    chosen: str = ""
    typed: str = ""
    hits: tuple[Choice, ...] = ()

    @property
    def is_open(self) -> bool:
        """True where something was typed that does not say which account."""
        return bool(self.typed) and not self.chosen

    @property
    def own(self) -> str:
        """Returns the chosen id where it is an account of the company; else nothing."""
        return self.chosen if any(str(one.id) == self.chosen for one in self.offered) else ""

    def with_hits(self) -> Accounts:
        """Returns the same where a form offers what was found."""
        return replace(self, offered=self.hits) if self.hits else self


async def accounts(user: User, given: Mapping[str, str]) -> Accounts:
    """Returns the accounts of the page's company for a form. given: its query or form, with FIELD and TYPED."""
    company, chosen, typed = company_page.company_of(user), given.get(FIELD, "").strip(), given.get(TYPED, "").strip()
    async with company_page.session_of(user) as session:
        first = _choices(await session.search(FIRST, company))
        if len(first) <= MOST:
            return Accounts(
                tuple(sorted(first, key=lambda one: (one.name.casefold(), one.number))), is_whole=True, chosen=chosen
            )
        hits: Sequence[Choice] = ()
        if typed and (found := as_id(typed)) is not None:
            hits = _choices(await session.search(BY_ID, company, [found]))
        elif typed:
            hits = await named(session, company, typed)
        if len(hits) == 1:
            return Accounts(tuple(hits), is_whole=False, chosen=str(hits[0].id), typed=typed)
        own = as_id(chosen) if not typed else None
        offered = () if own is None else _choices(await session.search(BY_ID, company, [own]))
    return Accounts(tuple(offered), is_whole=False, chosen="" if typed else chosen, typed=typed, hits=tuple(hits))


async def named(session: Session, company_id: UUID, text: str) -> list[Choice]:
    """Finds accounts by number, with or without its hyphen, or by name; one more than HITS where there are more."""
    number = text.replace("-", "").replace(" ", "")
    found = await session.search(BY_NUMBER, company_id, number) if number.isdigit() else []
    if not found and len(text) >= _FEWEST:
        found = await session.search(BY_NAME, company_id, text[:LONGEST])
    return sorted(_choices(found), key=lambda one: (one.name.casefold(), one.number))


async def of_rows(user: User, ids: Iterable[UUID]) -> dict[str, Choice]:
    """Returns the accounts of these ids, by id."""
    async with company_page.session_of(user) as session:
        rows = await session.search(BY_ID, company_page.company_of(user), list(ids))
    return {str(one.id): one for one in _choices(rows)}


def _choices(rows: Iterable[Record | Any]) -> list[Choice]:
    return [Choice(row["id"], row["full_name"], row["number"], row["status"]) for row in rows]
