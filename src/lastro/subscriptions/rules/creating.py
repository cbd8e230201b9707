"""The checks of a create: its form, and the accounts that it names."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lastro.api_kit import forms
from lastro.http_client.addresses import url_problem
from lastro.standards.documents import is_document
from lastro.standards.pix_keys import canonical
from lastro.standards.recurrence_payload import MAX_CONTRACT, MAX_PURPOSE
from lastro.subscriptions import problems as refusals
from lastro.subscriptions.model import TYPES, NamedParty, SubscriptionTerms, SubscriptionWish

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.errors import Problem
    from lastro.subscriptions.forms import CreateSubscription, DebtorForm, PayerForm

_JOURNEY_2, _JOURNEY_3 = TYPES
_LAST_DAY = date(9999, 12, 30)  # the day after it is the last one that a calendar of ours has


def create_problems(form: CreateSubscription, today: date, *, sandbox: bool) -> list[Problem]:
    """Returns the problems of a create that need no look-up. The form of single fields is not checked here.

    today: the civil day in Brasilia. sandbox: a webhookUrl may be http and on this machine.
    """
    problems: list[Problem] = []
    code = form.external_id
    if code is not None and (not code.isprintable() or code != code.strip()):
        problems.append(refusals.EXTERNAL_ID_INVALID.problem())
    if form.webhook_url is not None and (wrong := url_problem(form.webhook_url, sandbox=sandbox)):
        problems.append(refusals.WEBHOOK_URL_INVALID.problem(why=wrong))
    problems += _period_problems(form.start_date, form.end_date, today)
    problems += _amount_problems(form)
    problems += _person_problems("debtor", form.debtor)
    problems += _person_problems("payer", form.payer)
    problems += _charge_problems(form)
    return problems


def _period_problems(starts_on: date | None, ends_on: date | None, today: date) -> list[Problem]:
    problems = [] if starts_on is None else start_problems(starts_on, today)
    if starts_on is not None and ends_on is not None and ends_on <= starts_on:
        problems.append(refusals.END_DATE_OUT_OF_RANGE.problem(why="must be later than startDate"))
    if ends_on is not None and ends_on > _LAST_DAY:
        problems.append(refusals.END_DATE_OUT_OF_RANGE.problem(why=f"must not be later than {_LAST_DAY}"))
    return problems


def start_problems(starts_on: date, today: date) -> list[Problem]:
    """Returns the problem of a start date that is past. today: the civil day in Brasilia."""
    if starts_on >= today:
        return []
    return [refusals.START_DATE_OUT_OF_RANGE.problem()]


def _amount_problems(form: CreateSubscription) -> list[Problem]:
    problems: list[Problem] = []
    if form.fixed_amount is not None and form.max_amount_floor is not None:
        problems += [refusals.AMOUNTS_EXCLUSIVE.problem(field) for field in ("fixedAmount", "maxAmountFloor")]
    if form.auto_schedule and form.fixed_amount is None:
        problems.append(refusals.AUTO_SCHEDULE_NOT_ALLOWED.problem())
    forms.money(form.fixed_amount, "fixedAmount", problems)
    forms.money(form.max_amount_floor, "maxAmountFloor", problems)
    return problems


def _person_problems(field: str, person: DebtorForm | PayerForm | None) -> list[Problem]:
    document = None if person is None else person.document
    if document is None or document.type is None or document.number is None:
        return []
    if is_document(document.type, document.number.upper()):
        return []
    return [refusals.DOCUMENT_NUMBER_INVALID.problem(f"{field}.document.number", type=document.type)]


def _charge_problems(form: CreateSubscription) -> list[Problem]:
    charge = form.initial_charge
    if form.type == _JOURNEY_3 and charge is None:
        return [refusals.INITIAL_CHARGE_REQUIRED.problem(journey_3=_JOURNEY_3)]
    if form.type == _JOURNEY_2 and charge is not None:
        # It would silently never be charged (contract.md §10).
        return [refusals.INITIAL_CHARGE_NOT_ALLOWED.problem(journey_3=_JOURNEY_3)]
    problems: list[Problem] = []
    if charge is not None:
        forms.money(charge.amount, "initialCharge.amount", problems)
    return problems


def wish_of(form: CreateSubscription, account_id: UUID) -> SubscriptionWish:
    """Returns the wish of a create. form: one without problems."""
    ignored: list[Problem] = []
    terms = SubscriptionTerms(
        frequency=form.frequency_type, starts_on=form.start_date, ends_on=form.end_date,
        fixed=forms.money(form.fixed_amount, "fixedAmount", ignored),
        floor=forms.money(form.max_amount_floor, "maxAmountFloor", ignored),
        charges_after_due=form.allow_charge_after_due_date, adjusts=form.allow_adjust_to_business_day,
        is_automatic=bool(form.auto_schedule),
    )  # fmt: skip
    charge = form.initial_charge
    return SubscriptionWish(
        external_id=form.external_id, account_id=account_id, type=form.type, terms=terms, debtor=_person(form.debtor),
        webhook_url=form.webhook_url, description=form.description,
        payer=None if form.payer is None else _person(form.payer),
        charge=None if charge is None else forms.money(charge.amount, "initialCharge.amount", ignored),
        charge_key=None if charge is None else canonical(charge.pix_key),
    )  # fmt: skip


def _person(form: DebtorForm | PayerForm) -> NamedParty:
    return NamedParty(form.name, form.document.type, form.document.number.upper())


def account_problems(wish: SubscriptionWish, account: Account, key_account_id: UUID | None) -> list[Problem]:
    """Returns the problems of a create with the account to be paid.

    key_account_id: the company's account that has initialCharge.pixKey; None where none has.
    """
    problems = []
    # Pix Automático is received by legal persons alone (domain.md §3.3).
    if account.holder.type != "ORGANIZATION":
        problems.append(refusals.ACCOUNT_ID_NOT_ALLOWED.problem(why="the account's holder is not an organization"))
    elif not account.is_active:
        problems.append(refusals.ACCOUNT_ID_NOT_ALLOWED.problem(why="the account is not active"))
    if wish.charge_key is not None and key_account_id is None:
        problems.append(refusals.PIX_KEY_INVALID.problem())
    elif wish.charge_key is not None and key_account_id != account.id:
        problems.append(refusals.PIX_KEY_MISMATCH.problem())
    return problems


def contract_of(external_id: str, subscription_id: UUID) -> str:
    """Returns the contract's id in the network. It is the client's code where it fits, else our id in 32 hex digits."""
    return external_id if len(external_id) <= MAX_CONTRACT else subscription_id.hex


def purpose_of(description: str | None) -> str | None:
    """Returns the part of the description that the payer reads."""
    return None if description is None else description[:MAX_PURPOSE]
