"""Card payments: registered, authenticated, and captured once on request, or closed.

A payment's status: CHALLENGE or DECOUPLED while its payer is asked, AUTHENTICATED with its result until it is charged,
CAPTURED, DECLINED, CLOSED.
"""

import json
import sqlite3
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from lastro_sim import amounts, faults
from lastro_sim.clock import SECOND, printed
from lastro_sim.collecting import items, movements, payments
from lastro_sim.collecting.partner import SETTLED
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

from .numbers import PLAYS
from .partner import CARD

CHALLENGE, DECOUPLED, AUTHENTICATED = "CHALLENGE", "DECOUPLED", "AUTHENTICATED"
CAPTURED, DECLINED, CLOSED = "CAPTURED", "DECLINED", "CLOSED"
ASKED = (CHALLENGE, DECOUPLED)
SKIPPED = "S"
# Card networks' values for full, attempted and no authentication.
ECI = {"Y": "05", "A": "06"}
NO_ECI = "07"
VERSION = "2.2.0"
DECOUPLED_FOR = 10 * SECOND
OPERATION = "credit_card"
AT_THE_CHARGE = frozenset({"reject", "timeout", "lost-answer", "twice"})
DO_NOT_HONOUR = "05"
ENDS = {"pass": "Y", "fail": "N", "unavailable": "U", "reject": "R"}


@dataclass(frozen=True)
class ChargeAsked:
    """A registration of a charge. amount: minor units. fields: further ones that the acquirer keeps."""

    reference: str
    token: str
    amount: int
    installments: int
    skips_3ds: bool
    return_url: str
    fields: dict[str, Any]


def find(network: Network, reference: str) -> sqlite3.Row | None:
    """Returns a payment by the merchant's reference."""
    return network.store.find("card_charge", reference=reference)


def numbered(network: Network, number: str) -> list[sqlite3.Row]:
    """Returns the payments of a merchant's own number, oldest first."""
    sql = "SELECT * FROM card_charge WHERE json_extract(body, '$.number') = ? ORDER BY seq"
    return network.store.rows(sql, number)


def register(network: Network, asked: ChargeAsked) -> bool:
    """Takes a payment and authenticates its payer; tells whether it is new. The same again changes nothing."""
    known = find(network, asked.reference)
    if known is not None:
        if (known["token"], known["amount"], known["installments"]) != (asked.token, asked.amount, asked.installments):
            raise RefusedError(409, "REFERENCE_DIFFERS", "Another payment is registered under this reference")
        return False
    if faults.strike(network, OPERATION, about(asked.reference, asked.amount), faults.DOWN) is not None:
        raise away()
    card = network.store.find("card_token", token=asked.token)
    if card is None:
        raise RefusedError(422, "UNKNOWN_TOKEN", "No such card")
    result = SKIPPED if asked.skips_3ds else PLAYS[card["plays"]].result
    status = {"C": CHALLENGE, "D": DECOUPLED}.get(result, AUTHENTICATED)
    with network.store.writing():
        network.store.insert(
            "card_charge",
            reference=asked.reference,
            token=asked.token,
            amount=asked.amount,
            installments=asked.installments,
            body=json.dumps(asked.fields),
            return_url=asked.return_url,
            challenge=network.chance.uuid().replace("-", ""),
            status=status,
            result=result,
            ds_id=None if asked.skips_3ds else network.chance.uuid(),
            due_at=network.clock.business() + DECOUPLED_FOR if status == DECOUPLED else None,
        )
        _tell_result(network, asked.reference)
    network.bells.ring("timer")
    return True


def answered(network: Network, known: sqlite3.Row, result: str) -> None:
    """Ends the payer's challenge with this result; an ended one stays as it is."""
    if known["status"] not in ASKED:
        return
    with network.store.writing():
        network.store.change("card_charge", known, status=AUTHENTICATED, result=result, due_at=None)
        _tell_result(network, known["reference"])


def charge(network: Network, reference: str, amount: int, three_ds: Mapping[str, str | None] | None) -> None:
    """Charges the card, once: the same again changes nothing.

    Refused: it may not be charged, or not so much. three_ds: the payer's authentication as the merchant states it; None: not
    stated.
    """
    known = find(network, reference)
    if known is None:
        raise RefusedError(404, "NOT_FOUND", "No payment has this reference")
    if known["status"] in (CAPTURED, DECLINED):
        return
    if known["status"] != AUTHENTICATED or known["result"] in ("N", "R"):
        raise RefusedError(409, "NOT_AUTHENTICATED", "Its payer was not authenticated")
    if amount != known["amount"]:
        raise RefusedError(422, "AMOUNT_DIFFERS", "Another amount was registered")
    said = authentication(network, known)
    if three_ds is not None and any(value != said[name] for name, value in three_ds.items()):
        raise RefusedError(422, "THREE_DS_DIFFERS", "Its payer was authenticated otherwise")
    if faults.strike(network, OPERATION, about(reference, amount), faults.DOWN) is not None:
        raise away()
    fault = faults.strike(network, OPERATION, about(reference, amount), AT_THE_CHARGE)
    behaviour = faults.behaviour_of(fault)
    plays = PLAYS[network.store.get("card_token", token=known["token"])["plays"]]
    code = ((fault and fault.code) or DO_NOT_HONOUR) if behaviour == "reject" else plays.decline
    copies = 0 if behaviour == "timeout" or not plays.is_told else 2 if behaviour == "twice" else 1
    with network.store.writing():
        if code is not None:
            _decline(network, known, code, copies)
        else:
            _capture(network, known, copies)
    if behaviour == "lost-answer":
        raise away()


def close(network: Network, reference: str) -> None:
    """Closes a charge; one that was captured or declined stays so. A capture that comes later is refused."""
    known = find(network, reference)
    if known is not None and known["status"] not in (CAPTURED, DECLINED):
        network.store.change("card_charge", known, status=CLOSED, due_at=None)


def charged_back(network: Network, known: sqlite3.Row, amount: int, code: str) -> str:
    """Books a chargeback of a charged payment; returns its id."""
    name = network.chance.uuid()
    with network.store.writing():
        of = {"payment_id": known["payment_id"], "reference": known["reference"], "amount": amount, "code": code}
        network.store.insert("card_chargeback", chargeback_id=name, **of, taken_at=network.clock.business())
        row = network.store.get("card_chargeback", chargeback_id=name)
        movements.put(network, CARD, "CHARGEBACK", chargeback(row) | _registered(known))
    return name


def chargeback(row: sqlite3.Row) -> dict[str, Any]:
    """Returns a chargeback as in its movement."""
    return {
        "chargebackId": row["chargeback_id"],
        "paymentId": row["payment_id"],
        "reference": row["reference"],
        "amount": amounts.printed(row["amount"]),
        "currency": CARD.currency,
        "code": row["code"],
        "takenAt": printed(row["taken_at"]),
    }


def _registered(known: sqlite3.Row) -> dict[str, Any]:
    """Returns the registered fields that messages about a payment repeat."""
    return items.registered(known["amount"], json.loads(known["body"]))


def end_due(network: Network, row: sqlite3.Row) -> None:
    """Answers a due decoupled authentication."""
    answered(network, row, "Y")


def about(reference: str, amount: int) -> dict[str, str | None]:
    """Returns the fields that a fault may match."""
    return {"reference": reference, "amount": amounts.printed(amount)}


def shown(network: Network, known: sqlite3.Row) -> dict[str, Any]:
    """Returns a payment as the acquirer shows it, with its capture."""
    fields = {
        "reference": known["reference"],
        "status": known["status"],
        "amount": amounts.printed(known["amount"]),
        "currency": CARD.currency,
        "installments": known["installments"],
        "code": known["code"],
        **authentication(network, known),
        **_registered(known),
    }
    if known["payment_id"] is not None:
        paid = network.store.get("item_payment", payment_id=known["payment_id"])
        fields |= payments.told(network, CARD, paid)
    return {name: value for name, value in fields.items() if value is not None}


def authentication(network: Network, known: sqlite3.Row) -> dict[str, Any]:
    """Returns the fields of the payer's authentication."""
    result = known["result"]
    url = f"http://127.0.0.1:{network.settings.port}/card/challenge/{known['challenge']}"
    return {
        "transStatus": result,
        "challengeUrl": url if result == "C" else None,
        "eci": None if result == SKIPPED or known["status"] in ASKED else ECI.get(result, NO_ECI),
        "dsTransId": known["ds_id"],
        "version": None if result == SKIPPED else VERSION,
        "authenticationValue": None if result not in ECI or known["status"] in ASKED else _cryptogram(known["ds_id"]),
    }


def _cryptogram(ds_id: str) -> str:
    """Returns twenty bytes in base64, the same for each authentication. Issuers give them in this form."""
    return b64encode(sha256(ds_id.encode()).digest()[:20]).decode()


def _tell_result(network: Network, reference: str) -> None:
    known = network.store.get("card_charge", reference=reference)
    told = {"reference": reference} | authentication(network, known) | _registered(known)
    movements.put(network, CARD, "AUTHENTICATION", {name: value for name, value in told.items() if value is not None})


def _decline(network: Network, known: sqlite3.Row, code: str, copies: int) -> None:
    network.store.change("card_charge", known, status=DECLINED, code=code)
    for _ in range(copies):
        movements.put(network, CARD, "DECLINED", {"reference": known["reference"], "code": code, **_registered(known)})


def _capture(network: Network, known: sqlite3.Row, copies: int) -> None:
    name, now = network.chance.uuid(), network.clock.business()
    of = {"partner": CARD.name, "payment_id": name, "reference": known["reference"], "amount": known["amount"]}
    network.store.insert("item_payment", **of, body="{}", status=SETTLED, taken_at=now, settled_at=now)
    taken = network.store.get("item_payment", payment_id=name)
    for _ in range(copies):
        movements.put(network, CARD, SETTLED, payments.told(network, CARD, taken) | _registered(known))
    network.store.change("card_charge", known, status=CAPTURED, payment_id=name)
