"""Files of the console: a list as CSV, an account's statement by period, a payout's receipt; all of the API's answers."""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from lastro.api_kit.http import refusal
from lastro.api_kit.routes import as_id
from lastro.console import company_page, context, shell
from lastro.console.form_problems import elements, placed
from lastro.console.kinds import BY_NAME, MOVEMENTS
from lastro.console.lists import asked_of, cells, value_at
from lastro.console.objects import OK, Rows
from lastro.console.terms import Terms
from lastro.core.errors import Refused
from lastro.core.media import PDF
from lastro.standards.spreadsheets import as_text

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    from lastro.api_kit.http import Response
    from lastro.api_kit.routes import Route
    from lastro.console.lists import Column, Listing
    from lastro.console.shell import PageRequest, User

MOST: Final = 5_000  # rows of a list in a file
_OF_A_PAGE: Final = 500
_OF_FILES: Final = ("startDate", "endDate", "currency")
# Each kind of file, and what the API is asked for; in Portuguese a CSV is for a spreadsheet in Portuguese.
FORMATS: Final[Mapping[str, Mapping[str, str]]] = {
    "csv": {"format": "csv"}, "ofx": {"format": "ofx"}, "cnab240": {"format": "cnab240"}, "camt053": {"format": "camt053"},
}  # fmt: skip
_STATEMENT: Final = "/order/v1/banking/accounts/{id}/statements"


@dataclass(frozen=True)
class Export:
    """A list as a CSV, with the filters of its page."""

    listing: Listing

    async def show(self, user: User, request: PageRequest) -> Response:
        """GET /console/<list>/csv: the rows as filtered, MOST at most, a part of them at a time."""
        route = next(r for r in user.console_context.routes if r.method == "GET" and r.path == self.listing.path)
        account = request.query.get("accountId", "")
        if self.listing.is_of_account and as_id(account) is None:
            return shell.not_found(user)
        path = self.listing.path.replace("{accountId}", account)
        wanted = {**dict(self.listing.whole), **asked_of(route, request.query)}
        wanted = {name: text for name, text in wanted.items() if name not in ("cursor", "page", "limit")}
        status, answer = await user.call("GET", path, {**wanted, **_limit(route)})
        if status != OK:
            return shell.refused(user, status, answer)
        name = f'attachment; filename="{self.listing.name}.csv"'
        made = shell.download(b"", "text/csv; charset=utf-8", (("content-disposition", name),))
        return replace(made, more=self._parts(user, path, {**wanted, **_limit(route)}, answer))

    async def _parts(self, user: User, path: str, wanted: Mapping[str, str], answer: Any) -> AsyncGenerator[bytes, None]:
        """Yields the heads, then the rows of each of the API's pages; the last line says where there are more."""
        say, rows = Terms(user.language, BY_NAME[self.listing.name].thing), 0
        columns = self.listing.columns
        heads = ("id", *(say.field(one.name) for one in columns), say.field("currency"))
        yield (BOM_UTF8 if user.language == "pt" else b"") + lines([heads], user.language)
        while True:
            found = await context.of_list(self.listing.name, user, answer["data"])
            yield lines([self._line(row, say) for row in found], user.language)
            rows += len(found)
            if not answer.get("hasNext"):
                return
            if rows >= MOST:
                yield lines([[say("export.more", most=say.number(MOST))]], user.language)
                return
            cursor = answer.get("nextCursor")
            further = {"cursor": cursor} if cursor else {"page": str(int(answer.get("page", 1)) + 1)}
            status, answer = await user.call("GET", path, {**wanted, **further})
            if status != OK:
                raise RuntimeError(f"a further page of {self.listing.name} answered {status}")

    def _line(self, row: Mapping[str, Any], say: Terms) -> list[str]:
        columns = self.listing.columns
        shown = zip(columns, cells(columns, row, say), strict=True)
        money = next((one for one in columns if one.kind == "money" and value_at(row, one.path)), None)
        amount = None if money is None else value_at(row, money.path)
        currency = amount["currency"] if isinstance(amount, dict) else row.get("currency", "BRL") if amount else ""
        return [as_text(str(row[self.listing.key])), *(_plain(row, one, cell, say) for one, cell in shown), currency]


def _limit(route: Route) -> dict[str, str]:
    """Returns the limit of a page: the operation's largest, _OF_A_PAGE at most."""
    most = next((query.schema.get("maximum", _OF_A_PAGE) for query in route.queries if query.name == "limit"), None)
    return {} if most is None else {"limit": str(min(most, _OF_A_PAGE))}


def _plain(row: Mapping[str, Any], column: Column, cell: Any, say: Terms) -> str:
    """Returns a cell's text: an amount as a number of its language, others as they are read, none run as a formula."""
    value = value_at(row, column.path)
    if column.kind == "money" and value:
        text = value["value"] if isinstance(value, dict) else str(value)
        return text.replace(".", ",") if say.language == "pt" else text
    if column.kind == "count" and value is not None:
        return str(value)
    return as_text(" \N{MIDDLE DOT} ".join(filter(None, (cell.text, *cell.lines))))


def lines(rows: Sequence[Sequence[str]], language: str) -> bytes:
    """Writes rows as CSV (RFC 4180); in Portuguese with semicolons."""
    made = io.StringIO()
    csv.writer(made, delimiter=";" if language == "pt" else ",", lineterminator="\r\n").writerows(rows)
    return made.getvalue().encode()


async def statement(user: User, request: PageRequest) -> Response:
    """GET /console/accounts/{id}/statement: what moved in a period, and the period's files."""
    own = request.values["id"]
    if as_id(own) is None:
        return shell.not_found(user)
    status, account = await user.call("GET", f"/order/v1/banking/accounts/{own}")
    if status != OK:
        return shell.refused(user, status, account)
    period = {name: text for name in _OF_FILES if (text := request.query.get(name, "").strip())}
    cursor = {"cursor": request.query["cursor"]} if request.query.get("cursor") else {}
    status, answer = await user.call("GET", _STATEMENT.replace("{id}", own), {**period, **cursor, "limit": "50"})
    here, say = f"/console/accounts/{own}/statement", Terms(user.language)
    table, further = None, None
    if status == OK:
        heads = tuple(column.name for column in MOVEMENTS.columns)
        rows = tuple((None, cells(MOVEMENTS.columns, row, say)) for row in answer["data"])
        table = Rows("statement", heads, rows)
        if answer.get("hasNext"):
            further = f"{here}?{urlencode({**period, 'cursor': answer['nextCursor']})}"
    return company_page.render(
        user, "statement.html", "/console/accounts", status=status, account=account, table=table, further=further,
        period=period, is_first=not cursor, place=here,
        problems=placed(() if status == OK else company_page.why(answer), elements("", *_OF_FILES)),
        currencies=("BRL", "MXN"),
        files=[(name, f"{here}/file?{urlencode({**period, 'format': name})}") for name in FORMATS]
        if status == OK and "startDate" in period else (),
    )  # fmt: skip


async def statement_file(user: User, request: PageRequest) -> Response:
    """GET /console/accounts/{id}/statement/file: a period's statement as the API writes it, streamed."""
    form = FORMATS.get(request.query.get("format", ""))
    if as_id(request.values["id"]) is None or form is None:
        return shell.not_found(user)
    period = {name: text for name in _OF_FILES if (text := request.query.get(name, "").strip())}
    excel = {"excel": "pt"} if form["format"] == "csv" and user.language == "pt" else {}
    return await _file(user, _STATEMENT.replace("{id}", request.values["id"]), {**period, **form, **excel})


async def receipt(user: User, request: PageRequest) -> Response:
    """GET /console/payouts/{id}/receipt: the receipt of a payout whose money has left, as PDF."""
    if as_id(request.values["id"]) is None:
        return shell.not_found(user)
    return await _file(user, f"/order/v1/banking/order-payouts/{request.values['id']}/receipt", {}, PDF)


async def _file(user: User, path: str, query: Mapping[str, str], media: str | None = None) -> Response:
    """Returns a file of the API, or the page of its refusal."""
    found = await user.console_context.calls.download(user, path, query, media)
    if isinstance(found, Refused):
        said = refusal(found)
        return shell.refused(user, said.status, msgspec.json.decode(said.body))
    made = shell.download(found.body, found.media, found.headers)
    database = user.console_context.app_context.database
    return made if found.more is None else replace(made, more=found.more(database))
