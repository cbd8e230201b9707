"""Plans of payouts: thousands of lines checked, approved and made together, each once."""

from lastro.plans.api import routes
from lastro.plans.docs import EVENT_TYPES
from lastro.plans.due_work import DUE_WORK
from lastro.plans.engine import LANE, Planner
from lastro.plans.model import LARGEST_BYTES, MOST_LINES
from lastro.plans.states import PLANS
from lastro.plans.store import related

__all__ = ["DUE_WORK", "EVENT_TYPES", "LANE", "LARGEST_BYTES", "MOST_LINES", "PLANS", "Planner", "related", "routes"]
