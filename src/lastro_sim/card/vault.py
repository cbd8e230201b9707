"""The tokenizer, which never stores card numbers. Of a card it keeps the scenario, brand, last four digits and expiry."""

import sqlite3

from lastro.standards.cards import CardError, CardNumber, Expiry, SecurityCode
from lastro_sim import faults
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

from .numbers import BY_NUMBER, GOOD, PLAYS

STRIKES = frozenset({"reject", "down"})


def tokenize(network: Network, raw: bytes) -> sqlite3.Row:
    """Returns a new token of a card; refuses an invalid or unaccepted one."""
    form = Form.read(raw)
    typed, code, expiry = form.text("number", 19), form.text("cvv", 4), form.text("expiry", 5)
    form.text("holderName")
    form.text("holderDocument", 40)
    form.check()
    try:
        number, until = CardNumber(typed), Expiry.parse(expiry)
        SecurityCode(code)
    except CardError:
        raise RefusedError(422, "CARD_INVALID", "The card's data is not valid") from None
    fault = faults.strike(network, "tokenizer", {}, STRIKES)
    if fault is not None and fault.behaviour == "down":
        raise away()
    plays = BY_NUMBER.get(typed, GOOD)
    if fault is not None or not PLAYS[plays].is_taken:
        raise RefusedError(422, (fault and fault.code) or "CARD_NOT_TAKEN", "The acquirer takes no such card")
    token = f"tok_{network.chance.uuid().replace('-', '')}"
    network.store.run(
        "INSERT INTO card_token (token, plays, brand, last_four, expiry) VALUES (?, ?, ?, ?, ?)",
        token,
        plays,
        number.brand or "OTHER",
        number.last_four,
        f"{until.month:02d}/{until.year % 100:02d}",
    )
    found = find(network, token)
    assert found is not None
    return found


def find(network: Network, token: str) -> sqlite3.Row | None:
    """Returns a token."""
    return network.store.row("SELECT * FROM card_token WHERE token = ?", token)
