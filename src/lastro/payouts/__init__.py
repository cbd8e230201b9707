"""Payouts: money sent out by Pix, by TED, or to another account here. They go whole or split, and may be returned."""

from lastro.payouts.actions.back import Returned, Summed, TakenUp
from lastro.payouts.actions.begin import Begin
from lastro.payouts.actions.cancel import CancelPayout
from lastro.payouts.actions.create import CreatePayoutContext as CreateKnown
from lastro.payouts.actions.create import MakePayout
from lastro.payouts.actions.end import CHILD_MOVED, Doubted, Ended, Never
from lastro.payouts.actions.finding import Unasked, Ways
from lastro.payouts.actions.limit import NONE as NO_LIMIT
from lastro.payouts.actions.limit import RAISE_AFTER, Given, SetLimits, shown_limits
from lastro.payouts.actions.prove import PROVED, Proved
from lastro.payouts.actions.read import ReadPayout
from lastro.payouts.actions.review import Approve, Refuse
from lastro.payouts.api import routes
from lastro.payouts.contradicted import Word, contradicted_in, contradictions, disproved, may_be_taken_until, words_about
from lastro.payouts.contradicted import shown as shown_contradicted
from lastro.payouts.docs import EVENT_TYPES
from lastro.payouts.due_work import DUE_WORK
from lastro.payouts.forms import CreatePayout
from lastro.payouts.limits import limits_of
from lastro.payouts.model import HELD_BACK, NEEDS, ON_STATEMENTS, WAITING, Destination, Likeness, Payout, PayoutWish
from lastro.payouts.reading import read_wish
from lastro.payouts.reasons import reason_of
from lastro.payouts.receivers import first_to_receiver
from lastro.payouts.rules import quota_period, repeated
from lastro.payouts.states import DECISIONS, PAYOUTS
from lastro.payouts.store import by_network_id, in_review, is_there, related, root_of
from lastro.payouts.trial import Ground, Tried, read_grounds, repetitions, try_out
from lastro.payouts.unmatched import Settle as SettleStranded
from lastro.payouts.unmatched import Way as StrandedWay
from lastro.payouts.unmatched import shown as shown_stranded
from lastro.payouts.unmatched import unfit_by_id as stranded_by_id
from lastro.payouts.unmatched import unfit_in as stranded_in

__all__ = [
    "CHILD_MOVED", "DECISIONS", "DUE_WORK", "EVENT_TYPES", "HELD_BACK", "NEEDS", "NO_LIMIT", "ON_STATEMENTS", "PAYOUTS",
    "PROVED", "RAISE_AFTER", "WAITING", "Approve", "Begin", "CancelPayout", "CreateKnown", "CreatePayout",
    "Destination", "Doubted", "Ended", "Given", "Ground", "Likeness", "MakePayout", "Never", "Payout", "PayoutWish",
    "Proved", "ReadPayout", "Refuse", "Returned", "SetLimits", "SettleStranded", "StrandedWay", "Summed", "TakenUp",
    "Tried", "Unasked", "Ways", "Word", "by_network_id", "contradicted_in", "contradictions", "disproved",
    "first_to_receiver", "in_review", "is_there", "limits_of", "may_be_taken_until", "quota_period", "read_grounds",
    "read_wish", "reason_of", "related", "repeated", "repetitions", "root_of", "routes", "shown_contradicted",
    "shown_limits", "shown_stranded", "stranded_by_id", "stranded_in", "try_out", "words_about",
]  # fmt: skip
