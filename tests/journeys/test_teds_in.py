"""TEDs of other banks: credited to the account that they name and told, or given back; and both on the STR's statement."""

import json
from typing import Any

from .play import ORDERS, Play, cents
from .stage import until
from .test_teds import in_session

HISTORY = "Aluguel de novembro"
_TOLD = "SELECT body FROM events WHERE reference_id = (SELECT id FROM orders WHERE external_id = $1)"
_LINES = (
    "SELECT l.kind, l.amount_minor, (SELECT count(*) FROM statement_items i WHERE i.line_id = l.line_id) AS differences"
    " FROM statement_lines l WHERE l.rail = 'ted' AND l.network_id = ANY ($1::text[]) AND l.is_current ORDER BY l.kind, l.amount_minor"
)


async def sent(play: Play, amount: str, **account: Any) -> str:
    """A TED that another bank has sent; the STR's number of it."""
    own = await play.books.fetchval("SELECT number FROM accounts WHERE id = $1::text::uuid", play.account["id"])
    place = {"branch": "0001", "account": own, **account}
    answer = await play.act("/phone/ted", {"account": place, "amount": amount, "history": HISTORY})
    assert answer["status"] == "SETTLED", answer
    return str(answer["numCtrlStr"])


async def order_of(play: Play, number: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        found = (await play.call("GET", f"{ORDERS}?externalId={number}")).json["data"]
        return found[0] if found else None

    return await until(look, f"the order of {number}") or {}


async def given_back(play: Play, number: str) -> dict[str, Any]:
    """How a TED went back; the STR has it before we hear of it."""

    async def look() -> dict[str, Any] | None:
        listed = (await play.act("/teds/in", method="GET"))["data"]
        back: dict[str, Any] | None = next(one["returned"] for one in listed if one["numCtrlStr"] == number)
        return back

    back = await until(look, f"the return of {number}") or {}
    await play.wait_for("SELECT state = 'PAID' FROM refunds WHERE return_id = $1", back["numCtrlIf"])
    return back


async def test_it_is_credited_told_and_reconciled(play: Play) -> None:
    await in_session(play)
    before = await play.balance()
    await play.fault("ted_in", "twice", match={"amount": "123.45"})
    number = await sent(play, "123.45")
    order = await order_of(play, number)
    assert (order["status"], order["paymentMethod"], order["amount"]["value"]) == ("PAID", "TED", "123.45")
    assert await play.balance() - before == cents("123.45")
    rows = await play.books.fetch(_TOLD, number)
    (told,) = [json.loads(bytes(row["body"])) for row in rows]
    assert (told["event"], told["code"], told["controlNumber"], told["endToEndId"]) == (
        "ORDER-PAYIN.PAID", number, number, None,
    )  # fmt: skip
    assert (told["description"], told["payer"]["bank"]["accountType"]) == (HISTORY, "CHECKING_ACCOUNT")
    listed = (await play.call("GET", f"{ORDERS}?paymentMethod=TED")).json["data"]
    assert number in [one["externalId"] for one in listed]
    lines_of_account = (await play.call("GET", f"/order/v1/banking/accounts/{play.account['id']}/statements")).json["data"]
    assert [
        one.get("controlNumber") for one in lines_of_account if "controlNumber" in one and one["amount"]["value"] == "123.45"
    ] == [number]

    unknown, foreign = await sent(play, "5.00", account="399999"), await sent(play, "6.00", document="98765432100")
    codes = [(await given_back(play, name)) for name in (unknown, foreign)]
    assert [back["code"] for back in codes] == ["2", "3"]
    assert await play.balance() - before == cents("123.45")

    await play.advance(advance="P1D")
    names = [number, unknown, foreign, *(back["numCtrlIf"] for back in codes)]

    async def are_taken() -> bool:
        taken = "SELECT count(*) FROM statement_lines WHERE rail = 'ted' AND network_id = ANY ($1::text[])"
        return bool(await play.books.fetchval(taken, names) == len(names))

    await until(are_taken, "the statement")
    lines = sorted(tuple(row) for row in await play.books.fetch(_LINES, names))
    assert lines == [("IN", 500, 0), ("IN", 600, 0), ("IN", 12345, 0), ("RETURN_OUT", 500, 0), ("RETURN_OUT", 600, 0)]


async def test_nobody_makes_an_order_by_it(play: Play) -> None:
    answer = await play.call("PUT", ORDERS, play.asking("10.00", paymentMethod="TED"))
    assert answer.problem == (400, "order.paymentMethod", "INVALID")
