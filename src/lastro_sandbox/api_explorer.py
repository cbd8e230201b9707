"""Every operation of the document to be tried: a form, sent to this very API as the company's client, and what it answered.

Pages of the console, so whoever tries has come in: READ for what reads, OPERATE for what changes something. The client is
that of the company that is looked at; its token is taken here and shown to nobody.
"""

from __future__ import annotations

import asyncio
import io
import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import aiohttp
from PIL import Image

from lastro.api_kit.catalogue import read_texts
from lastro.app import wiring
from lastro.console import Plugin, shell
from lastro.console.company_page import render
from lastro.console.shell import Page
from lastro.people import Role
from lastro.web import openapi
from lastro_sandbox import calls
from lastro_sandbox.api_explorer_forms import FORM, MULTIPART, SECRET, Operation, body_of, call_of, operations
from lastro_sandbox.api_explorer_values import values
from lastro_sandbox.docs import OPEN_PATHS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from lastro.api_kit.http import Response
    from lastro.app.wiring import AppContext
    from lastro.console.shell import PageRequest, User
    from lastro_sandbox.calls import Call, CallAnswer

HERE: Final = "/console/sandbox/try"
_TEXTS: Final = Path(__file__).parent / "texts" / "api_explorer.toml"
# The path before an operation's id, for links from other pages.
TRIED_AT: Final = f"{HERE}/"
# The same within the quotes of a body, for a shell.
_OF_SHELL: Final = "'\"$CLIENT_SECRET\"'"


def plugin(app_context: AppContext, home: Path, make: Callable[[Call, str], Awaitable[CallAnswer]] = calls.make) -> Plugin:
    """Returns the pages of the API explorer. home: where sandbox.json is. make: as `ApiExplorer` has it."""
    trying = ApiExplorer(app_context, home, make)
    pages = (
        Page("GET", HERE, Role.READ, trying.listed),
        Page("GET", f"{HERE}/{{operation}}", Role.READ, trying.ask),
        Page("POST", f"{HERE}/{{operation}}", Role.READ, trying.send),
    )
    return Plugin(pages, ((HERE, "nav.try", Role.READ),), read_texts(_TEXTS, calls.TEXTS))


class _Catalogue:
    """The document's operations, made in a thread at the first request: it takes half a second."""

    def __init__(self, app_context: AppContext) -> None:
        self._house = app_context
        self._found: Mapping[str, Operation] = {}

    async def all(self) -> Mapping[str, Operation]:
        """Returns every operation, by its id."""
        if not self._found:
            self._found = await asyncio.to_thread(self._read)
        return self._found

    def _read(self) -> Mapping[str, Operation]:
        return operations(openapi.without_names(wiring.documented(self._house, OPEN_PATHS)))


@dataclass(frozen=True)
class ApiExplorer:
    """home: where sandbox.json is. make: makes a call; over loopback, or as a test does."""

    app_context: AppContext
    home: Path
    make: Callable[[Call, str], Awaitable[CallAnswer]] = calls.make
    catalogue: _Catalogue = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "catalogue", _Catalogue(self.app_context))

    async def listed(self, user: User, asked: PageRequest) -> Response:
        """Lists every operation, under its heading (GET)."""
        by_tag: defaultdict[str, list[Operation]] = defaultdict(list)
        for one in (await self.catalogue.all()).values():
            by_tag[one.tag].append(one)
        return render(user, "try-list.html", HERE, by_tag=by_tag)

    async def ask(self, user: User, asked: PageRequest) -> Response:
        """Shows an operation's form, filled in and ready to send (GET)."""
        operation = (await self.catalogue.all()).get(asked.values["operation"])
        if operation is None:
            return shell.not_found(user)
        said = await self._said()
        if said is None:
            return _page(user, operation, "", {}, {}, 503, ("try.starting", ""))
        media = _media(operation, asked.query.get("media", ""))
        client = _client(said, user)
        fresh = await values(user, operation, media, said, client)
        begun = {one.field: fresh.get(one.field, one.start) for one in operation.blanks(media)}
        if "header.idempotency-key" in begun:
            entrance = user.console_context.entrance
            begun["header.idempotency-key"] = str(entrance.chance.uuid(entrance.machine_now()))
        if media and media != MULTIPART:
            begun["body"] = body_of(operation.example(media), media, fresh)
        return _page(user, operation, media, begun, client)

    async def send(self, user: User, asked: PageRequest) -> Response:
        """Makes the call, and shows its answer above the sent form (POST)."""
        operation = (await self.catalogue.all()).get(asked.values["operation"])
        if operation is None:
            return shell.not_found(user)
        if not operation.reads and not user.may(Role.OPERATE):
            return shell.forbidden(user)
        media, said = _media(operation, asked.form.get("media", "")), await self._said()
        if said is None:
            return _page(user, operation, media, asked.form, {}, 503, ("try.starting", ""))
        client = _client(said, user)
        call = call_of(operation, asked.form, media, _picture() if media == MULTIPART else b"")
        if isinstance(call, list):
            return _page(user, operation, media, asked.form, client, 400, *((f"try.{why}", name) for name, why in call))
        if operation.needs_token and not client:
            return _page(user, operation, media, asked.form, client, 409, ("try.no-client", ""))
        try:
            exchange = await self._made(call, operation, client, str(said["baseUrl"]))
        except (aiohttp.ClientError, TimeoutError):
            return _page(user, operation, media, asked.form, client, 503, ("try.away", ""))
        if isinstance(exchange, str):
            return _page(user, operation, media, asked.form, client, 409, ("try.no-token", exchange))
        return _page(user, operation, media, asked.form, client, exchange=exchange)

    async def _made(self, call: Call, operation: Operation, client: Mapping[str, str], base: str) -> calls.CallShown | str:
        """Makes the call, and returns it, or the token's error."""
        shown, secret = call, client.get("clientSecret", "")
        if operation.needs_token:
            body = json.dumps({"clientId": client["clientId"], "clientSecret": secret}).encode()
            told = await self.make(calls.Call("POST", "/auth/v1/token", {"content-type": "application/json"}, body), base)
            if told.status != 200:
                return str(told.status)
            token = json.loads(told.body)["token"]
            shown = replace(call, headers={"authorization": "Bearer $TOKEN", **call.headers})
            call = replace(call, headers={"authorization": f"Bearer {token}", **call.headers})
        if operation.tag == "tokens" and call.body is not None:
            call = replace(call, body=call.body.replace(SECRET.encode(), secret.encode()))
        exchange = calls.shown(shown, await self.make(call, base), base)
        return replace(exchange, curl=exchange.curl.replace(SECRET, _OF_SHELL))

    async def _said(self) -> Mapping[str, Any] | None:
        """Reads sandbox.json; None: the sandbox is being started or stopped."""
        try:
            text = await asyncio.to_thread((self.home / "sandbox.json").read_text, "utf-8")
        except FileNotFoundError:
            return None
        said: dict[str, Any] = json.loads(text)
        return said


def _client(said: Mapping[str, Any], user: User) -> Mapping[str, str]:
    """Returns the client of the page's company; empty: the sandbox has no secret of one."""
    company = str(user.company_id)
    if said["companyId"] == company:
        return {name: said[name] for name in ("clientId", "clientSecret")}
    return said["otherClient"] if said.get("otherCompanyId") == company else {}


def _media(operation: Operation, wanted: str) -> str:
    """Returns the body's media type of a form; empty: it takes none."""
    return wanted if wanted in operation.bodies else next(iter(operation.bodies), "")


def _page(
    user: User, operation: Operation, media: str, form: Mapping[str, str], client: Mapping[str, str], status: int = 200,
    *problems: tuple[str, str], exchange: calls.CallShown | None = None,
) -> Response:  # fmt: skip
    blanks: Sequence[Any] = operation.blanks(media)
    return render(
        user, "try.html", HERE, status=status, operation=operation, media=media, form=form, client=client, blanks=blanks,
        has_text=bool(media) and media != MULTIPART, problems=problems, exchange=exchange,
        may=operation.reads or user.may(Role.OPERATE),
        secret=SECRET if media in (FORM, "application/json") and operation.tag == "tokens" else "",
        rows=min(30, max(6, form.get("body", "").count("\n") + 2)),
    )  # fmt: skip


@lru_cache(maxsize=1)
def _picture() -> bytes:
    """Returns a blank picture, for operations that take a file."""
    out = io.BytesIO()
    Image.new("1", (640, 400), 1).save(out, "PNG", optimize=True)
    return out.getvalue()
