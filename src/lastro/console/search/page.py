"""The page of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.console import company_page, shell
from lastro.console.search import parsing, store
from lastro.console.terms import Terms

if TYPE_CHECKING:
    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/search: the readings of the text, and the hits. A single hit is opened at once."""
    wanted = parsing.read(request.query.get("q", ""))
    hits: list[parsing.Hit] = []
    if not wanted.is_empty:
        async with company_page.session_of(user) as session:
            hits = await parsing.find(session, company_page.company_of(user), wanted)
    if len(hits) == 1 and not request.query.get("all"):
        return shell.go(hits[0].link)
    return company_page.render(
        user, "search.html", "/console/search", wanted=wanted, hits=hits, walked=store.WALKED, most=store.MOST,
        sentence=parsing.sentence(wanted, Terms(user.language)),
    )  # fmt: skip
