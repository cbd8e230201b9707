"""A payment and a payout on a statement, over HTTP: at once in a page, and as a file once they are final."""

import csv
import io
from datetime import datetime, timedelta
from typing import Any

from .play import Answer, Play
from .stage import until
from .test_payouts import becomes, create


async def test_what_was_paid_stands_on_the_statement(play: Play) -> None:
    payout = await create(play, "12.34", paymentData={"pixKey": "98765432100"}, description="=Março")
    await becomes(play, payout, "PAID")
    path = f"/order/v1/banking/accounts/{play.account['id']}/statements"

    async def stands() -> list[Any]:
        entries = (await play.call("GET", f"{path}?limit=10&operation=out")).json["data"]
        return [one for one in entries if one.get("endToEndId") == payout["endToEndId"]]

    (entry,) = await until(stands, "the payout on the statement")
    assert (entry["type"], entry["amount"]["value"]) == ("PIX_OUT", "12.34")
    day = (datetime.fromisoformat(entry["createdAt"]) - timedelta(hours=3)).date()

    async def had() -> Answer | None:
        file = await play.call("GET", f"{path}?startDate={day}&endDate={day}", accept="text/csv")
        return file if entry["id"] in file.body.decode() else None

    answer = await until(had, "the file with the payout")
    assert answer is not None
    assert (answer.status, answer.headers["content-type"], answer.headers["vary"]) == (
        200,
        "text/csv; charset=utf-8",
        "accept",
    )
    assert "content-length" not in answer.headers
    opening, *entries, closing = csv.DictReader(io.StringIO(answer.body.decode(), newline=""))
    (found,) = [e for e in entries if e["id"] == entry["id"]]
    assert (found["amount"], found["balanceAfter"], found["description"]) == (
        "-12.34",
        entry["balanceAfter"]["value"],
        "'=Março",
    )
    assert (opening["type"], closing["balanceAfter"]) == ("OPENING_BALANCE", entries[-1]["balanceAfter"])
    same = await play.call("GET", f"{path}?format=camt053&startDate={day}")
    assert (same.status, same.headers["content-type"]) == (200, "application/xml")
    assert payout["endToEndId"] in same.body.decode()
    head = await play.call("HEAD", f"{path}?format=ofx&startDate={day}")
    assert (head.status, head.body, head.headers["content-type"]) == (200, b"", "application/x-ofx; charset=windows-1252")
    assert (await play.call("GET", path, accept="image/png")).problem == (406, "accept", "NOT_SUPPORTED")
    assert (await play.call("GET", f"{path}?format=csv&startDate={day}", dora=True)).status == 404
