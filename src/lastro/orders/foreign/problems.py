"""Refusals of claims, for pages and commands."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
CLAIMED_ALREADY = conflict("state", "CONFLICT", "is {state}: a payment is claimed once")
NOT_FOUND_STATE = conflict("state", "CONFLICT", "is {state}: only a payment that is FOUND is closed")
PAYMENT_CONFLICT = conflict("paymentId", "CONFLICT", "is known here as another payment already: people must look")
ORDER_ID_INVALID = invalid("orderId", "INVALID", "is no order of this company")
ORDER_ID_NOT_ALLOWED = conflict("orderId", "NOT_ALLOWED", "{why}")
AMOUNT_MISMATCH = conflict("amount", "MISMATCH", "is {amount}, and the order asks for {asked}")
