"""Our books against the bank's own: each of its payments and returns is ours once, or listed, or none of ours."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.journeys.play import cents
from tests.world.bank.acts import ACTED_AT_BANK
from tests.world.bank.town import RAIL
from tests.world.whole.crowd import Crowd

# Our return ids have this form, and the bank's own have another.
_OURS = re.compile(r"D\d{20}[0-9a-zA-Z]{11}")
_ASKED = """
SELECT i.reference, o.id::text, o.status, o.pix_key, o.final_amount_minor AS minor, o.scheduled_payment_id IS NOT NULL AS is_cycle FROM instruments i
  JOIN orders o ON o.company_id = i.company_id AND o.id = i.order_id WHERE i.rail = $1
"""
_PAYMENTS = "SELECT * FROM pix_payments WHERE rail = $1"
_FOREIGN = "SELECT * FROM foreign_payments WHERE rail = $1"
_REFUNDS = """
SELECT r.*, p.end_to_end_id FROM refunds r JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id
 WHERE p.rail = $1
"""
_NET = """
SELECT coalesce(sum(CASE WHEN t.debit_id = l.id THEN t.amount_minor ELSE -t.amount_minor END), 0)
  FROM ledger_accounts l JOIN transfers t ON t.company_id = l.company_id AND l.id IN (t.debit_id, t.credit_id)
 WHERE l.rail = $1 AND l.code = 'NET' AND t.kind IN ('moved', 'posted')
"""
_MOVES = """
SELECT t.type, t.kind, count(*) AS count, sum(CASE WHEN t.debit_id = l.id THEN t.amount_minor ELSE -t.amount_minor END)::bigint AS minor
  FROM ledger_accounts l JOIN transfers t ON t.company_id = l.company_id AND l.id IN (t.debit_id, t.credit_id)
 WHERE l.rail = $1 AND l.code = 'NET' GROUP BY 1, 2
"""
_BOOKED = "SELECT * FROM chargebacks WHERE rail = $1"
_ALARMED = "SELECT subject FROM inbox WHERE rail = $1 AND kind = 'collection.settled' AND outcome = 'alarmed'"
_TAKEN_ALARMED = "SELECT network_id FROM inbox WHERE rail = $1 AND kind = 'collection.taken' AND outcome = 'alarmed'"
_TAKEN = ("SETTLED", "RETURNED", "STRANDED", "CREDITED", "PAID_OUT")
_NOT_GIVEN = ("ERROR", "CREDITED", "PAID_OUT")
_DONE, _NOT_DONE = "DEVOLVIDO", "NAO_REALIZADO"


@dataclass
class Sides:
    """Both books. asked: our charges by txid, cycles: of subscriptions; payments, foreign: ours by endToEndId; refunds: ours by both ids.

    taken: what we have of returns that we did not order. alarmed: what people were told of.
    """

    pix: list[dict[str, Any]]
    charges: dict[str, dict[str, Any]]
    asked: dict[str, Any]
    cycles: frozenset[str]
    payments: dict[str, Any]
    foreign: dict[str, Any]
    refunds: dict[tuple[str, str], Any]
    taken: dict[str, Any]
    alarmed: frozenset[str]

    def asks(self, one: dict[str, Any]) -> bool:
        """Whether an order of ours asked for just this payment."""
        order = self.asked.get(one.get("txid", ""))
        return order is not None and order["minor"] == cents(one["valor"]) and not self.is_at_another_key(one)

    def is_at_another_key(self, one: dict[str, Any]) -> bool:
        """Whether it has the txid of an order of ours, whose key is another."""
        order = self.asked.get(one.get("txid", ""))
        return order is not None and one.get("chave", order["pix_key"]) != order["pix_key"]

    def is_claimed(self, one: dict[str, Any]) -> bool:
        row = self.foreign.get(one["endToEndId"])
        return row is not None and row["state"] == "CLAIMED"


async def matched(crowd: Crowd) -> list[str]:
    """What is on one side alone, or otherwise than on the other."""
    sides = await _read(crowd)
    taken = [row["amount_minor"] for row in sides.taken.values()]
    wrong = [*_payments(sides), *_returns(sides, frozenset(crowd.found.get(ACTED_AT_BANK, ()))), *_orders(sides)]
    ours = [one for one in sides.pix if sides.asks(one) or sides.is_claimed(one)]
    given = [
        cents(back["valor"]) for one in ours for back in one.get("devolucoes", ())
        if back["status"] == _DONE and _is_known(sides, one, back)
    ]  # fmt: skip
    # What the bank took out of money that was to go back, and people have written off here.
    given += [*taken, *(row["amount_minor"] for row in sides.payments.values() if row["state"] == "PAID_OUT")]
    theirs, net = sum(cents(one["valor"]) for one in ours) - sum(given), await crowd.play.books.fetchval(_NET, RAIL)
    if theirs != net:
        moves = [tuple(row) for row in await crowd.play.books.fetch(_MOVES, RAIL)]
        wrong.append(f"our position at the bank is {net}, and by its books it is {theirs}: {given} of {ours}, {moves}")
    crowd.done["payments at the bank"] += len(sides.pix)
    crowd.done["payments at the bank that are ours"] += len(ours)
    crowd.done["returns at the bank of ours"] += len(given)
    return wrong


async def _read(crowd: Crowd) -> Sides:
    books, play = crowd.play.books, crowd.play
    pix = (await play.act("/bank/company/pix?limit=10000", method="GET"))["data"]
    charges = (await play.act("/bank/company/charges?limit=10000", method="GET"))["data"]
    rows, asked = await books.fetch(_REFUNDS, RAIL), await books.fetch(_ASKED, RAIL)
    told = [*await books.fetch(_ALARMED, RAIL), *await books.fetch(_TAKEN_ALARMED, RAIL)]
    return Sides(
        pix,
        {one["txid"]: one for one in charges},
        {row["reference"]: row for row in asked},
        frozenset(row["reference"] for row in asked if row["is_cycle"]),
        {row["end_to_end_id"]: row for row in await books.fetch(_PAYMENTS, RAIL)},
        {row["payment_id"]: row for row in await books.fetch(_FOREIGN, RAIL)},
        {(row["end_to_end_id"], row["return_id"]): row for row in rows},
        {row["chargeback_id"]: row for row in await books.fetch(_BOOKED, RAIL)},
        frozenset(row[0] for row in told),
    )


def _payments(sides: Sides) -> Iterator[str]:
    """Every payment of the bank was booked once where an order of ours asked for it, and else moved nothing."""
    for one in sides.pix:
        name, is_asked = one["endToEndId"], sides.asks(one)
        mine, listed = sides.payments.get(name), sides.foreign.get(name)
        if is_asked or sides.is_claimed(one):
            if mine is None or mine["state"] not in _TAKEN or mine["amount_minor"] != cents(one["valor"]):
                yield f"the bank has {one}, which is ours, and we have {mine and dict(mine)}, alarmed {name in sides.alarmed}"
        elif mine is not None:
            yield f"the bank has {one}, which no order of ours asked for, and we have {dict(mine)}"
        if one.get("txid") not in sides.asked and (listed is None or listed["amount_minor"] != cents(one["valor"])):
            yield f"the bank has {one}, which is of others, and our list has {listed and dict(listed)}"
        if one.get("txid") in sides.asked and not is_asked:
            is_told = name in sides.alarmed or sides.is_at_another_key(one)
            if not is_told or listed is None:
                yield f"the bank has {one}, of another amount or key than we asked for, and nobody was told, or it is not listed"
    names = {one["endToEndId"] for one in sides.pix}
    odd = {one["endToEndId"] for one in sides.pix if one.get("txid") in sides.asked and not sides.asks(one)}
    yield from (f"we have payment {name}, and the bank has not" for name in sides.payments if name not in names)
    yield from (f"we list payment {name}, and the bank has not" for name in sides.foreign if name not in names)
    yield from (f"payment {name} was told to people, and is as asked" for name in _payments_told(sides) - odd)


def _payments_told(sides: Sides) -> frozenset[str]:
    return frozenset(name for name in sides.alarmed if name.startswith("E"))


def _is_known(sides: Sides, one: dict[str, Any], back: dict[str, Any]) -> bool:
    return (one["endToEndId"], back["id"]) in sides.refunds


def _returns(sides: Sides, acted: frozenset[str]) -> Iterator[str]:
    """Every return at the bank is a refund of ours of that amount, and vice versa; or somebody's there."""
    seen = set()
    for one in sides.pix:
        for back in one.get("devolucoes", ()):
            name = (one["endToEndId"], back["id"])
            mine = sides.refunds.get(name)
            seen.add(name)
            if mine is None:
                if _OURS.fullmatch(back["id"]) or one["endToEndId"] not in acted:
                    yield f"the bank has given back {back} of {one}, and no refund of ours ordered it"
                yield from _taken(sides, one, back)
                continue
            agree = {_DONE: ("PAID",), _NOT_DONE: _NOT_GIVEN}.get(back["status"], ())
            if mine["state"] not in agree or mine["amount_minor"] != cents(back["valor"]):
                yield f"the bank has {back} of {one}, and our refund is {dict(mine)}"
    yield from (f"we have {dict(row)}, which the bank has not taken" for row in sides.taken.values())
    for name, row in sides.refunds.items():
        if name not in seen and row["state"] not in _NOT_GIVEN:
            yield f"our refund {' '.join(name)} is {row['state']}, and the bank has none"


def _taken(sides: Sides, one: dict[str, Any], back: dict[str, Any]) -> Iterator[str]:
    """What went back out of a payment of ours, and not by us, is booked, or told to people."""
    name = f"{one['endToEndId']}:{back['id']}"
    mine = sides.taken.pop(name, None)
    if not sides.asks(one) and not sides.is_claimed(one):
        if mine is not None:
            yield f"the bank has given back {back} of {one}, which is not ours, and we have {dict(mine)}"
    elif mine is None and f"taken:{name}" not in sides.alarmed:
        yield f"the bank has given back {back} of {one}, and nothing of it is here"
    elif mine is not None and mine["amount_minor"] != cents(back["valor"]):
        yield f"the bank has given back {back} of {one}, and we have {dict(mine)}"


def _is_in_time(one: dict[str, Any], charge: dict[str, Any]) -> bool:
    """Whether it was paid before the charge's end: the bank lets others in, where a person forces it to."""
    calendar = charge["calendario"]
    ends = datetime.fromisoformat(calendar["criacao"]) + timedelta(seconds=calendar["expiracao"])
    return datetime.fromisoformat(one["horario"]) <= ends


def _orders(sides: Sides) -> Iterator[str]:
    """What has ended here can no more be paid there, and what was paid there by its code is not unpaid here."""
    by_code = [one for one in sides.pix if sides.asks(one) and one["txid"] not in sides.cycles]
    as_asked = {one["txid"] for one in by_code if _is_in_time(one, sides.charges[one["txid"]])}
    for txid, order in sides.asked.items():
        if txid in sides.cycles:
            continue  # tests/world/bank/agreed.py
        charge = sides.charges.get(txid)
        if charge is None:
            yield f"order {order['id']} has txid {txid}, which the bank does not know"
        elif order["status"] == "EXPIRED" and charge["status"] == "CONCLUIDA" and txid in as_asked:
            yield f"order {order['id']} is EXPIRED, and the bank says of it {charge}"
        elif order["status"] == "INITIAL":
            yield f"order {order['id']} is open, and the bank says of it {charge}"
        elif charge["status"] == "ATIVA" and order["status"] == "CANCELED":
            yield f"order {order['id']} is {order['status']}, and can be paid at the bank: {charge}"
