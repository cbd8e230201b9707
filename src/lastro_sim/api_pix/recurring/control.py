"""Acts of a payer at this bank's recurrences, for tests and persons: authorize, decline, cancel. They need no token.

The payer's bank plays them as from its phone, without reading a code.
"""

import json
from typing import Any

from lastro.standards import pix_keys, recurrence_payload
from lastro_sim import amounts
from lastro_sim.api_pix import charges
from lastro_sim.api_pix.calls import Row
from lastro_sim.bank import authorizing, payers, paying, recurrences
from lastro_sim.bank.paying import PaymentWish
from lastro_sim.directory import entries
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import found
from lastro_sim.settings import COMPANY_BANK_ISPB
from lastro_sim.spi import authorizations
from lastro_sim.spi.authorizations import Consent

from . import locations, post, recurrence_states, scheduled_charges
from . import recurrences as known


async def authorize(network: Network, form: Form, id_rec: str) -> dict[str, Any]:
    """Says yes as a payer. `txid`: of the charge that he pays in the same act; `force` skips his own bank's checks."""
    payer, maximum = payers.chosen(form), form.maybe_amount("maximumAmount")
    tx_id, force = form.maybe_text("txid", 35), form.flag("force")
    row = found(recurrence_states.find(network, id_rec))
    tx_id = tx_id or row["first_tx_id"]
    charge = None if tx_id is None else charges.find(network, row["document"], tx_id)
    if tx_id is not None and charge is None:
        form.refuse("txid", "NOT_FOUND", "The txid of a charge of the same customer is expected")
    form.check()
    of = _read(network, row, tx_id)
    problem = None if force else recurrences.problem(network, of) or recurrences.maximum_problem(of, maximum)
    if problem is not None:
        return authorizing.refused(id_rec, problem)
    consent = Consent(id_rec, COMPANY_BANK_ISPB, payer.fields, maximum)
    if charge is not None:
        return {"idRec": id_rec} | await _pay(network, charge, payer, consent)
    authorizations.ask(network, consent, None)
    post.read_all(network)
    ended = authorizations.newest(network, id_rec)
    said = {} if ended is None or ended["code"] is None else {"code": ended["code"]}
    return {"idRec": id_rec, "status": "PENDING" if ended is None else ended["status"]} | said


def decline(network: Network, form: Form, id_rec: str) -> dict[str, Any]:
    """Says no as a payer."""
    payer = payers.chosen(form)
    reason = form.maybe_choice("reason", authorizing.DECLINES) or authorizing.NOT_INTERESTED
    form.check()
    row = found(recurrence_states.find(network, id_rec))
    _read(network, row, None)
    authorizations.decline(network, Consent(id_rec, COMPANY_BANK_ISPB, payer.fields), reason, None)
    post.read_all(network)
    return {"idRec": id_rec, "status": "DECLINED"}


def cancel(network: Network, form: Form, id_rec: str) -> dict[str, Any]:
    """Cancels as the payer, or as his bank by its reason."""
    reason = form.maybe_text("reason", 4, authorizing.CODE) or authorizations.BY_PAYER
    form.check()
    found(recurrence_states.find(network, id_rec))
    row = authorizations.held(network, id_rec)
    if row is None:
        return authorizing.refused(id_rec, "NOT_AUTHORIZED")
    authorizations.cancel(network, id_rec, COMPANY_BANK_ISPB, authorizations.payer_of(row), reason)
    post.read_all(network)
    return {"idRec": id_rec, "status": "CANCELED"}


def list_recurrences(network: Network, id_rec: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists the newest recurrences, oldest first, with their codes."""
    rows = network.store.newest("bank_recurrence", limit, id_rec=id_rec)
    return [
        known.complete(network, row)
        | {"clientId": row["client_id"], "pixCopiaECola": known.code(network, row, row["first_tx_id"])}
        for row in rows
    ]


def list_charges(network: Network, tx_id: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists the newest scheduled charges, oldest first."""
    rows = network.store.newest("bank_scheduled_charge", limit, tx_id=tx_id)
    return [scheduled_charges.shown(network, row) | {"clientId": row["client_id"]} for row in rows]


def _read(network: Network, row: Row, tx_id: str | None) -> recurrences.Recurrence:
    """Lets the payer's bank know a recurrence without reading its code."""
    payload = json.dumps(locations.payload_of(network, row)).encode()
    of = recurrences.of(recurrence_payload.decode(payload))
    text = known.code(network, row, tx_id) or known.code_without_location(network, row)
    recurrences.remember(network, text, of)
    return of


async def _pay(network: Network, charge: Row, payer: payers.PhoneOwner, consent: Consent) -> dict[str, Any]:
    """Pays the first charge in the same act."""
    terms = json.loads(charge["terms"])
    price = amounts.from_message(terms["valor"]["original"]) or 0
    receiver = paying.receiver_of(found(entries.find(network, pix_keys.canonical(terms["chave"]))))
    paid = await paying.pay(network, PaymentWish(payer, price, "QRDN", receiver, charge["tx_id"], consent=consent))
    row = authorizations.newest(network, consent.id_rec)
    is_held = paid["status"] == "SETTLED" and row is not None
    return paid | {"status": str(row["status"]) if is_held and row is not None else paid["status"]}
