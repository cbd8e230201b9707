"""Plans through the API, the worker and the network: taken in, checked, signed by another client, made, paid; or said to be unfit."""

import csv
import io
from typing import Any
from uuid import uuid4

from tests.in_one import in_one_test
from tests.journeys.test_rights import Operator

from .play import Answer, Play, cents
from .stage import until

PATH = "/order/v1/banking/payout-plans"
COLUMNS = "externalId,accountId,paymentMethod,amount,description,pixKey,ispb,branchNumber,accountNumber,accountType,receiverName,receiverDocument"
KEY = "fabio@fora.example"


async def taken(play: Play, body: Any, media: str = "text/csv", key: str | None = None) -> Answer:
    """A plan as the API takes it in."""
    token = await play._token(play.stage.client())
    headers = {"authorization": f"Bearer {token}", "idempotency-key": key or str(uuid4()), "content-type": media}
    return await play.ask("POST", play.stage.base_url + PATH, body, headers)


async def becomes(play: Play, plan: Any, *statuses: str) -> dict[str, Any]:
    """The plan once it has the last of these, having had no others meanwhile."""

    async def look() -> dict[str, Any] | None:
        found: dict[str, Any] = (await play.call("GET", f"{PATH}/{plan['id']}")).json
        assert found["status"] in statuses, found
        return found if found["status"] == statuses[-1] else None

    return await until(look, f"{statuses[-1]} of {plan['id']}") or {}


async def told(play: Play, plan: Any) -> list[str]:
    """What the client was told of the plan, by the feed."""
    rows = await play.books.fetch(
        "SELECT e.type FROM events e JOIN event_numbers n ON n.company_id = e.company_id AND n.event_id = e.id"
        " WHERE e.reference_id = $1::text::uuid ORDER BY n.sequence",
        plan["id"],
    )
    return [row["type"].removeprefix("PAYOUT-PLAN.") for row in rows]


async def signed(play: Play, plan: Any) -> Answer:
    """Another client of the company signs it."""
    operator = Operator(play)
    (company,) = await play.books.fetch("SELECT company_id FROM payout_plans WHERE id = $1::text::uuid", plan["id"])
    bearer = await operator.bearer(await operator.client(str(company["company_id"])))
    return await operator.asks(bearer, f"{PATH}/{plan['id']}/approvals", {"hash": plan["hash"]}, "POST")


async def result(play: Play, plan: Any) -> list[dict[str, str]]:
    answer = await play.call("GET", f"{PATH}/{plan['id']}/result")
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/csv")
    assert f"plan-{plan['id']}.csv" in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.body.decode(), newline="")))


async def test_a_spreadsheet_becomes_payouts_that_are_paid(play: Play) -> None:
    name, account, before = play.name, play.account["id"], await play.balance()
    table = (
        f"{COLUMNS}\r\n"
        f"{name}-1,{account},PIX,11.01,Salary,{KEY},,,,,,\r\n"
        f"{name}-2,{account},PIX,11.02,Salary,,99999030,0001,300003,CHECKING_ACCOUNT,Fabio de Fora,24681357928\r\n"
        f"{name}-3,{account},PIX,11.03,Salary,98765432100,,,,,,\r\n"
    ).encode()
    answer = await taken(play, table, key=f"{name}-plan")
    assert (answer.status, answer.json["status"], answer.json["lines"]) == (202, "VALIDATING", 3)
    assert (await taken(play, table, key=f"{name}-plan")).json["id"] == answer.json["id"]
    assert (await taken(play, table + b"\r\n", key=f"{name}-plan")).problem == (409, "idempotency-key", "CONFLICT")
    plan = await becomes(play, answer.json, "VALIDATING", "READY")
    (account_now,) = plan["accounts"]
    assert cents(account_now["availableAfter"]["value"]) == cents(account_now["available"]["value"]) - 3306
    assert await play.balance() == before, "nothing has moved"
    own = await play.call("POST", f"{PATH}/{plan['id']}/approvals", {"hash": plan["hash"]})
    assert own.problem == (409, "approver", "NOT_ALLOWED")
    assert (await play.call("POST", f"{PATH}/{plan['id']}/apply")).problem == (409, "status", "CONFLICT")
    assert (await signed(play, plan)).json["status"] == "APPROVED"
    assert (await play.call("POST", f"{PATH}/{plan['id']}/apply")).json["status"] == "APPLYING"
    await becomes(play, plan, "APPLYING", "APPLIED")

    async def paid() -> list[dict[str, str]] | None:
        rows = await result(play, plan)
        return rows if {row["payoutStatus"] for row in rows} == {"PAID"} else None

    rows = await until(paid, "all paid") or []
    assert [(row["line"], row["externalId"], row["status"]) for row in rows] == [
        (str(n + 1), f"{name}-{n}", "CREATED") for n in (1, 2, 3)
    ]
    for row in rows:
        record = await play.statement(row["endToEndId"])
        assert (record["status"], record["amount"]) == ("SETTLED", row["amount"])
    assert before - await play.balance() == 3306
    await play.rest()
    assert await told(play, plan) == ["READY", "APPROVED", "APPLIED"]


@in_one_test("media", ["application/json", "text/csv"])
async def test_what_is_wrong_is_said_by_line_and_moves_nothing(play: Play, media: str) -> None:
    name, account, before = f"{play.name}-{media.rpartition('/')[2]}", play.account["id"], await play.balance()
    if media == "text/csv":
        head = "externalId,accountId,paymentMethod,amount,description,pixKey\n"
        body: Any = f"{head}{name}-1,{account},PIX,1.00,x,{KEY}\n\n{name}-2,{account},PIX,0,x,nobody@fora.example\n".encode()
    else:
        line = {"accountId": account, "paymentMethod": "PIX", "description": "x", "paymentData": {"pixKey": KEY}}
        amounts = ({"currency": "BRL", "value": value} for value in ("1.00", "0"))
        body = {"payouts": [{**line, "externalId": f"{name}-{n}", "amount": amount} for n, amount in enumerate(amounts)]}
    plan = await becomes(play, (await taken(play, body, media)).json, "VALIDATING", "INVALID")
    bad = (await play.call("GET", f"{PATH}/{plan['id']}/lines?status=INVALID")).json["data"]
    issue = {"text/csv": (4, "amount"), "application/json": (2, "amount.value")}[media]
    assert [(one["line"], one["issues"][0]["field"]) for one in bad] == [issue]
    assert await play.balance() == before
    assert (await signed(play, {**plan})).problem == (409, "status", "CONFLICT")
    await play.rest()
    assert await told(play, plan) == ["INVALID"]


async def test_what_is_no_plan_is_refused_at_once(play: Play) -> None:
    assert (await taken(play, b"a,b\n1,2\n")).problem == (400, "body", "INVALID")
    assert (await taken(play, {"payouts": []}, "application/json")).problem == (400, "payouts", "REQUIRED")
    assert (await taken(play, b"x", "text/plain")).problem == (415, "content-type", "NOT_SUPPORTED")
    assert (await taken(play, b'{"payouts":[' + b" " * 8 * 1024 * 1024 + b"]}", "application/json")).status == 413


async def test_a_canceled_plan_and_one_that_nobody_applies(play: Play) -> None:
    head = "externalId,accountId,paymentMethod,amount,description,pixKey\n"

    async def ready(amount: str) -> dict[str, Any]:
        row = f"{play.name}-{amount},{play.account['id']},PIX,{amount},x,{KEY}\n"
        return await becomes(play, (await taken(play, (head + row).encode())).json, "VALIDATING", "READY")

    canceled, left = await ready("1.07"), await ready("1.08")
    assert (await play.call("POST", f"{PATH}/{canceled['id']}/cancel")).json["status"] == "CANCELED"
    await play.advance(advance="P7DT1M")
    assert (await becomes(play, left, "READY", "EXPIRED"))["approvals"] == []
    listed = (await play.call("GET", f"{PATH}?status=EXPIRED")).json["data"]
    assert left["id"] in [one["id"] for one in listed]
    await play.rest()
    assert await told(play, left) == ["READY", "EXPIRED"]
