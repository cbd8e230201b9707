"""A claim is asked for: opened at once where possession is proved, else a code is sent first, and comes back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.accounts import Account, account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.errors import Kind, OverQuota, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.keys.actions.create import CREATED, counted, sent
from lastro.keys.actions.prove import UNKNOWN, mismatch, proven
from lastro.keys.claims import rules, store
from lastro.keys.claims.actions.writing import born
from lastro.keys.claims.problems import KEY_CONFLICT, OPENED_ALREADY
from lastro.keys.claims.rendering import shown
from lastro.keys.claims.states import OPEN
from lastro.keys.model import CHANNELS, FOR_CLAIM
from lastro.keys.rules import request_id, too_many_codes
from lastro.keys.states import VALIDATIONS
from lastro.keys.store import validation_of
from lastro.rails.port import ClaimNews, ClaimWish, KeyAccount, KeyOwner, Permanent, Transient

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.keys.claims.model import ClaimRoom, KeyClaim
    from lastro.keys.codes import Codes
    from lastro.keys.model import Validation
    from lastro.rails.port import Claims

_USED = OPENED_ALREADY.refused()
_ENDED = KEY_CONFLICT.refused(why="the claim has ended at the directory already")


@dataclass(frozen=True, slots=True)
class ClaimedKey:
    """A key as it is claimed. type: of the key, in its canonical form."""

    claim_type: str
    type: str
    key: str


@dataclass(frozen=True, slots=True)
class OpenClaimContext:
    """The account, its room, the proof of possession, and any directory answer."""

    account: Account | None
    wanted: ClaimedKey | None = None
    room: ClaimRoom | None = None
    proof: Validation | None = None
    said: ClaimNews | Permanent | None = None


@dataclass(frozen=True)
class OpenClaim(Act[OpenClaimContext]):
    """POST …/keys/claims. The same again, while the claim is open, answers that claim."""

    account_id: UUID
    wanted: ClaimedKey
    claims: Claims
    codes: Codes

    async def read(self, session: Session, context: RequestContext) -> OpenClaimContext:
        """Reads the account, its keys and claims, and a valid proof."""
        company, key = context.company_id, self.wanted.key
        account = await account_by_id(session, company, self.account_id)
        room = await store.room_for(session, company, self.account_id, key)
        proof = await store.proof_of(session, company, self.account_id, key, context.now)
        return OpenClaimContext(account, self.wanted, room, proof)

    async def call_out(self, known: OpenClaimContext, context: RequestContext) -> OpenClaimContext | Refused:
        """Asks the directory, if nothing is wrong and no code is needed. Holds no database connection."""
        if self._refusal(known) is not None or _open(known) is not None or self._needs_code(known):
            return known
        return await _asked(self.claims, known, self._request_id(known, context))

    def decide(self, known: OpenClaimContext, context: RequestContext) -> Done | Refused:
        """The claim, OPEN; or the validation, PENDING."""
        refused = self._refusal(known)
        if refused is not None or known.account is None:
            return refused or NOT_FOUND
        before = _open(known)
        if before is not None:
            return Done(None, render(shown(before, context.now)), before.id, status=CREATED)
        relies = Write(context.company_id, relies=(Relied("accounts", known.account.id, known.account.version),))
        if self._needs_code(known):
            return sent(
                context, relies, known.account.id, (self.wanted.type, self.wanted.key), self.codes,
                request_id=self._request_id(known, context), purpose=FOR_CLAIM, claim_type=self.wanted.claim_type,
            )  # fmt: skip
        return _opened(known, relies, context)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Too many codes today."""
        return too_many_codes(short) if isinstance(short, OverQuota) else super().on_insufficient_funds(short)

    def _refusal(self, known: OpenClaimContext) -> Refused | None:
        return _unfit(known)

    def _needs_code(self, known: OpenClaimContext) -> bool:
        return self.wanted.type in CHANNELS and known.proof is None and known.said is None

    def _request_id(self, known: OpenClaimContext, context: RequestContext) -> UUID:
        assert known.room is not None
        name = f"{self.wanted.claim_type}:{self.wanted.key}"
        return request_id(context.company_id, self.account_id, name, known.room.before)


@dataclass(frozen=True)
class ConfirmClaim(Act[OpenClaimContext]):
    """POST …/keys/claims/confirm: the code of a claim came back, and the claim is opened. A wrong code is counted."""

    account_id: UUID
    validation_id: UUID | None
    token: str
    claims: Claims
    codes: Codes

    async def read(self, session: Session, context: RequestContext) -> OpenClaimContext:
        """Reads the account, the validation, and the account's keys and claims."""
        company = context.company_id
        account = await account_by_id(session, company, self.account_id)
        if account is None or self.validation_id is None:
            return OpenClaimContext(account)
        proof = await validation_of(session, company, self.validation_id, self.account_id)
        if proof is None or proof.claim_type is None:
            return OpenClaimContext(account)
        room = await store.room_for(session, company, self.account_id, proof.key)
        return OpenClaimContext(account, ClaimedKey(proof.claim_type, proof.type, proof.key), room, proof)

    async def call_out(self, known: OpenClaimContext, context: RequestContext) -> OpenClaimContext | Refused:
        """Asks the directory, once the right code is noted. Holds no database connection."""
        proof = known.proof
        if self._refusal(known, context) is not None or _open(known) is not None or proof is None or not proof.is_proved:
            return known
        return await _asked(self.claims, known, proof.request_id)

    def decide(self, known: OpenClaimContext, context: RequestContext) -> Done | Refused:
        """The claim, OPEN, and the validation that has opened it."""
        refused = self._refusal(known, context)
        if refused is not None:
            return refused
        account, proof, before = known.account, known.proof, _open(known)
        assert account is not None
        assert proof is not None
        if before is None and known.said is None:
            return proven(proof, context)
        relies = Write(context.company_id, relies=(Relied("accounts", account.id, account.version),))
        done = (
            _opened(known, relies, context)
            if before is None
            else Done(relies, render(shown(before, context.now)), before.id)
        )
        if isinstance(done, Refused):
            return done
        move = VALIDATIONS.move(proof, "confirm", context.now, claim_id=done.object_id)
        return replace(done, write=(done.write or relies) + Write(context.company_id, moves=(move,)))

    def _refusal(self, known: OpenClaimContext, context: RequestContext) -> Refused | None:
        if known.account is None:
            return NOT_FOUND
        if known.proof is None or known.proof.purpose != FOR_CLAIM:
            return UNKNOWN
        if known.proof.state == "CONFIRMED":
            return _USED
        return mismatch(known.proof, self.token, self.codes, context) or _unfit(known)


def _unfit(known: OpenClaimContext) -> Refused | None:
    """Returns the reason that the account cannot claim the key."""
    if known.account is None or known.wanted is None or known.room is None:
        return NOT_FOUND
    wanted = known.wanted
    return rules.claim_problem(known.account, wanted.type, wanted.key, wanted.claim_type, known.room)


def _open(known: OpenClaimContext) -> KeyClaim | None:
    """Returns the same claim, opened before; None: there is none. Another request opened it, or one with a lost answer."""
    return None if known.room is None else known.room.open


async def _asked(claims: Claims, known: OpenClaimContext, asked_under: UUID) -> OpenClaimContext | Refused:
    assert known.account is not None
    assert known.wanted is not None
    account, wanted = known.account, known.wanted
    wish = ClaimWish(
        asked_under, "PORTABILITY" if wanted.claim_type == "PORTABILITY" else "CLAIM_OWNERSHIP", wanted.type, wanted.key,
        KeyOwner(account.holder.full_name, account.holder.document_number),
        KeyAccount(account.branch, account.number, account.created_at),
    )  # fmt: skip
    try:
        return replace(known, said=await claims.open_claim(wish))
    except Transient as silent:
        return Refused(Kind.UNAVAILABLE, retry_after_seconds=silent.retry_after_seconds or 5)
    except Permanent as no:
        return replace(known, said=no)


def _opened(known: OpenClaimContext, relies: Write, context: RequestContext) -> Done | Refused:
    """Returns the opened claim, or the directory's refusal."""
    assert known.account is not None
    if isinstance(known.said, Permanent):
        return rules.refused_by(known.said)
    assert known.said is not None, "time has passed while the directory was asked"
    assert known.room is not None
    if known.said.status not in OPEN:
        return _ENDED
    relies += counted(known.account.id, known.room.active, context)
    one, write = born(known.said, known.account.id, context)
    return Done(relies + write, render(shown(one, context.now)), one.id, status=CREATED)
