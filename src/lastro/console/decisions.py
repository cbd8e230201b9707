"""Decisions of the institution's people alone: the command line's verbs, as operations.

They are made of the same parts as the API's, so that the frame records them in the same way; no path of them is served.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro import accounts, med, payouts, reconciliation
from lastro.api_kit import forms
from lastro.api_kit.forms import Form
from lastro.api_kit.routes import NOT_FOUND, Doc, Incoming, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money, MoneyError

if TYPE_CHECKING:
    from lastro.accounts import Institution
    from lastro.core.runner import Verb

ROOT = "/institution"  # of their paths, which are names alone
_Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=400, pattern=forms.PRINTABLE)]
_By = Annotated[str, msgspec.Meta(min_length=1, max_length=140)]


class Decided(Form):
    """A person's decision. reason: why, where it must be said; code: of an account's standing; verdict, fraud: of a notice.

    Of a refund request of Pix Automático: rejection, or how much is reimbursed to which account of the payer's institution.
    """

    by: _By
    reason: _Reason | None = None
    code: str | None = None
    verdict: str | None = None
    fraud: str | None = None
    rejection: str | None = None
    amount: str | None = None
    document: str | None = None
    branch: str | None = None
    account: str | None = None
    account_type: str | None = None


@dataclass(frozen=True)
class _DecisionHandlers:
    institution: Institution
    stand: med.Stand

    def approve(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Approves a payout in review."""
        form, refused = _read(incoming)
        one = incoming.id("id")
        return refused or (NOT_FOUND if one is None else payouts.Approve(one, form.by, self.institution))

    def refuse(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Refuses a payout in review."""
        form, refused = _read(incoming, "reason")
        one = incoming.id("id")
        return refused or (NOT_FOUND if one is None else payouts.Refuse(one, form.by, form.reason or "", self.institution))

    def verdict(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Records the verdict of the analysis of a notice."""
        form, refused = _read(incoming, "verdict", "reason")
        one = incoming.id("id")
        if refused is not None or one is None:
            return refused or NOT_FOUND
        # The directory takes words with an agreed notice alone; the history has them of both.
        details = form.reason if form.verdict == "AGREED" else None
        return med.Decide(one, form.verdict or "", self.stand, form.fraud, details, f"by {form.by}: {form.reason}")

    def reimburse(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Reimburses the payer's institution for its payment to its customer."""
        form, refused = _read(incoming, "amount", "document", "branch", "account", "accountType", "reason")
        one = incoming.id("id")
        if refused is not None or one is None:
            return refused or NOT_FOUND
        try:
            amount = Money.parse(form.amount or "", "BRL")
        except MoneyError as wrong:
            return Refused(Kind.INVALID, (Problem("amount", "INVALID", str(wrong)),))
        document = re.sub(r"[./-]", "", form.document or "").upper()
        wish = med.Reimbursement(amount, document, form.branch or "", form.account or "", form.account_type or "")
        return med.Reimburse(one, wish, self.stand, f"by {form.by}: {form.reason}")

    def reject(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Rejects the reimbursement of the payer's institution, with a reason."""
        form, refused = _read(incoming, "rejection", "reason")
        one = incoming.id("id")
        if refused is not None or one is None:
            return refused or NOT_FOUND
        return med.Reject(one, form.rejection or "", form.reason, f"by {form.by}: {form.reason}")

    def accept(self, incoming: Incoming) -> Verb[Any] | Refused:
        """Accepts a difference that was settled outside."""
        form, refused = _read(incoming, "reason")
        one = incoming.id("id")
        return refused or (NOT_FOUND if one is None else reconciliation.Accept(one, form.by, form.reason or ""))


def _standing(trigger: str, codes: tuple[str, ...]) -> Any:
    """Returns a parser for the block or unblock of an account. Its reason is one of `codes`."""

    def parse(incoming: Incoming) -> Verb[Any] | Refused:
        form, refused = _read(incoming, "code")
        one = incoming.id("id")
        if refused is None and form.code not in codes:
            refused = Refused(Kind.INVALID, (Problem("code", "INVALID", "is none of the reasons"),))
        if refused is not None or one is None:
            return refused or NOT_FOUND
        return accounts.ChangeStatus(one, trigger, accounts.Why(form.code or "", form.reason, form.by))

    return parse


def _read(incoming: Incoming, *required: str) -> tuple[Decided, Refused | None]:
    form, problems = forms.read(incoming.raw, Decided)
    said = {"accountType": form.account_type}
    missing = [
        Problem(name, "REQUIRED", "is required") for name in required if not said.get(name, getattr(form, name, None))
    ]
    found = forms.first_of_each((*problems, *missing))
    return form, Refused(Kind.INVALID, found) if found else None


def routes(institution: Institution, stand: med.Stand) -> tuple[Route, ...]:
    """Returns the operations. institution: whose decision it is. stand: what a verdict goes by."""
    desk, doc = _DecisionHandlers(institution, stand), Doc("Decided by the institution.", form=Decided)
    block, unblock = _standing("block", tuple(accounts.BLOCKING)), _standing("unblock", tuple(accounts.UNBLOCKING))
    return (
        Route("POST", ROOT + "/payouts/{id}/approve", "approve_payout", "institution", desk.approve, doc),
        Route("POST", ROOT + "/payouts/{id}/refuse", "refuse_payout", "institution", desk.refuse, doc),
        Route("POST", ROOT + "/disputes/{id}/verdict", "decide_med", "institution", desk.verdict, doc),
        Route("POST", ROOT + "/disputes/{id}/reimbursement", "reimburse_med", "institution", desk.reimburse, doc),
        Route("POST", ROOT + "/disputes/{id}/refusal", "refuse_med", "institution", desk.reject, doc),
        Route("POST", ROOT + "/differences/{id}/accept", "accept_difference", "institution", desk.accept, doc),
        Route("POST", ROOT + "/accounts/{id}/block", "block_account", "institution", block, doc),
        Route("POST", ROOT + "/accounts/{id}/unblock", "unblock_account", "institution", unblock, doc),
    )
