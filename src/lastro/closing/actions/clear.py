"""The clean-up of a closed account, a few objects at a time. A crash or a silent network costs one step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro import orders
from lastro.closing import store
from lastro.closing.states import CLOSE_REQUESTS
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.keys import ACCOUNT_CLOSURE, EndKey, LetGoClaim, open_claims
from lastro.subscriptions import CloseAccount

if TYPE_CHECKING:
    from typing import Any
    from uuid import UUID

    from lastro.closing.model import CloseRequest
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.orders import Ending, Installation
    from lastro.rails.port import Registry

_ORDERS_AT_ONCE = 20
_SUBSCRIPTIONS_AT_ONCE = 5  # each with its payments, attempts and the message to its payer's bank


@dataclass(frozen=True, slots=True)
class ClearContext:
    """The request and the account's next objects to end; empty: none left.

    subscriptions, claims, keys: each with the verb that ends it and the context that it has read. Keys come last, when
    nothing else is left; claims go on at the directory until its message on each.
    """

    request: CloseRequest
    orders: tuple[Ending, ...]
    subscriptions: tuple[tuple[CloseAccount, Any], ...]
    claims: tuple[tuple[LetGoClaim, Any], ...] = ()
    keys: tuple[tuple[EndKey, Any], ...] = ()

    @property
    def is_clear(self) -> bool:
        """True where no object is left."""
        return not (self.orders or self.subscriptions or self.claims or self.keys)


@dataclass(frozen=True)
class Clear(Act["ClearContext | None"]):
    """A step of the clean-up, in two parts.

    Some open orders and subscriptions are CANCELED; then keys are deleted, which the directory is told first. A key that the
    directory keeps, as a claim of it is open, stands in the way of the request alone and not of other keys. A claim that its
    side may end is ended, and waited for. Once nothing is left the request is COMPLETED.
    """

    request_id: UUID
    place: Installation
    registry: Registry

    async def read(self, session: Session, context: RequestContext) -> ClearContext | None:
        """Reads the request, if REQUESTED, and the next objects to end."""
        company = context.company_id
        request = await store.request_by_id(session, company, self.request_id)
        if request is None or request.state != "REQUESTED":
            return None
        of = (session, company, request.account_id)
        endings = [await orders.ending(session, company, one) for one in await store.open_orders(*of, _ORDERS_AT_ONCE)]
        ids = await store.open_subscriptions(*of, _SUBSCRIPTIONS_AT_ONCE)
        verbs = [CloseAccount(one, self.place) for one in ids]
        pairs = [(verb, await verb.read(session, context)) for verb in verbs]
        open_ = await open_claims(*of)
        known = ClearContext(
            request, tuple(one for one in endings if one is not None), tuple(pairs),
            tuple((LetGoClaim(one.id), one) for one in open_),
        )  # fmt: skip
        ids = await store.active_keys(*of) if replace(known, claims=()).is_clear else []
        ends = [EndKey(request.account_id, one, ACCOUNT_CLOSURE, self.registry) for one in ids]
        return replace(known, keys=tuple([(end, await end.read(session, context)) for end in ends]))

    async def call_out(self, known: ClearContext | None, context: RequestContext) -> ClearContext | Refused | None:
        """Deletes the keys in the directory. A later step retries a refused or unanswered one.

        It stops at the first time-out: waiting for further ones would take long. Refused: no key was deleted, and there is
        no claim to end, either.
        """
        freed: list[tuple[EndKey, Any]] = []
        refused = None
        for end, read in () if known is None else known.keys:
            told = await end.call_out(read, context)
            if not isinstance(told, Refused):
                freed.append((end, told))
                continue
            refused = refused or told
            if told.kind is Kind.UNAVAILABLE:
                break
        if known is None or (refused is not None and not freed and not known.claims):
            return refused
        return replace(known, keys=tuple(freed))

    def decide(self, known: ClearContext | None, context: RequestContext) -> Done | Refused:
        """Ends in one write all that can end now. An object is tried again if money for it was just announced."""
        if known is None:
            return Done(None, b"")
        if known.is_clear:
            return Done(Write(context.company_id, moves=(CLOSE_REQUESTS.move(known.request, "complete", context.now),)), b"")
        write = Write(context.company_id)
        for ending in known.orders:
            write += orders.with_account(ending, context, self.place) or Write(context.company_id)
        ends: tuple[tuple[CloseAccount | EndKey | LetGoClaim, Any], ...] = (
            *known.subscriptions, *known.claims, *known.keys,
        )  # fmt: skip
        for verb, read in ends:
            done = verb.decide(read, context)
            assert isinstance(done, Done), "nobody refuses what a closed account has to end"
            write += done.write or Write(context.company_id)
        return Done(None if write.is_empty else write, b"")
