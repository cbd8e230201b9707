"""The state machines of payouts, batches and their children."""

from lastro.core.machine import NOT_THERE, Machine

# The history keeps the person and the reason of these: no client is told.
DECISIONS = frozenset({"approve", "reject", "decide", "disprove"})
# The network's result moves a single payout or a child; the sum of its children, as a trigger, moves a batch.
PAYOUTS = Machine(
    "payouts",
    "status",
    {
        (NOT_THERE, "create"): "INITIAL",
        ("INITIAL", "accept"): "PENDING",
        ("PENDING", "begin"): "PENDING",  # its day has come: held and sent
        ("PENDING", "fall short"): "PENDING",  # a scheduled Pix whose account had too little: it waits for the evening
        ("PENDING", "fall short again"): "PENDING",
        ("PENDING", "renew"): "PENDING",  # its message was never sent, and goes with an id of now
        ("PENDING", "doubt"): "PENDING",  # the network would not process its message
        ("PENDING", "review"): "ANALYSIS",
        ("ANALYSIS", "approve"): "PENDING",
        ("ANALYSIS", "reject"): "CANCELED",
        ("PENDING", "cancel"): "CANCELED",
        ("ANALYSIS", "cancel"): "CANCELED",
        ("PENDING", "settle"): "PAID",
        ("PENDING", "refuse"): "ERROR",
        ("PENDING", "expire"): "EXPIRED",
        # People have proved that the network, which has another payment under its id, never took it.
        ("PENDING", "disprove"): "ERROR",
        # The statement proves that it left.
        ("ERROR", "prove"): "PAID",
        ("EXPIRED", "prove"): "PAID",
        ("PENDING", "prove"): "PAID",  # it has not begun here: it left in the time that a restore has lost
        ("PAID", "return part"): "PARTIAL_REFUNDED",
        ("PARTIAL_REFUNDED", "return part"): "PARTIAL_REFUNDED",
        ("PAID", "return rest"): "REFUNDED",
        ("PARTIAL_REFUNDED", "return rest"): "REFUNDED",
        ("PAID", "return too much"): "PAID",
        ("PARTIAL_REFUNDED", "return too much"): "PARTIAL_REFUNDED",
        ("REFUNDED", "return too much"): "REFUNDED",
        # People have decided about a return in suspense.
        ("PAID", "decide"): "PAID",
        ("PARTIAL_REFUNDED", "decide"): "PARTIAL_REFUNDED",
        ("REFUNDED", "decide"): "REFUNDED",
        # A batch. Its fee is charged with the first child paid, dropped where none is.
        ("PENDING", "charge"): "PENDING",
        ("PENDING", "all paid"): "PAID",
        ("PENDING", "some paid"): "PARTIALLY_PAID",
        ("PENDING", "none paid"): "ERROR",
        ("PENDING", "all canceled"): "CANCELED",
        ("PENDING", "all expired"): "EXPIRED",
        ("PENDING", "some returned"): "PARTIAL_REFUNDED",
        ("PENDING", "all returned"): "REFUNDED",
        ("PAID", "some returned"): "PARTIAL_REFUNDED",
        ("PARTIALLY_PAID", "some returned"): "PARTIAL_REFUNDED",
        ("PARTIAL_REFUNDED", "some returned"): "PARTIAL_REFUNDED",
        ("PAID", "all returned"): "REFUNDED",
        ("PARTIALLY_PAID", "all returned"): "REFUNDED",
        ("PARTIAL_REFUNDED", "all returned"): "REFUNDED",
        # A child was proven to have left, and may be returned before the batch's move for either.
        ("ERROR", "some paid"): "PARTIALLY_PAID",
        ("ERROR", "all paid"): "PAID",
        ("ERROR", "some returned"): "PARTIAL_REFUNDED",
        ("ERROR", "all returned"): "REFUNDED",
        ("EXPIRED", "some paid"): "PARTIALLY_PAID",
        ("EXPIRED", "all paid"): "PAID",
        ("EXPIRED", "some returned"): "PARTIAL_REFUNDED",
        ("EXPIRED", "all returned"): "REFUNDED",
        ("PARTIALLY_PAID", "all paid"): "PAID",
    },
)
