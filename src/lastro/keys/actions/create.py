"""A key is asked for: registered at once, or, where possession must be proved first, a code is sent."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from lastro.accounts import Account, account_by_id
from lastro.api_kit.routes import NOT_FOUND, render, stamp
from lastro.core.errors import OverQuota, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Row, Write
from lastro.keys import rules, store
from lastro.keys.actions.asking import give_up, refused_by, register
from lastro.keys.model import CHANNELS, Key
from lastro.keys.problems import KEY_DUPLICATE
from lastro.keys.rendering import CodeSent, shown
from lastro.keys.states import KEYS, VALIDATIONS
from lastro.rails.port import Permanent, code_message

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.keys.codes import Codes
    from lastro.keys.model import Room
    from lastro.rails.port import Registry

CREATED = 201
OWN_KEY = "own_keys_pkey"  # another account's, meanwhile
DUPLICATE = KEY_DUPLICATE.refused()


@dataclass(frozen=True, slots=True)
class CreateKeyContext:
    """The account, its keys and room for more, and any directory answer."""

    account: Account | None
    room: Room
    said: str | Permanent | None = None


@dataclass(frozen=True)
class CreateKey(Act[CreateKeyContext]):
    """POST …/keys. RANDOM, CPF, CNPJ: the directory registers the key. EMAIL, PHONE: a code is sent there.

    key: in its canonical form, None of a RANDOM one. asked_under: makes a RANDOM key the same one for the same request;
    None: another for each request, and the same for as often as one is decided.
    """

    account_id: UUID
    type: str
    key: str | None
    asked_under: str | None
    registry: Registry
    codes: Codes
    drawn: list[UUID] = field(default_factory=list, init=False)
    registered: list[str] = field(default_factory=list, init=False)

    async def read(self, session: Session, context: RequestContext) -> CreateKeyContext:
        """Reads the account, and counts its keys."""
        account = await account_by_id(session, context.company_id, self.account_id)
        room = await store.room_of(session, context.company_id, self.account_id, self.key)
        return CreateKeyContext(account, room)

    async def call_out(self, known: CreateKeyContext, context: RequestContext) -> CreateKeyContext | Refused:
        """Asks the directory to register a key without code. Holds no database connection."""
        if known.account is None or self.type in CHANNELS:
            return known
        await without_room(self.registry, known.account, known.room, self.registered)
        if self._refusal(known.account, known) is not None:
            return known
        said = await register(self.registry, self._request_id(known, context), known.account, self.type, self.key)
        if isinstance(said, str):
            self.registered.append(said)
        return said if isinstance(said, Refused) else replace(known, said=said)

    def decide(self, known: CreateKeyContext, context: RequestContext) -> Done | Refused:
        """The key, ACTIVE; or the validation, PENDING."""
        account = known.account
        if account is None:
            return NOT_FOUND
        refused = self._refusal(account, known)
        if refused is not None:
            return refused
        if isinstance(known.said, Permanent):
            return refused_by(known.said)
        relies = Write(context.company_id, relies=(Relied("accounts", account.id, account.version),))
        if self.type in CHANNELS:
            return self._send_code(account, known, context, relies)
        assert known.said is not None
        key, write = made(context, account.id, self.type, known.said)
        relies += counted(account.id, known.room.active, context)
        return Done(relies + write, render(shown(key)), key.id, status=CREATED)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Another account here was first."""
        return DUPLICATE if constraint == OWN_KEY else None

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Too many codes today."""
        return rules.too_many_codes(short) if isinstance(short, OverQuota) else super().on_insufficient_funds(short)

    def _refusal(self, account: Account, known: CreateKeyContext) -> Refused | None:
        return rules.account_problem(account, self.type, self.key, known.room)

    def _request_id(self, known: CreateKeyContext, context: RequestContext) -> UUID:
        assert known.account is not None
        if self.key is not None:
            return rules.request_id(context.company_id, known.account.id, self.key, known.room.before)
        if self.asked_under is None:
            if not self.drawn:  # a second one would be a second key, which nobody here knows
                self.drawn.append(UUID(bytes=context.chance.bytes(16), version=4))
            return self.drawn[0]
        return rules.request_id(context.company_id, known.account.id, f"RANDOM:{self.asked_under}", 0)

    def _send_code(self, account: Account, known: CreateKeyContext, context: RequestContext, relies: Write) -> Done:
        assert self.key is not None
        asked_under = rules.request_id(context.company_id, account.id, self.key, known.room.before)
        return sent(context, relies, account.id, (self.type, self.key), self.codes, request_id=asked_under)


def counted(account_id: UUID, active: int, context: RequestContext) -> Write:
    """Requires the account's number of keys and claims unchanged. Stale: it is another than `active`."""
    return Write(context.company_id, relies=(Relied("keys", account_id, active),))


async def without_room(registry: Registry, account: Account, room: Room, registered: list[str]) -> None:
    """Frees this request's registered key if the account has no room left. Others have taken the last room."""
    if registered and not room.is_ours and rules.has_no_room(account, room.active):
        await give_up(registry, account, registered.pop())


def sent(
    context: RequestContext,
    relies: Write,
    account_id: UUID,
    to: tuple[str, str],
    codes: Codes,
    *,
    request_id: UUID,
    **also: Any,
) -> Done:
    """A validation begins, and its first code is to be sent. to: EMAIL or PHONE, and which. also: columns of its purpose."""
    kind, key = to
    validation_id, expires_at = context.chance.uuid(context.now), context.now + rules.VALID_FOR
    values = {
        "id": validation_id, "account_id": account_id, "type": kind, "key": key, "request_id": request_id,
        "sealed_by": codes.sealed_by, "sent_at": context.now, "expires_at": expires_at, "created_at": context.now,
        "updated_at": context.now, **also,
    }  # fmt: skip
    order = code_message(context.chance.uuid(context.now), validation_id, 1, context.now)
    used = rules.code_quotas(account_id, key, context.now)
    write = Write(context.company_id, rows=VALIDATIONS.born(values, context.now), messages=(order,), quotas=used)
    body = render(CodeSent(validation_id=str(validation_id), expires_at=stamp(expires_at)))
    return Done(relies + write, body, validation_id)


def made(context: RequestContext, account_id: UUID, kind: str, text: str) -> tuple[Key, Write]:
    """A key that the directory has registered: itself, and that it leads to the account."""
    key = Key(context.chance.uuid(context.now), "ACTIVE", 1, account_id, kind, text, context.now, context.now)
    values = {
        "id": key.id, "account_id": account_id, "type": kind, "key": text, "created_at": context.now,
        "updated_at": context.now, "possessed_at": context.now,
    }  # fmt: skip
    owned = Row("own_keys", {"key": text, "account_id": account_id})
    return key, Write(context.company_id, rows=(*KEYS.born(values, context.now), owned))
