"""Reconciliation: what networks and partners say of a day, compared with what our books have."""

from lastro.reconciliation.actions.days import Again
from lastro.reconciliation.actions.disprove import Disproved
from lastro.reconciliation.actions.settle import Accept
from lastro.reconciliation.due_work import DUE_WORK
from lastro.reconciliation.engine import LANE, Reconciler, ask_at_once, days_to_begin
from lastro.reconciliation.model import DIFFERENCES, Day, Open
from lastro.reconciliation.proposals import proposal, whom_to_call
from lastro.reconciliation.states import ITEMS, STATEMENTS
from lastro.reconciliation.store import days_of, days_taken, item_company

__all__ = [
    "DIFFERENCES", "DUE_WORK",
    "ITEMS", "LANE", "STATEMENTS", "Accept", "Again", "Day", "Disproved", "Open", "Reconciler", "ask_at_once", "days_of",
    "days_taken", "days_to_begin", "item_company", "proposal", "whom_to_call",
]  # fmt: skip
