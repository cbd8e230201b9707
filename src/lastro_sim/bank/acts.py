"""A person's actions on the phone, for the API and the page."""

import json
import re
import sqlite3
from dataclasses import dataclass
from typing import Any

from lastro.standards import pix_ids
from lastro_sim import amounts, faults, logs
from lastro_sim.boleto import phone as slip
from lastro_sim.clock import moment
from lastro_sim.collecting import phone as collected
from lastro_sim.collecting.partner import Partner
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.partners import PARTNERS
from lastro_sim.settings import OUTSIDE_BANK_ISPB, PAYER_BANK_ISPB, SIMULATED_BANKS
from lastro_sim.spi import payments, returns
from lastro_sim.spi.intake import ACCOUNT, BRANCH, TX_ID

from . import authorizing, payers, reading
from .location import Locations
from .paying import WORDS, PaymentWish, pay, pay_key, receiver_by_account, refused
from .reading import Reading

BANKS_COMPANY_NUMBER = 0
ANY_KEY = re.compile(r"\S+")


@dataclass(frozen=True)
class Bank:
    """The payer's bank, with its network and its client for locations."""

    network: Network
    locations: Locations

    async def read(self, form: Form) -> dict[str, Any]:
        """Shows the terms of a code, a slip or a reference."""
        item = self._item(form)
        if item is not None:
            return collected.read(self.network, *item)
        if slip.is_slip(form):
            return slip.read(self.network, form)
        code = reading.decode(form)
        return reading.shown(self.network, await reading.read(self.network, self.locations, form.data["qrcodeData"], code))

    async def pay(self, form: Form) -> dict[str, Any]:
        """Pays a code, slip or reference, and authorizes its recurrence if any.

        `force` skips the bank's own checks, so that the rail has to judge.
        """
        item = self._item(form)
        if item is not None:
            return collected.pay(self.network, *item, form)
        if slip.is_slip(form):
            return slip.pay(self.network, form)
        amount, payer, force = form.maybe_amount("amount"), payers.chosen(form), form.flag("force")
        maximum = form.maybe_amount("maximumAmount")
        code = reading.decode(form)
        text: str = form.data["qrcodeData"]
        found = await reading.read(self.network, self.locations, text, code)
        if found.problem is not None:
            known = reading.remembered(self.network, text) if force else None
            if known is None:
                return refused(self.network, found.problem)
            found = known
        if found.kind == "RECURRENCE":
            return refused(self.network, "NOTHING_TO_PAY")
        consent = authorizing.consent_to(self.network, found, payer, maximum, force=force)
        if isinstance(consent, str):
            return refused(self.network, consent)
        price = _price(form, found, amount, force=force)
        if price is None:
            return refused(self.network, "AMOUNT_NOT_ALLOWED")
        wish = PaymentWish(
            payer, price, found.instrument, {}, found.tx_id, found.description, consent, location=code.location, qr_code=text
        )  # fmt: skip
        return await pay_key(self.network, found.key or "", wish)

    async def transfer(self, form: Form) -> dict[str, Any]:
        """Pays without a code: to a key, or an account at lastro."""
        key, place = form.maybe_text("key", 77, ANY_KEY), form.maybe_child("account")
        amount, payer, tx_id = form.maybe_amount("amount"), payers.chosen(form), form.maybe_text("txid", 35, TX_ID)
        if form.given("amount") is None:
            form.refuse("amount", "REQUIRED", "This field is required")
        if form.given("key") is None and form.given("account") is None:
            form.refuse("key", "REQUIRED", "A key or an account is needed")
        elif form.given("key") is not None and form.given("account") is not None:
            form.refuse("account", "MUTUALLY_EXCLUSIVE", "A key or an account, not both")
        branch, account = "", ""
        if place is not None:
            branch, account = place.text("branch", 4, BRANCH), place.text("account", 20, ACCOUNT)
        form.check()
        if key is not None:
            return await pay_key(self.network, key, PaymentWish(payer, amount or 0, "DICT", {}, tx_id))
        receiver = receiver_by_account(branch, account)
        return await pay(self.network, PaymentWish(payer, amount or 0, "MANU", receiver, tx_id))

    def give_back(self, form: Form) -> dict[str, Any]:
        """Returns part or all of a payment from its receiver here."""
        end_to_end_id, amount = form.text("endToEndId", 32), form.maybe_amount("amount")
        reason = form.maybe_choice("reason", returns.REASONS) or "MD06"
        details = form.maybe_text("details", 140)
        form.check()
        payment = payments.find(self.network, end_to_end_id)
        bank = OUTSIDE_BANK_ISPB if payment is None or payment["receiver"] not in SIMULATED_BANKS else payment["receiver"]
        if amount is None and payment is not None:
            # A payment that was returned whole is asked for whole again, and refused.
            amount = returns.left(self.network, payment) or payment["amount"]
        at = moment(self.network.clock.business())
        number = self.network.store.next_number("return")
        asked = returns.Return(
            return_id=pix_ids.return_id(bank, at, BANKS_COMPANY_NUMBER, number),
            end_to_end_id=end_to_end_id,
            sender=bank,
            amount=amount or 1,  # for an unknown payment any amount will do
            reason=reason,
            details=details,
        )
        logs.about(asked.return_id)
        with self.network.store.writing():
            fault = faults.strike(self.network, "return", returns.about(asked), returns.OF_BANKS)
            returns.give_back(self.network, asked, fault)
        made = self.network.store.get("giveback", return_id=asked.return_id)
        code = {"code": made["code"]} if made["status"] == "RJCT" else {}
        return {"returnId": asked.return_id, "status": WORDS[made["status"]]} | code

    def payments(self, end_to_end_id: str | None, limit: int) -> list[dict[str, Any]]:
        """Lists payments that reached the network, oldest first: the newest `limit`, or one."""
        return self._told(self.network.store.newest("payment", limit, end_to_end_id=end_to_end_id))

    def payer_of(self, end_to_end_id: str) -> str | None:
        """Returns the document of the payer's bank's customer who paid. None: somebody else paid, or nobody."""
        row = payments.find(self.network, end_to_end_id)
        if row is None or row["sender"] != PAYER_BANK_ISPB:
            return None
        return str(json.loads(row["body"])["payer"]["document"]["number"])

    def received(self, limit: int) -> list[dict[str, Any]]:
        """Lists the newest payments from elsewhere to customers of banks played here.

        Newest first, each with `left`: the amount that has not been given back, None when nothing is left.
        """
        rows = self.network.store.rows(
            "SELECT * FROM payment WHERE status = 'ACCC' AND receiver IN (?, ?) AND sender NOT IN (?, ?, ?)"
            " ORDER BY seq DESC LIMIT ?",
            PAYER_BANK_ISPB,
            OUTSIDE_BANK_ISPB,
            *SIMULATED_BANKS,
            limit,
        )
        rests = (returns.left(self.network, row) for row in rows)
        return [
            one | {"left": amounts.printed(rest) if rest else None}
            for one, rest in zip(self._told(rows), rests, strict=True)
        ]

    def _item(self, form: Form) -> tuple[Partner, sqlite3.Row] | None:
        """Finds the typed slip or reference; None: no partner knows it."""
        item = collected.found(self.network, PARTNERS.values(), form)
        return slip.found(self.network, form) if item is None and slip.is_slip(form) else item

    def _told(self, rows: list[sqlite3.Row]) -> list[dict[str, Any]]:
        return [
            payments.shown(row)
            | {
                "txId": row["tx_id"],
                "payerIspb": row["sender"],
                "receiverIspb": row["receiver"],
                "status": WORDS[row["status"]],
                "returns": [
                    {name: value for name, value in returns.shown(given).items() if name != "endToEndId"}
                    | {"status": WORDS[given["status"]]}
                    for given in returns.of_payment(self.network, row["end_to_end_id"])
                ],
            }
            for row in rows
        ]


def _price(form: Form, found: Reading, amount: int | None, *, force: bool) -> int | None:
    """Returns the amount to pay; None if the code forbids that amount."""
    if amount is None and found.amount is None:
        form.refuse("amount", "REQUIRED", "The code leaves the amount open")
    form.check()
    if amount is None or amount == found.amount:
        return found.amount
    return amount if found.open_amount or force else None
