"""The pages at /start, their forms and files. Only our own pages may act."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode, urlsplit

import jinja2
import structlog

from lastro.api_kit.cached_text import Text
from lastro.api_kit.catalogue import Speech, read_texts
from lastro.api_kit.http import Response, seen_of
from lastro.api_kit.language import preferred
from lastro.api_kit.routes import as_id
from lastro.console.company_page import pretty
from lastro.console.shell import HEADERS, HTML, asked_of
from lastro.console.terms import Terms
from lastro.standards.legible import as_shown
from lastro_sandbox import calls
from lastro_sandbox.calls import Call, as_curl, shown
from lastro_sandbox.tutorial.acting import CODE, Away, TutorialHandlers, typed_amount
from lastro_sandbox.tutorial.travel import travelled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from litestar.types import HTTPScope

    from lastro.api_kit.http import Answer
    from lastro.console.shell import PageRequest

log = structlog.get_logger()

LANGUAGES: Final = ("pt", "en")
_HERE: Final = Path(__file__).parent
_TEXTS: Final = read_texts(_HERE / "texts.toml", calls.TEXTS)
_TAGS: Final = {"pt": b"pt-BR", "en": b"en"}
_FROM_ELSEWHERE: Final = (b"cross-site", b"same-site")
_REFUSAL: Final = re.compile(r"[A-Z0-9_]{1,40}\Z")
_NO_CONTENT, _SEE_OTHER = 204, 303
_FILES: Final = {
    "start.css": (_HERE / "static" / "start.css", b"text/css; charset=utf-8"),
    "copy.js": (calls.COPY, b"text/javascript; charset=utf-8"),
}
_TEMPLATES: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_HERE / "templates"), autoescape=True, finalize=as_shown, trim_blocks=True,
    lstrip_blocks=True, undefined=jinja2.StrictUndefined,
)  # fmt: skip


@dataclass(frozen=True)
class Visit:
    """One request of a page. is_near: it comes from this machine itself, which may see what sandbox.json says."""

    asked: PageRequest
    language: str
    is_near: bool

    @property
    def query(self) -> str:
        """The query that keeps the chosen language in our links; else nothing."""
        chosen = self.asked.query.get("lang") or self.asked.form.get("lang")
        return urlencode({"lang": chosen}) if chosen in LANGUAGES else ""

    def to(self, path: str, **more: str) -> str:
        """Returns a link of ours in the chosen language."""
        query = "&".join(part for part in (self.query, urlencode(more)) if part)
        return f"{path}?{query}" if query else path


@dataclass(frozen=True)
class Tutorial:
    """Everything below /start. The order's id in the path is all there is of a guide: nothing of it is kept here."""

    handlers: TutorialHandlers

    def paths(self) -> dict[str, Mapping[str, Answer]]:
        """Returns the handlers of each path, by method."""
        tables: dict[str, Mapping[str, Answer]] = {
            "/start": {"GET": partial(self._page, self._begin), "POST": partial(self._act, self._create)},
            "/start/secret": {"POST": partial(self._act, self._begin_with_secret)},
            "/start/console": {"POST": partial(self._act, self._console)},
            "/start/made": {"GET": partial(self._page, self._made)},
            "/start/orders/{id}": {"GET": partial(self._page, self._order)},
            "/start/orders/{id}/pay": {"POST": partial(self._act, self._pay)},
            "/start/orders/{id}/travel": {"GET": partial(self._page, self._travel)},
        }
        for name, (file, content_type) in _FILES.items():
            text = Text.of(file.read_bytes(), content_type)
            tables[f"/start/static/{name}"] = {"GET": partial(_file, text)}
        return tables

    async def _page(
        self, answer: Callable[[Visit], Awaitable[Response]], scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        visit = _visit(scope, raw, headers)
        try:
            return await answer(visit)
        except Away as away:
            seen = seen_of(scope)
            log.warning("unavailable", request_id=seen.request_id, path=seen.path, cause="Away", reason=str(away)[:200])
            return _render(visit, "word.html", status=503, why="away").with_headers(((b"retry-after", b"1"),))

    async def _act(
        self, answer: Callable[[Visit], Awaitable[Response]], scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        """Performs an act of a form with an origin of ours.

        The gate has checked the Host and the Origin; a form of a browser names its origin always.
        """
        if b"origin" not in headers or headers.get(b"sec-fetch-site", b"") in _FROM_ELSEWHERE:
            return _render(_visit(scope, raw, headers), "word.html", status=403, why="foreign")
        return await self._page(answer, scope, raw, headers)

    # ── the first page ──

    async def _begin(self, visit: Visit) -> Response:
        return await self._first(visit)

    async def _begin_with_secret(self, visit: Visit) -> Response:
        if not visit.is_near:
            return _render(visit, "word.html", status=403, why="far")
        return await self._first(visit, with_secret=True)

    async def _first(
        self, visit: Visit, *, status: int = 200, with_secret: bool = False, problems: tuple[tuple[str, str], ...] = ()
    ) -> Response:
        form, say = visit.asked.form, Speech(visit.language, _TEXTS)
        code = f"START-{secrets.token_hex(8)}"
        amount, description = form.get("amount", say("example.amount")), form.get("description", say("example.description"))
        call = self.handlers.creating(code, typed_amount(amount), description)
        token = await self.handlers.token()
        return _render(
            visit, "start.html", status=status, code=code, amount=amount, description=description, problems=problems,
            token=self._token_call(with_secret=with_secret), told=token.made.shown, with_secret=with_secret,
            order=shown(call, None, self.handlers.sandbox()["baseUrl"]),
        )  # fmt: skip

    def _token_call(self, *, with_secret: bool) -> str:
        """Formats the token's call for a shell, the token kept in TOKEN."""
        sandbox = self.handlers.sandbox()
        login = {"clientId": sandbox["clientId"], "clientSecret": sandbox["clientSecret"] if with_secret else "lsk_…"}
        call = Call(
            "POST", "/auth/v1/token", {"content-type": "application/json"}, json.dumps(login, ensure_ascii=False).encode()
        )
        return f'TOKEN=$({as_curl(call, sandbox["baseUrl"])} \\\n  | sed \'s/.*"token":"\\([^"]*\\)".*/\\1/\')'

    async def _console(self, visit: Visit) -> Response:
        """Opens the console by the link of sandbox.json, which needs no password."""
        link = urlsplit(str(self.handlers.sandbox()["consoleUrl"])).path
        return _go(link) if visit.is_near else _render(visit, "word.html", status=403, why="far")

    # ── an order ──

    async def _create(self, visit: Visit) -> Response:
        """POST /start: creates the order, and goes to its page; or shows the first page again with the API's refusal."""
        form = visit.asked.form
        code = form.get("code", "")
        if CODE.match(code) is None:
            return _render(visit, "word.html", status=400, why="stale")
        made = await self.handlers.create(code, typed_amount(form.get("amount", "")), form.get("description", ""))
        answer = made.json
        if made.is_good:
            return _go(visit.to(f"/start/orders/{answer['id']}"))
        details = answer.get("details", ()) if isinstance(answer, dict) else ()
        problems = tuple((str(one.get("field", "")), str(one.get("description", ""))) for one in details)
        if made.told.status >= 500:
            raise Away(f"the order was answered {made.told.status}")
        return await self._first(visit, status=made.told.status, problems=problems or (("", str(made.told.status)),))

    async def _made(self, visit: Visit) -> Response:
        """GET /start/made?code=…: goes to the order that was made by the curl of that code."""
        code = visit.asked.query.get("code", "")
        found = await self.handlers.by_code(code) if CODE.match(code) is not None else None
        if found is None:
            return _render(visit, "word.html", status=404, why="not-made")
        return _go(visit.to(f"/start/orders/{found}"))

    async def _order(self, visit: Visit) -> Response:
        found = await self._found(visit)
        if found is None:
            return _render(visit, "word.html", status=404, why="unknown")
        read, order = found
        amount = order["amount"]["value"] if "amount" in order else ""
        call = self.handlers.creating(order["externalId"], amount, order.get("description", ""))
        return _render(
            visit, "order.html", read=read.shown, creating=shown(call, None, self.handlers.sandbox()["baseUrl"]),
            **await self._travelled(visit, order),
        )  # fmt: skip

    async def _travel(self, visit: Visit) -> Response:
        """GET …/travel?seen=…: the part that changes, for htmx; empty where nothing has changed."""
        found = await self._found(visit)
        if found is None:
            return _render(visit, "word.html", status=404, why="unknown")
        told = await self._travelled(visit, found[1])
        if visit.asked.query.get("seen") == told["travel"].tag:
            return Response(_NO_CONTENT, b"", HTML, HEADERS)
        return _render(visit, "travel.html", **told)

    async def _pay(self, visit: Visit) -> Response:
        """POST …/pay: pays as the phone would, and goes back, so that a reload pays nothing again."""
        found = await self._found(visit)
        if found is None:
            return _render(visit, "word.html", status=404, why="unknown")
        refused = await self.handlers.pay(found[1]["pix"]["qrcodeData"])
        more = {} if refused is None else {"said": refused or "UNKNOWN"}
        return _go(visit.to(f"/start/orders/{found[1]['id']}", **more) + "#pay")

    async def _found(self, visit: Visit) -> Any:
        order_id = as_id(visit.asked.values["id"])
        return None if order_id is None else await self.handlers.order(str(order_id))

    async def _travelled(self, visit: Visit, order: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the values of the part that changes.

        `said` is why the payer's bank refused, where the link says so.
        """
        sim, text, said = (
            self.handlers.sandbox()["simulatorUrl"],
            order["pix"]["qrcodeData"],
            visit.asked.query.get("said", ""),
        )
        return {
            "order": order, "travel": await travelled(self.handlers, order, Terms(visit.language)), "pretty": pretty,
            "phone": f"{sim}/phone?qrcodeData={quote(text, safe='')}", "sim": sim, "text": text,
            "paying": shown(self.handlers.paying(text), None, sim), "said": said if _REFUSAL.match(said) else "",
        }  # fmt: skip


def _visit(scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Visit:
    asked = asked_of(scope, raw, headers)
    chosen = asked.query.get("lang") or asked.form.get("lang")
    accepted = headers.get(b"accept-language", b"").decode("latin-1")
    address = scope["state"]["peer"].address
    language = chosen if chosen in LANGUAGES else preferred(accepted, LANGUAGES)
    return Visit(asked, language, address is not None and address.is_loopback)


def _render(visit: Visit, template: str, *, status: int = 200, **told: Any) -> Response:
    """Renders a page. Beside `told` its template has visit, say (words by name), t (the console's terms) and language."""
    body = _TEMPLATES.get_template(template).render(
        visit=visit, language=visit.language, languages=LANGUAGES, say=Speech(visit.language, _TEXTS),
        t=Terms(visit.language), **told,
    )  # fmt: skip
    tagged = (*HEADERS, (b"content-language", _TAGS[visit.language]))
    return Response(status, body.encode("utf-8", "replace"), HTML, tagged)


def _go(path: str) -> Response:
    """Redirects by GET (RFC 9110 §15.4.4)."""
    return Response(_SEE_OTHER, b"", HTML, (*HEADERS, (b"location", path.encode("ascii"))))


async def _file(text: Text, _scope: HTTPScope, _raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
    return text.for_(headers)
