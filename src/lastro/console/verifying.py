"""`lastro verify` as a page: every law, its sentence, and a worker's last result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.console import company_page

if TYPE_CHECKING:
    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User

# In the order of the schema, each with its sentence; of those that hold at rest alone nobody reads while there is work.
LAWS = """
SELECT c.relname::text AS name, coalesce(obj_description(c.oid, 'pg_class'), '') AS says, k.checked_at, k.breaches
  FROM pg_class c LEFT JOIN law_checks k ON k.law = c.relname
 WHERE c.relkind = 'v' AND c.relname LIKE 'law\\_%' AND c.relnamespace = 'public'::regnamespace ORDER BY c.oid
"""


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/verify: the laws. They are of all companies together, so a company's people see no number of breaches."""
    async with user.console_context.app_context.database.session() as session:
        rows = await session.fetch(LAWS)
    laws = [
        (row["name"].removeprefix("law_"), row["says"], row["checked_at"], row["breaches"], state_of(row["breaches"]))
        for row in rows
    ]
    counts = [(state, sum(law[4] == state for law in laws)) for state in ("broken", "unchecked", "holds")]
    is_counted = user.presence.person.only_company is None
    return company_page.render(user, "verify.html", "/console/verify", laws=laws, counts=counts, is_counted=is_counted)


def state_of(breaches: int | None) -> str:
    """Returns a law's state, as the terms name it. breaches: None where it was not read yet."""
    if breaches is None:
        return "unchecked"
    return "broken" if breaches else "holds"
