"""The page of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.console import company_page, finding, search, shell
from lastro.console.terms import Terms

if TYPE_CHECKING:
    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User


async def show(viewer: User, asked: PageRequest) -> Response:
    """GET /console/search: what the text in the box may be, and what it is. One thing alone is opened at once."""
    wanted = search.read(asked.query.get("q", ""))
    hits: list[search.Hit] = []
    if not wanted.is_empty:
        async with company_page.session_of(viewer) as session:
            hits = await search.find(session, company_page.company_of(viewer), wanted)
    if len(hits) == 1 and not asked.query.get("all"):
        return shell.go(hits[0].link)
    return company_page.render(
        viewer, "search.html", "/console/search", wanted=wanted, hits=hits, walked=finding.WALKED, most=finding.MOST,
        sentence=search.sentence(wanted, Terms(viewer.language)),
    )  # fmt: skip
