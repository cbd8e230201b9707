"""The pages before sign-in: sign-in, second factor, links; and the second factor asked for anew."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lastro import people
from lastro.api_kit.http import seen_of
from lastro.api_kit.language import preferred
from lastro.api_kit.proxies import counted_as
from lastro.console import shell
from lastro.console.shell import asked_of
from lastro.console.terms import LANGUAGES
from lastro.people import Entered, Slow, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer, Response
    from lastro.api_kit.rate_limits import Limits
    from lastro.console.session import Cookie
    from lastro.console.shell import ConsoleContext, PageRequest, User

# The pages that somebody may be led back to: of the console, by path alone.
_BACK: Final = re.compile(r"/console(/[A-Za-z0-9/_.~%-]*)?\Z")
PROOF: Final = "second-factor"  # the field of a code; no act has one of this name, as some have one that is called code
_HIDDEN: Final = frozenset({"csrf", "act", PROOF})  # the fields that the frame puts into each form itself


@dataclass(frozen=True)
class Pages:
    """The pages before sign-in. tries: how often a network may send one of these forms, or look behind a link."""

    console_context: ConsoleContext
    cookie: Cookie
    tries: Limits

    def paths(self) -> dict[str, dict[str, Answer]]:
        """Returns the handlers of each path, by method."""
        return {
            "/console/sign-in": {"GET": self.sign_in, "POST": self.password},
            "/console/code": {"GET": self.second, "POST": self.code},
            "/console/link/{token}": {"GET": self.link, "POST": self.follow},
        }

    async def sign_in(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /console/sign-in: asks for e-mail address and password."""
        return self._page("sign-in.html", scope, headers, back=_back(asked_of(scope, raw, headers).query))

    async def password(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """POST /console/sign-in: signs in, asks for the second factor, or shows the page again.

        The page does not say which of the two was wrong.
        """
        request = asked_of(scope, raw, headers)
        if (refused := self._refused(scope, headers)) is not None:
            return refused
        email, password = request.form.get("email", ""), request.form.get("password", "")
        entered = await self.console_context.entrance.by_password(
            email, password, _network(scope), self.cookie.read(headers)
        )
        back = _back(request.form)
        if isinstance(entered, Entered):
            return self._in(entered, back)
        return self._again("sign-in.html", scope, headers, entered, "wrong", back=back, email=email)

    async def second(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /console/code: asks for the second factor."""
        return self._page("code.html", scope, headers, back=_back(asked_of(scope, raw, headers).query))

    async def code(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """POST /console/code: signs in, or shows the page again."""
        request, cookie = asked_of(scope, raw, headers), self.cookie.read(headers)
        if (refused := self._refused(scope, headers)) is not None:
            return refused
        who = None if cookie is None else await self.console_context.entrance.present(cookie)
        if cookie is None or who is None or who.stage is not Stage.PASSWORD:
            return shell.go("/console/sign-in")
        entered = await self.console_context.entrance.by_code(who, request.form.get("code", ""), _network(scope), cookie)
        back = _back(request.form)
        if isinstance(entered, Entered):
            return self._in(entered, back)
        return self._again("code.html", scope, headers, entered, "wrong-code", back=back)

    async def link(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """GET /console/link/{token}: shows a link's purpose. The form alone uses it, since mail readers open links."""
        slow = self._too_many(scope, headers)
        return await self._linked(scope, headers, None) if slow is None else slow

    async def follow(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """POST /console/link/{token}: sets a password, or signs in to a sandbox."""
        if (refused := self._refused(scope, headers)) is not None:
            return refused
        request, token = asked_of(scope, raw, headers), str(scope["path_params"]["token"])
        entrance, network = self.console_context.entrance, _network(scope)
        found = await entrance.invited(token)
        entered: Entered | str | None
        if found is not None and found[1] == people.INVITATION:
            entered = await entrance.by_invitation(token, request.form.get("password", ""), network)
        else:
            cookie = self.cookie.read(headers)
            entered = await entrance.by_link(token, network, cookie)
        if isinstance(entered, Entered):
            return self._in(entered, "/console")
        return await self._linked(scope, headers, entered)

    async def _linked(self, scope: HTTPScope, headers: Mapping[bytes, bytes], problem: str | None) -> Response:
        found = await self.console_context.entrance.invited(str(scope["path_params"]["token"]))
        if found is None:
            return self._page("link.html", scope, headers, status=404, person=None, kind=None, problem=None)
        status = 200 if problem is None else 400
        return self._page("link.html", scope, headers, status=status, person=found[0], kind=found[1], problem=problem)

    def _in(self, entered: Entered, back: str) -> Response:
        there = back if entered.stage is Stage.WHOLE else f"/console/code?next={back}"
        return shell.go(there, self.cookie.set(entered.cookie))

    def _again(
        self, template: str, scope: HTTPScope, headers: Mapping[bytes, bytes], no: Slow | None, problem: str, **told: Any
    ) -> Response:
        if isinstance(no, Slow):
            later = ((b"retry-after", str(no.seconds).encode()),)
            return self._page(template, scope, headers, status=429, problem="slow", seconds=no.seconds, **told).with_headers(
                later
            )
        return self._page(template, scope, headers, status=401, problem=problem, **told)

    def _refused(self, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response | None:
        """Refuses a form of another origin, or too many requests.

        The gate lets no other origin through, and a browser always names one.
        """
        if b"origin" not in headers:
            return self._page("refused.html", scope, headers, status=403, why="stale-form")
        return self._too_many(scope, headers)

    def _too_many(self, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response | None:
        taken = self.tries.take(_network(scope))
        if taken.retry_after_seconds is None:
            return None
        later = ((b"retry-after", str(taken.retry_after_seconds).encode()),)
        return self._page("refused.html", scope, headers, status=429, why="too-many").with_headers(later)

    def _page(
        self, template: str, scope: HTTPScope, headers: Mapping[bytes, bytes], *, status: int = 200, **told: Any
    ) -> Response:
        seen_of(scope).operation = f"console {scope['method']} {seen_of(scope).path}"
        chosen = asked_of(scope, b"", headers).query.get("lang", "")
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        language = chosen if chosen in LANGUAGES else preferred(accepted, LANGUAGES)
        given = {
            "problem": None, "email": "", "seconds": 0, "back": "/console", "path": str(scope["path"]),
            "is_sandbox": self.console_context.is_sandbox, "is_plain": not self.cookie.is_secure,
            "shortest": people.SHORTEST_PASSWORD, "longest": people.LONGEST_PASSWORD, **told,
        }  # fmt: skip
        return shell.page(template, language, status=status, **given)


async def proven(user: User, request: PageRequest) -> Response | None:
    """Asks for the second factor before an act, and keeps its form. None: it was shown with it."""
    if not user.presence.person.has_factor:
        return shell.render(user, "refused.html", status=403, why="no-factor")
    if (code := request.form.get(PROOF)) is not None:
        shown = await user.console_context.entrance.shows(user.presence.person, code, user.network)
        if shown is True:
            async with user.console_context.app_context.database.session() as session:
                await people.prove(session, user.presence.hash)
            return None
        problem, seconds = ("slow", shown.seconds) if isinstance(shown, Slow) else ("wrong-code", 0)
    else:
        problem, seconds = None, 0
    kept = [(name, value) for name, values in request.lists.items() if name not in _HIDDEN for value in values]
    status = 200 if problem is None else 401
    return shell.render(
        user, "prove.html", status=status, kept=kept, to=request.path, problem=problem, seconds=seconds, act_id=user.act_id
    )


def _back(fields: Mapping[str, str]) -> str:
    """Returns the requested page, where it is ours, or the start page."""
    given = fields.get("next", "")
    return given if _BACK.match(given) and "//" not in given else "/console"


def _network(scope: HTTPScope) -> str:
    return counted_as(scope["state"]["peer"].address)
