"""The state machine of a request for an account."""

from lastro.core.machine import NOT_THERE, Machine

ACCOUNT_REQUESTS = Machine(
    "account_requests",
    "status",
    {
        (NOT_THERE, "create"): "PENDING",
        ("PENDING", "ask"): "PENDING_DOCUMENTS",  # the documents that it needs are named
        ("PENDING_DOCUMENTS", "upload"): "PENDING_DOCUMENTS",
        ("PENDING_DOCUMENTS", "complete"): "ANALYSIS",
        ("PENDING_DOCUMENTS", "expire"): "REPROVED",  # nothing was uploaded for too long
        ("ANALYSIS", "approve"): "APPROVED",
        ("ANALYSIS", "reprove"): "REPROVED",
        ("REPROVED", "upload"): "PENDING_DOCUMENTS",  # one of several flagged documents was uploaded again
        ("REPROVED", "complete"): "ANALYSIS",
    },
)
