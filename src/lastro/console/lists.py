"""Lists: the API's own, with its filters and its cursor, as tables. A page shows one answer of the API."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lastro.api_kit.routes import Query, Route
    from lastro.console.terms import Terms

ROWS = 50  # of a page
_OF_PAGES = frozenset({"limit", "cursor", "page"})  # the console's own parameters
_NOBODY: Final[Mapping[str, str]] = MappingProxyType({})
_LONGEST = 200  # characters of a filter that are passed on

CellKind = Literal[
    "id", "text", "code", "money", "state", "moment", "day", "count", "flag", "span", "party", "word", "document", "account",
    "caller",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """name: of the field's term. path: where it stands in a row of the answer. link: the place of the object it names."""

    name: str
    path: str
    kind: CellKind = "text"
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list. name: of its page and its term. path: of the API's operation; {accountId}: it is of an account that is chosen.

    one: where the page of a row is, made with its id; None: a row has no page. key: the field of a row that is its id.
    whole: filters and their words by which the API shows all of it, where it leaves some out by itself.
    """

    name: str
    path: str
    columns: tuple[Column, ...]
    one: str | None
    key: str = "id"
    whole: tuple[tuple[str, str], ...] = ()

    @property
    def is_of_account(self) -> bool:
        """True where an account is chosen first."""
        return "{accountId}" in self.path


_STATUS, _CREATED = Column("status", "status", "state"), Column("createdAt", "createdAt", "moment")
_AMOUNT, _CODE = Column("amount", "amount", "money"), Column("externalId", "externalId", "code")

LISTINGS: tuple[Listing, ...] = (
    Listing(
        "orders", "/order/v2/transparent",
        (_CREATED, Column("customer", "customer"), _CODE, Column("description", "description"),
         Column("paymentMethod", "paymentMethod", "word"), _STATUS,
         Column("finalAmount", "finalAmount", "money"), Column("paidAt", "paidAt", "moment")),
        "orders",
    ),
    Listing(
        "payouts", "/order/v1/banking/order-payouts",
        (_CREATED, _AMOUNT, Column("receiver", "receiver", "party"), _STATUS, Column("fee", "fee", "money"),
         Column("balanceAfter", "balanceAfter", "money"), Column("paymentMethod", "paymentMethod", "word"), _CODE,
         Column("description", "description"), Column("paidAt", "paidAt", "moment")),
        "payouts",
    ),
    Listing(
        "plans", "/order/v1/banking/payout-plans",
        (_CREATED, Column("id", "id", "id"), _STATUS, Column("lines", "lines", "count"),
         Column("approvalsRequired", "approvalsRequired", "count"), Column("expiresAt", "expiresAt", "moment")),
        "plans",
    ),
    Listing(
        "subscriptions", "/order/v1/banking/subscriptions",
        (_CREATED, _CODE, Column("payer", "debtor.name"), Column("frequencyType", "frequencyType", "word"), _STATUS,
         Column("amount", "fixedAmount", "money"), Column("startDate", "startDate", "day")),
        "subscriptions",
    ),
    Listing(
        "refunds", "/order/v1/banking/order-refunds",
        (_CREATED, _CODE, Column("orderId", "orderId", "id", "orders"), Column("refundCode", "refundCode", "word"), _STATUS,
         _AMOUNT),
        "refunds",
    ),
    Listing(
        "foreign", "/order/v1/banking/foreign-payments",
        (_CREATED, Column("connection", "connection", "code"), Column("endToEndId", "endToEndId", "code"), _AMOUNT,
         Column("paidAt", "paidAt", "moment"), _STATUS, Column("reason", "reason", "word"),
         Column("orderId", "orderId", "id", "orders")),
        "foreign",
    ),
    Listing(
        "disputes", "/order/v1/banking/med",
        (_CREATED, Column("objectType", "objectType", "word"), Column("role", "role", "word"),
         Column("endToEndId", "endToEndId", "code"), _STATUS, _AMOUNT, Column("deadline", "deadline", "moment")),
        "disputes", "referenceId",
    ),
    Listing(
        "accounts", "/order/v1/banking/accounts",
        (_CREATED, Column("accountNumber", "bankAccountData.accountNumber", "code"), Column("fullName", "fullName"),
         Column("document", "document.number", "document"), _STATUS),
        "accounts",
    ),
    Listing(
        "keys", "/order/v1/banking/accounts/{accountId}/keys",
        (_CREATED, Column("type", "type", "word"), Column("key", "key", "code"), Column("possedAt", "possedAt", "moment")),
        "keys",
    ),
    Listing(
        "claims", "/order/v1/banking/accounts/{accountId}/keys/claims",
        (_CREATED, Column("claimType", "claimType", "word"), Column("role", "role", "word"), Column("key", "key", "code"),
         _STATUS, Column("otherBank", "otherBank", "code")),
        "claims",
    ),
    Listing(
        "events", "/order/v1/webhook/events",
        (_CREATED, Column("id", "id", "id"), Column("referenceId", "referenceId", "id"),
         Column("webhookUrl", "webhookUrl", "code"), _STATUS, Column("updatedAt", "updatedAt", "moment")),
        "events", whole=(("status", "ALL"),),
    ),
)  # fmt: skip
BY_NAME = {one.name: one for one in LISTINGS}


@dataclass(frozen=True, slots=True)
class Field:
    """A filter as the form shows it. choices: its words and how they read; empty: it is typed. kind: of the input."""

    name: str
    label: str
    value: str
    kind: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """text: as it is read. kind: of its column. tone: of a status. link: where it leads.

    lines: what stands below it in small letters. mark: what is to be noticed of it.
    """

    text: str
    kind: str
    tone: str = ""
    link: str | None = None
    exact: str = ""
    lines: tuple[str, ...] = ()
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of a list. next_link: of the next page."""

    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    next_link: str | None
    total: int | None = None


def fields_of(route: Route, given: Mapping[str, str], say: Terms) -> tuple[Field, ...]:
    """Returns the operation's filters with their present values."""
    return tuple(_field(query, given.get(query.name, ""), say) for query in route.queries if query.name not in _OF_PAGES)


def _field(query: Query, value: str, say: Terms) -> Field:
    label = say.field(query.name) if query.name != "sort" else say("list.sort")
    if query.name == "accountId":
        return Field(query.name, label, value, "account")
    choices = tuple(query.schema.get("enum", ()))
    if not choices:
        return Field(query.name, label, value, "date" if _is_day(query) else "text")
    read = {"sort": "list", "onlyPending": "list"}.get(query.name)
    # The list shows everything without a choice.
    shown = tuple(
        (word, say(f"{read}.{word}") if read else _word(word, query.name, say)) for word in choices if word != "ALL"
    )
    return Field(query.name, label, value, "choice", shown)


def _is_day(query: Query) -> bool:
    """Tells whether a filter takes a day: the browser then shows a calendar."""
    return any(one.get("format") == "date" for one in (query.schema, *query.schema.get("anyOf", ())))


def _word(word: str, field: str, say: Terms) -> str:
    """Returns a choice in words, and as the API has it."""
    said = say.state(word) if field == "status" else say.word(word)
    return said if said == word else f"{said} ({word})"


def asked_of(route: Route, given: Mapping[str, str]) -> dict[str, str]:
    """Returns the API's query for a submitted form. Its own parameters, those left empty left out, and so many rows."""
    known = {query.name for query in route.queries}
    request = {name: text.strip()[:_LONGEST] for name, text in given.items() if name in known and text.strip()}
    return {**request, "limit": str(ROWS)} if "limit" in known else request


def shown(
    listing: Listing, answer: Mapping[str, Any], request: Mapping[str, str], say: Terms, base: str,
    rows: Iterable[Mapping[str, Any]] | None = None,
) -> ListPage:  # fmt: skip
    """Returns an answer of the API as a table.

    base: the page's own path, to which the link of the next page leads. rows: its rows with what the console knows beside
    them; None: as they were answered.
    """
    found = answer["data"] if rows is None else rows
    lines = tuple((_link(listing, row) or "", tuple(_cell(column, row, say) for column in listing.columns)) for row in found)
    return ListPage(lines, _next(answer, request, base), answer.get("total"))


def _next(answer: Mapping[str, Any], request: Mapping[str, str], base: str) -> str | None:
    """Returns the link of the next page: the API's cursor, or page number."""
    kept = {name: text for name, text in request.items() if name not in _OF_PAGES}
    if not answer.get("hasNext"):
        return None
    more = {"cursor": answer["nextCursor"]} if answer.get("nextCursor") else {"page": str(int(answer.get("page", 1)) + 1)}
    return f"{base}?{urlencode({**kept, **more})}"


def _link(listing: Listing, row: Mapping[str, Any]) -> str | None:
    return None if listing.one is None else f"/console/{listing.one}/{row[listing.key]}"


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Returns the value at a path of an answer; None where there is nothing."""
    found: Any = row
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def cells(
    columns: Iterable[Column], row: Mapping[str, Any], say: Terms, names: Mapping[str, str] = _NOBODY
) -> tuple[Cell, ...]:
    """Returns a row of an answer as its columns show it. names: of accounts and callers, by id."""
    return tuple(_cell(column, row, say, names) for column in columns)


def _cell(column: Column, row: Mapping[str, Any], say: Terms, names: Mapping[str, str] = _NOBODY) -> Cell:
    value = value_at(row, column.path)
    if column.kind == "party":
        return party(value, say)
    link = f"/console/{column.link}/{value}" if column.link is not None and value is not None else None
    if column.kind in ("account", "caller") and value:
        return Cell(names.get(str(value), str(value)), column.kind, "", link)
    text, tone = written(value, column.kind, row.get("currency", "BRL"), say)
    return Cell(text, column.kind, tone, link, str(value) if column.kind == "moment" and value else "")


def party(value: Mapping[str, Any] | None, say: Terms) -> Cell:
    """Returns the cell of a party: name, document, and key or account.

    value: as payouts name their receivers, orders their payers, or lines of plans whom they pay.
    """
    if not value:
        return Cell("", "party")
    document, bank = value.get("document"), value.get("bank") or value
    number = (
        say.document(document)
        if isinstance(document, str)
        else f"{document['type']} {say.document(document['number'])}".strip()
        if document
        else ""
    )
    key = value_at(bank, "pix.key") or bank.get("pixKey")
    ispb = f"ISPB {bank['ispb']}" if bank.get("ispb") else ""
    institution = ", ".join(filter(None, (bank.get("name") if bank is not value else "", ispb)))
    account = say("party.account", branch=bank.get("branch") or "", account=bank["account"]) if bank.get("account") else ""
    lines = (number, say("party.key", key=key) if key else "", institution, account)
    return Cell(
        str(value.get("name") or ""), "party", lines=tuple(filter(None, lines)),
        mark=say("party.first") if value.get("isFirst") else "",
    )  # fmt: skip


def written(value: Any, kind: str, currency: str, say: Terms) -> tuple[str, str]:
    """Formats a value, and returns its tone."""
    if value is None or value == "":
        return "", ""
    if kind == "money":
        return say.paid(value, currency), ""
    if kind == "state":
        return say.state(value), say.tone(value)
    writers: Mapping[str, Callable[[Any], str]] = {
        "word": say.word, "document": lambda one: say.document(str(one)), "moment": say.moment,
        "day": lambda one: say.date(str(one)), "count": lambda one: say.number(int(one)),
        "span": lambda one: say.span(int(one)), "flag": lambda one: say("yes") if one else say("no"),
    }  # fmt: skip
    return writers.get(kind, str)(value), ""
