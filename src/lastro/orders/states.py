"""The states of orders, of their payments and of refunds."""

from lastro.core.machine import NOT_THERE, Machine

ORDERS = Machine(
    "orders",
    "status",
    {
        (NOT_THERE, "create"): "INITIAL",
        (NOT_THERE, "receive"): "PAID",  # unasked money makes an order
        ("INITIAL", "reserve"): "INITIAL",  # a payment was accepted and is not settled yet: nothing else may end the order
        ("INITIAL", "release"): "INITIAL",  # the network dropped the payment
        ("INITIAL", "pay"): "PAID",
        ("INITIAL", "expire"): "EXPIRED",
        ("INITIAL", "cancel"): "CANCELED",
        ("INITIAL", "fail"): "ERROR",
        ("INITIAL", "announce"): "PENDING",  # it was paid at a partner, and is not settled yet
        ("INITIAL", "part"): "PENDING",  # less than it asks for is in, and waits for the rest
        ("PENDING", "part"): "PENDING",
        ("INITIAL", "challenge"): "AUTHENTICATING",  # the payer of a card has to confirm it at his bank
        ("AUTHENTICATING", "reserve"): "AUTHENTICATING",
        ("AUTHENTICATING", "pay"): "PAID",
        ("AUTHENTICATING", "fail"): "ERROR",
        ("AUTHENTICATING", "cancel"): "CANCELED",  # until its charge is ordered
        ("INITIAL", "fall silent"): "PENDING",  # nobody knows if a card was charged
        ("AUTHENTICATING", "fall silent"): "PENDING",
        ("INITIAL", "begin"): "PENDING",  # the day of its scheduled payment has come
        ("PENDING", "reserve"): "PENDING",
        ("PENDING", "release"): "PENDING",
        ("PENDING", "pay"): "PAID",
        ("PENDING", "expire"): "EXPIRED",  # the announced payment is void; or these three with its scheduled payment
        ("PENDING", "cancel"): "CANCELED",
        ("PENDING", "fail"): "ERROR",
        ("PAID", "refund part"): "PARTIAL_REFUNDED",
        ("PARTIAL_REFUNDED", "refund part"): "PARTIAL_REFUNDED",
        ("PAID", "refund rest"): "REFUNDED",
        ("PARTIAL_REFUNDED", "refund rest"): "REFUNDED",
    },
)

# The network asks before it settles (accept, refuse), then tells (settle, fail). Money that is in and fits no order is given
# back (return, then returned); a return that the network refuses for good leaves it stranded in suspense, until people
# decide: into its account after all (credit), or paid out elsewhere (pay out). A part of an order's amount waits there too
# (hold) until the rest is in (settle), or goes back when the order ends without it (send_back).
PIX_PAYMENTS = Machine(
    "pix_payments",
    "state",
    {
        (NOT_THERE, "accept"): "ACCEPTED",
        (NOT_THERE, "refuse"): "REFUSED",
        (NOT_THERE, "settle"): "SETTLED",
        (NOT_THERE, "hold"): "HELD",
        (NOT_THERE, "give_back"): "RETURNING",
        ("ACCEPTED", "settle"): "SETTLED",
        ("ACCEPTED", "fail"): "FAILED",
        ("ACCEPTED", "give_back"): "RETURNING",
        ("REFUSED", "give_back"): "RETURNING",  # settled without heeding our refusal
        ("FAILED", "give_back"): "RETURNING",  # settled after the network had said that it would not
        ("HELD", "settle"): "SETTLED",
        ("HELD", "send_back"): "RETURNING",
        ("RETURNING", "returned"): "RETURNED",
        ("RETURNING", "strand"): "STRANDED",
        ("STRANDED", "credit"): "CREDITED",
        ("STRANDED", "pay out"): "PAID_OUT",
    },
)

REFUNDS = Machine(
    "refunds",
    "state",
    {
        (NOT_THERE, "create"): "PENDING",
        ("PENDING", "confirm"): "PAID",
        ("PENDING", "refuse"): "ERROR",
        # These two are for a dispute's return that was called off: nothing is sent any more; one that was never sent ends.
        ("PENDING", "call off"): "PENDING",
        ("PENDING", "withdraw"): "ERROR",
        ("ERROR", "prove"): "PAID",  # a client's refund that a statement proves to have left
        ("ERROR", "credit"): "CREDITED",  # these two for returns of our own accord: people have decided
        ("ERROR", "pay out"): "PAID_OUT",
    },
)
