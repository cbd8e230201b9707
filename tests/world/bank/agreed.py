"""Subscriptions by a company's own bank against its recurrences and charges: each on both sides, and of one mind."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.journeys.play import cents
from tests.world.bank.town import CLIENT, RAIL
from tests.world.whole.crowd import Crowd

_SUBSCRIPTIONS = "SELECT id::text, status, provider_id FROM subscriptions WHERE rail = $1"
_CHARGES = """
SELECT o.txid, o.status AS order_status, p.id::text, p.status, p.amount_minor, s.provider_id, s.status AS subscription
  FROM subscription_payments p
  JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
  JOIN subscriptions s ON s.company_id = p.company_id AND s.id = p.subscription_id
 WHERE p.rail = $1
"""
_BOOKED = """
SELECT o.txid, p.end_to_end_id, p.state FROM pix_payments p
  JOIN orders o ON o.company_id = p.company_id AND o.id = p.order_id
 WHERE p.rail = $1 AND o.scheduled_payment_id IS NOT NULL
"""
_OVER = ("REJEITADA", "EXPIRADA", "CANCELADA")
_ENDED = ("CANCELED", "REJECTED", "ERROR")
_ON_ITS_WAY = timedelta(minutes=5)  # a Pix that had begun when its recurrence was cancelled goes on


@dataclass
class Both:
    """The bank's recurrences and charges, and ours, by their names there."""

    recurrences: Mapping[str, Any]
    charges: Mapping[str, Any]
    subscriptions: Mapping[str, Any]
    payments: Mapping[str, Any]
    booked: Mapping[str, frozenset[str]]
    twice: tuple[str, ...]


async def agreed(crowd: Crowd) -> list[str]:
    """What is on one side alone, or otherwise than on the other."""
    both = await _read(crowd)
    crowd.done["recurrences at the bank"] += len(both.recurrences)
    crowd.done["recurrences approved at the bank"] += sum(one["status"] == "APROVADA" for one in both.recurrences.values())
    crowd.done["charges of cycles at the bank"] += len(both.charges)
    crowd.done["charges of cycles paid at the bank"] += sum(one["status"] == "CONCLUIDA" for one in both.charges.values())
    return [*_recurrences(both), *_charges(both), *_after_the_end(both)]


async def _read(crowd: Crowd) -> Both:
    books, play = crowd.play.books, crowd.play
    there = (await play.act("/bank/company/recurrences?limit=10000", method="GET"))["data"]
    charged = (await play.act("/bank/company/scheduled-charges?limit=10000", method="GET"))["data"]
    subscriptions = [dict(row) for row in await books.fetch(_SUBSCRIPTIONS, RAIL)]
    payments = [dict(row) for row in await books.fetch(_CHARGES, RAIL)]
    booked: dict[str, set[str]] = {}
    for row in await books.fetch(_BOOKED, RAIL):
        booked.setdefault(row["txid"], set()).add(row["end_to_end_id"])
    names = [one["provider_id"] for one in subscriptions] + [one["txid"] for one in payments]
    return Both(
        {one["idRec"]: one for one in there if one["clientId"] == CLIENT},
        {one["txid"]: one for one in charged if one["clientId"] == CLIENT},
        {one["provider_id"]: one for one in subscriptions},
        {one["txid"]: one for one in payments},
        {txid: frozenset(found) for txid, found in booked.items()},
        tuple(name for name in dict.fromkeys(names) if names.count(name) > 1),
    )


def _recurrences(both: Both) -> Iterator[str]:
    """Who has agreed there is ACCEPTED here, and the reverse; what is over on one side is over on the other."""
    yield from (f"{name} is of two subscriptions or payments" for name in both.twice)
    unfinished = {one["provider_id"] for one in both.payments.values() if one["status"] in ("SCHEDULED", "PENDING")}
    for name, there in both.recurrences.items():
        ours = both.subscriptions.get(name)
        if there["status"] == "EXPIRADA" and name in unfinished:
            continue  # its last day is over there, and ends it here behind its last charge
        if ours is None:
            if there["status"] != "CRIADA" and there["status"] not in _OVER:
                yield f"the bank has {there}, and no subscription is of it"
        elif (there["status"] == "APROVADA") != (ours["status"] == "ACCEPTED"):
            yield f"subscription {ours['id']} is {ours['status']}, and the bank says of it {there}"
        elif there["status"] in _OVER and ours["status"] not in _ENDED:
            yield f"subscription {ours['id']} is {ours['status']}, and its recurrence is over: {there}"
        elif there["status"] == "CRIADA" and ours["status"] in _ENDED:
            yield f"subscription {ours['id']} is {ours['status']}, and can be authorized at the bank: {there}"
    yield from (
        f"subscription {one['id']} has a recurrence that the bank has not: {name}"
        for name, one in both.subscriptions.items() if name not in both.recurrences
    )  # fmt: skip


def _charges(both: Both) -> Iterator[str]:
    """Every charge there is a payment's, paid on both sides or on none, and by one Pix."""
    for txid, there in both.charges.items():
        ours = both.payments.get(txid)
        if ours is None:
            yield f"the bank has {there}, and no payment is of it"
            continue
        paid = [one["endToEndId"] for one in there.get("pix", ())]
        if there["idRec"] != ours["provider_id"] or cents(there["valor"]["original"]) != ours["amount_minor"]:
            yield f"the bank has {there}, and our payment is {ours}"
        if (there["status"] == "CONCLUIDA") != bool(paid):
            yield f"the bank says of a charge {there}"
        if bool(paid) != (ours["status"] == "PAID"):
            yield f"our payment is {ours}, and the bank says of it {there}"
        if frozenset(paid) != both.booked.get(txid, frozenset()):
            yield f"we have booked {both.booked.get(txid)} for {ours}, and the bank has {paid}"
        if ours["status"] in ("CANCELED", "EXPIRED", "ERROR") and _may_be_collected(there):
            yield f"our payment is {ours}, and can be collected at the bank: {there}"
    for txid, one in both.payments.items():
        if one["status"] == "PAID" and txid not in both.charges:
            yield f"our payment {one} is paid, and the bank has no charge of it"


def _may_be_collected(there: Mapping[str, Any]) -> bool:
    """Whether money may come without our asking: its first try is to be made, or one is undecided."""
    tried = there.get("tentativas", ())
    undecided = any(one["status"] in ("SOLICITADA", "AGENDADA") for one in tried)
    return there["status"] in ("CRIADA", "ATIVA") and (undecided or not tried)


def _after_the_end(both: Both) -> Iterator[str]:
    """Nothing is charged behind a cancellation."""
    for name, there in both.recurrences.items():
        if there["status"] not in _OVER:
            continue
        ended = datetime.fromisoformat(there["atualizacao"][-1]["data"])
        for charge in both.charges.values():
            for one in charge.get("pix", ()) if charge["idRec"] == name else ():
                if datetime.fromisoformat(one["horario"]) > ended + _ON_ITS_WAY:
                    yield f"{one} was charged behind the end of {there}"
