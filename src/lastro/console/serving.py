"""The console's server: checks session, form and role, and then answers the page."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote

import structlog

from lastro import companies, people
from lastro.api_kit.cached_text import Text
from lastro.api_kit.http import Response, Upload, seen_of
from lastro.api_kit.language import preferred
from lastro.api_kit.multipart import NotAForm
from lastro.api_kit.proxies import counted_as
from lastro.api_kit.rate_limits import Limits
from lastro.api_kit.routes import as_id
from lastro.console import entrance, shell
from lastro.console.api_calls import Calls
from lastro.console.pages import NAVIGATION, PAGES
from lastro.console.plugin import Plugin
from lastro.console.session import Cookie, csrf_of, is_of
from lastro.console.shell import Act, ConsoleContext, Page, PageRequest, User, asked_of, asked_with_files
from lastro.console.terms import FRAME, LANGUAGES
from lastro.core.errors import DatabaseAway, Kind, Problem, Refused, Stale
from lastro.people import Role, Stage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.api_kit.routes import Route
    from lastro.console.shell import ApiProcess
    from lastro.people import Presence

log = structlog.get_logger()
T = TypeVar("T")

_STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {".css": b"text/css; charset=utf-8", ".js": b"text/javascript; charset=utf-8", ".svg": b"image/svg+xml"}
_USER: Final = "user"  # in a request's state
_REQUESTS_PER_MINUTE: Final = 600  # of one person: a page has few parts, and nobody reads faster


def paths(app_context: ApiProcess, routes: Sequence[Route], plugin: Plugin | None = None) -> dict[str, Mapping[str, Answer]]:
    """Returns every path of the console, with the handlers of its methods.

    routes: the API's operations. plugin: another package's pages, by which a sandbox has its controls; they need the same
    sign-in as ours.
    """
    return Console(app_context, routes, plugin or Plugin()).paths()


async def _missing(user: User, request: PageRequest) -> Response:
    """Answers an address below /console that no page has."""
    return shell.not_found(user)


_MISSING: Final = Page("GET", "/console/*", Role.READ, _missing, needs_company=False)


@dataclass(frozen=True)
class Console:
    """The console. app_context: the API process's. pages: all but those before sign-in."""

    app_context: ApiProcess
    routes: Sequence[Route]
    plugin: Plugin = field(default_factory=Plugin)
    pages: Sequence[Page] = PAGES
    navigation: Sequence[tuple[str, str, Role]] = NAVIGATION
    console_context: ConsoleContext = field(init=False)
    cookie: Cookie = field(init=False)
    limits: Limits = field(init=False)

    def __post_init__(self) -> None:
        app_context = self.app_context
        context = people.Entrance(
            app_context.database,
            app_context.key_ring,
            app_context.chance,
            lambda: datetime.now(UTC),
            is_sandbox=app_context.place.sandbox,
        )
        console_context = ConsoleContext(
            app_context, context, people.Register(context), Calls(app_context.runner, self.routes), self.routes,
            (*self.navigation, *self.plugin.navigation), {**FRAME, **self.plugin.texts},
            shell.templates(*self.plugin.templates),
        )  # fmt: skip
        object.__setattr__(self, "console_context", console_context)
        object.__setattr__(self, "cookie", Cookie(app_context.place.public_url.startswith("https://")))
        object.__setattr__(self, "limits", Limits(_REQUESTS_PER_MINUTE, time.monotonic))

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of each path, by method."""
        tables: defaultdict[str, dict[str, Answer]] = defaultdict(dict)
        for page in (*self.pages, *self.plugin.pages):
            assert page.method not in tables[page.path], f"{page.method} {page.path} stands twice in the list of pages"
            tables[page.path][page.method] = self._served(page)
        tables["/console/*"]["GET"] = self._served(_MISSING)
        tries = Limits(self.app_context.token_requests_per_minute, time.monotonic)
        open_pages = entrance.Pages(self.console_context, self.cookie, tries)
        for path, table in open_pages.paths().items():
            tables[path] |= table
        for file in (*sorted(one for one in _STATIC.rglob("*") if one.suffix in _TYPES), *self.plugin.files):
            text = Text.of(file.read_bytes(), _TYPES[file.suffix])
            tables[f"/console/static/{file.name}"] = {"GET": partial(_file, text)}
        return dict(tables)

    def _served(self, page: Page) -> Answer:
        """Makes the answer of a page; a form with files is an Upload, whose body is read once its sender is known."""
        answer = partial(self._answer, page)
        if not isinstance(page, Act) or page.largest_body is None:
            return answer
        return Upload(answer, page.largest_body, partial(self._admit, page))

    async def _admit(self, page: Page, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response | None:
        """Refuses a form with files by the head of its request; the session is looked at again once the body is there."""

        async def looked() -> Response | None:
            user = await self._enter(page, scope, headers)
            if isinstance(user, Response):
                return user
            scope["state"]["refusal"] = partial(shell.turned_away, user, str(scope["path"]))
            return None

        return await self._or_failure(page, scope, headers, looked)

    async def _answer(self, page: Page, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers one page."""

        async def made() -> Response:
            user = await self._enter(page, scope, headers)
            if isinstance(user, Response):
                return user
            if not isinstance(page, Act) or page.largest_body is None:
                return await self._page(page, user, asked_of(scope, raw, headers), headers)
            try:
                request = await asyncio.to_thread(asked_with_files, scope, raw, headers)
            except NotAForm as broken:
                problem = Problem("form", "INVALID", f"did not arrive whole: {broken}")
                return shell.turned_away(user, str(scope["path"]), Refused(Kind.INVALID, (problem,)))
            return await self._page(page, user, request, headers)

        return await self._or_failure(page, scope, headers, made)

    async def _enter(self, page: Page, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> User | Response:
        """Checks session, rate, origin, role and company. Returns the user, or the response instead."""
        cookie, seen = self.cookie.read(headers), seen_of(scope)
        who = None if cookie is None else await self.console_context.entrance.present(cookie)
        if cookie is None or who is None or who.stage is not Stage.WHOLE:
            return _sign_in(scope, headers, is_half_way=who is not None, forget=self.cookie.forget() if cookie else None)
        taken = self.limits.take(str(who.person.id))
        user = self._viewer(who, cookie, scope, headers)
        if taken.retry_after_seconds is not None:
            later = ((b"retry-after", str(taken.retry_after_seconds).encode()),)
            return shell.render(user, "refused.html", status=429, why="too-many").with_headers(later)
        seen.company_id, seen.client_id = user.company_id, f"person:{user.person_id}"
        scope["state"][_USER] = user = await self._named(user)
        # The gate lets no other origin through; a request that names none was made by no form of a browser.
        if page.method == "POST" and b"origin" not in headers:
            return shell.render(user, "refused.html", status=403, why="stale-form")
        if not user.may(page.role):
            return shell.forbidden(user)
        return shell.go("/console/company") if page.needs_company and user.company_id is None else user

    async def _or_failure(
        self, page: Page, scope: HTTPScope, headers: Mapping[bytes, bytes], made: Callable[[], Awaitable[T]]
    ) -> T | Response:
        """Awaits the response to a request; turns a failure into a page.

        It says what the API would say, in words for people.
        """
        seen = seen_of(scope)
        seen.operation = f"console {page.method} {page.path}"
        try:
            return await made()
        except (DatabaseAway, Stale) as away:
            log.warning(
                "unavailable", request_id=seen.request_id, company_id=seen.company_id, path=seen.path,
                cause=type(away).__name__, reason=str(away)[:200],
            )  # fmt: skip
            return _failed(scope["state"].get(_USER), 503, headers)
        except Exception:
            log.exception("failed", request_id=seen.request_id, company_id=seen.company_id, path=seen.path)
            return _failed(scope["state"].get(_USER), 500, headers)

    async def _page(self, page: Page, user: User, request: PageRequest, headers: Mapping[bytes, bytes]) -> Response:
        """Answers this person, after the form's check and the second factor.

        The form must be ours; the second factor is asked for where it is needed.
        """
        if page.method == "POST" and not is_of(self.cookie.read(headers) or "", request.form.get("csrf", "")):
            return shell.render(user, "refused.html", status=403, why="stale-form")
        if isinstance(page, Act):
            act_id = as_id(request.form.get("act"))
            if act_id is None:
                return shell.render(user, "refused.html", status=403, why="stale-form")
            user = replace(user, act_id=act_id)
            if page.needs_proof and not self.console_context.is_sandbox and not user.presence.is_proved:
                refusal = await entrance.proven(user, request)
                if refusal is not None:
                    return refusal
        return await page.answer(user, request)

    async def _named(self, user: User) -> User:
        """Returns the user with the company's name.

        The head of each page says it, so that nobody acts for another company.
        """
        if user.company_id is None:
            return user
        async with self.app_context.database.session(user.company_id) as session:
            company = await companies.company(session, user.company_id)
        return replace(user, company_name=None if company is None else company.name)

    def _viewer(self, who: Presence, cookie: str, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> User:
        person = who.person
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        return User(
            person.id, person.name, person.only_company or who.company_id, person.roles | {Role.READ},
            person.language or preferred(accepted, LANGUAGES), person.theme, csrf_of(cookie), who, self.console_context,
            counted_as(scope["state"]["peer"].address), seen_of(scope).request_id,
        )  # fmt: skip


def _sign_in(
    scope: HTTPScope, headers: Mapping[bytes, bytes], *, is_half_way: bool, forget: tuple[bytes, bytes] | None
) -> Response:
    """Redirects to the sign-in page, and from there back. Of a part that htmx asks for the whole page goes there."""
    if is_half_way:
        return shell.go("/console/code")
    back = quote(str(scope["path"]), safe="/") if scope["method"] == "GET" else "/console"
    there = f"/console/sign-in?next={back}"
    gone = () if forget is None else (forget,)
    if headers.get(b"hx-request") == b"true":
        return replace(shell.go(there, *gone), status=401).with_headers(((b"hx-redirect", there.encode("ascii")),))
    return shell.go(there, *gone)


def _failed(user: User | None, status: int, headers: Mapping[bytes, bytes]) -> Response:
    why = "failed" if status == 500 else "away"
    if user is not None:
        return shell.render(user, "refused.html", status=status, why=why)
    language = preferred(headers.get(b"accept-language", b"").decode("latin-1"), LANGUAGES)
    return shell.page("refused.html", language, status=status, why=why)


async def _file(text: Text, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
    return text.for_(headers)
