"""Declares the due work of payouts."""

from __future__ import annotations

from lastro.core.due_work import DueWork

# Sent payouts whose network is asked for their result.
TO_ASK = DueWork(
    "payouts to ask", "payouts", "ask_at", "payouts_to_ask", "status = 'PENDING'", by="question", gauge="payouts"
)
# Scheduled payouts whose day has come; a batch's children begin with it.
_TO_BEGIN = DueWork(
    "scheduled", "payouts", "start_at", "payouts_to_start", "status = 'PENDING' AND batch_id IS NULL",
    gauge="scheduled payouts", held="payout",
)  # fmt: skip

DUE_WORK = (TO_ASK, _TO_BEGIN)
