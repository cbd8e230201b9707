"""The due work of closed accounts: some objects may still be open."""

from __future__ import annotations

from lastro.core.due_work import DueWork

_NO_OPEN_CLAIM = (
    "NOT EXISTS (SELECT 1 FROM key_claims c WHERE c.company_id = w.company_id AND c.account_id = w.account_id"
    " AND c.status IN ('OPEN', 'WAITING_RESOLUTION', 'CONFIRMED') OFFSET 0)"
)

DUE_WORK = (
    DueWork(
        "closing", "account_close_requests", "created_at", "account_close_requests_open", "status = 'REQUESTED'",
        gauge="closed accounts", ready=_NO_OPEN_CLAIM, at_once=True,
    ),
)  # fmt: skip
