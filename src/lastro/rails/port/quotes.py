"""A partner's quote of our amount in another asset, for rooms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.core.money import Money
    from lastro.rails.port.collecting import Person

QUOTE_SECONDS = 5.0  # a client waits for its order meanwhile


@dataclass(frozen=True, slots=True)
class QuoteWish:
    """The request for a quote.

    reference: ours, by which the partner will tell of the payment. brand: of the app that pays. valid_until: until when
    the rate has to hold.
    """

    reference: str
    brand: str
    amount: Money
    valid_until: datetime
    receiver: Person
    description: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A rate, frozen until valid_until, and the ways into the app.

    amount: what is credited to us. asset: what the payer gives (USDT, BTC). asset_amount: so much of it, a decimal text.
    rate: reais for one of it, a decimal text. deeplink: opens the app; universal_url: opens it or a page that does the same;
    qr_text: what the app reads of a picture.
    """

    reference: str
    amount: Money
    asset: str
    asset_amount: str
    rate: str
    valid_until: datetime
    deeplink: str
    universal_url: str
    qr_text: str


class Quotes(Protocol):
    """Asks a partner for rates."""

    async def quote(self, wish: QuoteWish) -> Quote:
        """Returns the rate for a wish; the same wish again is the same quote.

        Nobody can pay it before its order is told of.

        Transient: the partner was silent for QUOTE_SECONDS, or says that it is away. Permanent: it gives no rate for
        this.
        """

    async def close(self) -> None:
        """Ends its connections."""
