"""The HTTP operations of accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.accounts.actions import ReadBalance
from lastro.base.api import NOT_FOUND, Doc, Incoming, Query, Route, as_id
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.money import DECIMALS
from lastro.base.paging import read_timestamp

if TYPE_CHECKING:
    from lastro.base.run import Verb


def routes() -> tuple[Route, ...]:
    """The room's operations."""
    return (
        Route(
            "GET", "/order/v2/account/balance", "read_balance", "accounts:read", _balance, Doc("Read balances"),
            queries=(
                Query("accountId", "One account; without it the company's total and each account.", {"type": "string"}),
                Query("currency", "BRL where nothing is said.", {"type": "string", "default": "BRL"}),
                Query("asOf", "A moment in the past, ISO 8601; now where nothing is said.", {"type": "string"}),
            ),
        ),
    )  # fmt: skip


def _balance(incoming: Incoming) -> Verb[Any] | Refused:
    problems: list[Problem] = []
    currency = incoming.query.get("currency", "BRL")
    if currency not in DECIMALS:
        problems.append(Problem("currency", "INVALID", "is not one of the values the interface names"))
    as_of = None
    text = incoming.query.get("asOf")
    if text is not None:
        as_of = read_timestamp(text)
        if as_of is None:
            problems.append(
                Problem("asOf", "INVALID", "must be an ISO 8601 time with its offset, such as 2026-01-31T12:00:00Z")
            )
    if problems:
        return Refused(Kind.INVALID, tuple(problems))
    account_text = incoming.query.get("accountId")
    account_id = as_id(account_text)
    if account_text is not None and account_id is None:
        return NOT_FOUND
    return ReadBalance(account_id, currency, as_of)
