"""Gathers the due work of all rooms; finds the part that an era holds back."""

from __future__ import annotations

from lastro import accounts, closing, keys, med, orders, payouts, plans, reconciliation, subscriptions, webhooks
from lastro.core.due_work import DueWork, both
from lastro.core.work_queue import HELD_UNTIL
from lastro.rails import port

DUE_WORK: tuple[DueWork, ...] = (
    *port.DUE_WORK, *webhooks.DUE_WORK, *accounts.opening.DUE_WORK, *keys.DUE_WORK, *orders.DUE_WORK, *payouts.DUE_WORK,
    *plans.DUE_WORK, *subscriptions.DUE_WORK, *med.DUE_WORK, *closing.DUE_WORK, *reconciliation.DUE_WORK,
)  # fmt: skip
_HELD = {work.held: work for work in DUE_WORK if work.held}
# The work that moves money and was due when the present era began, by kind: it may have been done in the lost time.
HELD_BY_KIND = {
    kind: f"{work.table} WHERE {both(work.where, f'{work.column} <= {HELD_UNTIL}')}" for kind, work in _HELD.items()
}
_NETWORK_ID = {"payout": "coalesce(end_to_end_id, control_number)"}  # the others have none yet
# All of it, at most $1 of each.
HELD = "\nUNION ALL ".join(
    f"(SELECT '{kind}' AS kind, company_id, id, {work.column} AS due, {_NETWORK_ID.get(kind, 'NULL')} AS network_id"  # noqa: S608 names of our own
    f" FROM {HELD_BY_KIND[kind]} ORDER BY {work.column} LIMIT $1)"
    for kind, work in _HELD.items()
)
