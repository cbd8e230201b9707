"""Quotes: given once under a reference, and unchanged afterwards."""

import json
import re
from dataclasses import asdict, dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from lastro_sim import amounts, faults, scenarios
from lastro_sim.clock import MINUTE, printed
from lastro_sim.collecting import items
from lastro_sim.collecting.partner import Item, Partner, Row
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError, away

REFERENCE = re.compile(r"[0-9]{20}")
QUOTED, OPEN = "QUOTED", "OPEN"
NO_RATE = "RATE_NOT_GIVEN"
AT_A_QUOTE = frozenset({"reject", "timeout", "lost-answer", "down"})


@dataclass(frozen=True)
class Asset:
    """A currency to pay with. rate: its middle price in reais. decimals: its decimal places."""

    name: str
    rate: Decimal
    decimals: int


TETHER, BITCOIN = Asset("USDT", Decimal("5.4321"), 6), Asset("BTC", Decimal("612345.67"), 8)
BY_BRAND = {"BITSO": BITCOIN}  # any other brand pays in USDT
WAY, STEP = 10, Decimal("0.001")  # a rate moves by a thousandth every minute, up to ten thousandths from its middle


@dataclass(frozen=True)
class Quote:
    """A requested quote. amount: cents. valid_until: business microseconds."""

    reference: str
    brand: str
    amount: int
    valid_until: int
    receiver: str
    description: str


def find(network: Network, partner: Partner, reference: str) -> dict[str, Any] | None:
    """Returns a quote by its reference, as it was answered."""
    row = _kept(network, partner, reference)
    return None if row is None else json.loads(row["answer"])


def ask(network: Network, partner: Partner, quote: Quote, host: str) -> bool:
    """Gives a quote; tells whether it is new. host: of the app's pages."""
    row = _kept(network, partner, quote.reference)
    asked = json.dumps(asdict(quote))
    if row is not None:
        if row["asked"] != asked:
            raise RefusedError(409, "QUOTE_DIFFERS", "Another quote was asked for under this reference")
        return False
    about = {"partner": partner.name, "reference": quote.reference, "amount": amounts.printed(quote.amount)}
    fault = faults.strike(network, "quote", about, AT_A_QUOTE)
    fault = fault or scenarios.fault_of(scenarios.BY_QUOTE_AMOUNT, quote.amount)
    faults.refuse(fault, NO_RATE, "There is no rate for this amount")
    if quote.valid_until <= network.clock.business():
        raise RefusedError(422, "TERM_OVER", "A rate that is over before it is given")
    given = json.dumps(_given(network, partner, quote, host))
    network.store.insert("crypto_quote", partner=partner.name, reference=quote.reference, asked=asked, answer=given)
    if fault is not None:
        raise away()
    return True


def rate_at(asset: Asset, business: int) -> Decimal:
    """Returns an asset's price in that minute. It rises for ten minutes, falls for twenty, and rises again."""
    minute = business // MINUTE % (4 * WAY)
    away_from_middle = minute if minute <= WAY else 2 * WAY - minute if minute <= 3 * WAY else minute - 4 * WAY
    return (asset.rate * (1 + STEP * away_from_middle)).quantize(Decimal("0.0001"))


def reference_in(text: str) -> str:
    """Returns the reference at the end of a code's address."""
    return text.strip().rpartition("/")[2]


def admit(network: Network, partner: Partner, item: Item) -> None:
    """Checks that an order matches a quote and its amount. Raises RefusedError where it does not."""
    known = find(network, partner, item.reference)
    if known is None:
        raise RefusedError(422, "UNKNOWN_QUOTE", "No rate was given under this reference")
    if amounts.printed(item.amount) != known["amount"]:
        raise RefusedError(422, "AMOUNT_DIFFERS", "The order is of another amount than its quote")


def shown(network: Network, partner: Partner, reference: str) -> dict[str, Any] | None:
    """Returns a quote and its status: given, open, paid, closed or over."""
    quote = find(network, partner, reference)
    if quote is None:
        return None
    known = items.find(network, partner, reference)
    if known is None:
        return quote | {"status": items.CLOSED if items.is_closed(network, partner, reference) else QUOTED}
    status = items.status(network, partner, known)
    return quote | {"status": OPEN if status == items.REGISTERED else status}


def _given(network: Network, partner: Partner, quote: Quote, host: str) -> dict[str, Any]:
    asset = BY_BRAND.get(quote.brand, TETHER)
    rate = rate_at(asset, network.clock.business())
    # Rounded up, so that the payment is worth the amount at least.
    given = (Decimal(quote.amount) / 100 / rate).quantize(Decimal(1).scaleb(-asset.decimals), ROUND_CEILING)
    address = f"http://{host}/{partner.name}/app/{quote.reference}"
    return {
        "reference": quote.reference,
        "brand": quote.brand,
        "amount": amounts.printed(quote.amount),
        "asset": asset.name,
        "assetAmount": f"{given:f}",
        "rate": f"{rate:f}",
        "validUntil": printed(quote.valid_until),
        "receiver": quote.receiver,
        "description": quote.description,
        "deeplink": f"{quote.brand.lower()}://pay/{quote.reference}",
        "universalUrl": address,
        "qrcodeData": address,
    }


def _kept(network: Network, partner: Partner, reference: str) -> Row | None:
    return network.store.find("crypto_quote", partner=partner.name, reference=reference)
