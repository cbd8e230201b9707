"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
DUE_DATE_OUT_OF_RANGE = invalid("dueDate", "OUT_OF_RANGE", "{why}",
    "It is before the first cycle, after `endDate`, more than 366 days ahead, or would be settled in less than three"
    " days.", "Give a day from `nextActions` of the subscription.")
DUE_DATE_CONFLICT = conflict("dueDate", "CONFLICT", "its cycle has a payment already",
    "The cycle of this day has a payment that is not CANCELED or ERROR.", "Charge another cycle: each is charged once.")
AMOUNT_REQUIRED = invalid("amount", "REQUIRED", "is required: the subscription has no fixedAmount",
    "The subscription has no `fixedAmount`.", "Say what to charge.")
AMOUNT_MISMATCH = invalid("amount", "MISMATCH", "is not the subscription's fixedAmount of {fixed}",
    "It is not the subscription's `fixedAmount`.", "Leave it out, or give the same.")
AMOUNT_VALUE_OUT_OF_RANGE = invalid("amount.value", "OUT_OF_RANGE", "is less than the fee of {total}",
    "The amount is zero, negative or above 9,999,999,999.99; or it is less than the fee, which the account bears.",
    "Charge an amount that is at least the fee.")
DATE_OUT_OF_RANGE = invalid("date", "OUT_OF_RANGE", "{why}",
    "The day is not later than today and the attempts that were scheduled, or later than `lastRetryDate`; or the"
    " subscription allows no tries after the due date.", "Give a day up to `lastRetryDate`.")
NOT_CHARGEABLE = conflict("status", "CONFLICT", "{why}",
    "The subscription, or the account that is paid, is not active.",
    "Wait for `SUBSCRIPTION.ACCEPTED`; what has ended cannot be charged.")
EXTERNAL_ID_DUPLICATE = conflict("externalId", "DUPLICATE", "{why}",
    "Another payment of this subscription has the code.",
    "Read that one, or give another code. Send an `idempotency-key` where you may have to send a request twice.")
EXTERNAL_ID_INVALID = invalid("externalId", "INVALID", "must be printable, without blanks around it",
    "It has a blank at an end, or characters that cannot be printed.", "Use 1 to 64 printable characters.")
NOT_CANCELABLE = conflict("status", "CONFLICT", "{why}",
    "The payment is no longer SCHEDULED, its cancellation was asked for already, it is being settled, or 22:00 of the day"
    " before is over.", "Read the payment.")
NO_RETRY = conflict("status", "CONFLICT", "{why}",
    "The subscription is not ACCEPTED, the payment is not PENDING, an attempt is under way, the service retries by itself,"
    " or there were three tries already.", "Read the payment: `attempts` and `retriesLeft` say it.")
