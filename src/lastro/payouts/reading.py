"""Reads a request's body as a payout, or lists all its problems."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from lastro.api_kit import forms
from lastro.api_kit.routes import as_id
from lastro.payouts import rules
from lastro.payouts.forms import CreatePayout
from lastro.payouts.model import BankAccount, PayeePerson, PayoutWish
from lastro.standards import pix_keys

if TYPE_CHECKING:
    from lastro.core.errors import Problem
    from lastro.core.money import Money

_NOBODYS = UUID(int=0)  # a text that is no id is treated as an unknown id


def read_wish(raw: bytes) -> tuple[PayoutWish | None, list[Problem]]:
    """Returns the payout that a body asks for, or its problems.

    All that can be known, in the form's order. raw: a JSON object that forms.parsed has accepted.
    """
    form, problems = forms.read(raw, CreatePayout)
    problems += rules.form_problems(form, {problem.field for problem in problems})
    amount = forms.money(form.amount, "amount", problems)
    if problems:
        return None, list(forms.in_order(problems, CreatePayout))
    assert amount is not None
    return _wish(form, amount), []


def _wish(form: CreatePayout, amount: Money) -> PayoutWish:
    account_id = as_id(form.account_id) or _NOBODYS
    data, receiver = form.payment_data, form.receiver
    person = place = None
    if receiver is not None:
        person = PayeePerson(receiver.name, receiver.document.type, receiver.document.number.upper())
    if (bank := data.bank_account) is not None:
        compe = None if bank.bank_number is None else bank.bank_number.zfill(3)
        place = BankAccount(bank.ispb, compe, bank.account_type, bank.branch_number.zfill(4), bank.account_number)
    key, qr = data.pix_key, data.qrcode_data
    return PayoutWish(
        form.external_id, account_id, form.payment_method, amount, form.description, person,
        None if key is None else pix_keys.canonical(key), None if qr is None else qr.strip(), place, form.scheduled_date,
        bool(form.allow_duplicate),
    )  # fmt: skip
