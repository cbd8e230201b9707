"""A new payout by a person: the plan of one line that it makes, and forms that make nothing."""

import re
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building, Visit, hidden

from lastro.people import Role

HERE = "/console/pay"
MADE = re.compile(r"/console/plans/[0-9a-f-]{36}\?done=payout")
PLANS = "SELECT id, status, created_by FROM payout_plans WHERE company_id = $1"
PAYOUTS = "SELECT id FROM payouts WHERE company_id = $1"
WAYS: dict[str, dict[str, str]] = {
    "key": {"pixKey": "fabio@fora.example"},
    "bank": {
        "bank": "992", "branchNumber": "0001", "accountNumber": "30000-3", "accountType": "CHECKING_ACCOUNT",
        "receiverName": "Fabio de Fora", "receiverDocument": "246.813.579-28",
    },
}  # fmt: skip
BAD: dict[str, tuple[str, ...]] = {
    "amount": ("", "0", "-1", "1,234", "dez", "9" * 40), "description": ("", "x" * 200),
    "paymentMethod": ("", "CASH", "TED"), "pixKey": ("", "com espaço", "x" * 100),
    "accountId": ("", "nobody", "01a205d8-e0e4-70bd-937f-8e181f3693f8"), "scheduledDate": ("amanhã", "2026-13-01"), "receiverDocument": ("12", "x" * 40),
    "bank": ("992",),
}  # fmt: skip


def form(ana: Seller, **other: str) -> dict[str, str]:
    return {
        "accountId": str(ana.account_id),
        "amount": "1.234,56",
        "description": "Aluguel",
        "paymentMethod": "PIX",
        **other,
    }


async def sent(visit: Visit, given: dict[str, str]) -> Any:
    return await visit.send(HERE, HERE, **given)


async def rows(cast: Cast, ana: Seller, sql: str) -> list[Any]:
    async with cast.database.session(ana.company_id) as session:
        return await session.fetch(sql, ana.company_id)


@pytest.mark.parametrize("way", WAYS)
async def test_a_payout_begins_as_a_plan_that_moves_nothing(house: Building, cast: Cast, ana: Seller, way: str) -> None:
    visit, person = await house.inside(Role.OPERATE)
    answer = await sent(visit, form(ana, **WAYS[way]))
    assert MADE.fullmatch(answer.headers.get("location", "")), answer.text
    (plan,) = await rows(cast, ana, PLANS)
    assert (plan["status"], plan["created_by"]) == ("VALIDATING", f"person:{person.id}")
    assert not await rows(cast, ana, PAYOUTS)
    page = await visit.get(answer.headers["location"])
    assert "hx-get" in page.text, "the plan is being checked, and its page asks how far it is"


async def test_a_form_that_is_sent_twice_makes_one_plan(house: Building, cast: Cast, ana: Seller) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    filled = {**hidden((await visit.get(HERE)).text), **form(ana, **WAYS["key"])}
    assert [(await visit.post(HERE, filled)).status_code for _ in range(2)] == [303, 409]
    assert len(await rows(cast, ana, PLANS)) == 1


@pytest.mark.parametrize("field", BAD)
async def test_a_wrong_form_makes_nothing_and_keeps_what_was_typed(
    house: Building, cast: Cast, ana: Seller, field: str
) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    for value in BAD[field]:
        answer = await sent(visit, form(ana, **{**WAYS["key"], field: value}))
        assert 400 <= answer.status_code < 500, (field, value, answer.status_code)
        assert 'role="alert"' in answer.text
        assert "Aluguel" in answer.text or field == "description"
    assert not await rows(cast, ana, PLANS)
