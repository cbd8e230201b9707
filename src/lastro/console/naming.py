"""Names of what answers name by an id: accounts, and who asked for something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lastro import companies
from lastro.api_kit.routes import as_id
from lastro.console import choosing, company_page
from lastro.console.lists import value_at
from lastro.console.terms import FRAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lastro.console.lists import Column
    from lastro.console.shell import User
    from lastro.console.terms import Terms

    Shown = Iterable[tuple[Iterable[Column], Iterable[Mapping[str, Any]]]]

_PERSON: Final = "person:"  # before a person's id, where other calls have a client's


async def of_rows(user: User, shown: Shown, say: Terms) -> dict[str, str]:
    """Returns the names of what the columns show, by id: accounts, people, API clients; none of an unknown id."""
    ids: dict[str, set[str]] = {"account": set(), "caller": set()}
    for columns, rows in shown:
        named = [column for column in columns if column.kind in ids]
        for row in rows if named else ():
            for column in named:
                if value := value_at(row, column.path):
                    ids[column.kind].add(str(value))
    accounts = await of_accounts(user, ids["account"], say) if ids["account"] else {}
    return {**accounts, **await _callers(user, ids["caller"])}


async def of_accounts(user: User, ids: Iterable[str], say: Terms) -> dict[str, str]:
    """Returns accounts as they are read, name and number, by id."""
    wanted = [own for one in ids if (own := as_id(one)) is not None]
    return {own: say.account(one) for own, one in (await choosing.of_rows(user, wanted)).items()}


async def _callers(user: User, ids: Iterable[str]) -> dict[str, str]:
    """Returns the names of people and API clients. ids: what their calls are recorded with."""
    found: dict[str, str] = {}
    for one in sorted(ids):
        person_id = as_id(one.removeprefix(_PERSON)) if one.startswith(_PERSON) else None
        if person_id is not None:
            person = await user.console_context.register.one(person_id)
            # Of the institution's people a company learns no name, as in its audit.
            only = user.presence.person.only_company
            told = only is None or (person is not None and person.only_company == only)
            found |= {} if person is None else {one: person.name if told else FRAME["by-institution"][user.language]}
            continue
        async with company_page.session_of(user) as session:
            client = await companies.client(session, company_page.company_of(user), one)
        found |= {} if client is None else {one: client.name}
    return found


async def of_companies(user: User, ids: Iterable[object]) -> dict[str, str]:
    """Returns companies as they are read, number and name, by id."""
    found: dict[str, str] = {}
    for one in sorted({str(own) for own in ids}):
        company_id = as_id(one)
        if company_id is not None:
            async with user.console_context.app_context.database.session(company_id) as session:
                company = await companies.company(session, company_id)
            found |= {} if company is None else {one: f"{company.number} {company.name}"}
    return found
