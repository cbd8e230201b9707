"""The HTTP operations of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_choice, read_page
from lastro.api_kit.routes import NOT_FOUND, Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.keys.actions.prove import ResendCode
from lastro.keys.claims import docs
from lastro.keys.claims.actions.decide import CancelClaim, ClaimDecision, Decide, RequestCode, ResendAnswerCode
from lastro.keys.claims.actions.open import ClaimedKey, ConfirmClaim, OpenClaim
from lastro.keys.claims.actions.read import ListClaims, ReadClaim
from lastro.keys.claims.forms import AnswerClaim
from lastro.keys.claims.forms import OpenClaim as OpenForm
from lastro.keys.claims.rules import wish_problems
from lastro.keys.claims.states import STATUSES
from lastro.keys.forms import ConfirmKey as CodeForm
from lastro.keys.forms import ResendCode as ResendForm
from lastro.keys.model import FOR_CLAIM
from lastro.standards.pix_keys import canonical

if TYPE_CHECKING:
    from lastro.core.runner import Verb
    from lastro.keys.codes import Codes
    from lastro.rails.port import Claims

_PATH = "/order/v1/banking/accounts/{accountId}/keys/claims"
_QUERIES = (
    *PAGING, Query("status", "Claims that stand there.", {"type": "string", "enum": list(STATUSES)}),
)  # fmt: skip


@dataclass(frozen=True)
class _ClaimHandlers:
    claims: Claims
    codes: Codes
    reached: frozenset[str]

    def open(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims."""
        form, problems = forms.read(incoming.raw, OpenForm)
        key = None if form.key is None else canonical(form.key)
        problems += wish_problems(form.claim_type, form.type, key, form.channel, self.reached)
        account_id = incoming.id("accountId")
        if problems or key is None:
            return Refused(Kind.INVALID, forms.in_order(problems, OpenForm))
        wanted = ClaimedKey(form.claim_type, form.type, key)
        return NOT_FOUND if account_id is None else OpenClaim(account_id, wanted, self.claims, self.codes)

    def confirm(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims/confirm."""
        form, problems = forms.read(incoming.raw, CodeForm)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CodeForm))
        if account_id is None:
            return NOT_FOUND
        return ConfirmClaim(account_id, as_id(form.validation_id), form.token, self.claims, self.codes)

    def resend(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims/resend."""
        form, problems = forms.read(incoming.raw, ResendForm)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, ResendForm))
        return NOT_FOUND if account_id is None else ResendCode(account_id, as_id(form.validation_id), FOR_CLAIM)

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET …/keys/claims."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        status = read_choice(incoming.query, "status", STATUSES, problems)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return NOT_FOUND if account_id is None else ListClaims(account_id, status, page)

    def read(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET …/keys/claims/{claimId}."""
        account_id = incoming.id("accountId")
        return NOT_FOUND if account_id is None else ReadClaim(account_id, incoming.id("claimId"))

    def cancel(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims/{claimId}/cancel."""
        account_id = incoming.id("accountId")
        return NOT_FOUND if account_id is None else CancelClaim(account_id, incoming.id("claimId"), self.claims)

    def request(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims/{claimId}/confirm-request."""
        account_id = incoming.id("accountId")
        if account_id is None:
            return NOT_FOUND
        return RequestCode(account_id, incoming.id("claimId"), self.codes, self.reached)

    def resend_answer(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims/{claimId}/confirm-resend."""
        form, problems = forms.read(incoming.raw, ResendForm)
        account_id, claim_id = incoming.id("accountId"), incoming.id("claimId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, ResendForm))
        if account_id is None or claim_id is None:
            return NOT_FOUND
        return ResendAnswerCode(account_id, claim_id, as_id(form.validation_id))

    def decide(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/claims/{claimId}/confirm."""
        form, problems = forms.read(incoming.raw, AnswerClaim)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, AnswerClaim))
        if account_id is None:
            return NOT_FOUND
        answer = ClaimDecision(as_id(form.validation_id), form.token, form.decision)
        return Decide(account_id, incoming.id("claimId"), answer, self.claims, self.codes)


def routes(claims: Claims, codes: Codes, reached: frozenset[str]) -> tuple[Route, ...]:
    """The operations. claims: the directory. reached: the types of keys to whose holders a code can be sent."""
    handlers = _ClaimHandlers(claims, codes, reached)
    one = _PATH + "/{claimId}"
    write = "keys:write"
    return (
        Route(
            "POST", _PATH, "create_key_claim", write, handlers.open, docs.CREATE, success=202, key="optional", also=(201,),
            needs_network=True,
        ),
        Route("GET", _PATH, "list_key_claims", "keys:read", handlers.list, docs.LIST, queries=_QUERIES),
        Route(
            "POST", _PATH + "/confirm", "confirm_key_claim", write, handlers.confirm, docs.CONFIRM, success=201,
            key="optional", needs_network=True,
        ),
        Route(
            "POST", _PATH + "/resend", "resend_key_claim_code", write, handlers.resend, docs.RESEND, success=202,
            key="optional", needs_network=True,
        ),
        Route("GET", one, "read_key_claim", "keys:read", handlers.read, docs.READ),
        Route(
            "POST", one + "/cancel", "cancel_key_claim", write, handlers.cancel, docs.CANCEL, key="optional",
            needs_network=True,
        ),
        Route(
            "POST", one + "/confirm-request", "request_key_claim_code", write, handlers.request, docs.REQUEST, success=202,
            key="optional", needs_network=True,
        ),
        Route(
            "POST", one + "/confirm-resend", "resend_key_claim_answer_code", write, handlers.resend_answer,
            docs.RESEND_ANSWER,
            success=202, key="optional", needs_network=True,
        ),
        Route(
            "POST", one + "/confirm", "answer_key_claim", write, handlers.decide, docs.ANSWER, key="optional",
            needs_network=True,
        ),
    )  # fmt: skip
