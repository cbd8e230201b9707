"""Acts of a test or a person at the bank: customers, payments, the console. They need no token."""

import json
import re
from datetime import timedelta
from typing import Any

from lastro.standards import brcode, pix_keys
from lastro_sim import amounts
from lastro_sim.bank import payers, paying
from lastro_sim.bank.paying import PaymentWish
from lastro_sim.clock import printed
from lastro_sim.directory import entries
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import conflict, found
from lastro_sim.settings import COMPANY_BANK_ISPB
from lastro_sim.spi import payments

from . import authority, charges, credentials, customers, locations, notices, received, returns
from .calls import Customer, Row
from .dialects import DIALECTS

CLIENT_ID = re.compile(r"[a-zA-Z0-9._-]{1,64}")
DOCUMENT = re.compile(r"[0-9]{11}|[0-9A-Z]{12}[0-9]{2}")
NAME = re.compile(r"[^\x00-\x1f]{1,120}")
SECRET_LENGTH = 40
CONSOLE_ID_LENGTH = 32
NATURES = frozenset({returns.ORIGINAL, *returns.BY_MED})
MOST_KEYS = 20


def add_customer(network: Network, form: Form) -> dict[str, Any]:
    """Opens an account of a new customer, or gives one another dialect; returns his credentials."""
    client_id, name = form.text("clientId", 64, CLIENT_ID), form.maybe_text("name", 120, NAME)
    document = form.maybe_text("document", 14, DOCUMENT) or customers.DEMO.document
    dialect = form.maybe_choice("dialect", DIALECTS.keys()) or "standard"
    keys = form.given("keys") or []
    secret = form.maybe_text("secret", 128) or network.chance.letters(SECRET_LENGTH)
    are_keys = isinstance(keys, list) and all(isinstance(one, str) and pix_keys.is_key(one) for one in keys)
    if not are_keys or len(keys) > MOST_KEYS:
        form.refuse("keys", "INVALID", f"At most {MOST_KEYS} Pix keys")
    form.check()
    for key in keys:
        entry = entries.find(network, pix_keys.canonical(key))
        if entry is not None and entry["ispb"] != COMPANY_BANK_ISPB:
            raise conflict("keys", "DUPLICATE", "A key belongs to an account elsewhere")
    known = customers.find(network, client_id)
    account = customers.next_account(network) if known is None else known.account
    asked = Customer(client_id, name or client_id, document, customers.BRANCH, account, dialect)
    made = customers.open_account(network, asked, secret, tuple(keys))
    if known is None:
        authority.issue(network, client_id)
    return shown_customer(network, made)


def set_dialect(network: Network, form: Form, client_id: str) -> dict[str, Any]:
    """Gives a customer another dialect."""
    dialect = form.choice("dialect", DIALECTS.keys())
    form.check()
    row = found(network.store.find("bank_customer", client_id=client_id))
    network.store.change("bank_customer", row, dialect=dialect)
    return shown_customer(network, found(customers.find(network, client_id)))


def issue_certificate(network: Network, form: Form, client_id: str) -> dict[str, Any]:
    """Issues a customer's certificate anew. days: of its life; negative: it is over already."""
    days = form.maybe_whole("days", -3650, 3650)
    form.check()
    customer = found(customers.find(network, client_id))
    authority.issue(network, client_id, authority.GOOD_FOR if days is None else timedelta(days=days))
    return shown_customer(network, customer)


async def pay(network: Network, form: Form) -> dict[str, Any]:
    """Pays a charge by txid or code, or a key. `force` pays what the bank would refuse; `txid` beside a key is sent with it.

    A charge is paid with its own amount unless another is given. A key is paid without a code: no charge ends by it.
    """
    key, text, tx_id = form.maybe_text("key", 77), form.maybe_text("qrcodeData", 512), form.maybe_text("txid", 35)
    cents, payer, force = form.maybe_amount("amount"), payers.chosen(form), form.flag("force")
    row = _charge_of(network, form, text) if text else None
    if row is None and key is None:
        row = charges.by_tx_id(network, tx_id)
        if row is None:
            form.refuse("txid", "NOT_FOUND", "The txid of a charge here, its code or a key is needed")
    if key is not None and cents is None:
        form.refuse("amount", "REQUIRED", "A payment to a key needs its amount")
    form.check()
    if row is None:
        entry = entries.find(network, pix_keys.canonical(key or ""))
        if entry is None or entry["ispb"] != COMPANY_BANK_ISPB:
            form.refuse("key", "NOT_FOUND", "A key of this bank is needed")
            form.check()
        wish = PaymentWish(payer, cents or 0, "QRES" if tx_id else "DICT", {}, tx_id)
        return await paying.pay_key(network, key or "", wish)
    terms = json.loads(row["terms"])
    price = cents or amounts.from_message(terms["valor"]["original"]) or 0
    receiver = paying.receiver_of(found(entries.find(network, pix_keys.canonical(terms["chave"]))))
    wish = PaymentWish(payer, price, "QRDN", receiver, row["tx_id"], form.maybe_text("remark", 140))
    if not force:
        return await paying.pay(network, wish)
    order = paying.order_of(network, wish)
    payments.settle_outside(network, order, None)
    return {"endToEndId": order.end_to_end_id, "status": "SETTLED"}


def set_amount(network: Network, form: Form, tx_id: str) -> dict[str, Any]:
    """Changes a charge's amount at the bank's console."""
    cents = form.maybe_amount("amount")
    if cents is None:
        form.refuse("amount", "REQUIRED", "This field is required")
    form.check()
    row = _active(network, tx_id)
    charges.set_amount(network, row, cents or 0)
    return charges.complete(network, network.store.get("bank_charge", seq=row["seq"]))


def remove(network: Network, form: Form, tx_id: str) -> dict[str, Any]:
    """Removes a charge at the console: by its owner, or by the bank itself."""
    by_bank = form.flag("byBank")
    form.check()
    row = _active(network, tx_id)
    charges.end(network, row, charges.REMOVED_BY_BANK if by_bank else charges.REMOVED)
    return charges.complete(network, network.store.get("bank_charge", seq=row["seq"]))


def give_back(network: Network, form: Form, end_to_end_id: str) -> dict[str, Any]:
    """Gives a Pix back at the console, or by the MED: `nature`. Nobody asked for it by API."""
    cents, nature = form.maybe_amount("amount"), form.maybe_choice("nature", NATURES) or returns.ORIGINAL
    form.check()
    pix = found(network.store.find("bank_pix", end_to_end_id=end_to_end_id))
    rest = returns.left(network, pix)
    if (cents or rest) > rest or rest == 0:
        raise conflict("amount", "TOO_MUCH", "More than what is left of it")
    name = network.chance.letters(CONSOLE_ID_LENGTH)
    made = returns.give_back(network, pix, name, cents or rest, nature, None)
    return received.shown_return(made)


def send_notice(network: Network, form: Form) -> dict[str, Any]:
    """Sends any body to a key's webhook, as a forger would."""
    key, body = form.text("key", 77), form.given("body")
    if not isinstance(body, dict):
        form.refuse("body", "INVALID", "An object is expected")
    form.check()
    hook = found(network.store.find("bank_webhook", key=pix_keys.canonical(key)))
    notices.put(network, notices.address(hook["url"]), body)
    return {"url": hook["url"]}


def list_customers(network: Network, limit: int) -> list[dict[str, Any]]:
    """Lists the newest customers, oldest first, with their secrets: it is a sandbox."""
    return [shown_customer(network, customers.of_row(row)) for row in network.store.newest("bank_customer", limit)]


def list_charges(network: Network, tx_id: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists the newest charges, oldest first."""
    rows = network.store.newest("bank_charge", limit, tx_id=tx_id)
    return [charges.complete(network, row) | {"clientId": row["client_id"]} for row in rows]


def list_pix(network: Network, end_to_end_id: str | None, limit: int) -> list[dict[str, Any]]:
    """Lists the newest Pix, oldest first, hidden ones too."""
    rows = network.store.newest("bank_pix", limit, end_to_end_id=end_to_end_id)
    return [
        received.shown(network, row)
        | {"left": amounts.printed(returns.left(network, row)), "listedAt": printed(row["listed_at"])}
        for row in rows
    ]


def shown_customer(network: Network, customer: Customer) -> dict[str, Any]:
    """Returns a customer with his credentials."""
    row = network.store.get("bank_customer", client_id=customer.client_id)
    return {"secret": row["secret"], **credentials.of(network, customer)}


def _charge_of(network: Network, form: Form, text: str) -> Row | None:
    """Returns the charge of a code; notes a problem where it is none of this bank."""
    try:
        where = brcode.decode(text.strip()).location or ""
    except brcode.BrCodeError:
        where = ""
    place = network.store.find("bank_location", token=where.rpartition("/")[2])
    if place is None or place["tx_id"] is None or where != locations.address(network, place["token"]):
        form.refuse("qrcodeData", "NOT_FOUND", "The code of a charge here is expected")
        return None
    return charges.find(network, place["document"], place["tx_id"])


def _active(network: Network, tx_id: str) -> Row:
    row = found(charges.by_tx_id(network, tx_id))
    if row["status"] != charges.ACTIVE:
        raise conflict("txid", "NOT_ACTIVE", "The charge has ended")
    return row
