"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import invalid

# fmt: off
CARD_TOKEN_MUTUALLY_EXCLUSIVE = invalid("order.paymentDetails.cardToken", "MUTUALLY_EXCLUSIVE",
    "a card is typed, or its token is given",
    "There is a card beside its token.", "Give one of the two.")
CARD_TOKEN_INVALID = invalid("order.paymentDetails.cardToken", "INVALID", "is no token of a card of this company",
    "It is no token of a card of your company.",
    "Take the `cardToken` of an earlier order or of the token call, or have the card typed.")
INSTALLMENTS_NOT_ALLOWED = invalid("order.paymentDetails.installments", "NOT_ALLOWED", "there is no card that they are of",
    "There is no card that they are of.", "Give the card.")
BROWSER_REQUIRED = invalid("order.paymentDetails.browser", "REQUIRED", "is required to authenticate the payer",
    "3-D Secure asks for the payer's browser.", "Give it, or `skip3ds`.")
PHONE_REQUIRED = invalid("customer.phone", "REQUIRED", "is required for this method",
    "The acquirer of cards asks for it.", "Give `customer.phone`.")
PAYMENT_DETAILS_REQUIRED = invalid("order.paymentDetails", "REQUIRED", "is required for {method}",
    "An order by card says how it is paid.", "Give a `creditCard` or a `cardToken`.")
PAYMENT_DETAILS_NOT_ALLOWED = invalid("order.paymentDetails", "NOT_ALLOWED", "is for {method} alone",
    "Another method than CREDIT_CARD has no card.", "Leave it out.")
CREDIT_CARD_REQUIRED = invalid("order.paymentDetails.creditCard", "REQUIRED", "is required, or a cardToken",
    "There is neither a card nor a token of one.", "Give one of the two.")
CREDIT_CARD_NUMBER_NOT_SUPPORTED = invalid("order.paymentDetails.creditCard.number", "NOT_SUPPORTED",
    "is of a brand that is not taken",
    "No brand that is taken has such numbers.", "Have another card typed.")
CREDIT_CARD_NUMBER_NOT_ALLOWED = invalid("order.paymentDetails.creditCard.number", "NOT_ALLOWED",
    "is not taken by the acquirer: {code}",
    "The acquirer's tokenizer takes no such card; its code says why.", "Have another card typed.")
CVV_INVALID = invalid("order.paymentDetails.creditCard.cvv", "INVALID", "has not the length that the brand's codes have",
    "It has not three digits, of AMEX four.", "Have it typed again.")
BRAND_INVALID = invalid("order.paymentDetails.creditCard.brand", "INVALID", "must be one of {what}",
    "It is no brand that is known.", "Leave it out: the number says it.")
BRAND_MISMATCH = invalid("order.paymentDetails.creditCard.brand", "MISMATCH", "is not the brand of the number",
    "The number is of another brand.", "Leave it out: the number says it.")
HOLDER_DOCUMENT_INVALID = invalid("order.paymentDetails.creditCard.holderDocument", "INVALID",
    "must show three characters and then *, or be whole",
    "It shows more or less than three characters before `*`.", "Show three characters, then `*`; or give it whole.")
INSTALLMENTS_MISMATCH = invalid("order.paymentDetails.creditCard.installments", "MISMATCH",
    "differs from order.paymentDetails.installments",
    "`paymentDetails.installments` says another number.", "Give one.")
CARD_EXPIRED = invalid("order.paymentDetails.cardToken", "EXPIRED", "the card has expired",
    "The card has expired.", "Have a newer card typed.")
BROWSER_PART_REQUIRED = invalid("order.paymentDetails.browser.language", "REQUIRED", "is required to authenticate the payer",
    "3-D Secure asks for it.", "Give it as the browser says it.")
CARD_FIELD_INVALID = invalid("order.paymentDetails.creditCard.number", "INVALID", "{wrong}",
    "The number has not 12 to 19 digits, or its check digit does not match; the expiry is not written `MM/YY`.",
    "Have it typed again, a number as digits alone.")
CARD_NOT_SUPPORTED = invalid("number", "NOT_SUPPORTED", "no acquirer of cards is configured here",
    "It is of a brand that is not taken, or no acquirer is configured.", "Have another card typed.")
