"""Our books against the records of the network and of every partner: each movement is on both sides, with one amount, once."""

from collections.abc import Iterator
from typing import Any

from tests.journeys.play import (
    _AGREE,
    _ISPB,
    _PAYOUTS_AGREE,
    _RETURNS,
    _RETURNS_AGREE,
    _SENT,
    _SENT_TEDS,
    _TEDS_AGREE,
    Play,
    cents,
)

# A partner's name among the acts of the simulator, and the rail under which we know it.
PARTNERS = ("oxxo", "oxxopay", "paynet", "paynet2", "spei", "deposit", "crypto", "crypto2")
_TAKEN = ("SETTLED", "RETURNED", "STRANDED", "CREDITED", "PAID_OUT")
_NOT_SENT = ("ERROR", "EXPIRED", "CANCELED", "ANALYSIS")


async def matched(play: Play) -> list[str]:
    """What is on one side alone, or otherwise than on the other."""
    return [*await _pix(play), *await _teds(play), *await _partners(play)]


async def _pix(play: Play) -> list[str]:
    network = (await play.act("/payments?limit=10000", method="GET"))["data"]
    came = {r["end_to_end_id"]: r for r in await play.books.fetch("SELECT * FROM pix_payments WHERE rail = 'pix'")}
    refunds = {r["return_id"]: r for r in await play.books.fetch(_RETURNS)}
    sent = {r["end_to_end_id"]: r for r in await play.books.fetch(_SENT)}
    wrong: list[str] = []
    for payment in network:
        name = payment["endToEndId"]
        if name[1:9] == _ISPB:
            wrong += _differs(payment, sent.pop(name, None), "status", _PAYOUTS_AGREE[payment["status"]])
            continue
        mine = came.pop(name, None)
        if mine is None:
            wrong += (
                [] if None in _AGREE.get(payment["status"], set()) else [f"{name} is {payment['status']} and unknown here"]
            )
            continue
        wrong += _differs(payment, mine, "state", _AGREE.get(payment["status"], set()))
        for given in payment["returns"]:
            wrong += _differs(given, refunds.pop(given["returnId"], None), "state", {_RETURNS_AGREE.get(given["status"])})
    wrong += [
        f"payout {name} is {r['status']}, and the network has never seen it"
        for name, r in sent.items()
        if r["status"] not in _NOT_SENT
    ]
    wrong += [f"payment {name} is {r['state']}, and the network has never seen it" for name, r in came.items()]
    wrong += [
        f"return {name} is {r['state']}, and the network has never seen it"
        for name, r in refunds.items()
        if r["state"] != "ERROR"
    ]
    return wrong


def _differs(theirs: dict[str, Any], mine: Any, column: str, agree: Any) -> Iterator[str]:
    """theirs: their record. mine: our row. agree: what may stand in its column."""
    if mine is None:
        yield f"the network has {theirs}, and we do not"
    elif mine[column] not in agree or mine["amount_minor"] != cents(theirs["amount"]):
        yield f"the network has {theirs}, and we {mine[column]} of {mine['amount_minor']}"


async def _teds(play: Play) -> list[str]:
    network = (await play.act("/teds?limit=10000", method="GET"))["data"]
    sent = {r["control_number"]: r for r in await play.books.fetch(_SENT_TEDS)}
    wrong: list[str] = []
    for ted in network:
        expected = "REFUNDED" if ted["returned"] else _TEDS_AGREE[ted["status"]]
        wrong += _differs(ted, sent.pop(ted["numCtrlIf"], None), "status", {expected})
    return wrong + [
        f"TED {n} is {r['status']}, and the STR has never seen it" for n, r in sent.items() if r["status"] not in _NOT_SENT
    ]


async def _partners(play: Play) -> list[str]:
    """Every payment that a partner has settled was taken once, every return that it made was ours."""
    slips = (await play.act("/slips?limit=10000", method="GET"))["data"]
    cards = (await play.act("/cards?limit=10000", method="GET"))["data"]
    payments = [payment for slip in slips for payment in slip["payments"]]
    for name in PARTNERS:
        found = (await play.act(f"/collecting/{name}?limit=10000", method="GET"))["data"]
        payments += [payment for item in found for payment in item["payments"]]
    rows = await play.books.fetch("SELECT * FROM pix_payments WHERE rail <> 'pix' AND rail <> 'book'")
    mine = {row["end_to_end_id"]: row for row in rows}
    backs = {row["return_id"]: row for row in await play.books.fetch("SELECT * FROM refunds")}
    wrong: list[str] = []
    for payment in payments:
        row = mine.pop(payment["paymentId"], None)
        wrong += _collected(payment, row)
        for back in payment["returns"]:
            ours = backs.pop(back["returnId"], None)
            if ours is None or (ours["state"] == "PAID") != (back["status"] == "SETTLED"):
                wrong.append(f"a partner gave back {back}, and we {ours and ours['state']}")
    for card in cards:
        if card["status"] == "CAPTURED":
            wrong += _collected({**card, "status": "SETTLED"}, mine.pop(card["paymentId"], None))
    strays = [(name, row) for name, row in mine.items() if row["state"] in _TAKEN]
    return wrong + [f"payment {name} of {row['rail']} is {row['state']}, and no partner has it" for name, row in strays]


def _collected(payment: dict[str, Any], row: Any) -> Iterator[str]:
    """What a partner has settled we have taken, all of it; what it has not we have not."""
    settled = payment["status"] == "SETTLED"
    if (row is not None and row["state"] in _TAKEN) != settled:
        yield f"a partner has {payment}, and we {row and row['state']}"
    elif settled and row["amount_minor"] != cents(payment["amount"]):
        yield f"a partner has {payment}, and we {row['amount_minor']}"
