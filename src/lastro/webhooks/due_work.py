"""Declares the due work of events: deliveries, and news of an era."""

from __future__ import annotations

from lastro.core.due_work import DueWork

# No earlier event of the object goes there first (as in the claim, but that who looks across companies sees no URL), and its
# endpoint's circuit does not hold it.
_CAN_BE_SENT = (
    "NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.company_id = w.company_id AND e.reference_id = w.reference_id"
    " AND e.endpoint = w.endpoint AND e.sequence < w.sequence AND e.status IN ('PENDING', 'RETRYING') OFFSET 0)"
    " AND NOT EXISTS (SELECT 1 FROM held_deliveries h WHERE h.company_id = w.company_id AND h.id = w.id OFFSET 0)"
)

DUE_WORK = (
    DueWork("deliveries", "deliveries", "due_at", "deliveries_due", by="queue", ready=_CAN_BE_SENT),
    DueWork("eras", "event_eras", "company_id", "event_eras_untold", "told_at IS NULL", at_once=True),
)
