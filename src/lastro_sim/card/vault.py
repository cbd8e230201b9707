"""The tokenizer, which never stores card numbers. Of a card it keeps the scenario, brand, last four digits and expiry."""

import sqlite3

from lastro.standards.cards import CardError, CardNumber, Expiry, SecurityCode
from lastro_sim import faults
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError

from .numbers import BY_NUMBER, GOOD, PLAYS

STRIKES = frozenset({"reject", "down"})
NOT_TAKEN = ("CARD_NOT_TAKEN", "The acquirer takes no such card")


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
    faults.refuse(faults.strike(network, "tokenizer", {}, STRIKES), *NOT_TAKEN)
    plays = BY_NUMBER.get(typed, GOOD)
    if not PLAYS[plays].is_taken:
        raise RefusedError(422, *NOT_TAKEN)
    token, brand = f"tok_{network.chance.uuid().replace('-', '')}", number.brand or "OTHER"
    expires = f"{until.month:02d}/{until.year % 100:02d}"
    network.store.insert("card_token", token=token, plays=plays, brand=brand, last_four=number.last_four, expiry=expires)
    return network.store.get("card_token", token=token)
