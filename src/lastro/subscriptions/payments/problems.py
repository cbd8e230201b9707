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
