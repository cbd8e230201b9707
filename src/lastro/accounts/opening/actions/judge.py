"""Judges a request: by the partner's verdict, by people, or by expiry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.accounts import store as accounts
from lastro.accounts.actions import opened
from lastro.accounts.model import Holder
from lastro.accounts.opening import notifications, rules, store
from lastro.accounts.opening.model import EXPIRED, UPLOADS_FOR, Request, Verdict
from lastro.accounts.opening.problems import FIELDS_INVALID, STATUS_CONFLICT
from lastro.accounts.opening.rendering import shown
from lastro.accounts.opening.states import ACCOUNT_REQUESTS
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Touch, Write

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.model import Institution
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.rails import port

_TOO_LATE = "late"  # the outcome of a verdict that no request waits for any more


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """The request, and the eight digits for its account."""

    request: Request | None
    digits: int


async def _read(session: Session, company_id: UUID, request_id: UUID) -> JudgeContext:
    request = await store.request_by_id(session, company_id, request_id)
    is_open = request is not None and request.state == "ANALYSIS"
    return JudgeContext(request, await accounts.next_number(session) if is_open else 0)


@dataclass(frozen=True)
class Judged(Act[JudgeContext]):
    """Applies the partner's verdict on a request. claimed: the inbox row with it."""

    final: port.AnalysisFinal
    request_id: UUID
    claimed: port.Claimed
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> JudgeContext:
        """Reads the request."""
        return await _read(session, context.company_id, self.request_id)

    def decide(self, known: JudgeContext, context: RequestContext) -> Done:
        """Moves the request to APPROVED or REPROVED.

        A verdict on an earlier submission, or after people have judged, changes nothing. A request that the partner does not
        take is left to people.
        """
        request, final = known.request, self.final
        if request is None or request.state != "ANALYSIS" or request.analysis_reference != final.reference:
            return self.claimed.done(_TOO_LATE, context)
        finished = self.claimed.settled("judged", context)
        if final.outcome == "NOT_TAKEN":
            left = Touch("account_requests", request.id, request.version, {"ask_at": None, "analysis_reference": None})
            return Done(finished + Write(context.company_id, touches=(left,)), b"")
        fields = rules.flags(request.holder_type, final.fields)
        verdict = Verdict(final.outcome == "APPROVED", final.code or final.outcome, final.description, fields)
        return Done(finished + judged(context, request, verdict, known.digits, self.institution), b"")


@dataclass(frozen=True)
class Judge(Act[JudgeContext]):
    """Judges a request by people (lastro account request --approve, --reprove). A partner may be judging it, too."""

    request_id: UUID
    verdict: Verdict
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> JudgeContext:
        """Reads the request."""
        return await _read(session, context.company_id, self.request_id)

    def decide(self, known: JudgeContext, context: RequestContext) -> Done | Refused:
        """Judges as the partner does; refuses a request that is not in ANALYSIS."""
        request = known.request
        if request is None:
            return NOT_FOUND
        if request.state != "ANALYSIS":
            return STATUS_CONFLICT.refused(why=f"the request is {request.state}")
        wrong = [field for field in self.verdict.fields if field not in rules.flags(request.holder_type, [field])]
        if wrong:
            return FIELDS_INVALID.refused(field=wrong[0])
        write = judged(context, request, self.verdict, known.digits, self.institution)
        return Done(write, render(shown(_after(request, write))), request.id)


@dataclass(frozen=True)
class Expire(Act["Request | None"]):
    """Expires a request without an upload in time (states.md 8)."""

    request_id: UUID

    async def read(self, session: Session, context: RequestContext) -> Request | None:
        """Reads the request."""
        return await store.request_by_id(session, context.company_id, self.request_id)

    def decide(self, known: Request | None, context: RequestContext) -> Done:
        """Moves a waiting request to REPROVED for good, after its time."""
        if known is None or known.state != "PENDING_DOCUMENTS" or known.expires_at is None or known.expires_at > context.now:
            return Done(None, b"")
        verdict = Verdict(is_approved=False, code=EXPIRED, description="no document came for 30 days")
        return Done(_refused(context, known, verdict, "expire"), b"")


def judged(context: RequestContext, request: Request, verdict: Verdict, digits: int, institution: Institution) -> Write:
    """Opens the account and makes its key due, or refuses the request."""
    if not verdict.is_approved:
        return _refused(context, request, verdict, "reprove")
    person = request.holder
    holder = Holder(
        request.holder_type, person.name, person.document_type, person.document_number, person.email, person.phone
    )
    city = (person.address or {}).get("city")
    account_id, number, rows = opened(context, institution, holder, digits, city)
    sets: dict[str, Any] = {"account_id": account_id, "open_document": None, "ask_at": None, "key_due_at": context.now}
    return Write(
        context.company_id,
        rows=rows,
        moves=(ACCOUNT_REQUESTS.move(request, "approve", context.now, reason=verdict.by, **sets),),
        events=(notifications.created(context, request.id, account_id, number, institution),),
    )


def _after(request: Request, write: Write) -> Request:
    """Returns the request after its verdict."""
    (move,) = write.moves
    told = {
        name: value for name, value in move.sets.items() if name in ("account_id", "reproved_code", "reproved_description")
    }
    is_keyless = move.sets.get("key_due_at") is not None
    fields = tuple(move.sets.get("reproved_fields", ()))
    return replace(request, state=move.to_state, reproved_fields=fields, is_keyless=is_keyless, **told)


def _refused(context: RequestContext, request: Request, verdict: Verdict, trigger: str) -> Write:
    sets: dict[str, Any] = {
        "missing": [], "open_document": None, "ask_at": None, "reproved_code": verdict.code,
        "reproved_description": verdict.description, "reproved_fields": list(verdict.fields),
        "expires_at": context.now + UPLOADS_FOR if verdict.fields else None,
    }  # fmt: skip
    move = ACCOUNT_REQUESTS.move(
        request, trigger, context.now, reason=" by ".join(one for one in (verdict.code, verdict.by) if one), **sets
    )
    return Write(context.company_id, moves=(move,), events=(notifications.rejected(context, request.id, verdict),))
