"""The ledger's pages: accounts, holds, the trial balance, a booking's cause, a message's bytes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.api_kit.routes import as_id, stamp
from lastro.console import books, company_page, naming, shell
from lastro.console.terms import Terms
from lastro.console.timeline import PLACES
from lastro.core.money import Money
from lastro.timeline import by_id

if TYPE_CHECKING:
    from uuid import UUID

    from asyncpg import Record

    from lastro.api_kit.http import Response
    from lastro.console.shell import PageRequest, User
    from lastro.core.db import Session

HERE = "/console/ledger"
OK = 200
_SEALED = frozenset({"messages"})  # messages to people by mail and telephone: their identity, and the sources of codes
_TRIALS = asyncio.Semaphore(1)  # in this process: each adds up every booking of a company, and whoever reads may ask for it
_CREDIT_SIDE = frozenset({"CUST", "BLOCK", "FEE", "SUSP"})  # our debts and our own money: there a credit is more


async def show(user: User, request: PageRequest) -> Response:
    """GET /console/ledger: the company's accounts with their balances, a page at a time."""
    return await _page(user, request)


async def add_up(user: User, request: PageRequest) -> Response:
    """POST the same: adds the trial balance. A form, since no link or prefetch of a browser is to start so much work."""
    if _TRIALS.locked():
        return await _page(user, request, status=503, problem="trial.busy")
    async with _TRIALS, company_page.session_of(user) as session:
        trial = await books.trial(session, company_page.company_of(user))
    if trial is None:
        return await _page(user, request, status=503, problem="trial.slow")
    return await _page(user, request, trial=trial)


async def _page(
    user: User, request: PageRequest, *, status: int = OK, trial: list[Record] | None = None, problem: str | None = None
) -> Response:
    company = company_page.company_of(user)
    query = {"limit": "25", **({"cursor": request.query["cursor"]} if "cursor" in request.query else {})}
    found, answer = await user.call("GET", "/order/v1/banking/accounts", query)
    if found != OK:
        return shell.refused(user, found, answer)
    async with company_page.session_of(user) as session:
        balances = []
        for currency in ledger.CURRENCIES:
            ids = [i for one in answer["data"] if (i := as_id(one["id"])) is not None]
            had = await ledger.balances_of(session, company, ids, currency)
            balances.append((currency, {str(one.account_id): one for one in had}))
    rows = [
        (one, currency, of[one["id"]])
        for one in answer["data"]
        for currency, of in balances
        if _has_any(of[one["id"]], currency)
    ]
    return company_page.render(
        user, "ledger.html", HERE, status=status, rows=rows, next_cursor=answer.get("nextCursor"), problem=problem,
        seconds=books.TRIAL_SECONDS,
        trial=None if trial is None else [_line(row) for row in trial], sums=None if trial is None else _sums(trial),
    )  # fmt: skip


def _has_any(balance: ledger.Balance, currency: str) -> bool:
    """Tells whether a balance's line is shown: in reais always."""
    return currency == "BRL" or any(one.minor for one in (balance.available, balance.held, balance.blocked, balance.owed))


def _line(row: Record) -> dict[str, Any]:
    """Returns a line of the trial balance. balance: on its usual side."""
    currency, is_credit = row["currency"], row["code"] in _CREDIT_SIDE
    balance = row["credit"] - row["debit"] if is_credit else row["debit"] - row["credit"]
    return {
        "code": row["code"], "accounts": row["accounts"], "debit": Money(row["debit"], currency),
        "credit": Money(row["credit"], currency), "balance": Money(balance, currency), "is_credit": is_credit,
    }  # fmt: skip


def _sums(rows: list[Record]) -> list[tuple[Money, Money]]:
    """Returns the sums of debits and credits of each currency. They are the same, or the books are broken."""
    currencies = sorted({row["currency"] for row in rows})
    found = []
    for currency in currencies:
        own = [row for row in rows if row["currency"] == currency]
        debit, credit = sum(row["debit"] for row in own), sum(row["credit"] for row in own)
        found.append((Money(debit, currency), Money(credit, currency)))
    return found


async def account(user: User, request: PageRequest) -> Response:
    """GET /console/ledger/accounts/{id}: an account's balances and holds."""
    own, company = as_id(request.values["id"]), company_page.company_of(user)
    status, answer = (404, None) if own is None else await user.call("GET", f"/order/v1/banking/accounts/{own}")
    if status != OK or own is None:
        return shell.refused(user, status, answer)
    async with company_page.session_of(user) as session:
        found = []
        for currency in ledger.CURRENCIES:
            (balance,) = await ledger.balances_of(session, company, [own], currency)
            held = await books.holds(session, company, ledger.customer(company, own, currency).id)
            found.append((currency, balance, [_hold(row) for row in held]))
    return company_page.render(
        user, "ledger-account.html", HERE, account=answer, among=books.HOLDS_AMONG,
        found=[one for one in found if one[2] or _has_any(one[1], one[0])],
    )  # fmt: skip


def _hold(row: Record) -> dict[str, Any]:
    amount = Money(row["amount_minor"], row["currency"])
    return {
        "id": row["id"],
        "type": row["type"],
        "amount": amount,
        "at": row["created_at"],
        "reference": row["reference_id"],
    }


async def transfer(user: User, request: PageRequest) -> Response:
    """GET /console/ledger/transfers/{id}: one booking and its cause."""
    own, company = as_id(request.values["id"]), company_page.company_of(user)
    async with company_page.session_of(user) as session:
        row = None if own is None else await books.transfer(session, company, own)
        cause = None if row is None else await _cause(session, company, row["reference_id"])
    if row is None:
        return shell.not_found(user)
    ids = [str(one) for one in (row["debit_account"], row["credit_account"]) if one is not None]
    return company_page.render(
        user, "transfer.html", HERE, row=row, amount=Money(row["amount_minor"], row["currency"]), cause=cause,
        at=stamp(row["created_at"]), names=await naming.of_accounts(user, ids, Terms(user.language)),
    )  # fmt: skip


async def _cause(session: Session, company_id: UUID, reference: UUID) -> tuple[str, str] | None:
    """Returns the object that a booking was made for, and its page."""
    roots = await by_id.beginnings(session, company_id, str(reference))
    return next(((root.thing, f"/console/{PLACES[root.thing]}/{root.id}") for root in roots if root.thing in PLACES), None)


async def message(user: User, request: PageRequest) -> Response:
    """GET /console/messages/{direction}/{id}: a message to or from a network, byte for byte but for secrets."""
    own, direction, company = as_id(request.values["id"]), request.values["direction"], company_page.company_of(user)
    if own is None or direction not in books.MESSAGES:
        return shell.not_found(user)
    async with company_page.session_of(user) as session:
        row = await books.message(session, company, direction, own)
    if row is None:
        return shell.not_found(user)
    body = None if row["rail"] in _SEALED else company_page.told(row["body"])
    return company_page.render(user, "message.html", HERE, row=row, direction=direction, body=body, size=len(row["body"]))
