"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
EXTERNAL_ID_DUPLICATE = conflict("externalId", "DUPLICATE", "an order with this code is open or paid",
    "An order with this code is open or paid, whichever door made it.",
    "Read that order. A code is free again once its orders are EXPIRED, CANCELED or ERROR. Send an `idempotency-key`"
    " where you may have to send a request twice.")
AMOUNT_OUT_OF_RANGE = invalid("amount.value", "OUT_OF_RANGE", "{why}",
    "The amount is zero, negative or above 9,999,999,999.99; or it is less than the fee that the account bears, or too"
    " large together with the fee that the payer bears.",
    "Ask for an amount between 0.01 and 9,999,999,999.99 that is at least the fee.")
PAYER_REQUIRED = invalid("payer", "REQUIRED", "is required: the company has no route that takes it from who pays",
    "Your company has no route that takes the customer from who pays.", "Give name and document of the payer.")
DOCUMENT_NUMBER_INVALID = invalid("payer.document.number", "INVALID", "{why}",
    "Check digits or form do not fit the type, or there is punctuation.",
    "Give the digits alone. A CNPJ may have capital letters; CURP and RFC keep their form.")
EXTERNAL_ID_REQUIRED = invalid("externalId", "REQUIRED", "is required: the code of the order",
    "The query names no code.", "Give `?externalId=`. All orders are listed by `GET /order/v2/transparent`.")
EXTERNAL_ID_INVALID = invalid("externalId", "INVALID", "must be printable, without blanks around it",
    "It has a blank at an end, or characters that cannot be printed.", "Use 1 to 64 printable characters.")
