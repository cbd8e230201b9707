"""Declares what falls due of statements: a day is over and its statement is not taken."""

from __future__ import annotations

from lastro.core.due_work import DueWork

STATEMENTS_DUE = DueWork("statements", "statements", "due_at", "statements_due", by="queue", repeats=True)

DUE_WORK = (STATEMENTS_DUE,)
