"""Declares what falls due of events: one is to be delivered, a company is to be told of an era."""

from __future__ import annotations

from lastro.core.due_work import DueWork

# An earlier event of the object goes there first. As in the claim, but that who looks across companies sees no URL.
_OPEN_BEFORE = (
    "SELECT 1 FROM deliveries e WHERE e.company_id = w.company_id AND e.reference_id = w.reference_id"
    " AND e.endpoint = w.endpoint AND e.sequence < w.sequence AND e.status IN ('PENDING', 'RETRYING') OFFSET 0"
)
_HELD = (
    "SELECT 1 FROM held_deliveries h WHERE h.company_id = w.company_id AND h.id = w.id OFFSET 0"  # by its endpoint's circuit
)

DUE_WORK = (
    DueWork(
        "deliveries", "deliveries", "due_at", "deliveries_due", by="queue",
        ready=f"NOT EXISTS ({_OPEN_BEFORE}) AND NOT EXISTS ({_HELD})",
    ),
    DueWork("eras", "event_eras", "company_id", "event_eras_untold", "told_at IS NULL", at_once=True),
)  # fmt: skip
