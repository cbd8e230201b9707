"""Declares the due work of statements: ended days that are not taken."""

from __future__ import annotations

from lastro.core.due_work import DueWork

STATEMENTS_DUE = DueWork("statements", "statements", "due_at", "statements_due", by="queue", repeats=True)

DUE_WORK = (STATEMENTS_DUE,)
