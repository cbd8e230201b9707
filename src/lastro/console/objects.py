"""One page for each object: its facts, its actions, and its timeline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lastro.api_kit.http import STATUS, Response
from lastro.api_kit.routes import as_id, stamp
from lastro.console import (
    actions,
    charging,
    checking,
    claiming,
    company_page,
    context,
    live,
    naming,
    planning,
    shell,
    timeline,
    ways_to_pay,
)
from lastro.console.api_calls import Calls
from lastro.console.decisions import ROOT
from lastro.console.decisions import routes as decisions
from lastro.console.form_problems import elements, placed
from lastro.console.kinds import LIMITS, LINES, MOVEMENTS
from lastro.console.lists import cells, value_at
from lastro.console.search import store
from lastro.console.shell import Act
from lastro.console.terms import Terms
from lastro.core.errors import Refused
from lastro.core.timeline import moves as moves_of
from lastro.med import Stand
from lastro.timeline import by_id
from lastro.timeline.for_clients import for_clients, reason_for_clients
from lastro.timeline.reading import Root, tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from asyncpg import Record

    from lastro.console.actions import PageAction
    from lastro.console.kinds import Kind, Table
    from lastro.console.lists import Cell
    from lastro.console.shell import PageRequest, User
    from lastro.console.timeline import TimelineStep
    from lastro.core.db import Session

OK = 200
_NO_CONTENT = 204
_MADE = {("orders", "charge"): "charge.made", ("plans", "payout"): "pay.made"}  # what a form has just made
_FEWEST_FAILED = 300


@dataclass(frozen=True, slots=True)
class Rows:
    """A table within an object. heads: names of terms."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str | None, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Objects:
    """The pages of one kind."""

    kind: Kind

    async def show(self, user: User, request: PageRequest) -> Response:
        """GET /console/<kind>/{id}; a page that waits asks for it again and has no content while the status stays."""
        own = as_id(request.values["id"])
        if own is None:
            return shell.not_found(user)
        status, answer = await read(self.kind, user, own)
        if status != OK:
            return shell.refused(user, status, answer)
        news = live.of_object(self.kind.name, answer.get("status", ""), user, request)
        if request.is_fragment and news.asks and request.query.get("seen") == answer["status"]:
            return Response(_NO_CONTENT, b"", shell.HTML, shell.HEADERS)
        say = Terms(user.language)
        steps, is_whole = await _story(self.kind, user, own, say)
        whole = {**answer, **await context.of_object(self.kind.name, user, own, answer)}
        names = await _names(user, self.kind, whole, say)
        done = request.query.get("done", "")
        return company_page.render(
            user, "object.html", f"/console/{self.kind.name}",
            kind=self.kind, own=str(own), title=str(value_at(answer, self.kind.title) or own), answer=answer,
            facts=_facts(self.kind, whole, say, names), disputes=whole.get("disputes", ()),
            tables=_tables(self.kind.tables, answer, say, names), more=await _more(self.kind, user, own, say),
            wrong=await _wrong(self.kind, user, own, answer, say),
            offered=actions.offered(self.kind.name, user, answer), steps=steps, is_whole=is_whole,
            raw=company_page.pretty(answer), news=news, request_is_fragment=request.is_fragment,
            to_pay=ways_to_pay.of(answer, say) if charging.is_to_pay(self.kind.name, answer) else None,
            made=_MADE.get((self.kind.name, done)),
            done=done if any(one.name == done and one.of == self.kind.name for one in actions.ACTIONS) else None,
        )  # fmt: skip


@dataclass(frozen=True)
class Doing:
    """The two pages of one act: its confirmation, and its performance."""

    kind: Kind
    action: PageAction

    def as_act(self) -> Act:
        """Returns the page that does it, after its confirmation page."""
        own = self.action
        return Act("POST", own.place, own.role, self.do, moves_money=own.moves_money, largest_body=own.largest_body)

    async def ask(self, user: User, request: PageRequest) -> Response:
        """GET /console/<kind>/{id}/<act>: shows the effect, to be confirmed."""
        found = await self._object(user, request)
        if isinstance(found, Response):
            return found
        return await self._form(user, *found, {}, status=200, problems=(), wanted=request.query.get("order", ""))

    async def _object(self, user: User, request: PageRequest) -> tuple[UUID, Any] | Response:
        """Returns the object's id and answer, or why nothing may be done."""
        own = as_id(request.values["id"])
        if own is None:
            return shell.not_found(user)
        if self.action.is_decision and user.presence.person.only_company is not None:
            return shell.forbidden(user)
        status, answer = await read(self.kind, user, own)
        return (own, answer) if status == OK else shell.refused(user, status, answer)

    async def do(self, user: User, request: PageRequest) -> Response:
        """POST the same: performs the act, and goes back to the object; or shows the page again with the problem."""
        found = await self._object(user, request)
        if isinstance(found, Response):
            return found
        own, answer = found
        if lacking := actions.missing(self.action, request):
            problems = [(name, "REQUIRED", "is required") for name in lacking]
            return await self._form(user, own, answer, request.form, status=400, problems=problems)
        if (page := await self._checked(user, own, answer, request)) is not None:
            return page
        body = self.action.body(request.form, answer, str(user.act_id))
        told = actions.said_of(self.action, request.form, answer, str(own))
        status, said = await perform(
            replace(user, told=told), self.action, str(own), answer, body, request.files.get("file")
        )
        if status < _FEWEST_FAILED:
            back = f"/console/{self.kind.name}" if self.action.ends_object else f"/console/{self.kind.name}/{own}"
            return shell.go(f"{back}?done={self.action.name}")
        return await self._form(user, own, answer, request.form, status=status, problems=company_page.why(said))

    async def _checked(self, user: User, own: UUID, answer: Any, request: PageRequest) -> Response | None:
        """Returns the page that says what a filled-in form will do; None: the person has seen it and is sure."""
        form = request.form
        if not checking.is_checked(self.action) or (checking.SURE in form and checking.CHANGE not in form):
            return None
        if checking.CHANGE in form:
            return await self._form(user, own, answer, form, status=OK, problems=())
        if wrong := checking.problems(self.action, form, answer):
            return await self._form(user, own, answer, form, status=400, problems=wrong)
        say = Terms(user.language)
        amount = actions.said_of(self.action, form, answer, str(own))["amount"]
        return company_page.render(
            user, "check.html", f"/console/{self.kind.name}", kind=self.kind, action=self.action, own=str(own),
            title=str(value_at(answer, self.kind.title) or own), amount=say.paid(amount),
            rows=await checking.facts(user, self.action, form, answer, say),
            kept=[(one.name, form[one.name]) for one in self.action.blanks if form.get(one.name)],
            disputes=(await context.of_object(self.kind.name, user, own, answer)).get("disputes", ()),
        )  # fmt: skip

    async def _form(
        self, user: User, own: UUID, answer: Any, form: Any, *, status: int, problems: Any, wanted: str = ""
    ) -> Response:
        """Renders the page. wanted: the order that a person looks for; else the one of the form."""
        say = Terms(user.language)
        whole = {**answer, **await context.of_object(self.kind.name, user, own, answer)}
        amount, names = actions.amount_of(self.action, whole), await _names(user, self.kind, whole, say)
        explained = {
            word: actions.filled(f"choice.{word}.about", self.action, whole, say)
            for blank in self.action.blanks if blank.explains for word in blank.choices
        }  # fmt: skip
        choices = None
        if any(blank.kind == "order" for blank in self.action.blanks):
            choices = await claiming.choices(user, answer, wanted or form.get("orderId", ""), say)
        return company_page.render(
            user, "confirm.html", f"/console/{self.kind.name}", status=status,
            kind=self.kind, action=self.action, own=str(own), title=str(value_at(answer, self.kind.title) or own),
            about=actions.consequence(self.action, whole, say), form=form, explained=explained,
            is_checked=checking.is_checked(self.action),
            problems=placed(problems, elements("b-", *(one.name for one in self.action.blanks))),
            choices=choices,
            amount=say.paid(amount) if amount else "", facts=_facts(self.kind, whole, say, names),
            disputes=whole.get("disputes", ()),
            tables=_tables([one for one in self.kind.tables if one.before_acts], answer, say, names),
        )  # fmt: skip


async def perform(
    user: User, action: PageAction, own: str, answer: Any, body: dict[str, Any], file: bytes | None
) -> tuple[int, Any]:
    """Performs an act under the person's name. Decisions are the institution's own operations, which no client has."""
    path = action.target(own, answer)
    if not path.startswith(ROOT):
        return await user.call(action.method, path, None, body or None, file)
    return await decide(user, path, body)


async def decide(user: User, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    """Records a decision of the institution, with the person's name."""
    app_context = user.console_context.app_context
    place = app_context.place
    own = Calls(app_context.runner, decisions(place, Stand(place.institution, app_context.disputing), app_context.issuers))
    return await own.call(user, "POST", path, {}, {"by": user.name[:140], **body})


async def document(user: User, request: PageRequest) -> Response:
    """GET /console/disputes/{id}/documents/{documentId}: downloads a document of a defense."""
    path = f"/order/v1/banking/med/{request.values['id']}/defense/documents/{request.values['documentId']}"
    found = await user.console_context.calls.download(user, path)
    if isinstance(found, Refused):
        return shell.refused(user, STATUS[found.kind])
    return shell.download(found.body, found.media, found.headers)


async def read(kind: Kind, user: User, own: UUID) -> tuple[int, Any]:
    """Returns the API's answer about an object, or its row. The row serves where no operation reads the object."""
    if not kind.path or kind.name == "keys":
        async with company_page.session_of(user) as session:
            row = await store.row_of(session, company_page.company_of(user), kind.name, own)
        return (404, None) if row is None else (OK, row)
    path = kind.path
    if kind.is_of_account:
        async with company_page.session_of(user) as session:
            account_id = await store.account_of(session, company_page.company_of(user), kind.name, own)
        if account_id is None:
            return 404, None
        path = path.replace("{accountId}", str(account_id))
    return await user.call("GET", path.replace("{id}", str(own)))


async def _story(kind: Kind, user: User, own: UUID, say: Terms) -> tuple[list[TimelineStep], bool]:
    """Returns the steps of an object's timeline, and whether they are all. A company's own people see it as clients do."""
    company = company_page.company_of(user)
    is_ours = user.presence.person.only_company is None
    async with company_page.session_of(user) as session:
        root = Root(kind.root, own) if kind.root is not None else await _beginning(session, company, own)
        if root is None:
            return _moves(kind, await moves_of(session, company, [own]), say, is_ours=is_ours), True
        whole = await tell(session, company, root)
    if whole is None:
        return [], True
    told = whole if is_ours else for_clients(whole)
    return timeline.steps(told.entries, say, str(own)), told.is_whole


async def _beginning(session: Session, company_id: UUID, own: UUID) -> Any:
    """Returns the root of a refund's or an event's timeline; None for an account."""
    reference = await store.reference_of(session, company_id, own)
    roots = await by_id.beginnings(session, company_id, str(reference or own))
    return roots[0] if roots else None


def _moves(kind: Kind, rows: Sequence[Record], say: Terms, *, is_ours: bool) -> list[TimelineStep]:
    """Returns the moves of an object without a timeline, as steps."""
    steps, of = [], say.about(kind.thing)
    for row in rows:
        reason = row["reason"] if is_ours else reason_for_clients(kind.thing, row["trigger"], row["reason"])
        steps.append(timeline.moved(stamp(row["at"]), row["from_state"], row["to_state"], row["trigger"], reason, of))
    return steps


async def _names(user: User, kind: Kind, answer: Any, say: Terms) -> Mapping[str, str]:
    """Returns the names of the accounts and callers of an object's page."""
    tables = ((table.columns, rows_in(table, answer)) for table in kind.tables)
    return await naming.of_rows(user, ((kind.facts, (answer,)), *tables), say)


def _facts(kind: Kind, answer: Any, say: Terms, names: Mapping[str, str]) -> list[tuple[str, Cell]]:
    """Returns an object's facts: names of fields, and their cells."""
    shown = zip(kind.facts, cells(kind.facts, answer, say.about(kind.thing), names), strict=True)
    return [(column.name, cell) for column, cell in shown if cell.text]


def _tables(tables: Sequence[Table], answer: Any, say: Terms, names: Mapping[str, str]) -> list[Rows]:
    return [made for table in tables if (made := _rows(table, rows_in(table, answer), answer, say, names)).rows]


def rows_in(table: Table, answer: Any) -> Any:
    """Returns the rows of a table in an answer of the API."""
    rows = value_at(answer, table.path) or ()
    return rows if table.within is None else [{**one, "of": row} for row in rows for one in row[table.within]]


def _rows(table: Table, found: Any, answer: Any, say: Terms, names: Mapping[str, str] = MappingProxyType({})) -> Rows:
    currency = {"currency": answer.get("currency", "BRL")} if isinstance(answer, dict) else {}
    shown = tuple(
        (
            None if table.link is None else f"/console/{table.link.format_map(answer)}/{row[table.key]}",
            cells(table.columns, {**currency, **row}, say.about(table.title), names),
        )
        for row in found
    )
    return Rows(table.title, tuple(column.name for column in table.columns), shown)


async def _wrong(kind: Kind, user: User, own: UUID, answer: Any, say: Terms) -> list[dict[str, Any]]:
    """Returns the problems of a plan's first lines that cannot be paid."""
    if kind.name != "plans" or not answer["progress"]["unfit"]:
        return []
    status, said = await user.call("GET", f"/order/v1/banking/payout-plans/{own}/lines", planning.query_of(answer))
    return planning.rows_of(said["data"], say) if status == OK else []


async def _more(kind: Kind, user: User, own: UUID, say: Terms) -> list[Rows]:
    """Returns another operation's tables: a plan's lines, an account's movements, keys and balance."""
    if kind.name == "plans":
        status, answer = await user.call("GET", f"/order/v1/banking/payout-plans/{own}/lines", {"limit": "100"})
        return [_rows(LINES, answer["data"], {}, say)] if status == OK else []
    if kind.name == "accounts":
        status, answer = await user.call("GET", f"/order/v1/banking/accounts/{own}/statements", {"limit": "50"})
        moved = [_rows(MOVEMENTS, answer["data"], {}, say)] if status == OK else []
        status, answer = await user.call("GET", f"/order/v1/banking/accounts/{own}/limits")
        return [*([_rows(LIMITS, _limits(answer), {}, say)] if status == OK else []), *moved]
    return []


def _limits(answer: Any) -> list[dict[str, Any]]:
    """Returns a row for each method and period with a limit."""
    return [
        {"paymentMethod": of["paymentMethod"], "hours": hours, **of[period]}
        for of in answer["data"]
        for period, hours in (("day", "06:00-06:00"), ("night", "20:00-06:00"))
        if "limit" in of[period]
    ]
