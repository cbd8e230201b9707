"""Disputes (MED): money that an account has sent or received is contested at the directory, blocked, and given back."""

from lastro.med.actions.attach import ReadDocument, documents_of
from lastro.med.actions.decide import Decide
from lastro.med.actions.directory_messages import Noted
from lastro.med.actions.give_back import ReturnEnded
from lastro.med.actions.monitor import BlockLater
from lastro.med.actions.never import ReturnNever
from lastro.med.actions.read import ListDisputes, ReadDispute
from lastro.med.actions.reimburse import Reimburse, Reject
from lastro.med.actions.time import Fall
from lastro.med.api import routes
from lastro.med.docs import EVENT_TYPES
from lastro.med.due_work import DUE_WORK
from lastro.med.model import (
    ACCOUNT_TYPES,
    FRAUDS,
    LONGEST_DETAILS,
    MOST_DOCUMENTS,
    NEEDS,
    REJECTIONS,
    TERMS,
    VERDICTS,
    DisputeFilter,
    DisputeTerms,
    Files,
    Reimbursement,
    Stand,
)
from lastro.med.states import MED_OBJECTS, ROLES
from lastro.med.store import is_disputed, is_there, received_side, related, watching

__all__ = [
    "ACCOUNT_TYPES", "DUE_WORK", "EVENT_TYPES", "FRAUDS", "LONGEST_DETAILS", "MED_OBJECTS", "MOST_DOCUMENTS", "NEEDS",
    "REJECTIONS", "ROLES", "TERMS", "VERDICTS", "BlockLater", "Decide", "DisputeFilter", "DisputeTerms", "Fall",
    "Files", "ListDisputes", "Noted", "ReadDispute", "ReadDocument", "Reimburse", "Reimbursement", "Reject",
    "ReturnEnded", "ReturnNever", "Stand", "documents_of", "is_disputed", "is_there", "received_side", "related",
    "routes", "watching",
]  # fmt: skip
