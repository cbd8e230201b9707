"""The HTTP operations of payouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.base import forms
from lastro.base.api import Incoming, Query, Route, as_id
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.paging import PAGING, read_choice, read_page, read_text, text_schema
from lastro.payouts import docs, rules
from lastro.payouts.actions.cancel import Cancel
from lastro.payouts.actions.create import Create
from lastro.payouts.actions.list import List
from lastro.payouts.actions.read import Read
from lastro.payouts.forms import CreatePayout
from lastro.payouts.model import STATUSES, Person, Place, Wanted, Wish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.base.money import Money
    from lastro.base.run import Verb
    from lastro.payouts.actions.finding import Ways

_PATH = "/order/v1/banking/order-payouts"
_LONGEST_EXTERNAL_ID = 64
_LONGEST_END_TO_END_ID = 32
_FILTERS = (
    Query("status", "Payouts of this status.", {"type": "string", "enum": list(STATUSES)}),
    Query("externalId", "The payout of this code of yours, exactly.", text_schema(_LONGEST_EXTERNAL_ID)),
    Query("accountId", "Payouts from this account.", {"type": "string"}),
    Query("endToEndId", "The payout whose transfer, or one of them, has this id in Pix.",
          text_schema(_LONGEST_END_TO_END_ID)),
)  # fmt: skip


@dataclass(frozen=True)
class _Desk:
    ways: Ways

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/order-payouts."""
        form, problems = forms.read(incoming.raw, CreatePayout)
        problems += rules.form_problems(form)
        amount = forms.money(form.amount, "amount", problems)
        account_id = as_id(form.account_id)
        if form.account_id is not None and account_id is None:
            problems.append(Problem("accountId", "INVALID", "is no account of this company"))
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CreatePayout))
        assert amount is not None
        assert account_id is not None
        assert incoming.key is not None
        return Create(_wish(form, amount), incoming.key, self.ways)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/order-payouts/{id}."""
        return Read(incoming.id("id"))

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/order-payouts."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        wanted = _wanted(incoming.query, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else List(wanted, page)

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v1/banking/order-payouts/{id}/cancel."""
        return Cancel(incoming.id("id"), self.ways.institution)


def routes(ways: Ways) -> tuple[Route, ...]:
    """The room's operations."""
    desk = _Desk(ways)
    return (
        Route(
            "POST", _PATH, "create_payout", "payouts:write", desk.create, docs.CREATE, success=201, key="required",
        ),
        Route("GET", _PATH, "list_payouts", "payouts:read", desk.list, docs.LIST, queries=(*_FILTERS, *PAGING)),
        Route("GET", _PATH + "/{id}", "read_payout", "payouts:read", desk.read, docs.READ),
        Route(
            "POST", _PATH + "/{id}/cancel", "cancel_payout", "payouts:write", desk.cancel, docs.CANCEL, key="optional",
        ),
    )  # fmt: skip


def _wish(form: CreatePayout, amount: Money) -> Wish:
    account_id = as_id(form.account_id)
    assert account_id is not None
    data, receiver = form.payment_data, form.receiver
    person = place = None
    if receiver is not None:
        person = Person(receiver.name, receiver.document.type, receiver.document.number.upper())
    if (bank := data.bank_account) is not None:
        compe = None if bank.bank_number is None else bank.bank_number.zfill(3)
        place = Place(bank.ispb, compe, bank.account_type, bank.branch_number.zfill(4), bank.account_number)
    key = data.pix_key
    return Wish(
        form.external_id, account_id, form.payment_method, amount, form.description, person,
        key.lower() if key is not None and "@" in key else key, data.qrcode_data, place, form.scheduled_date,
        bool(form.allow_duplicate),
    )  # fmt: skip


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> Wanted | None:
    """The filters of a list; whatever is wrong is added to `problems`. None: it names an account by what is no id."""
    status = read_choice(query, "status", STATUSES, problems)
    external_id = read_text(query, "externalId", _LONGEST_EXTERNAL_ID, problems)
    end_to_end_id = read_text(query, "endToEndId", _LONGEST_END_TO_END_ID, problems)
    account_id = as_id(query.get("accountId"))
    if "accountId" in query and account_id is None:
        return None
    return Wanted(status, external_id, account_id, end_to_end_id)
