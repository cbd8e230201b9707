"""The state machine of a closing request (states.md 8, contract.md §10)."""

from lastro.core.machine import NOT_THERE, Machine

CLOSE_REQUESTS = Machine(
    "account_close_requests",
    "status",
    {
        (NOT_THERE, "request"): "REQUESTED",  # the account is CLOSED, and what hangs on it is being ended
        ("REQUESTED", "refuse"): "REFUSED",  # something stands in the way: said at once
        ("REQUESTED", "complete"): "COMPLETED",  # nothing hangs on it any more
    },
)
