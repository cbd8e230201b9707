"""Finds the work that an era holds: what moves money and was due when the present era began."""

from __future__ import annotations

from lastro.core.work_queue import HELD_UNTIL

# What moves money and was due when the present era began, by kind: it may have been done in the lost time.
HELD_BY_KIND = {
    "payout": f"payouts WHERE status = 'PENDING' AND start_at <= {HELD_UNTIL} AND batch_id IS NULL",
    "plan": f"payout_plans WHERE due_at <= {HELD_UNTIL}",
    "charge": f"subscription_payments WHERE due_at <= {HELD_UNTIL}",
    "subscription": f"subscriptions WHERE status = 'ACCEPTED' AND charge_at <= {HELD_UNTIL}",
}

# All of it, at most $1 of each.
HELD = f"""
(SELECT 'payout' AS kind, company_id, id, start_at AS due, coalesce(end_to_end_id, control_number) AS network_id
   FROM {HELD_BY_KIND["payout"]} ORDER BY start_at LIMIT $1)
UNION ALL (SELECT 'plan', company_id, id, due_at, NULL FROM {HELD_BY_KIND["plan"]} ORDER BY due_at LIMIT $1)
UNION ALL (SELECT 'charge', company_id, id, due_at, NULL FROM {HELD_BY_KIND["charge"]} ORDER BY due_at LIMIT $1)
UNION ALL (SELECT 'subscription', company_id, id, charge_at, NULL
   FROM {HELD_BY_KIND["subscription"]} ORDER BY charge_at LIMIT $1)
"""  # noqa: S608 names of our own
