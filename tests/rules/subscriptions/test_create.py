"""What is wrong with a create before and after the accounts are asked: as tables, one line a request."""

from collections import deque
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro.accounts import Account, Holder, Institution
from lastro.api_kit import forms
from lastro.orders import Destinations, Installation
from lastro.subscriptions.actions.create import CreateSubscriptionContext, Ground, MakeSubscription
from lastro.subscriptions.forms import CancelSubscription, CreateSubscription, RetryPayment, SchedulePayment
from lastro.subscriptions.model import NamedParty, SubscriptionTerms, SubscriptionWish
from lastro.subscriptions.rules.creating import account_problems, contract_of, create_problems, purpose_of, wish_of

from .values import brl

TODAY = date(2026, 11, 23)
J2, J3 = "AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"
TEN = {"currency": "BRL", "value": "10.00"}
ANA = {"document": {"type": "CPF", "number": "12345678909"}, "name": "Ana"}
CHARGE = {"pixKey": "Loja@Ana.Example", "amount": TEN}
FIXED_TERMS = SubscriptionTerms(frequency="MONTHLY", starts_on=date(2026, 12, 10), fixed=brl("10"))


def asked(kind: str = J2, **changes: Any) -> dict[str, Any]:
    body = {
        "accountId": "a", "type": kind, "allowChargeAfterDueDate": True, "allowAdjustToBusinessDay": False,
        "frequencyType": "MONTHLY", "startDate": "2026-12-10", "debtor": ANA, "webhookUrl": "https://ana.example/hook",
        "externalId": "contract-12", "initialCharge": CHARGE if kind == J3 else None, **changes,
    }  # fmt: skip
    return {k: v for k, v in body.items() if v is not None}


def read(body: dict[str, Any]) -> tuple[CreateSubscription, list[Any]]:
    return forms.read(msgspec.json.encode(body), CreateSubscription)


def wrong(body: dict[str, Any], *, sandbox: bool = False) -> list[tuple[str, str]]:
    """As the operation says it: one problem a field, in the order of the form."""
    form, problems = read(body)
    found = forms.in_order([*problems, *create_problems(form, TODAY, sandbox=sandbox)], CreateSubscription)
    return [(p.field, p.issue) for p in found]


def person(kind: str, number: str) -> dict[str, Any]:
    return {"document": {"type": kind, "number": number}, "name": "Ana"}


@pytest.mark.parametrize(
    "body",
    [
        asked(), asked(J3), asked(fixedAmount=TEN), asked(maxAmountFloor=TEN), asked(payer=ANA), asked(J3, payer=ANA),
        asked(startDate="2026-11-23"), asked(startDate="9999-12-31"), asked(endDate="2026-12-11"),
        asked(fixedAmount=TEN, autoSchedule=True), asked(autoSchedule=False), asked(J3, fixedAmount=TEN),
        asked(debtor=person("CNPJ", "11222333000181")), asked(debtor=person("CNPJ", "12abc34501de35")),
        asked(description="Jornal"), asked(frequencyType="WEEKLY"), asked(externalId="with a blank"), asked(unknown=1),
        asked(fixedAmount={"currency": "BRL", "value": 1e2}),
    ],
)  # fmt: skip
def test_what_is_right(body: dict[str, Any]) -> None:
    assert wrong(body) == []


EXCLUSIVE = [("fixedAmount", "MUTUALLY_EXCLUSIVE"), ("maxAmountFloor", "MUTUALLY_EXCLUSIVE")]


@in_one_test(
    ("body", "problems"),
    [
        ({}, [(f, "REQUIRED") for f in (
            "accountId", "type", "allowChargeAfterDueDate", "allowAdjustToBusinessDay", "frequencyType", "startDate",
            "debtor", "webhookUrl", "externalId",
        )]),
        (asked(fixedAmount=TEN, maxAmountFloor=TEN), EXCLUSIVE),
        (asked(fixedAmount=TEN, maxAmountFloor={"currency": "BRL", "value": "x"}), EXCLUSIVE),
        (asked(startDate="2026-11-22"), [("startDate", "OUT_OF_RANGE")]),
        (asked(startDate="2026-02-30"), [("startDate", "INVALID")]),
        (asked(endDate="2026-12-10"), [("endDate", "OUT_OF_RANGE")]),
        (asked(endDate="2026-12-09"), [("endDate", "OUT_OF_RANGE")]),
        (
            asked(startDate="2026-11-22", endDate="2026-11-21"),
            [("startDate", "OUT_OF_RANGE"), ("endDate", "OUT_OF_RANGE")],
        ),
        (asked(J3, initialCharge=None), [("initialCharge", "REQUIRED")]),
        (asked(J2, initialCharge=CHARGE), [("initialCharge", "NOT_ALLOWED")]),
        (asked("PUSH"), [("type", "INVALID")]),
        (asked("PUSH", initialCharge=CHARGE), [("type", "INVALID")]),
        (asked(J3, initialCharge={}), [("initialCharge.pixKey", "REQUIRED"), ("initialCharge.amount", "REQUIRED")]),
        (asked(J3, initialCharge=CHARGE | {"pixKey": "a b"}), [("initialCharge.pixKey", "INVALID")]),
        (asked(J3, initialCharge=CHARGE | {"amount": TEN | {"value": 0}}), [("initialCharge.amount.value", "OUT_OF_RANGE")]),
        (asked(J3, initialCharge=5), [("initialCharge", "INVALID")]),
        (asked(fixedAmount=TEN | {"value": "10.005"}), [("fixedAmount.value", "INVALID")]),
        (asked(fixedAmount=TEN | {"currency": "USD"}), [("fixedAmount.currency", "NOT_SUPPORTED")]),
        (asked(maxAmountFloor=TEN | {"value": "-1"}), [("maxAmountFloor.value", "INVALID")]),
        (asked(maxAmountFloor=TEN | {"value": -1}), [("maxAmountFloor.value", "OUT_OF_RANGE")]),
        (asked(autoSchedule=True), [("autoSchedule", "NOT_ALLOWED")]),
        (asked(autoSchedule=True, maxAmountFloor=TEN), [("autoSchedule", "NOT_ALLOWED")]),
        (asked(debtor=person("CPF", "12345678900")), [("debtor.document.number", "INVALID")]),
        (asked(debtor=person("CPF", "123.456.789-09")), [("debtor.document.number", "INVALID")]),
        (asked(debtor=person("CNPJ", "12345678909")), [("debtor.document.number", "INVALID")]),
        (asked(debtor=person("RUC", "12345678909")), [("debtor.document.type", "INVALID")]),
        (asked(debtor={"name": "Ana"}), [("debtor.document", "REQUIRED")]),
        (asked(debtor=ANA | {"name": " "}), [("debtor.name", "INVALID")]),
        (asked(payer=person("CPF", "11111111111")), [("payer.document.number", "INVALID")]),
        (asked(payer={"document": ANA["document"]}), [("payer.name", "REQUIRED")]),
        (asked(webhookUrl="http://ana.example/hook"), [("webhookUrl", "INVALID")]),
        (asked(webhookUrl="https://127.0.0.1/"), [("webhookUrl", "INVALID")]),
        (asked(externalId=" x"), [("externalId", "INVALID")]),
        (asked(externalId="x" * 65), [("externalId", "TOO_LONG")]),
        (asked(externalId="a\u2028b"), [("externalId", "INVALID")]),
        (asked(description="x" * 141), [("description", "TOO_LONG")]),
        (asked(description="  "), [("description", "INVALID")]),
        (asked(allowChargeAfterDueDate="yes"), [("allowChargeAfterDueDate", "INVALID")]),
    ],
)  # fmt: skip
def test_what_is_wrong(body: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert wrong(body) == problems


def test_a_sandbox_takes_http() -> None:
    assert wrong(asked(webhookUrl="http://127.0.0.1:9000/hook"), sandbox=True) == []


def test_what_a_create_asks_for() -> None:
    body = asked(
        J3, fixedAmount=TEN, endDate="2027-12-10", autoSchedule=True, payer=person("CNPJ", "12abc34501de35"),
        description="Jornal", frequencyType="ANNUAL", allowAdjustToBusinessDay=True,
    )  # fmt: skip
    form, problems = read(body)
    assert problems == []
    assert wish_of(form, UUID(int=7)) == SubscriptionWish(
        external_id="contract-12", account_id=UUID(int=7), type=J3,
        terms=SubscriptionTerms(
            frequency="ANNUAL", starts_on=date(2026, 12, 10), ends_on=date(2027, 12, 10), fixed=brl("10"),
            charges_after_due=True, adjusts=True, is_automatic=True,
        ),
        debtor=NamedParty("Ana", "CPF", "12345678909"), webhook_url="https://ana.example/hook", description="Jornal",
        payer=NamedParty("Ana", "CNPJ", "12ABC34501DE35"), charge=brl("10"), charge_key="loja@ana.example",
    )  # fmt: skip
    assert wish_of(form, UUID(int=7)).is_paid_at_once
    form, _ = read(asked(maxAmountFloor=TEN))
    bare = wish_of(form, UUID(int=7))
    assert (bare.terms.floor, bare.terms.fixed, bare.charge, bare.charge_key, bare.payer) == (
        brl("10"),
        None,
        None,
        None,
        None,
    )
    assert not bare.is_paid_at_once


def account(kind: str = "ORGANIZATION", status: str = "ACTIVE") -> Account:
    holder = Holder(kind, "Loja", "CNPJ", "11222333000181", "loja@ana.example", "+5511987654321")
    return Account(UUID(int=7), status, 1, "123456780", "0001", "SAO PAULO", holder, datetime(2026, 1, 1, tzinfo=UTC))


KEY = "initialCharge.pixKey"


@pytest.mark.parametrize(
    ("kind", "found", "key_of", "problems"),
    [
        (J2, account(), None, []),
        (J3, account(), 7, []),
        (J3, account(), None, [(KEY, "INVALID")]),
        (J3, account(), 8, [(KEY, "MISMATCH")]),
        (J2, account("INDIVIDUAL"), None, [("accountId", "NOT_ALLOWED")]),
        (J2, account("INDIVIDUAL", "CLOSED"), None, [("accountId", "NOT_ALLOWED")]),
        (J2, account(status="INACTIVE"), None, [("accountId", "NOT_ALLOWED")]),
        (J3, account(status="CLOSED"), 8, [("accountId", "NOT_ALLOWED"), (KEY, "MISMATCH")]),
    ],
)
def test_what_the_account_says(kind: str, found: Account, key_of: int | None, problems: list[tuple[str, str]]) -> None:
    form, _ = read(asked(kind))
    said = account_problems(wish_of(form, found.id), found, None if key_of is None else UUID(int=key_of))
    assert [(p.field, p.issue) for p in said] == problems


def test_what_the_network_knows_the_contract_by() -> None:
    assert contract_of("x" * 35, UUID(int=255)) == "x" * 35
    assert contract_of("x" * 36, UUID(int=255)) == "0" * 30 + "ff"
    assert purpose_of(None) is None
    assert purpose_of("ç" * 40) == "ç" * 35


@pytest.mark.parametrize(
    ("form", "body", "problems"),
    [
        (CancelSubscription, {}, []),
        (CancelSubscription, {"reason": "FRAUD_SUSPECTED"}, []),
        (CancelSubscription, {"reason": "REQUESTED_BY_PAYER"}, [("reason", "INVALID")]),
        (CancelSubscription, {"reason": None}, []),
        (SchedulePayment, {"externalId": "1", "dueDate": "2026-12-10"}, []),
        (SchedulePayment, {"externalId": "1", "dueDate": "2026-12-10", "amount": TEN, "autoRetry": False}, []),
        (SchedulePayment, {}, [("externalId", "REQUIRED"), ("dueDate", "REQUIRED")]),
        (SchedulePayment, {"externalId": "1", "dueDate": "10/12/2026"}, [("dueDate", "INVALID")]),
        (RetryPayment, {"date": "2026-12-13"}, []),
        (RetryPayment, {}, [("date", "REQUIRED")]),
    ],
)
def test_the_other_bodies(form: Any, body: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    _, found = forms.read(msgspec.json.encode(body), form)
    assert [(p.field, p.issue) for p in found] == problems


def test_one_create_reads_numbers_before_there_are_none_left() -> None:
    form, _ = read(asked())
    found: Any = SimpleNamespace(bank=None)  # where charges go, at the versions read
    ground = Ground(Destinations(), deque(range(66)))
    ground.destinations.learn((UUID(int=1), "PIX", UUID(int=7), None, None), found)
    place = Installation(Institution("99999010", "LASTRO", "0001", "990"), "http://lastro.test", sandbox=True)
    verb = MakeSubscription(UUID(int=1), wish_of(form, UUID(int=7)), place, ground)
    assert [verb.from_cache() for _ in range(3)] == [
        CreateSubscriptionContext(found, 0),
        None,
        CreateSubscriptionContext(found, 2),
    ], "64 are left once"
    ground.numbers.clear()
    assert verb.from_cache() is None
