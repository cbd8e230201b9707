"""The decision of the account's holder about a claim. A code proves that it is he, and the directory is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.accounts import Account, account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, OverQuota, Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.keys.actions.create import sent
from lastro.keys.actions.prove import UNKNOWN, ResendCode, mismatch, proven
from lastro.keys.actions.prove import ProveKeyContext as Resent
from lastro.keys.claims import rules, store
from lastro.keys.claims.actions.writing import NO_KEY, DepartingKey, followed, task_of
from lastro.keys.claims.problems import ACCOUNT_NOT_ACTIVE, CLAIM_ID_NOT_SUPPORTED, DECIDED_ALREADY, NOTHING_TO_DECIDE
from lastro.keys.claims.rendering import shown
from lastro.keys.claims.states import GONE
from lastro.keys.model import FOR_ANSWER, USER_REQUESTED
from lastro.keys.rules import too_many_codes
from lastro.keys.states import VALIDATIONS
from lastro.keys.store import key_here, validation_of
from lastro.rails.port import CLAIM_CANCEL, ClaimNews, Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.keys.claims.model import KeyClaim
    from lastro.keys.claims.rendering import Claim
    from lastro.keys.codes import Codes
    from lastro.keys.model import Validation
    from lastro.rails.port import ClaimAct, Claims

_USED = DECIDED_ALREADY.refused(why="has decided its claim already")
_MOVED = DECIDED_ALREADY.refused(why="the key has left: ask for a code anew")
_INACTIVE = ACCOUNT_NOT_ACTIVE.refused()
_UNREACHED = CLAIM_ID_NOT_SUPPORTED.problem()


@dataclass(frozen=True, slots=True)
class DecideClaimContext:
    """The account, claim, claimed key, validation, and any directory answer."""

    account: Account | None
    claim: KeyClaim | None = None
    leaving: DepartingKey = NO_KEY
    proof: Validation | None = None
    said: ClaimNews | None = None


@dataclass(frozen=True)
class CancelClaim(Act[DecideClaimContext]):
    """POST …/keys/claims/{claimId}/cancel, by its claimer. It needs no code: nobody gains by it."""

    account_id: UUID
    claim_id: UUID | None
    claims: Claims

    async def read(self, session: Session, context: RequestContext) -> DecideClaimContext:
        """The claim."""
        return await _known(session, context, self.account_id, self.claim_id)

    async def call_out(self, known: DecideClaimContext, context: RequestContext) -> DecideClaimContext | Refused:
        """Cancels the claim in the directory. A retry gets the same answer."""
        if known.claim is None:
            return NOT_FOUND
        problem = rules.cancel_problem(known.claim)
        if problem is not None:
            return _no(problem)
        return await _asked(self.claims, known, known.claim, CLAIM_CANCEL, USER_REQUESTED)

    def decide(self, known: DecideClaimContext, context: RequestContext) -> Done | Refused:
        """CANCELLED here as it is there."""
        return _stands(known, context)


@dataclass(frozen=True)
class RequestCode(Act[DecideClaimContext]):
    """POST …/keys/claims/{claimId}/confirm-request: a code by which the holder of the account can decide.

    reached: the types of keys to whose holders a code can be sent from here.
    """

    account_id: UUID
    claim_id: UUID | None
    codes: Codes
    reached: frozenset[str]

    async def read(self, session: Session, context: RequestContext) -> DecideClaimContext:
        """The account and the claim."""
        return await _known(session, context, self.account_id, self.claim_id)

    def decide(self, known: DecideClaimContext, context: RequestContext) -> Done | Refused:
        """The code is to be sent."""
        if known.claim is None or known.account is None:
            return NOT_FOUND
        problem = rules.answer_problem(known.claim, context.now)
        if problem is not None:
            return _no(problem)
        to = rules.destination(known.claim, known.account)
        if to[0] not in self.reached:
            return _no(_UNREACHED)
        return sent(
            context, Write(context.company_id), self.account_id, to, self.codes,
            request_id=rules.act_id(known.claim.id, FOR_ANSWER), purpose=FOR_ANSWER, claim_id=known.claim.id,
        )  # fmt: skip

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Too many codes today."""
        return too_many_codes(short) if isinstance(short, OverQuota) else super().on_insufficient_funds(short)


@dataclass(frozen=True)
class ResendAnswerCode(Act[DecideClaimContext]):
    """POST …/keys/claims/{claimId}/confirm-resend. Refused where a code asked for now would go elsewhere."""

    account_id: UUID
    claim_id: UUID | None
    validation_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> DecideClaimContext:
        """The account, the claim and the validation."""
        known = await _known(session, context, self.account_id, self.claim_id)
        if known.account is None or self.validation_id is None:
            return known
        return replace(known, proof=await validation_of(session, context.company_id, self.validation_id, self.account_id))

    def decide(self, known: DecideClaimContext, context: RequestContext) -> Done | Refused:
        """Sends the next code, unless the first one's key has left."""
        claim, proof, account = known.claim, known.proof, known.account
        if claim is not None and proof is not None and account is not None and proof.claim_id == claim.id:
            _, to = rules.destination(claim, account)
            if to != proof.key:
                return _MOVED
        resend = ResendCode(self.account_id, self.validation_id, FOR_ANSWER, self.claim_id)
        return resend.decide(Resent(account, proof), context)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Too many codes today."""
        return too_many_codes(short) if isinstance(short, OverQuota) else super().on_insufficient_funds(short)


@dataclass(frozen=True, slots=True)
class ClaimDecision:
    """The holder's answer with its code. decision: CONFIRM or CANCEL."""

    validation_id: UUID | None
    token: str
    decision: str


@dataclass(frozen=True)
class Decide(Act[DecideClaimContext]):
    """POST …/keys/claims/{claimId}/confirm: the donor's answer, or the claimer's second proof. A wrong code is counted."""

    account_id: UUID
    claim_id: UUID | None
    answer: ClaimDecision
    claims: Claims
    codes: Codes

    async def read(self, session: Session, context: RequestContext) -> DecideClaimContext:
        """The account, the claim and the validation."""
        known = await _known(session, context, self.account_id, self.claim_id)
        if known.claim is None or self.answer.validation_id is None:
            return known
        if self.answer.decision == "CONFIRM" and not known.claim.is_ours:
            affected = await store.affected_by(session, context.company_id, self.account_id, known.claim.key)
            known = replace(known, leaving=replace(known.leaving, affected=affected))
        proof = await validation_of(session, context.company_id, self.answer.validation_id, self.account_id)
        return replace(known, proof=proof)

    async def call_out(self, known: DecideClaimContext, context: RequestContext) -> DecideClaimContext | Refused:
        """Tells the directory the decision, once the code is noted. Holds no database connection."""
        refused = self._refusal(known, context)
        if refused is not None or known.claim is None or known.proof is None or not known.proof.is_proved:
            return known
        act, reason = rules.answer(known.claim, self.answer.decision)
        if rules.has_followed_code(known.claim, act, known.proof):
            return known
        return await _asked(self.claims, known, known.claim, act, reason)

    def decide(self, known: DecideClaimContext, context: RequestContext) -> Done | Refused:
        """The claim where the decision leads, and the validation used."""
        refused = self._refusal(known, context)
        if refused is not None:
            return refused
        assert known.claim is not None
        assert known.proof is not None
        act, _ = rules.answer(known.claim, self.answer.decision)
        if known.said is None and not rules.has_followed_code(known.claim, act, known.proof):
            return proven(known.proof, context)
        used = VALIDATIONS.move(known.proof, "confirm", context.now)
        done = _stands(known, context)
        if isinstance(done, Refused):
            return done
        return replace(done, write=(done.write or Write(context.company_id)) + Write(context.company_id, moves=(used,)))

    def _refusal(self, known: DecideClaimContext, context: RequestContext) -> Refused | None:
        claim, proof = known.claim, known.proof
        if claim is None or known.account is None:
            return NOT_FOUND
        if proof is None or proof.purpose != FOR_ANSWER or proof.claim_id != claim.id:
            return UNKNOWN
        if proof.state == "CONFIRMED":
            return _USED
        unproved = mismatch(proof, self.answer.token, self.codes, context)
        if unproved is not None:
            return unproved
        act, _ = rules.answer(claim, self.answer.decision)
        is_done = known.said is not None or rules.has_followed_code(claim, act, proof)
        problem = None if is_done else rules.answer_problem(claim, context.now, self.answer.decision)
        if problem is not None:
            return _no(problem)
        brings = claim.is_ours and self.answer.decision == "CONFIRM"
        return _INACTIVE if brings and not known.account.is_active else None


async def _known(session: Session, context: RequestContext, account_id: UUID, claim_id: UUID | None) -> DecideClaimContext:
    account = await account_by_id(session, context.company_id, account_id)
    claim = None if account is None else await store.claim_of(session, context.company_id, account_id, claim_id)
    if claim is None or claim.is_ours:
        return DecideClaimContext(account, claim)
    return DecideClaimContext(account, claim, DepartingKey(await key_here(session, context.company_id, claim.key)))


async def _asked(
    claims: Claims, known: DecideClaimContext, claim: KeyClaim, act: ClaimAct, reason: str | None
) -> DecideClaimContext | Refused:
    try:
        return replace(known, said=await claims.tell_claim(act, task_of(claim, act, reason)))
    except Transient as silent:
        return Refused(Kind.UNAVAILABLE, retry_after_seconds=silent.retry_after_seconds or 5)
    except Permanent as no:
        return _no(NOTHING_TO_DECIDE.problem(why=f"the directory refuses it: {no.code}"))


def _stands(known: DecideClaimContext, context: RequestContext) -> Done | Refused:
    """Answers with the claim as the directory has it; as it is here, if the directory's message was first."""
    claim = known.claim
    assert claim is not None
    if known.said is None or known.said.status == claim.state:
        return Done(None, render(_answer(claim, known, context)), claim.id)
    # The other side may have gone on already: then the directory's next words find it known.
    after = followed(claim, known.said, known.leaving, context)
    if after is None:
        return _no(NOTHING_TO_DECIDE.problem(why=f"is {known.said.status} at the directory: its word on it is on its way"))
    return Done(after[1], render(_answer(after[0], known, context)), after[0].id)


def _answer(claim: KeyClaim, known: DecideClaimContext, context: RequestContext) -> Claim:
    """Returns the claim. If its key has left, also the objects that name the key."""
    return shown(claim, context.now, known.leaving.affected if claim.state in GONE else None)


def _no(problem: Problem) -> Refused:
    kind = Kind.CONFLICT if problem.issue == "CONFLICT" else Kind.INVALID
    return Refused(kind, (problem,))
