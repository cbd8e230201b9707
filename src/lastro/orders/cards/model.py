"""The data of a card payment, without number and security code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.money import Money
    from lastro.rails.port import CardOrder
    from lastro.standards.cards import CardNumber, Expiry, SecurityCode


@dataclass(frozen=True, slots=True)
class CardPayment:
    """The state of an order's card payment. skips_3ds: nobody is authenticated.

    flow: FRICTIONLESS, CHALLENGE, DECOUPLED or SKIPPED, once it is known. challenge_url: the issuer's page, while it waits.
    """

    id: UUID
    state: str
    version: int
    skips_3ds: bool = False
    flow: str | None = None
    trans_status: str | None = None
    challenge_url: str | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """A card as its holder typed it, for the tokenizer. It cannot be printed, copied or stored.

    holder: name, and the document masked.
    """

    number: CardNumber
    code: SecurityCode
    expiry: Expiry
    brand: str
    holder: dict[str, str]


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card that a token stands for. name: the client's own token of it. token: the acquirer's."""

    name: str
    token: str
    brand: str
    last_four: str
    expiry: Expiry


@dataclass(frozen=True, slots=True)
class CardWish:
    """A client's choice of card payment. typed, or name: of a stored card. installments: 1 is all at once."""

    installments: int
    typed: Typed | None = None
    name: str | None = None
    skips_3ds: bool = False
    three_ds_token: str | None = None
    browser: dict[str, str | int | bool] | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """The card of an order that is being made. is_new: whether a token was made of it just now."""

    kept: StoredCard
    wish: CardWish
    is_new: bool

    def order(self, return_url: str, email: str | None, phone: str | None, ip: str | None) -> CardOrder:
        """Returns the acquirer's card data. return_url: the page that a challenge leads back to."""
        from lastro.rails.port import CardOrder  # noqa: PLC0415 the model stands below what it is told with

        wish = self.wish
        return CardOrder(
            self.kept.token,
            wish.installments,
            return_url,
            wish.skips_3ds,
            wish.three_ds_token,
            wish.browser,
            email,
            phone,
            ip,
        )


@dataclass(frozen=True, slots=True)
class Chargeback:
    """An amount of an order that its issuer took back."""

    id: UUID
    amount: Money
