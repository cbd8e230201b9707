"""Claims of Pix keys: that a key come to an account here, or leave one; decided at the directory (states.md 10)."""

from lastro.keys.claims.actions.directory_messages import Noted
from lastro.keys.claims.actions.read import ListClaims
from lastro.keys.claims.actions.time import Fall, LetGo
from lastro.keys.claims.api import routes
from lastro.keys.claims.docs import EVENT_TYPES
from lastro.keys.claims.due_work import DUE_WORK
from lastro.keys.claims.model import NEEDS, WAITING
from lastro.keys.claims.states import CLAIMS
from lastro.keys.claims.store import claim_by_id, claims_of, open_of

__all__ = [
    "CLAIMS", "DUE_WORK", "EVENT_TYPES", "NEEDS", "WAITING", "Fall", "LetGo", "ListClaims", "Noted", "claim_by_id",
    "claims_of", "open_of", "routes",
]  # fmt: skip
