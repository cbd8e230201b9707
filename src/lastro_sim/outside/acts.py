"""The outside bank's services: charges and printed codes, for API and page."""

import sqlite3
from dataclasses import dataclass
from typing import Any

from lastro.standards import brcode, pix_ids, pix_keys
from lastro_sim import amounts
from lastro_sim.clock import SECOND
from lastro_sim.directory import entries
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import conflict, not_found
from lastro_sim.settings import BANK_NAMES, OUTSIDE_BANK_ISPB
from lastro_sim.spi.intake import TX_ID

from . import charges
from .signing import HABITS, Signer

NOBODYS_COMPANY = 0
DEFAULT_EXPIRATION = 86_400
LONGEST_EXPIRATION = 2_000_000_000
OLDEST = 366 * 86_400
DEFAULT_KEY = "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"
CITY = "SAO PAULO"
LOCATIONS = "/qr/v2"
KEYS = "/.well-known/pix-jwks.json"


@dataclass(frozen=True)
class OutsideBank:
    """A bank outside lastro, with its network, signer and location host."""

    network: Network
    signer: Signer
    host: str

    def issue(self, form: Form) -> dict[str, Any]:
        """Issues a dynamic charge with its code."""
        key = self._key(form)
        amount, open_amount = form.maybe_amount("amount"), form.flag("openAmount")
        expiration = form.maybe_whole("expiration", 1, LONGEST_EXPIRATION) or DEFAULT_EXPIRATION
        age = form.maybe_whole("age", 0, OLDEST) or 0
        description = form.maybe_text("description")
        signature = form.maybe_choice("signature", HABITS.keys())
        tx_id = form.maybe_text("txid", 35, TX_ID)
        if tx_id is not None and not pix_ids.is_txid_dynamic(tx_id):
            form.refuse("txid", "INVALID", "The txid of a charge has 26 to 35 letters and digits")
        form.check()
        tx_id = tx_id or pix_ids.dynamic_txid(NOBODYS_COMPANY, self.network.chance.octets(24))
        if charges.by_tx_id(self.network, tx_id) is not None:
            raise conflict("txid", "DUPLICATE", "This txid belongs to another charge")
        token = pix_ids.location_token(self.network.chance.octets(24))
        fixed = None if amount is None or open_amount else amounts.printed(amount)
        made = charges.Charge(
            token=token,
            tx_id=tx_id,
            key=key,
            amount=amount or 0,
            open_amount=open_amount or amount is None,
            description=description,
            created_at=self.network.clock.business() - age * SECOND,
            expiration=expiration,
            signature=signature,
            qrcode_data=self._printed(key, location=self.location(token), amount=fixed, single_use=True),
        )
        return self.shown(charges.keep(self.network, made))

    def change(self, form: Form, tx_id: str) -> dict[str, Any]:
        """Changes an active charge, or ends it; not both at once. Source: API Pix 2.9.0, PATCH /cob."""
        amount = form.maybe_amount("amount")
        expiration = form.maybe_whole("expiration", 1, LONGEST_EXPIRATION)
        status = form.maybe_choice("status", charges.STATUSES)
        edits = form.given("amount") is not None or form.given("expiration") is not None
        if status not in {None, charges.ACTIVE} and edits:
            form.refuse("status", "MUTUALLY_EXCLUSIVE", "A charge is changed or ended, not both")
        form.check()
        known = charges.by_tx_id(self.network, tx_id)
        if known is None:
            raise not_found()
        if known["status"] != charges.ACTIVE:
            raise conflict("status", "NOT_ALLOWED", "The charge has ended")
        # Each change is one revision (API Pix 2.9.0, revisao).
        changed = {"amount": amount or known["amount"], "expiration": expiration or known["expiration"]}
        revision = known["revision"] + 1
        self.network.store.change("charge", known, **changed, status=status or charges.ACTIVE, revision=revision)
        return self.shown(self.network.store.get("charge", tx_id=tx_id))

    def static_code(self, form: Form) -> dict[str, Any]:
        """Returns a static code of the bank's key; nothing is kept."""
        key, amount = self._key(form), form.maybe_amount("amount")
        tx_id, description = form.maybe_text("txid", 25, TX_ID), form.maybe_text("description", 60)
        form.check()
        try:
            text = self._printed(
                key, amount=None if amount is None else amounts.printed(amount), txid=tx_id, description=description
            )
        except brcode.BrCodeError as error:
            form.refuse("description", "TOO_LONG", str(error)[:200])
            form.check()
            raise
        return {"qrcodeData": text, "key": key}

    def charges(self, tx_id: str | None, limit: int) -> list[dict[str, Any]]:
        """Returns the newest charges, oldest first, or one of them."""
        return [self.shown(row) for row in self.network.store.newest("charge", limit, tx_id=tx_id)]

    def location(self, token: str) -> str:
        """Returns a location as a code carries it, without its scheme."""
        return f"{self.host}{LOCATIONS}/{token}"

    def shown(self, charge: sqlite3.Row) -> dict[str, Any]:
        """Returns a charge as the acts answer it."""
        return charges.shown(charge, self.location(charge["token"]))

    def _key(self, form: Form) -> str:
        key = pix_keys.canonical(form.maybe_text("key", pix_keys.MAX_KEY) or DEFAULT_KEY)
        entry = entries.find(self.network, key)
        if entry is None or entry["ispb"] != OUTSIDE_BANK_ISPB:
            form.refuse("key", "INVALID", "A key of the outside bank is expected; POST /directory adds one")
        return key

    def _printed(self, key: str, *, location: str | None = None, **fields: Any) -> str:
        name = self.network.store.get("entry", key=key)["owner_name"]
        target: dict[str, Any] = {"key": key} if location is None else {"location": location}
        return brcode.encode(brcode.BrCode(merchant_name=name, merchant_city=CITY, **target, **fields))


def open_bank(network: Network) -> OutsideBank:
    """Registers the outside bank as a participant with trusted locations."""
    # The port stands in it even where it is 80: the registered text and the text in a code must be equal.
    host = f"127.0.0.1:{network.settings.port}"
    jku, name = f"http://{host}{KEYS}", BANK_NAMES[OUTSIDE_BANK_ISPB]
    network.store.put("participant", ispb=OUTSIDE_BANK_ISPB, name=name, jku=jku, host=host)
    return OutsideBank(network, Signer(network, jku), host)
