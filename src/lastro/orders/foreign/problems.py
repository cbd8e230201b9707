"""Refusals of claims, for pages and commands."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
CLAIMED_ALREADY = conflict("state", "CONFLICT", "is {state}: a payment is claimed once")
NOT_FOUND_STATE = conflict("state", "CONFLICT", "is {state}: only a payment that is FOUND is closed")
PAYMENT_REHEARSAL = conflict("paymentId", "NOT_ALLOWED", "is of a rehearsal of lastro, which gives it back itself")
PAYMENT_GIVEN_BACK = conflict("paymentId", "CONFLICT", "was given back at the bank, in whole or in part, or is about to be")
PAYMENT_UNKNOWN = conflict("paymentId", "CONFLICT", "is not known to the bank any more")
PAYMENT_DIFFERS = conflict("", "MISMATCH", "is another at the bank than in this list")
PAYMENT_CONFLICT = conflict("paymentId", "CONFLICT", "is known here as another payment already: people must look")
ORDER_ID_INVALID = invalid("orderId", "INVALID", "is no order of this company, by its id or its externalId")
ORDER_ID_NOT_ALLOWED = conflict("orderId", "NOT_ALLOWED", "{why}")
AMOUNT_MISMATCH = conflict("amount", "MISMATCH", "is {amount}, and the order asks for {asked}")
AMOUNT_OPEN = conflict("amount", "MISMATCH", "is {amount}, and the order asks for an open amount")
