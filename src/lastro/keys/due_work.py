"""The due work of Pix keys: validations whose code has expired."""

from __future__ import annotations

from lastro.core.due_work import DueWork
from lastro.keys import claims
from lastro.keys.rules import ENDED_AFTER

_CODES_OVER = DueWork(
    "codes", "pix_key_validations", "expires_at", "pix_key_validations_due", "status = 'PENDING'",
    gauge="codes", grace=ENDED_AFTER,
)  # fmt: skip

DUE_WORK = (_CODES_OVER, *claims.DUE_WORK)
