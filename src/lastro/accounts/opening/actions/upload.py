"""Uploads a document for a slot of a request. The last missing one hands the request over for its verdict."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lastro.accounts.opening import files, rules, store
from lastro.accounts.opening import problems as refusals
from lastro.accounts.opening.actions.create import taken
from lastro.accounts.opening.actions.hand_over import handed_over
from lastro.accounts.opening.model import MOST_PAGES, TAKEN_SLOTS, UPLOADS_FOR, DocumentPage, Request
from lastro.accounts.opening.refusing import FileRefused
from lastro.accounts.opening.rendering import DocumentTaken
from lastro.accounts.opening.states import ACCOUNT_REQUESTS
from lastro.api_kit.routes import render
from lastro.core.concurrency_slot import without_slot
from lastro.core.runner import Act, Done
from lastro.core.write import Row, TouchMany, Write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from uuid import UUID

    from lastro.accounts.opening.model import NamedPerson, OpeningPlace
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.core.write import Move

_NO_REQUEST = refusals.ACCOUNT_REQUEST_ID_INVALID.refused()


@dataclass(frozen=True, slots=True)
class Sealed:
    """An encrypted page, for its row."""

    id: UUID
    kept: files.StoredFile
    value: bytes


@dataclass(frozen=True, slots=True)
class UploadContext:
    """The request, the pages in its slots, and the representatives. last_page: of the slot. sealed: once it is made."""

    request: Request | None
    pages: tuple[DocumentPage, ...] = ()
    last_page: int = 0
    company_number: int = 0
    representatives: tuple[NamedPerson, ...] = ()
    sealed: Sealed | None = None


@dataclass(frozen=True)
class Upload(Act[UploadContext]):
    """POST /order/v1/banking/accounts/documents.

    content: as it was sent, of a supported kind by its first bytes. digest: its SHA-256.
    """

    request_id: UUID | None
    slot: str
    content: bytes
    digest: bytes
    place: OpeningPlace
    append: bool = True

    async def read(self, session: Session, context: RequestContext) -> UploadContext:
        """Reads the request and the pages in its slots."""
        company, request_id = context.company_id, self.request_id
        found = None if request_id is None else await store.request_by_id(session, company, request_id)
        if found is None:
            return UploadContext(None)
        return UploadContext(
            found,
            tuple(await store.pages(session, company, found.id)),
            await store.last_page(session, company, found.id, self.slot),
            await store.company_number(session, company),
            tuple(await store.people(session, company, found.representative_ids)),
        )

    async def call_out(self, known: UploadContext, context: RequestContext) -> UploadContext | Refused:
        """Draws a picture anew, looks into a PDF, and seals it: in a thread, and only what is to be kept."""
        if self._answered(known, context.now) is not None:
            return known
        page_id = context.chance.uuid(context.now)
        async with without_slot(), self.place.turns:
            try:
                sealed = await asyncio.to_thread(self._sealed, context.company_id, page_id)
            except FileRefused as refused:
                return refused.answer
        return replace(known, sealed=sealed)

    def decide(self, known: UploadContext, context: RequestContext) -> Done | Refused:
        """Puts the page into its slot; a complete request moves to ANALYSIS."""
        answered = self._answered(known, context.now)
        if answered is not None:
            return answered
        request, sealed = known.request, known.sealed
        assert request is not None
        assert sealed is not None
        in_slot = [page for page in known.pages if page.slot == self.slot]
        does = rules.uploaded(request, self.slot, in_slot, append=self.append)
        page = self._page(known, sealed, context.now)
        write = Write(
            context.company_id,
            rows=(Row("account_documents", {**_values(page, request.id), "sealed": sealed.value}),),
            moves=(self._move(request, does, context.now),),
            many=_replaced(does.replaced, context.now),
        )
        if does.trigger == "complete":
            pages = [one for one in known.pages if one not in does.replaced] + [page]
            write = handed_over(write, known, pages, context, is_analysed=self.place.is_analysed)
        return Done(write, self._answer(does.missing), page.id)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses where the holder got another request since this one was refused."""
        return taken(constraint)

    def _answered(self, known: UploadContext, now: datetime) -> Done | Refused | None:
        """Returns the answer where the file is not stored; None: store it."""
        request = known.request
        if request is None:
            return _NO_REQUEST
        if self.slot not in TAKEN_SLOTS[request.holder_type]:
            return refusals.SLOT_OF_OTHER_HOLDER.refused(holder_type=request.holder_type)
        in_slot = [page for page in known.pages if page.slot == self.slot]
        is_there = any(page.digest == self.digest for page in in_slot)
        if is_there and request.state in ("PENDING_DOCUMENTS", "ANALYSIS"):
            return Done(None, self._answer(request.missing))
        if not rules.takes_uploads(request, now):
            why = f"the request is {request.state}, or its time is over"
            return refusals.STATUS_CONFLICT.refused(why=why)
        if request.state == "REPROVED" and self.slot not in request.reproved_fields:
            return refusals.SLOT_NOT_REFUSED.refused()
        if self.append and self.slot not in request.wanted and len(in_slot) >= MOST_PAGES:
            return refusals.APPEND_LIMIT_EXCEEDED.refused(most_pages=MOST_PAGES)
        return None

    def _sealed(self, company_id: UUID, page_id: UUID) -> Sealed:
        kept = files.kept(self.content)
        return Sealed(page_id, kept, store.sealed(self.place.key_ring, kept.content, company_id, page_id))

    def _page(self, known: UploadContext, sealed: Sealed, at: datetime) -> DocumentPage:
        kept = sealed.kept
        return DocumentPage(
            sealed.id, 1, self.slot, known.last_page + 1, kept.content_type, len(kept.content),
            self.digest, kept.digest, at,
        )  # fmt: skip

    def _move(self, request: Request, does: rules.Uploaded, at: datetime) -> Move:
        sets: dict[str, Any] = {
            "missing": list(does.missing), "reproved_fields": [], "reproved_code": None, "reproved_description": None,
            "expires_at": at + UPLOADS_FOR if does.missing else None,
        }  # fmt: skip
        if request.state == "REPROVED":
            sets["open_document"] = request.holder.document_number
        return ACCOUNT_REQUESTS.move(request, does.trigger, at, reason=self.slot, **sets)

    def _answer(self, missing: tuple[str, ...]) -> bytes:
        return render(DocumentTaken(document_type=self.slot, missing_required_documents=list(missing)))


def _values(page: DocumentPage, request_id: UUID) -> dict[str, object]:
    return {
        "id": page.id, "request_id": request_id, "slot": page.slot, "page": page.page, "content_type": page.content_type,
        "size": page.size, "digest": page.digest, "kept_digest": page.kept_digest, "created_at": page.created_at,
    }  # fmt: skip


def _replaced(pages: tuple[DocumentPage, ...], at: datetime) -> tuple[TouchMany, ...]:
    """Erases the content of replaced pages."""
    if not pages:
        return ()
    none = [None] * len(pages)
    sets: dict[str, Sequence[Any]] = {"sealed": none, "replaced_at": [at] * len(pages)}
    return (TouchMany("account_documents", tuple(p.id for p in pages), tuple(p.version for p in pages), sets),)
