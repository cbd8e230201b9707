"""Pix keys: names in the directory that lead to our accounts."""

from lastro.keys import claims
from lastro.keys.actions.delete import EndKey
from lastro.keys.actions.prove import ExpireValidation
from lastro.keys.actions.random_key import RegisterRandomKey
from lastro.keys.api import routes
from lastro.keys.claims import LetGo as LetGoClaim
from lastro.keys.claims import claim_by_id
from lastro.keys.claims import open_of as open_claims
from lastro.keys.codes import Codes
from lastro.keys.due_work import DUE_WORK
from lastro.keys.model import ACCOUNT_CLOSURE, CHANNELS
from lastro.keys.model import NEEDS as _OF_CODES
from lastro.keys.states import KEYS, VALIDATIONS
from lastro.keys.store import active_keys, keys_of, related, validation_of

NEEDS = {**_OF_CODES, **claims.NEEDS}
EVENT_TYPES = claims.EVENT_TYPES

__all__ = [
    "ACCOUNT_CLOSURE", "CHANNELS", "DUE_WORK", "EVENT_TYPES", "KEYS", "NEEDS", "VALIDATIONS", "Codes", "EndKey",
    "ExpireValidation", "LetGoClaim", "RegisterRandomKey", "active_keys", "claim_by_id", "claims", "keys_of",
    "open_claims", "related", "routes", "validation_of",
]  # fmt: skip
