"""Declares the due work of messages: sending, and handling arrivals."""

from __future__ import annotations

from lastro.core.due_work import DueWork

DUE_WORK = (
    DueWork("outbox", "outbox", "due_at", "outbox_due", by="queue", gauge="outbox"),
    DueWork("inbox", "inbox", "due_at", "inbox_due", by="queue", gauge="inbox"),
)
