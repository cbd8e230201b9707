"""What a person does with the phone, as functions: the API and the page both call these."""

import re
from dataclasses import dataclass
from typing import Any

from ..forms import Form
from ..network import Network
from ..spi import payments, returns
from ..spi.intake import ACCOUNT, BRANCH, TX_ID
from . import payers, reading
from .location import Locations
from .paying import WORDS, Wish, pay, pay_key, receiver_by_account, refused
from .reading import Reading

MOST_LISTED = 10_000
ANY_KEY = re.compile(r"\S+")


@dataclass(frozen=True)
class Bank:
    """The payer's bank: the network it is part of, and its way to locations."""

    network: Network
    locations: Locations

    async def read(self, form: Form) -> dict[str, Any]:
        """Show what a code asks."""
        code = reading.decode(form)
        return reading.shown(self.network, await reading.read(self.network, self.locations, form.data["qrcodeData"], code))

    async def pay(self, form: Form) -> dict[str, Any]:
        """Pay what a code asks. `force` leaves the bank's own checks out, so that the rail has to judge."""
        amount, payer, force = form.maybe_amount("amount"), payers.chosen(form), form.flag("force")
        code = reading.decode(form)
        text: str = form.data["qrcodeData"]
        found = await reading.read(self.network, self.locations, text, code)
        if found.problem is not None:
            known = reading.remembered(self.network, text) if force else None
            if known is None or known.kind == "COMPOSITE":
                return refused(self.network, found.problem)
            found = known
        price = _price(form, found, amount, force=force)
        if price is None:
            return refused(self.network, "AMOUNT_NOT_ALLOWED")
        wish = Wish(payer, price, found.instrument, {}, found.tx_id, found.description)
        return await pay_key(self.network, found.key or "", wish)

    async def transfer(self, form: Form) -> dict[str, Any]:
        """Pay without a code: to a typed key, or to branch and account at lastro."""
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
            return await pay_key(self.network, key, Wish(payer, amount or 0, "DICT", {}, tx_id))
        receiver = receiver_by_account(branch, account)
        return await pay(self.network, Wish(payer, amount or 0, "MANU", receiver, tx_id))

    def payments(self, end_to_end_id: str | None, limit: int) -> list[dict[str, Any]]:
        """What really reached the network, oldest first: the newest `limit` of it, or one payment."""
        if end_to_end_id is not None:
            found = payments.find(self.network, end_to_end_id)
            rows = [] if found is None else [found]
        else:
            rows = self.network.store.rows("SELECT * FROM payment ORDER BY seq DESC LIMIT ?", limit)[::-1]
        return [
            payments.shown(row)
            | {
                "txId": row["tx_id"],
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
    """How much to pay. None: the code does not let the payer choose that."""
    if amount is None and found.amount is None:
        form.refuse("amount", "REQUIRED", "The code leaves the amount open")
    form.check()
    if amount is None or amount == found.amount:
        return found.amount
    return amount if found.open_amount or force else None
