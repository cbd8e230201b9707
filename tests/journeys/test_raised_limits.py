"""A person's account at night: 1,000.00 by default; a higher limit a day after it was asked for, a lower one at once."""

from datetime import date, datetime, time, timedelta
from typing import Any

from lastro.standards.calendar import instant
from lastro.terminal.printing import as_text

from .play import Answer, Play
from .test_payouts import ask, place
from .test_scheduled_payouts import go
from .test_teds import operator
from .test_timeline import told_by

A_SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


async def night_of(play: Play, account: str) -> Any:
    answer = await play.call("GET", f"/order/v1/banking/accounts/{account}/limits")
    return next(one["night"] for one in answer.json["data"] if one["paymentMethod"] == "PIX")


async def changes_of(play: Play, account: str) -> list[str]:
    """Of the account's story, as its company is told it, each change of a limit."""
    path = f"/order/v1/banking/accounts/{account}/story"
    assert (await play.call("GET", path, dora=True)).status == 404
    told = (await play.call("GET", path)).json
    assert (told["id"], told["object"]) == (account, "account")
    return [one["reason"] for one in told["entries"] if one.get("trigger") == "limit"]


async def test_a_person_may_send_little_at_night_and_more_a_day_after_asking(play: Play) -> None:
    firm, person = (one["id"] for one in play.stage.sandbox["accounts"][:2])
    assert "limit" not in await night_of(play, firm)
    assert (await night_of(play, person))["limit"] == {"currency": "BRL", "value": "1000.00"}
    today: date = await play.books.fetchval("SELECT (business_now() AT TIME ZONE 'America/Sao_Paulo')::date")
    night = instant(today + DAY, time(20))

    async def sends(amount: str, account: str = person) -> Answer:
        return await ask(play, amount, accountId=account, allowDuplicate=True, **place())

    await go(play, night - timedelta(seconds=30))
    assert (await sends("1000.01")).status == 201, "it is day"
    await go(play, night + A_SECOND)
    assert (await sends("1000.01")).problem == (400, "amount", "LIMIT_EXCEEDED")
    await go(play, night + timedelta(minutes=1))
    assert (await sends("600.00")).status == 201
    assert (await sends("400.01")).problem == (400, "amount", "LIMIT_EXCEEDED")
    assert (await sends("1000.01", firm)).status == 201
    asked = await operator(play, "account", "limits", person, "--method", "PIX", "--night", "2000.00", "--by", "olga")
    assert (asked["night"], asked["raisedNight"]) == ("1000.00", "2000.00")
    holds = datetime.fromisoformat(asked["raisedNightAt"])
    listed = await operator(play, "account", "limits", person)
    assert [(one["paymentMethod"], one["night"], one["raisedNight"]) for one in listed] == [
        ("PIX", "1000.00", "2000.00"), ("TED", "none", None),
    ]  # fmt: skip
    assert "2000.00" in as_text(listed), "as a table, too"
    shown = await night_of(play, person)
    assert (shown["limit"]["value"], shown["raisedTo"]["value"]) == ("1000.00", "2000.00")
    assert datetime.fromisoformat(shown["raisedAt"]) == holds
    shown_at = shown["raisedAt"]
    await go(play, holds - timedelta(seconds=20))
    assert (await night_of(play, person))["limit"]["value"] == "1000.00", "it is not a day yet"
    assert (await sends("1000.01")).problem == (400, "amount", "LIMIT_EXCEEDED")
    await go(play, holds + A_SECOND)
    shown = await night_of(play, person)
    assert (shown["limit"]["value"], shown.get("raisedTo"), shown.get("raisedAt")) == ("2000.00", None, None)
    assert (await sends("1000.01")).status == 201
    lowered = await operator(play, "account", "limits", person, "--method", "PIX", "--night", "1500.00")
    assert (lowered["night"], "raisedNight" in lowered) == ("1500.00", False)
    assert (await sends("500.00")).problem == (400, "amount", "LIMIT_EXCEEDED"), "a lower one holds at once"
    raised = f"PIX night 1000.00 to 2000.00 from {shown_at} on"
    assert await changes_of(play, person) == [raised, "PIX night 2000.00 to 1500.00"], "not by whom"
    status, text = await told_by(play, person)
    assert (status, f"{raised} (by olga)" in text) == (0, True), text
    assert (await operator(play, "account", "limits", firm, "--method", "PIX", "--night", "9000.00"))["night"] == "9000.00"
    await operator(play, "account", "limits", firm, "--method", "PIX", "--night", "none")
