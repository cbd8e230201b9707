"""A year of subscriptions at a company's own bank, of each retry policy and frequency; in the end its books are ours."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import lent
from tests.laws import broken

from lastro.standards.calendar import brasilia_day

from .conftest import playing
from .play import Play, cents
from .stage import PROGRAMS, StageAtBank, until
from .test_clock import now, set_clock

PATH = "/order/v1/banking/subscriptions"
NEVER, LATER = "7004.08", "7004.09"  # no money on any day; none on the first, and the first new try collects
_WEEKS = 13  # a quarter: each week is a day like any other
_PATIENCE_SECONDS = 40.0
_QUICK = str(Path(__file__).parents[1] / "world" / "bank" / "quick.py")  # polls the bank twice a second


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StageAtBank]:
    for database in lent(request, "clone", secrets.token_hex(4)):
        made = StageAtBank(
            tmp_path / "home", database.admin.url, is_external=database.is_external,
            programs={**PROGRAMS, "worker": (_QUICK, "worker")},
        )  # fmt: skip
        try:
            asyncio.run(made.open())
            yield made
        finally:
            made.close()


async def test_a_year(stage: StageAtBank) -> None:
    async with playing(stage) as play:
        first = brasilia_day(await now(play)) + timedelta(days=10)
        alone = [
            await accepted(play, first, frequency, retries=retries)
            for frequency in ("WEEKLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL")
            for retries in (frequency != "WEEKLY",)
        ]
        monthly = {retries: await accepted(play, first, "MONTHLY", retries=retries, fixed=None) for retries in (True, False)}
        quitting = await accepted(play, first, "MONTHLY", retries=True)
        amounts = ["29.90"] * 12
        amounts[2], amounts[5] = NEVER, LATER
        for month, amount in enumerate(amounts):
            due = _month(first, month)
            await reached(play, due - timedelta(days=6))
            for made in monthly.values():
                body = {"externalId": f"month-{month}", "dueDate": due.isoformat(), "amount": _brl(amount)}
                answer = await play.call("PUT", f"{PATH}/{made['id']}/payments", body, dora=True)
                assert answer.status == 200, answer.body
            if month == 6:
                await play.act(f"/bank/company/recurrences/{quitting['providerId']}/cancel", {})
        await reached(play, first + timedelta(days=364))
        found = {retries: await ends(play, made) for retries, made in monthly.items()}
        assert found[True] == ["PAID"] * 2 + ["EXPIRED"] + ["PAID"] * 9
        assert found[False] == ["PAID"] * 2 + ["EXPIRED"] + ["PAID"] * 2 + ["EXPIRED"] + ["PAID"] * 6
        assert [Counter(await ends(play, made))["PAID"] for made in alone] == [_WEEKS, 4, 2, 1]
        assert Counter(await ends(play, quitting))["PAID"] == 6
        assert (await shown(play, quitting))["status"] == "CANCELED"
        await agree(play)


async def accepted(play: Play, first: date, frequency: str, *, retries: bool, fixed: str | None = "9.90") -> dict[str, Any]:
    """A subscription that its payer has authorized. fixed: what the service itself charges each cycle."""
    alone: dict[str, Any] = {} if fixed is None else {"fixedAmount": _brl(fixed), "autoSchedule": True}
    if frequency == "WEEKLY":
        alone["endDate"] = (first + timedelta(weeks=_WEEKS) - timedelta(days=1)).isoformat()
    answer = await play.call("POST", PATH, {
        "accountId": play.stage.sandbox["otherAccounts"][0]["id"], "type": "AUTHORIZATION_QRCODE",
        "allowChargeAfterDueDate": retries, "allowAdjustToBusinessDay": frequency == "QUARTERLY",
        "frequencyType": frequency, "startDate": first.isoformat(), "externalId": secrets.token_hex(8),
        "debtor": {"name": "Bento Braga", "document": {"type": "CPF", "number": "11144477735"}},
        "webhookUrl": f"{play.stage.simulator_url}/merchant/webhooks/year", **alone,
    }, dora=True)  # fmt: skip
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    await play.act(f"/bank/company/recurrences/{made['providerId']}/authorize", {})
    await set_clock(play, {"advance": "PT11S"})

    async def is_accepted() -> bool:
        return bool((await shown(play, made))["status"] == "ACCEPTED")

    await until(is_accepted, "an authorization", _PATIENCE_SECONDS)
    return made


async def reached(play: Play, day: date) -> None:
    """The clock goes on to that day, and everything that is due by then is done."""
    await set_clock(play, {"now": f"{day.isoformat()}T12:00:00Z"})

    async def rests() -> bool:
        answer = await play.ask("GET", f"{play.stage.base_url}/sandbox/clock")
        return bool(answer.json["pending"] == 0 and answer.json["now"] >= day.isoformat())

    await until(rests, f"the {day}", _PATIENCE_SECONDS)


async def shown(play: Play, made: dict[str, Any]) -> Any:
    return (await play.call("GET", f"{PATH}/{made['id']}", dora=True)).json


async def ends(play: Play, made: dict[str, Any]) -> list[str]:
    """What has become of its charges, in the order of their days."""
    rows = await play.books.fetch(
        "SELECT status FROM subscription_payments WHERE subscription_id = $1::text::uuid ORDER BY due_on", made["id"]
    )
    return [row["status"] for row in rows]


async def agree(play: Play) -> None:
    """Every charge that the bank has collected is paid here, once, and nothing else is."""
    charges = (await play.act("/bank/company/scheduled-charges?limit=10000", method="GET"))["data"]
    theirs = Counter(one["pix"][0]["endToEndId"] for one in charges if one["status"] == "CONCLUIDA")
    rows = await play.books.fetch(
        "SELECT p.end_to_end_id, p.amount_minor FROM pix_payments p JOIN orders o ON o.company_id = p.company_id"
        " AND o.id = p.order_id WHERE o.scheduled_payment_id IS NOT NULL AND p.state = 'SETTLED'"
    )
    assert Counter(row["end_to_end_id"] for row in rows) == theirs
    paid = sum(cents(one["valor"]["original"]) for one in charges if one["status"] == "CONCLUIDA")
    assert sum(row["amount_minor"] for row in rows) == paid
    assert await broken(play.books.fetch, at_rest=False) == {}


def _month(first: date, count: int) -> date:
    month = first.month - 1 + count
    return date(first.year + month // 12, month % 12 + 1, min(first.day, 28))


def _brl(value: str) -> dict[str, str]:
    return {"currency": "BRL", "value": value}
