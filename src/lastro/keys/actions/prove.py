"""The steps of a validation: its code comes back, another one is sent, or its time is over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from lastro.accounts import Account, account_by_id
from lastro.api_kit.routes import NOT_FOUND, render, stamp
from lastro.core.errors import Kind, OverQuota, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.keys import rules, store
from lastro.keys.actions.asking import refused_by, register
from lastro.keys.actions.create import counted, made, without_room
from lastro.keys.model import FOR_KEY
from lastro.keys.problems import TOKEN_EXPIRED, TOKEN_INVALID, VALIDATION_ID_INVALID, VALIDATION_USED
from lastro.keys.rendering import CodeSent, shown
from lastro.keys.states import VALIDATIONS
from lastro.rails.port import Permanent, code_message

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.keys.codes import Codes
    from lastro.keys.model import Room, Validation
    from lastro.rails.port import Registry

UNKNOWN = VALIDATION_ID_INVALID.refused()
_USED = VALIDATION_USED.refused()
_WRONG = TOKEN_INVALID.problem()
_OVER = TOKEN_EXPIRED.problem()


@dataclass(frozen=True, slots=True)
class ProveKeyContext:
    """The account, the validation, its keys and room, and any directory answer."""

    account: Account | None
    validation: Validation | None = None
    room: Room | None = None
    said: str | Permanent | None = None


@dataclass(frozen=True)
class ConfirmKey(Act[ProveKeyContext]):
    """POST …/keys/confirm. A wrong code is counted before it is answered; the fifth ends the validation.

    validation_id None: no id at all. The directory is asked under the validation's own id, so that one key is made by all
    retries and concurrent requests.
    """

    account_id: UUID
    validation_id: UUID | None
    token: str
    registry: Registry
    codes: Codes
    registered: list[str] = field(default_factory=list, init=False)

    async def read(self, session: Session, context: RequestContext) -> ProveKeyContext:
        """Reads the account and the validation, and counts the account's keys."""
        account = await account_by_id(session, context.company_id, self.account_id)
        if account is None or self.validation_id is None:
            return ProveKeyContext(account)
        validation = await store.validation_of(session, context.company_id, self.validation_id, self.account_id)
        if validation is None:
            return ProveKeyContext(account)
        room = await store.room_of(session, context.company_id, self.account_id, validation.key)
        if room.is_ours:  # made by this very validation, perhaps, since that was read
            validation = await store.validation_of(session, context.company_id, self.validation_id, self.account_id)
        return ProveKeyContext(account, validation, room)

    async def call_out(self, known: ProveKeyContext, context: RequestContext) -> ProveKeyContext | Refused:
        """Asks the directory to register the key, once its code is noted. Holds no database connection."""
        validation, account = known.validation, known.account
        if account is not None and known.room is not None:
            await without_room(self.registry, account, known.room, self.registered)
        if validation is None or account is None or self._refusal(known, context) is not None or not validation.is_proved:
            return known
        said = await register(self.registry, validation.request_id, account, validation.type, validation.key)
        if isinstance(said, str):
            self.registered.append(said)
        return said if isinstance(said, Refused) else replace(known, said=said)

    def decide(self, known: ProveKeyContext, context: RequestContext) -> Done | Refused:
        """The key, ACTIVE; a wrong code counted; a key that is held elsewhere noted as proved."""
        refused = self._refusal(known, context)
        if refused is not None:
            return refused
        validation, account = known.validation, known.account
        assert validation is not None
        assert account is not None
        if known.said is None:
            return proven(validation, context)
        if isinstance(known.said, Permanent):
            no = refused_by(known.said)
            if known.said.code not in rules.HELD_ELSEWHERE:
                return no
            conflict = VALIDATIONS.move(validation, "conflict", context.now, reason=known.said.code)
            return replace(no, write=Write(context.company_id, moves=(conflict,)))
        key, write = made(context, account.id, validation.type, known.said)
        confirmed = VALIDATIONS.move(validation, "confirm", context.now, key_id=key.id)
        relies = (Relied("accounts", account.id, account.version),)
        assert known.room is not None
        write += counted(account.id, known.room.active, context)
        return Done(Write(context.company_id, relies=relies, moves=(confirmed,)) + write, render(shown(key)), key.id)

    def _refusal(self, known: ProveKeyContext, context: RequestContext) -> Refused | None:
        if known.account is None:
            return NOT_FOUND
        validation, room = known.validation, known.room
        if validation is None or room is None or validation.purpose != FOR_KEY:
            return UNKNOWN
        if validation.state == "CONFIRMED":
            return _USED
        if validation.state == "CONFLICT":
            return rules.refusal("EntryKeyInCustodyOfDifferentParticipant")
        unproved = mismatch(validation, self.token, self.codes, context)
        return unproved or rules.account_problem(known.account, validation.type, validation.key, room)


def mismatch(validation: Validation, token: str, codes: Codes, context: RequestContext) -> Refused | None:
    """Returns the reason to reject this code; None: it is right. Once it is noted as right, it was in time."""
    if validation.state == "EXPIRED" or (not validation.is_proved and context.now >= validation.expires_at):
        return Refused(Kind.INVALID, (_OVER,))
    if not codes.is_right(token, validation.id, validation.number, validation.sealed_by):
        return _mistake(validation, context)
    return None


def proven(validation: Validation, context: RequestContext) -> Done:
    """The right code came back: noted before anything is asked by it, so that of many guesses at once each is counted."""
    move = VALIDATIONS.move(validation, "prove", context.now, proved=validation.number)
    return Done(Write(context.company_id, moves=(move,)), b"", again=True)


def _mistake(validation: Validation, context: RequestContext) -> Refused:
    """A wrong code, counted by the write that its answer waits for."""
    tries = validation.tries + 1
    is_last = tries >= rules.MOST_TRIES
    move = VALIDATIONS.move(validation, "mistake last" if is_last else "mistake", context.now, tries=tries)
    return Refused(Kind.INVALID, (_OVER if is_last else _WRONG,), Write(context.company_id, moves=(move,)))


@dataclass(frozen=True)
class ResendCode(Act[ProveKeyContext]):
    """POST …/keys/resend, and of claims: another code, and the one before is dead. Tries are not given back.

    purpose: of the validation; claim_id: the claim that it answers, where it does.
    """

    account_id: UUID
    validation_id: UUID | None
    purpose: str = FOR_KEY
    claim_id: UUID | None = None

    async def read(self, session: Session, context: RequestContext) -> ProveKeyContext:
        """The account and the validation."""
        account = await account_by_id(session, context.company_id, self.account_id)
        if account is None or self.validation_id is None:
            return ProveKeyContext(account)
        return ProveKeyContext(
            account, await store.validation_of(session, context.company_id, self.validation_id, self.account_id)
        )

    def decide(self, known: ProveKeyContext, context: RequestContext) -> Done | Refused:
        """The next code is to be sent."""
        validation = known.validation
        if known.account is None or validation is None:
            return NOT_FOUND if known.account is None else UNKNOWN
        if validation.purpose != self.purpose or (self.claim_id is not None and validation.claim_id != self.claim_id):
            return UNKNOWN
        refused = rules.resend_problem(validation, context.now)
        if refused is not None:
            return refused
        number, expires_at = validation.number + 1, context.now + rules.VALID_FOR
        move = VALIDATIONS.move(validation, "resend", context.now, number=number, sent_at=context.now, expires_at=expires_at)
        order = code_message(context.chance.uuid(context.now), validation.id, number, context.now)
        body = render(CodeSent(validation_id=str(validation.id), expires_at=stamp(expires_at)))
        used = rules.code_quotas(validation.account_id, validation.key, context.now)
        return Done(Write(context.company_id, moves=(move,), messages=(order,), quotas=used), body, validation.id)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Too many codes today."""
        return rules.too_many_codes(short) if isinstance(short, OverQuota) else super().on_insufficient_funds(short)


@dataclass(frozen=True)
class ExpireValidation(Act["Validation | None"]):
    """The code of a validation holds no longer."""

    validation_id: UUID

    async def read(self, session: Session, context: RequestContext) -> Validation | None:
        """The validation."""
        return await store.validation_of(session, context.company_id, self.validation_id)

    def decide(self, known: Validation | None, context: RequestContext) -> Done:
        """EXPIRED, unless it has ended or another code was sent."""
        if known is None or known.state != "PENDING" or context.now < known.expires_at + rules.ENDED_AFTER:
            return Done(None, b"")
        move = VALIDATIONS.move(known, "expire", context.now)
        return Done(Write(context.company_id, moves=(move,)), b"", known.id)
