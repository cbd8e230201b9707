"""Decisions of the institution's people alone: the command line's verbs, as operations.

They are made of the same parts as the API's, so that the frame records them in the same way; no path of them is served.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro import accounts, med, orders, payouts, reconciliation
from lastro.api_kit import forms
from lastro.api_kit.forms import Form
from lastro.api_kit.routes import NOT_FOUND, Doc, Incoming, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money, MoneyError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from uuid import UUID

    from lastro.core.runner import Verb
    from lastro.rails.port import Issuer

    _Decide = Callable[[UUID, "Decided"], Verb[Any] | Refused]

ROOT = "/institution"  # of their paths, which are names alone
_Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=400, pattern=forms.PRINTABLE)]
_By = Annotated[str, msgspec.Meta(min_length=1, max_length=140)]


class Decided(Form):
    """A person's decision. reason: why, where it must be said; code: of an account's standing; verdict, fraud: of a notice.

    Of a refund request of Pix Automático: rejection, or how much is reimbursed to which account of the payer's institution.
    order_id: which order a foreign payment pays.
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
    order_id: str | None = None


def routes(place: orders.Installation, stand: med.Stand, issuers: Mapping[str, Issuer]) -> tuple[Route, ...]:
    """Returns the operations. place: of the institution whose decisions they are. stand: what a verdict goes by.

    issuers: the banks of connections, which are asked what a claimed payment is now.
    """
    institution = place.institution

    def verdict(one: UUID, form: Decided) -> Verb[Any]:
        # The directory takes words with an agreed notice alone; the history has them of both.
        details = form.reason if form.verdict == "AGREED" else None
        return med.Decide(one, form.verdict or "", stand, form.fraud, details, f"by {form.by}: {form.reason}")

    def reimburse(one: UUID, form: Decided) -> Verb[Any] | Refused:
        try:
            amount = Money.parse(form.amount or "", "BRL")
        except MoneyError as wrong:
            return Refused(Kind.INVALID, (Problem("amount", "INVALID", str(wrong)),))
        document = re.sub(r"[./-]", "", form.document or "").upper()
        wish = med.Reimbursement(amount, document, form.branch or "", form.account or "", form.account_type or "")
        return med.Reimburse(one, wish, stand, f"by {form.by}: {form.reason}")

    def standing(trigger: str, codes: Collection[str]) -> _Decide:
        def change(one: UUID, form: Decided) -> Verb[Any] | Refused:
            if form.code not in codes:
                return Refused(Kind.INVALID, (Problem("code", "INVALID", "is none of the reasons"),))
            return accounts.ChangeStatus(one, trigger, accounts.Why(form.code or "", form.reason, form.by))

        return change

    return (
        _route("/payouts/{id}/approve", "approve_payout", (),
               lambda one, form: payouts.Approve(one, form.by, institution)),
        _route("/payouts/{id}/refuse", "refuse_payout", ("reason",),
               lambda one, form: payouts.Refuse(one, form.by, form.reason or "", institution)),
        _route("/disputes/{id}/verdict", "decide_med", ("verdict", "reason"), verdict),
        _route("/disputes/{id}/reimbursement", "reimburse_med",
               ("amount", "document", "branch", "account", "accountType", "reason"), reimburse),
        _route("/disputes/{id}/refusal", "refuse_med", ("rejection", "reason"),
               lambda one, form: med.Reject(one, form.rejection or "", form.reason, f"by {form.by}: {form.reason}")),
        _route("/differences/{id}/accept", "accept_difference", ("reason",),
               lambda one, form: reconciliation.Accept(one, form.by, form.reason or "")),
        _route("/foreign/{id}/claim", "claim_foreign_payment", ("orderId",),
               lambda one, form: orders.ClaimForeign(one, (form.order_id or "").strip(), form.by, place, issuers)),
        _route("/foreign/{id}/close", "close_foreign_payment", ("reason",),
               lambda one, form: orders.CloseForeign(one, form.by, form.reason or "")),
        _route("/accounts/{id}/block", "block_account", ("code",), standing("block", accounts.BLOCKING)),
        _route("/accounts/{id}/unblock", "unblock_account", ("code",), standing("unblock", accounts.UNBLOCKING)),
    )  # fmt: skip


def _route(path: str, name: str, required: Sequence[str], decide: _Decide) -> Route:
    """Returns an operation. required: the fields that have to be filled in. decide: of the object's id and the form."""

    def parse(incoming: Incoming) -> Verb[Any] | Refused:
        form, problems = forms.read(incoming.raw, Decided)
        given = {"accountType": form.account_type, "orderId": form.order_id}
        problems += [
            Problem(one, "REQUIRED", "is required") for one in required if not given.get(one, getattr(form, one, None))
        ]
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        own = incoming.id("id")
        return NOT_FOUND if own is None else decide(own, form)

    return Route("POST", ROOT + path, name, "institution", parse, Doc("Decided by the institution.", form=Decided))
