"""The HTTP operations of accounts."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.accounts import docs
from lastro.accounts.actions import ListAccounts, ReadAccount, ReadBalance, ReadCompanyBalance
from lastro.accounts.model import ACCOUNT_TYPES, PAYMENT, STATUSES, AccountFilter
from lastro.accounts.problems import AS_OF_INVALID, CURRENCY_INVALID, DOCUMENT_FILTER_INVALID, FULL_NAME_INVALID
from lastro.accounts.statements import routes as of_statements
from lastro.api_kit.paging import page_queries, read_choice, read_page, read_text, read_timestamp, text_schema
from lastro.api_kit.routes import NOT_FOUND, Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused, one_of
from lastro.core.money import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.accounts.model import Institution
    from lastro.core.runner import Verb

_PATH = "/order/v1/banking/accounts"
_LARGEST_PAGE = 100
_LONGEST_DOCUMENT = 32
_LONGEST_EMAIL = 77
_LONGEST_NAME = 140

# Digits of any document; or a CNPJ, whose first twelve places may hold letters (IN RFB 2.229/2024). Check digits are not
# looked at: an impossible number finds no account.
_DOCUMENT = re.compile(r"[0-9]+|[0-9A-Za-z]{12}[0-9]{2}")
_ACCENTS = re.compile("[\u0300-\u036f]")  # the marks that folded() of the schema takes away
_NOT_ACCENTS_ALONE = {"allOf": [{"pattern": r"[^\u0300-\u036f]"}]}
_FILTERS = (
    Query("status", "Accounts of this status.", {"type": "string", "enum": list(STATUSES)}),
    Query("document", "The holder's document, the whole number without punctuation; a CNPJ may have letters.",
          {"type": "string", "minLength": 1, "maxLength": _LONGEST_DOCUMENT,
           "pattern": "^([0-9]+|[0-9A-Za-z]{12}[0-9]{2})$"}),
    Query("email", "A part of the holder's e-mail, capitals or not.",
          text_schema(_LONGEST_EMAIL) | _NOT_ACCENTS_ALONE),
    Query("fullName", "A part of the person's or company's name, with or without its accents and capitals.",
          text_schema(_LONGEST_NAME) | _NOT_ACCENTS_ALONE),
)  # fmt: skip
_BALANCE = (
    Query("accountId", "One account; without it the company's total and each account.", {"type": "string"}),
    Query("currency", "BRL where nothing is said.", {"type": "string", "enum": sorted(DECIMALS), "default": "BRL"}),
    Query("asOf", "A moment in the past, ISO 8601; now where nothing is said.", {"type": "string", "format": "date-time"}),
)

_OF_COMPANY = (
    Query("accountType", "Of which accounts; PAYMENT where nothing is said.",
          {"type": "string", "enum": list(ACCOUNT_TYPES), "default": PAYMENT}),
)  # fmt: skip


@dataclass(frozen=True)
class _AccountHandlers:
    institution: Institution

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/accounts."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems, largest=_LARGEST_PAGE)
        wanted = _wanted(incoming.query, problems)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return ListAccounts(wanted, page, self.institution)

    def read(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/accounts/{id}."""
        account_id = incoming.id("id")
        return NOT_FOUND if account_id is None else ReadAccount(account_id, self.institution)


def routes(institution: Institution) -> tuple[Route, ...]:
    """Returns the operations on accounts. institution: its ISPB and COMPE number are the accounts'."""
    handlers = _AccountHandlers(institution)
    return (
        Route(
            "GET", _PATH, "list_accounts", "accounts:read", handlers.list, docs.LIST,
            queries=(*_FILTERS, *page_queries(_LARGEST_PAGE)),
        ),
        Route("GET", _PATH + "/{id}", "read_account", "accounts:read", handlers.read, docs.READ),
        Route(
            "GET", "/order/v2/account/balance", "read_balance", "accounts:read", _balance, docs.BALANCE, queries=_BALANCE,
        ),
        Route(
            "GET", "/account/v1/holder/company/balance", "read_company_balance", "accounts:read", _company_balance,
            docs.COMPANY_BALANCE, queries=_OF_COMPANY,
        ),
        *of_statements(institution),
    )  # fmt: skip


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> AccountFilter:
    """Reads the filters of a query, and adds their problems to `problems`."""
    status = read_choice(query, "status", STATUSES, problems)
    document = read_text(query, "document", _LONGEST_DOCUMENT, problems)
    if document is not None and not _DOCUMENT.fullmatch(document):
        problems.append(DOCUMENT_FILTER_INVALID.problem())
    email = _part(query, "email", _LONGEST_EMAIL, problems)
    full_name = _part(query, "fullName", _LONGEST_NAME, problems)
    return AccountFilter(status, document and document.upper(), email, full_name)


def _part(query: Mapping[str, str], name: str, longest: int, problems: list[Problem]) -> str | None:
    text = read_text(query, name, longest, problems)
    # Folded it would be empty, and so match everything.
    if text is not None and not _ACCENTS.sub("", unicodedata.normalize("NFD", text)):
        problems.append(FULL_NAME_INVALID.problem(name))
    return text


def _balance(incoming: Incoming) -> Verb[Any] | Refused:
    problems: list[Problem] = []
    currency = incoming.query.get("currency", "BRL")
    if currency not in DECIMALS:
        problems.append(CURRENCY_INVALID.problem(why=one_of(sorted(DECIMALS))))
    as_of = None
    text = incoming.query.get("asOf")
    if text is not None:
        as_of = read_timestamp(text)
        if as_of is None:
            problems.append(AS_OF_INVALID.problem())
    if problems:
        return Refused(Kind.INVALID, tuple(problems))
    account_text = incoming.query.get("accountId")
    account_id = as_id(account_text)
    if account_text is not None and account_id is None:
        return NOT_FOUND
    return ReadBalance(account_id, currency, as_of)


def _company_balance(incoming: Incoming) -> Verb[Any] | Refused:
    problems: list[Problem] = []
    account_type = read_choice(incoming.query, "accountType", ACCOUNT_TYPES, problems) or PAYMENT
    return Refused(Kind.INVALID, tuple(problems)) if problems else ReadCompanyBalance(account_type)
