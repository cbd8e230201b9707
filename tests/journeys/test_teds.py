"""Transfers through the STR, on the calendar of banks: sent, refused, sent back, lost, late; each at the STR at most once."""

import asyncio
import json
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import uuid4

from tests.in_one import in_one_test

from lastro.cli import perform
from lastro.config.settings import read
from lastro.standards.calendar import BRASILIA, is_business_day, next_business_day
from lastro.standards.ted_ids import is_control_number, is_str_control_number

from .play import Play, cents
from .stage import until

PATH = "/order/v1/banking/order-payouts"
FABIO = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
PLACE = {"ispb": "99999030", "branchNumber": "1", "accountNumber": "300003", "accountType": "CHECKING_ACCOUNT"}
OPENS, CLOSES = time(6, 30), time(16, 30)  # an hour before it really closes, so that no test runs into that


async def now(play: Play) -> datetime:
    answer = await play.ask("GET", f"{play.stage.base_url}/sandbox/clock")
    return datetime.fromisoformat(answer.json["now"])


async def in_session(play: Play) -> None:
    """The STR is open, and stays so for a while."""
    local = (await now(play)).astimezone(BRASILIA)
    if is_business_day(local.date()) and OPENS <= local.time() < CLOSES:
        return
    day = next_business_day(local.date() + timedelta(days=int(local.time() >= OPENS)))
    await play.advance(now=datetime.combine(day, time(9), BRASILIA).isoformat())


def wish(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    return {
        "externalId": f"ted-{uuid4()}", "accountId": play.account["id"], "paymentMethod": "TED", "receiver": FABIO,
        "amount": {"currency": "BRL", "value": amount}, "description": "Salário de novembro",
        "paymentData": {"bankAccount": {**PLACE, **given.pop("place", {})}}, **given,
    }  # fmt: skip


async def create(play: Play, amount: str, **given: Any) -> dict[str, Any]:
    answer = await play.call("POST", PATH, wish(play, amount, **given), key=str(uuid4()))
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


async def shown(play: Play, payout: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await play.call("GET", f"{PATH}/{payout['id']}")).json
    return found


async def becomes(play: Play, payout: dict[str, Any], status: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        found = await shown(play, payout)
        return found if found["status"] == status else None

    return await until(look, f"{status} of {payout['id']}") or {}


async def tell_the_network_the_time(play: Play) -> None:
    """What the worker does a moment after it has started, done before it starts."""
    offset = await play.books.fetchval("SELECT offset_us FROM clock")
    token = read(play.stage.environment).network_token.reveal()
    answer = await play.ask(
        "PUT", f"{play.stage.simulator_url}/clock", {"offsetMicroseconds": offset}, {"authorization": f"Bearer {token}"}
    )
    assert answer.status == 200, answer.body


async def number_of(play: Play, payout: dict[str, Any]) -> str:
    """The control number under which it goes; no client is told it."""
    number = await play.books.fetchval("SELECT control_number FROM payouts WHERE id = $1::text::uuid", payout["id"])
    assert is_control_number(number)
    return str(number)


async def at_the_str(play: Play, payout: dict[str, Any]) -> list[dict[str, Any]]:
    found = await play.act(f"/teds?numCtrlIf={await number_of(play, payout)}", method="GET")
    data: list[dict[str, Any]] = found["data"]
    return data


async def events(play: Play, payout: dict[str, Any]) -> list[dict[str, Any]]:
    """The bodies of what was told of it, oldest first."""
    rows = await play.books.fetch(
        "SELECT body FROM events WHERE reference_id = $1::text::uuid ORDER BY created_at, id", payout["id"]
    )
    return [json.loads(bytes(row["body"])) for row in rows]


async def booked(play: Play, payout: dict[str, Any]) -> list[tuple[str, str, str, str, int]]:
    rows = await play.books.fetch(_BOOKED, payout["id"])
    return [(r["kind"], r["type"], r["debit"], r["credit"], r["amount_minor"]) for r in rows]


async def operator(play: Play, *words: str) -> Any:
    """What a command of administration answers."""
    said: list[str] = []
    settings = read({**play.stage.environment, "LASTRO_NETWORK_URL": play.stage.simulator_url})
    await asyncio.to_thread(perform, [*words, "--json"], lambda: settings, said.append)
    return json.loads(said[0])


async def test_it_is_paid(play: Play) -> None:
    await in_session(play)
    before = await play.balance()
    payout = await create(play, "12.34", description="x" * 140, receiver=FABIO | {"name": "Fabio " + "F" * 100})
    assert (payout["status"], payout["endToEndId"], "controlNumber" in payout) == ("PENDING", "", False)
    paid = await becomes(play, payout, "PAID")
    assert before - await play.balance() == cents("12.34")
    (record,) = await at_the_str(play, payout)
    assert (record["status"], record["amount"], record["returned"]) == ("SETTLED", "12.34", None)
    assert record["creditor"] == {
        "ispb": "99999030", "branch": "0001", "account": "300003", "accountType": "CC",
        "name": ("Fabio " + "F" * 100)[:80], "document": FABIO["document"],
    }  # fmt: skip
    assert paid["controlNumber"] == record["numCtrlStr"]
    assert is_str_control_number(paid["controlNumber"])
    assert datetime.fromisoformat(paid["paidAt"]) == datetime.fromisoformat(record["settledAt"])
    (told,) = await events(play, payout)
    assert (told["event"], told["controlNumber"]) == ("ORDER-PAYOUT.PAID", record["numCtrlStr"])
    assert "endToEndId" not in told
    lines = (await play.call("GET", f"/order/v1/banking/accounts/{play.account['id']}/statements")).json["data"]
    assert record["numCtrlStr"] in [line.get("controlNumber") for line in lines]
    assert told["receiver"]["bank"] == {
        "ispb": "99999030", "name": "BANCO RECEBEDOR SIMULADO", "branch": "0001", "account": "300003",
        "accountType": "CHECKING_ACCOUNT", "code": "992",
    }  # fmt: skip
    assert [entry[:4] for entry in await booked(play, payout)] == [
        ("held", "TED_OUT", "CUST", "NET"), ("posted", "TED_OUT", "CUST", "NET"),
    ]  # fmt: skip


@in_one_test("code", [5, 14, 22, 24])
async def test_the_str_refuses(play: Play, code: int) -> None:
    await in_session(play)
    before = await play.balance()
    payout = await create(play, f"7002.{code:02d}")
    failed = await becomes(play, payout, "ERROR")
    assert failed["errorCode"] == str(code)
    assert failed["errorMessage"].startswith(f"{code}: ")
    assert "refused by the network" not in failed["errorMessage"]
    assert await play.balance() == before
    assert [e["event"] for e in await events(play, payout)] == ["ORDER-PAYOUT.ERROR"]


async def test_what_cannot_be_credited_comes_back(play: Play) -> None:
    await in_session(play)
    before = await play.balance()
    payout = await create(play, "30.00", place={"accountNumber": "0000399999"})
    paid = await becomes(play, payout, "PAID")
    assert "errorCode" not in paid
    await play.advance(advance="PT6M")
    back = await becomes(play, payout, "REFUNDED")
    assert (back["returnedAmount"], back["errorCode"]) == ("30.00", "2")
    assert back["errorMessage"] == "2: the receiver's branch or account is not valid"
    assert await play.balance() == before
    (record,) = await at_the_str(play, payout)
    return_id = await play.books.fetchval(
        "SELECT return_id FROM payout_returns WHERE payout_id = $1::text::uuid", payout["id"]
    )
    assert return_id == record["returned"]["numCtrlStr"]
    told = await events(play, payout)
    assert [e["event"] for e in told] == ["ORDER-PAYOUT.PAID", "ORDER-PAYOUT.REFUNDED"]
    assert (told[1]["returnedAmount"]["value"], told[1]["errorCode"]) == ("30.00", "2")
    assert (await booked(play, payout))[-1] == ("moved", "TED_RETURNED", "NET", "CUST", 3000)


async def test_it_is_sent_back_days_later_and_told_twice(play: Play) -> None:
    await in_session(play)
    payout = await create(play, "31.00")
    await becomes(play, payout, "PAID")
    await play.advance(advance="P2D")
    await play.fault("return", "twice")
    given = await play.act("/bank/outside/ted-returns", {"numCtrlIf": await number_of(play, payout), "code": 70})
    assert given["status"] == "SETTLED"
    await becomes(play, payout, "REFUNDED")
    await play.rest()
    assert [entry[1] for entry in await booked(play, payout)].count("TED_RETURNED") == 1


@in_one_test(("behaviour", "amount"), [("lost-answer", "15.00"), ("down", "15.01"), ("slow", "15.02")])
async def test_what_happens_on_the_way(play: Play, behaviour: str, amount: str) -> None:
    await in_session(play)
    await play.fault("ted", behaviour)
    payout = await create(play, amount)
    await becomes(play, payout, "PAID")
    await play.rest()
    assert len(await at_the_str(play, payout)) == 1


async def test_an_end_that_nobody_tells_is_asked_for(play: Play) -> None:
    await in_session(play)
    await play.fault("ted", "timeout")
    payout = await create(play, "16.00")
    await play.wait_for("SELECT true FROM outbox WHERE network_id = $1 AND outcome = 'sent'", await number_of(play, payout))
    assert (await shown(play, payout))["status"] == "PENDING"
    await play.advance(advance="PT15S")
    await becomes(play, payout, "PAID")
    assert len(await at_the_str(play, payout)) == 1


def friday(today: date) -> bool:
    """A Friday with a Monday behind it on which banks are open."""
    return today.weekday() == 4 and is_business_day(today) and is_business_day(today + timedelta(days=3))


def eve(today: date) -> bool:
    """A business day before a holiday that is no weekend."""
    tomorrow = today + timedelta(days=1)
    return today.weekday() < 4 and is_business_day(today) and not is_business_day(tomorrow)


async def evening(play: Play, fits: Callable[[date], bool]) -> date:
    """18:00 in Brasilia on the next day that fits; that day."""
    today = (await now(play)).astimezone(BRASILIA)
    day = today.date() + timedelta(days=int(today.time() >= time(18)))
    while not fits(day):
        day += timedelta(days=1)
    await play.advance(now=datetime.combine(day, time(18), BRASILIA).isoformat())
    return day


@in_one_test("fits", [friday, eve])
async def test_made_outside_hours_it_waits_for_the_window(play: Play, fits: Callable[[date], bool]) -> None:
    before = await play.balance()
    day = await evening(play, fits)
    expected = day + timedelta(days=3 if fits is friday else 2)
    while not is_business_day(expected):
        expected += timedelta(days=1)
    payout = await create(play, "17.00")
    assert before - await play.balance() == cents("17.00")
    opens = datetime.combine(expected, OPENS, BRASILIA)
    await play.advance(now=(opens - timedelta(minutes=1)).isoformat())
    assert (await shown(play, payout))["status"] == "PENDING"
    assert await at_the_str(play, payout) == []
    await play.advance(now=(opens + timedelta(minutes=1)).isoformat())
    paid = await becomes(play, payout, "PAID")
    assert timedelta(0) <= datetime.fromisoformat(paid["paidAt"]) - opens < timedelta(minutes=2)
    (record,) = await at_the_str(play, payout)
    assert record["numCtrlStr"].startswith(f"STR{expected:%Y%m%d}")


async def test_what_waits_is_taken_back(play: Play) -> None:
    before = await play.balance()
    await evening(play, lambda _: True)
    payout = await create(play, "18.00")
    answer = await play.call("POST", f"{PATH}/{payout['id']}/cancel", {})
    assert (answer.status, answer.json["status"]) == (200, "CANCELED")
    assert await play.balance() == before
    await in_session(play)
    assert await at_the_str(play, payout) == []
    assert [e["event"] for e in await events(play, payout)] == ["ORDER-PAYOUT.CANCELED"]


async def test_what_comes_too_late_for_the_session_waits_for_the_next(play: Play) -> None:
    """Made while the STR is open, sent when it is closed: the worker was away. Nothing was taken, so it can be taken back."""
    await in_session(play)
    play.stage.kill("worker")
    goes, stays = await create(play, "19.00"), await create(play, "19.01")
    local = (await now(play)).astimezone(BRASILIA)
    await play.jump(datetime.combine(local.date(), time(17, 5), BRASILIA) - local)
    await tell_the_network_the_time(play)
    await play.stage.restart("worker")
    opens = datetime.combine(next_business_day(local.date() + timedelta(days=1)), OPENS, BRASILIA)
    for payout in (goes, stays):
        due = await play.wait_for(_PUT_OFF, await number_of(play, payout))
        assert timedelta(0) <= due - opens < timedelta(seconds=2)
        assert (await shown(play, payout))["status"] == "PENDING"
    assert (await play.call("POST", f"{PATH}/{stays['id']}/cancel", {})).status == 200
    await play.advance(now=(opens + timedelta(minutes=1)).isoformat())
    await becomes(play, goes, "PAID")
    assert (len(await at_the_str(play, goes)), await at_the_str(play, stays)) == (1, [])


async def test_what_never_arrives_expires_after_five_business_days(play: Play) -> None:
    await in_session(play)
    before = await play.balance()
    await play.fault("ted", "down", times=1_000_000)
    payout = await create(play, "20.00")
    number = await number_of(play, payout)
    await play.wait_for("SELECT sends FROM outbox WHERE network_id = $1 AND sends > 0 AND lease_token IS NULL", number)
    until_ = await play.books.fetchval("SELECT send_until FROM payouts WHERE control_number = $1", number)
    await play.jump(until_ - await now(play) - timedelta(minutes=20))
    await play.rest()
    assert (await shown(play, payout))["status"] == "PENDING"
    for _ in range(4):  # asked about in the very moment of one more try, it is asked about again some minutes later
        await play.jump(timedelta(minutes=40))
        await play.rest()
        if (await shown(play, payout))["status"] == "EXPIRED":
            break
    await becomes(play, payout, "EXPIRED")
    assert await play.balance() == before
    assert [e["event"] for e in await events(play, payout)] == ["ORDER-PAYOUT.EXPIRED"]
    await play.act("/faults", method="DELETE")
    await in_session(play)
    assert await at_the_str(play, payout) == []


async def test_to_an_account_here_it_goes_by_our_own_books(play: Play) -> None:
    other = play.stage.sandbox["accounts"][1]
    row = await play.books.fetchrow("SELECT * FROM accounts WHERE id = $1::text::uuid", other["id"])
    assert row is not None
    before = await play.balance(), await play.balance(other)
    payout = await create(
        play, "21.00", place={"ispb": "99999010", "branchNumber": row["branch"], "accountNumber": row["number"],
                              "accountType": "PAYMENT_ACCOUNT"},
        receiver={"name": "Ana Pereira", "document": {"type": "CPF", "number": row["document_number"]}},
    )  # fmt: skip
    paid = await becomes(play, payout, "PAID")
    await play.rest()
    assert paid["endToEndId"] == ""
    assert (await play.balance(), await play.balance(other)) == (before[0] - 2100, before[1] + 2100)
    assert await play.books.fetchval("SELECT rail FROM payouts WHERE id = $1::text::uuid", payout["id"]) == "book"


_PUT_OFF = (
    "SELECT due_at FROM outbox WHERE network_id = $1 AND sends = 0 AND lease_token IS NULL AND due_at > business_now()"
)
_BOOKED = """
SELECT t.kind, t.type, d.code AS debit, c.code AS credit, t.amount_minor FROM transfers t
  JOIN ledger_accounts d ON d.company_id = t.company_id AND d.id = t.debit_id
  JOIN ledger_accounts c ON c.company_id = t.company_id AND c.id = t.credit_id
 WHERE t.reference_id = $1::text::uuid ORDER BY t.created_at, t.type, t.kind
"""
