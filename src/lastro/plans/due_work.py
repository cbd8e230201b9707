"""Declares the due work of plans: checks, applications and expiries."""

from __future__ import annotations

from lastro.core.due_work import DueWork

PLANS_DUE = DueWork("plans", "payout_plans", "due_at", "payout_plans_due", by="queue", gauge="plans", held="plan")

DUE_WORK = (PLANS_DUE,)
