"""Declares the due work of requests for accounts."""

from __future__ import annotations

from lastro.core.due_work import DueWork

# Requests without a document in time, requests that the partner analyses, and accounts without a key yet.
_EXPIRED = DueWork(
    "openings",
    "account_requests",
    "expires_at",
    "account_requests_expiring",
    "status = 'PENDING_DOCUMENTS'",
    gauge="openings",
)
TO_ASK = DueWork(
    "requests to ask",
    "account_requests",
    "ask_at",
    "account_requests_to_ask",
    "status = 'ANALYSIS'",
    by="question",
    gauge="analyses",
)
_WITHOUT_KEY = DueWork("first keys", "account_requests", "key_due_at", "account_requests_without_key", gauge="first keys")

DUE_WORK = (_EXPIRED, TO_ASK, _WITHOUT_KEY)
