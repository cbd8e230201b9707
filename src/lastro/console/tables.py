"""The pages of lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from lastro.api_kit.routes import as_id
from lastro.console import charging, choosing, company_page, context, paying, planning, resending
from lastro.console.form_problems import elements, placed
from lastro.console.kinds import BY_NAME
from lastro.console.lists import asked_of, fields_of, shown
from lastro.console.terms import Terms
from lastro.people import Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.api_kit.http import Response
    from lastro.api_kit.routes import Route
    from lastro.console.lists import Listing
    from lastro.console.shell import PageRequest, User

OK = 200
# By list: the page on which a person makes another of its objects, and the page's words.
_NEW = {
    "orders": (charging.HERE, "charge.new"),
    "payouts": (paying.HERE, "pay.new"),
    "plans": (planning.HERE, "plan.new"),
}
_OF_PAGES = frozenset({"limit", "cursor", "page"})


@dataclass(frozen=True)
class Lists:
    """The page of one list."""

    listing: Listing

    async def show(self, user: User, request: PageRequest) -> Response:
        """GET /console/<list>: a form of the API's filters, and one of its pages. htmx requests the table alone."""
        say = Terms(user.language, BY_NAME[self.listing.name].thing)
        route, path = self._route(user), f"/console/{self.listing.name}"
        chosen = await self._accounts(user, route, request)
        given = request.query if chosen is None else {**request.query, choosing.FIELD: chosen.chosen}
        wanted = {**dict(self.listing.whole), **asked_of(route, given)}
        account = given.get(choosing.FIELD, "").strip() if self.listing.is_of_account else None
        status, answer = OK, None
        if (account is None or as_id(account) is not None) and not (chosen is not None and chosen.is_open):
            status, answer = await user.call("GET", self.listing.path.replace("{accountId}", account or ""), wanted)
        kept = wanted if account is None else {"accountId": account, **wanted}
        table, fields = None, fields_of(route, given, say)
        if status == OK and answer is not None:
            rows = await context.of_list(self.listing.name, user, answer["data"])
            table = shown(self.listing, answer, kept, say, path, rows)
        first = urlencode({name: text for name, text in kept.items() if name not in ("cursor", "page", "limit")})
        return company_page.render(
            user, "table.html" if request.is_fragment else "list.html", path, status=status,
            listing=self.listing, fields=fields, account=account, table=table, kept=first,
            accounts=chosen, others=_others(chosen, request.query, path),
            problems=placed(() if status == OK else company_page.why(answer), elements("f-", *(one.name for one in fields))),
            chosen=sum(bool(text) for name, text in kept.items() if name in request.query and name not in _OF_PAGES),
            again=f"{resending.HERE}?{first}" if self._can_resend(user, kept) else None,
            is_first="cursor" not in wanted and "page" not in wanted,
            done=request.query.get("done") == "delete", new=_NEW.get(self.listing.name) if user.may(Role.OPERATE) else None,
        )  # fmt: skip

    async def _accounts(self, user: User, route: Route, request: PageRequest) -> choosing.Accounts | None:
        """Returns the accounts that the form offers; None: it asks for none."""
        asks = self.listing.is_of_account or route.knows(choosing.FIELD)
        return await choosing.accounts(user, request.query) if asks else None

    def _can_resend(self, user: User, kept: Mapping[str, str]) -> bool:
        """Tells whether this person may send deliveries of the list's status again."""
        is_one = self.listing.name == "events" and kept.get("status", "") in (*resending.STATUSES, resending.EVERY)
        return is_one and user.may(Role.OPERATE)

    def _route(self, user: User) -> Route:
        """Returns the operation that the list shows."""
        return next(r for r in user.console_context.routes if r.method == "GET" and r.path == self.listing.path)


def _others(chosen: choosing.Accounts | None, given: Mapping[str, str], path: str) -> list[tuple[str, choosing.Choice]]:
    """Returns the same page's link for each account found."""
    if chosen is None:
        return []
    kept = {
        name: text for name, text in given.items() if text and name not in (choosing.TYPED, choosing.FIELD, "cursor", "page")
    }
    return [(f"{path}?{urlencode({**kept, choosing.FIELD: str(one.id)})}", one) for one in chosen.hits]
