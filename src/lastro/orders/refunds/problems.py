"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import Kind, Refusal, conflict, invalid

# fmt: off
ORDER_ID_INVALID = invalid("orderId", "INVALID", "is no order of this company",
    "It is no order of your company.", "Take the `id` of an order.")
ORDER_ID_EXPIRED = invalid("orderId", "EXPIRED", "was paid more than {days} days ago",
    "The order was paid more than 90 days ago; the network takes nothing back after that.",
    "Send a payout to an account of the payer.")
ORDER_ID_NOT_SUPPORTED = invalid("orderId", "NOT_SUPPORTED", "{why}",
    "What was paid by this method cannot be given back here. Or it was paid at a bank of yours whose connection makes no"
    " refunds.", "Give it back at the bank itself, or send a payout to an account of the payer.")
ORDER_ID_NOT_ALLOWED = invalid("orderId", "NOT_ALLOWED", "{why}",
    "The order's account is closed; or it owes more than it has, of a TED that was taken for failed and has left.",
    "Refund again once money has come in.")
ORDER_ID_CONFLICT = conflict("orderId", "CONFLICT",
    "its payment is contested: what is given back of it goes by the dispute",
    "Its payment is contested (MED), and the dispute has not ended.",
    "Wait for its end: what it wants back is given back by it.")
STATUS_CONFLICT = conflict("status", "CONFLICT", "{why}",
    "Nothing was paid for the order.", "Cancel an order that you do not want to be paid; one that has ended needs nothing.")
EXTERNAL_ID_INVALID = invalid("externalId", "INVALID", "must be printable, without blanks around it",
    "It has a blank at an end, or characters that cannot be printed.", "Use 1 to 64 printable characters.")
EXTERNAL_ID_DUPLICATE = conflict("externalId", "DUPLICATE", "a refund of this code is there already",
    "A refund of this code is there, whatever became of it.",
    "Read that refund. Send the same `idempotency-key` where you have to send a request twice.")
CURRENCY_NOT_SUPPORTED = invalid("amount.currency", "NOT_SUPPORTED", "must be {currency}, as the order is",
    "The order was paid in another currency.", "Give that of the order.")
AMOUNT_LIMIT_EXCEEDED = invalid("amount", "LIMIT_EXCEEDED", "{why}",
    "It is more than what is left of the order, refunds that are PENDING counted; or, of one that several transfers"
    " have paid, more than any of these has left.",
    "The description says what is left, of which ask for several refunds. One in ERROR counts no more.")
REFUND_CODE_INVALID = invalid("refundCode", "INVALID", "must be {what}",
    "It is no reason that a return may have.", "Give MD06.")
REFUND_CODE_NOT_ALLOWED = invalid("refundCode", "NOT_ALLOWED", "{why}",
    "BE08 and FR01 are the institution's own: its faults, and disputes. SL02 is of a withdrawal or of change, which no"
    " payment here has.", "Give MD06.")
# Of commands and pages of the institution.
NAME_UNKNOWN = Refusal(Kind.NOT_FOUND, "name", "INVALID", description="is that of no Pix refund that we sent")
NAME_CONFLICT = conflict("name", "CONFLICT", "{why}")
NOT_PROVABLE = conflict("status", "CONFLICT", "the refund is {state}: nothing is to be proved")
SETTLED_AT_OUT_OF_RANGE = invalid("settledAt", "OUT_OF_RANGE", "must lie between the order's payment, {paid_at}, and now")
MORE_THAN_PAID = conflict("amount", "CONFLICT",
    "with it more would be given back than was paid: another refund is in its place")
DECIDED_ALREADY = conflict("state", "CONFLICT",
    "is {state}: only what could not be given back is decided about, and once")
ACCOUNT_ID_NOT_ALLOWED = invalid("accountId", "NOT_ALLOWED", "{why}")
