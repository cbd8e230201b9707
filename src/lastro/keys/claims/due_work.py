"""The due work of claims of Pix keys."""

from __future__ import annotations

from lastro.core.due_work import DueWork
from lastro.keys.claims.states import OPEN

# Claims of which we have to tell the directory our default, and open ones of which the directory says how they stand.
_UNDECIDED = DueWork("claims", "key_claims", "due_at", "key_claims_due", gauge="claims")
TO_ASK = DueWork(
    "claims to ask", "key_claims", "ask_at", "key_claims_to_ask", f"status IN {OPEN}",
    by="question", gauge="claims to ask", repeats=True,
)  # fmt: skip

DUE_WORK = (_UNDECIDED, TO_ASK)
