"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
CARD_TOKEN_MUTUALLY_EXCLUSIVE = invalid("order.paymentDetails.cardToken", "MUTUALLY_EXCLUSIVE",
    "a card is typed, or its token is given",
    "There is a card beside its token.", "Give one of the two.")
CARD_TOKEN_INVALID = invalid("order.paymentDetails.cardToken", "INVALID", "is no token of a card of this company",
    "It is no token of a card of your company.", "Take the `card.cardToken` of an earlier order, or have the card typed.")
INSTALLMENTS_NOT_ALLOWED = invalid("order.paymentDetails.installments", "NOT_ALLOWED", "there is no card that they are of",
    "There is no card that they are of.", "Give the card.")
BROWSER_REQUIRED = invalid("order.paymentDetails.browser", "REQUIRED", "is required to authenticate the payer",
    "3-D Secure asks for the payer's browser.", "Give it, or `skip3ds`.")
