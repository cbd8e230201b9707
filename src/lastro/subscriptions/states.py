"""The state machines of subscriptions, cancellations, scheduled payments and attempts.

states.md 1, 2 and 3: (state, trigger) → state. A pair that is not there is impossible.
"""

from typing import Final

from lastro.core.machine import NOT_THERE, Machine

Moves = dict[tuple[str, str], str]

SUBSCRIPTION_MOVES: Final[Moves] = {
    (NOT_THERE, "create"): "INITIAL",
    ("INITIAL", "register"): "PENDING_AUTHORIZATION",
    ("INITIAL", "fail"): "ERROR",  # the rail refuses it for good
    ("INITIAL", "close account"): "CANCELED",
    ("PENDING_AUTHORIZATION", "authorize"): "ACCEPTED",  # journey 2
    ("PENDING_AUTHORIZATION", "pay"): "ACCEPTED",  # journey 3: together with its order
    (
        "PENDING_AUTHORIZATION",
        "agree",
    ): "PENDING_AUTHORIZATION",  # journey 3 at a connection; the money is to come
    ("PENDING_AUTHORIZATION", "decline"): "REJECTED",
    ("PENDING_AUTHORIZATION", "cancel"): "CANCELED",  # by either side: nobody has to be asked yet
    ("PENDING_AUTHORIZATION", "lapse"): "CANCELED",  # its window is over
    ("PENDING_AUTHORIZATION", "fail"): "ERROR",
    ("PENDING_AUTHORIZATION", "close account"): "CANCELED",
    ("ACCEPTED", "ask to cancel"): "ACCEPTED",  # its receiver wants it to end; the payer's bank has to agree
    ("ACCEPTED", "cancel"): "CANCELED",  # a cancellation was accepted
    ("ACCEPTED", "charge"): "ACCEPTED",  # a payment of it is made: a concurrent end has to see it
    ("ACCEPTED", "pass over"): "ACCEPTED",  # the service makes no charge of a cycle: its fee would be more than the amount
    ("ACCEPTED", "end"): "CANCELED",  # endDate is over and no payment is unfinished
    ("ACCEPTED", "close account"): "CANCELED",
}

CANCELLATION_MOVES: Final[Moves] = {
    (NOT_THERE, "ask"): "PENDING",
    ("PENDING", "confirm"): "ACCEPTED",  # the payer's bank agrees, or nobody has to, or it was canceled another way
    ("PENDING", "refuse"): "REJECTED",
    ("PENDING", "fail"): "ERROR",  # a permanent technical failure: a new one may be asked
}

# A move that keeps the state is one all the same: its version keeps two attempts from being made of one refusal, and a
# subscription from ending while a cancellation of it is being asked for.
PAYMENT_MOVES: Final[Moves] = {
    (NOT_THERE, "schedule"): "SCHEDULED",
    ("SCHEDULED", "send"): "SCHEDULED",  # its first attempt is made
    ("SCHEDULED", "send again"): "SCHEDULED",  # the payer's bank refused, and there is time for another try
    ("SCHEDULED", "ask to cancel"): "SCHEDULED",  # until the payer's bank says whether it still can
    ("SCHEDULED", "keep"): "SCHEDULED",  # it cannot
    ("SCHEDULED", "cancel"): "CANCELED",  # by the receiver
    ("SCHEDULED", "payer cancels"): "CANCELED",
    ("SCHEDULED", "subscription ends"): "CANCELED",
    ("SCHEDULED", "refuse"): "ERROR",
    ("SCHEDULED", "begin"): "PENDING",  # its day has come and the payer's bank has it
    ("SCHEDULED", "settle"): "PAID",  # the payer's bank never said that it had it
    ("PENDING", "settle"): "PAID",
    ("PENDING", "refuse"): "ERROR",
    ("PENDING", "send again"): "PENDING",  # something failed on its day: the same again, which is no retry
    ("PENDING", "retry"): "PENDING",  # unpaid: the next attempt is made, by policy or because the client asks
    ("PENDING", "leave to client"): "PENDING",  # unpaid: the client may ask for the next attempt
    ("PENDING", "expire"): "EXPIRED",
    ("PENDING", "subscription ends"): "CANCELED",
    ("PENDING", "payer cancels"): "CANCELED",  # received on its day, or after a later try
}

ATTEMPT_MOVES: Final[Moves] = {
    (NOT_THERE, "request"): "REQUESTED",
    ("REQUESTED", "schedule"): "SCHEDULED",  # the payer's bank has it and gives its endToEndId
    ("REQUESTED", "settle"): "PAID",
    ("REQUESTED", "reject"): "REJECTED",
    ("REQUESTED", "expire"): "EXPIRED",
    ("REQUESTED", "cancel"): "CANCELED",
    ("SCHEDULED", "settle"): "PAID",
    ("SCHEDULED", "reject"): "REJECTED",
    ("SCHEDULED", "expire"): "EXPIRED",
    ("SCHEDULED", "cancel"): "CANCELED",
}

SUBSCRIPTIONS = Machine("subscriptions", "status", SUBSCRIPTION_MOVES)
CANCELLATIONS = Machine("subscription_cancellations", "status", CANCELLATION_MOVES)
PAYMENTS = Machine("subscription_payments", "status", PAYMENT_MOVES)
ATTEMPTS = Machine("payment_attempts", "status", ATTEMPT_MOVES)
