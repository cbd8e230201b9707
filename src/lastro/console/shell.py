"""The frame of every page: its user, its request, and its rendering."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import parse_qsl
from uuid import UUID  # noqa: TC003 named in a dataclass

import jinja2
import msgspec

from lastro.api_kit.catalogue import Speech
from lastro.api_kit.http import Response, refusal
from lastro.api_kit.multipart import FORM_DATA, boundary_of, read_parts
from lastro.console.menu import grouped
from lastro.console.terms import FRAME, LANGUAGES, Terms
from lastro.people import Role
from lastro.standards.legible import as_shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from litestar.types import HTTPScope

    from lastro import med
    from lastro.api_kit.catalogue import Texts
    from lastro.api_kit.routes import Route
    from lastro.console.api_calls import Calls, RawBody
    from lastro.core.db import Database
    from lastro.core.errors import Refused
    from lastro.core.ids import Chance
    from lastro.core.runner import Runner
    from lastro.core.secrets import KeyRing
    from lastro.orders import Installation
    from lastro.people import Entrance, Presence, Register
    from lastro.rails.port import Issuer

    Answer = Callable[["User", "PageRequest"], Awaitable[Response]]

POLICY: Final = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self';"
    b" base-uri 'none'; frame-ancestors 'none'"
)
_FORM: Final = b"application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 200
HTML: Final = b"text/html; charset=utf-8"
# Links from here send no referrer to other sites, but our own forms still say where they come from (Fetch §3.1).
HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"content-security-policy", POLICY), (b"referrer-policy", b"same-origin"), (b"x-robots-tag", b"noindex, nofollow"),
    (b"cache-control", b"no-store"), (b"vary", b"accept-language, cookie, hx-request"),
)  # fmt: skip


def templates(*further: Path) -> jinja2.Environment:
    """Returns the pages' templates. further: folders of plugins, looked through after our own."""
    folders = (Path(__file__).parent / "templates", *further)
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders), autoescape=True, finalize=as_shown, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip


_JINJA: Final = templates()


class ConnectionSummary(Protocol):
    """The process's side of a connection to a bank. is_told: by a webhook, too. Nothing of it is secret."""

    @property
    def dialect(self) -> str:
        """The bank's way of speaking API Pix."""

    @property
    def poll_seconds(self) -> int:
        """The pause between two polls."""

    @property
    def is_told(self) -> bool:
        """True where the bank has a webhook of ours."""

    @property
    def certificate_until(self) -> datetime | None:
        """The end of our certificate there; None: there is none."""

    @property
    def gives_refunds(self) -> bool:
        """True where money is given back by it."""


class ApiProcess(Protocol):
    """Parts of the API process that pages work with. place: of the institution. disputing: terms of its disputes."""

    @property
    def database(self) -> Database:
        """The database, as the role of one company at a time."""

    @property
    def runner(self) -> Runner:
        """Runs verbs."""

    @property
    def chance(self) -> Chance:
        """Makes ids and secrets."""

    @property
    def key_ring(self) -> KeyRing:
        """Opens what is sealed."""

    @property
    def place(self) -> Installation:
        """The institution, and what can be paid there."""

    @property
    def disputing(self) -> med.DisputeTerms:
        """The times of disputes."""

    @property
    def connection_summaries(self) -> Callable[[], Mapping[str, ConnectionSummary]]:
        """Returns the connections of the file, by name."""

    @property
    def issuers(self) -> Mapping[str, Issuer]:
        """The banks of connections, by name."""

    @property
    def token_requests_per_minute(self) -> int:
        """Sign-ins that one address may try in a minute."""


@dataclass(frozen=True)
class ConsoleContext:
    """The context of pages.

    routes: the API's operations. navigation: a page's path, its word, and whom it is shown to. texts, templates: a plugin's
    own among them.
    """

    app_context: ApiProcess
    entrance: Entrance
    register: Register
    calls: Calls
    routes: Sequence[Route]
    navigation: Sequence[tuple[str, str, Role]]
    texts: Texts = field(default_factory=lambda: FRAME)
    templates: jinja2.Environment = _JINJA

    @property
    def is_sandbox(self) -> bool:
        """True where money and networks are simulated."""
        return self.app_context.place.sandbox


@dataclass(frozen=True)
class User:
    """A user of a page. csrf: the token of its forms.

    company_id, company_name: the page's company; None: none yet. roles: READ among them, always. language: "pt" or "en".
    theme: auto, light or dark. network: the request's origin. act_id: of the form that was sent; None where nothing is done.
    told: the act's details for the audit, beside its answer.
    """

    person_id: UUID
    name: str
    company_id: UUID | None
    roles: frozenset[Role]
    language: str
    theme: str
    csrf: str
    presence: Presence
    console_context: ConsoleContext
    network: str
    request_id: str
    act_id: UUID | None = None
    company_name: str | None = None
    told: Mapping[str, Any] = field(default_factory=dict)

    def may(self, role: Role) -> bool:
        """Tells whether the user has this role."""
        return role in self.roles

    async def call(
        self, method: str, path: str, query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | RawBody | None = None, file: bytes | None = None,
    ) -> tuple[int, Any]:  # fmt: skip
        """Calls an operation of the API for the company of the page.

        Returns the status, and the answer as plain values; numbers with a point are Decimals. An operation that changes
        something is possible within an act alone, once for each form, and is recorded with the person. file: for an
        operation that takes a file, in place of a body.
        """
        return await self.console_context.calls.call(self, method, path, query or {}, body, file)


@dataclass(frozen=True)
class PageRequest:
    """A request. values: the path's parameters. query, form: the first value of each name; lists: all of the form's.

    is_fragment: htmx asks, and takes a part of the page. path: as it was asked for, without its query. files: of a form
    with files, by the names of their fields; empty where nobody has chosen one.
    """

    path: str
    values: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_fragment: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A page: whoever has the role sees it. needs_company: one must have been chosen."""

    method: str
    path: str
    role: Role
    answer: Answer
    needs_company: bool = True


@dataclass(frozen=True)
class Act(Page):
    """An act of a form. moves_money: in production the second factor is asked for first, where it was not shown just now.

    largest_body: of a form with files, in bytes; None: it has none.
    """

    moves_money: bool = False
    largest_body: int | None = None

    def __post_init__(self) -> None:
        assert self.largest_body is None or not self.needs_proof, "the page that asks for the second factor loses a file"

    @property
    def needs_proof(self) -> bool:
        """True where production asks for the second factor: moving money, changing people."""
        return self.moves_money or self.role is Role.ADMINISTER


def asked_of(scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> PageRequest:
    """Parses a request, its query and its form. A body that is no form has no fields."""
    query = _fields(scope["query_string"].decode("latin-1"))
    is_form = headers.get(b"content-type", b"").split(b";")[0].strip().lower() == _FORM
    form = _fields(raw.decode("latin-1")) if is_form else {}
    return PageRequest(
        str(scope["path"]), {name: str(value) for name, value in scope["path_params"].items()},
        {name: values[0] for name, values in query.items()}, {name: values[0] for name, values in form.items()},
        {name: tuple(values) for name, values in form.items()}, headers.get(b"hx-request") == b"true",
    )  # fmt: skip


def asked_with_files(scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> PageRequest:
    """Reads a request with a form of several parts. NotAForm: it did not arrive whole. For a thread: it takes a while."""
    content_type = headers.get(b"content-type", b"").decode("latin-1")
    if not content_type.lower().startswith(FORM_DATA):
        return asked_of(scope, raw, headers)
    request = asked_of(scope, b"", headers)
    parts = read_parts(raw, boundary_of(content_type))
    form = {name: one.content.decode("utf-8", "replace").replace("\0", "") for name, one in parts.items() if not one.is_file}
    files = {name: one.content for name, one in parts.items() if one.is_file}
    return replace(request, form=form, lists={name: (text,) for name, text in form.items()}, files=files)


def _fields(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        given = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return {}
    for name, value in given:
        found.setdefault(name, []).append(value.replace("\0", ""))
    return found


def page(
    template: str,
    language: str,
    theme: str = "auto",
    *,
    status: int = 200,
    console_context: ConsoleContext | None = None,
    **told: Any,
) -> Response:
    """Renders a page for somebody not signed in, or any other.

    told: values of its template. console_context: whose texts it has.
    """
    given = {"user": None, "menu": (), "here": "", "is_sandbox": False, "details": (), "t": Terms(language), **told}
    say = Speech(language, FRAME if console_context is None else console_context.texts)
    made = (_JINJA if console_context is None else console_context.templates).get_template(template)
    body = made.render(say=say, language=language, theme=theme, languages=LANGUAGES, **given)
    return Response(status, body.encode("utf-8", "replace"), HTML, (*HEADERS, (b"content-language", _TAGS[language])))


_TAGS: Final = {"pt": b"pt-BR", "en": b"en"}


def render(user: User, template: str, *, status: int = 200, **told: Any) -> Response:
    """Renders a page for a signed-in user.

    Beside `told` a template has viewer, say (words by name), menu, language, act_id.
    """
    console_context = user.console_context
    menu = grouped((path, word) for path, word, role in console_context.navigation if user.may(role))
    fresh = console_context.entrance.chance.uuid(console_context.entrance.machine_now())
    told = {"user": user, "menu": menu, "act_id": fresh, "is_sandbox": console_context.is_sandbox, **told}
    return page(template, user.language, user.theme, status=status, console_context=console_context, **told)


def download(body: bytes, media: str, headers: Sequence[tuple[str, str]]) -> Response:
    """Returns a file's response. headers: those by which the browser saves it."""
    given = tuple((name.encode(), value.encode()) for name, value in headers)
    return Response(200, body, media.encode(), (*HEADERS, *given))


_FORBIDDEN, _NOT_FOUND, _FEWEST_OURS = 403, 404, 500
_WHY_NOT_READ: Final = {413: "too-large", 429: "too-many", 503: "busy"}


def go(path: str, *headers: tuple[bytes, bytes]) -> Response:
    """Redirects to another page of ours, by GET (RFC 9110 §15.4.4). path: made of ASCII."""
    return Response(303, b"", HTML, (*HEADERS, (b"location", path.encode("ascii")), *headers))


def forbidden(user: User) -> Response:
    """Returns the page of an insufficient role."""
    return render(user, "refused.html", status=403, why="forbidden")


def not_found(user: User) -> Response:
    """Returns the page of what is not there: an address, an object, or another company's. All of them get the same."""
    return render(user, "missing.html", status=404)


def turned_away(user: User, back: str, no: Refused) -> Response:
    """Says as a page why a form with files was not read: too large, too slow, cut off, or too many. back: its page."""
    said = refusal(no)
    why = _WHY_NOT_READ.get(said.status, "refused")
    details = () if why != "refused" else msgspec.json.decode(said.body)["details"]
    shown = render(user, "refused.html", status=said.status, why=why, details=details, back=back)
    kept = tuple(one for one in said.headers if one[0] == b"retry-after")
    return replace(shown, issues=said.issues).with_headers(kept)


def refused(user: User, status: int, answer: Any = None) -> Response:
    """Returns the page of the API's refusal. answer: its Error body, whose details are shown."""
    if status == _NOT_FOUND:
        return not_found(user)
    details = answer.get("details", ()) if isinstance(answer, dict) else ()
    why = "forbidden" if status == _FORBIDDEN else "refused" if status < _FEWEST_OURS else "failed"
    return render(user, "refused.html", status=status, why=why, details=details)
