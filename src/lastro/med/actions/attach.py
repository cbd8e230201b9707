"""Documents for a defense to a notice. The holder of the account gives them, and those who decide read them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lastro import accounts
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.concurrency_slot import without_slot
from lastro.core.media import saved_as
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Write
from lastro.med import rules, store
from lastro.med.actions.writing import moved
from lastro.med.model import MOST_DOCUMENTS, Document
from lastro.med.problems import FILE_LIMIT_EXCEEDED
from lastro.med.rendering import document_shown

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.core.secrets import KeyRing
    from lastro.med.model import Case, Files

OCTETS: Final = "application/octet-stream"  # a browser saves it, and shows none of it


@dataclass(frozen=True, slots=True)
class AttachContext:
    """The notice, and the document's row once it is made."""

    case: Case | None
    made: Document | None = None
    sealed: bytes = b""
    kept_digest: bytes = b""


@dataclass(frozen=True)
class Attach(Act[AttachContext]):
    """POST /order/v1/banking/med/{referenceId}/defense/documents. The same file again changes nothing.

    content: as it was sent; by its first bytes of a kind that is taken. digest: its SHA-256.
    """

    object_id: UUID | None
    content: bytes
    digest: bytes
    files: Files

    async def read(self, session: Session, context: RequestContext) -> AttachContext:
        """The notice, with the documents that it has."""
        return AttachContext(
            None if self.object_id is None else await store.whole(session, context.company_id, self.object_id)
        )

    async def call_out(self, known: AttachContext, context: RequestContext) -> AttachContext | Refused:
        """Re-encodes a picture, checks a PDF, and seals it. It runs in a thread, and only for a file that is to be kept."""
        if self._answered(known, context) is not None:
            return known
        document_id = context.chance.uuid(context.now)
        async with without_slot(), self.files.turns:
            try:
                kept, sealed = await asyncio.to_thread(self._sealed, context.company_id, document_id)
            except accounts.opening.FileRefused as refused:
                return refused.answer
        assert known.case is not None
        number = known.case.subject.documents + 1
        made = Document(document_id, number, kept.content_type, len(kept.content), self.digest, context.now)
        return replace(known, made=made, sealed=sealed, kept_digest=kept.digest)

    def decide(self, known: AttachContext, context: RequestContext) -> Done | Refused:
        """Keeps the document with the notice and its history. It may be given until its time is over or a decision."""
        answered = self._answered(known, context)
        if answered is not None:
            return answered
        assert known.case is not None
        assert known.made is not None
        own, made = known.case.subject, replace(known.made, number=known.case.subject.documents + 1)
        _, write = moved(own, "notice attach", context, documents=made.number)
        row = Row("med_documents", {
            "id": made.id, "object_id": own.id, "number": made.number, "content_type": made.content_type, "size": made.size,
            "digest": made.digest, "kept_digest": known.kept_digest, "sealed": known.sealed, "created_at": made.created_at,
        })  # fmt: skip
        return Done(write + Write(context.company_id, rows=(row,)), render(document_shown(made)), made.id)

    def _answered(self, known: AttachContext, context: RequestContext) -> Done | Refused | None:
        """Returns an answer that keeps nothing; None: the file is to be kept."""
        if known.case is None:
            return NOT_FOUND
        own = known.case.subject
        problem = rules.defense_problem(own, context.now)
        if problem is not None:
            return problem
        there = next((one for one in known.case.documents if one.digest == self.digest), None)
        if there is not None:
            return Done(Write(context.company_id), render(document_shown(there)), there.id)
        if own.documents >= MOST_DOCUMENTS:
            return FILE_LIMIT_EXCEEDED.refused(most_documents=MOST_DOCUMENTS)
        return None

    def _sealed(self, company_id: UUID, document_id: UUID) -> tuple[accounts.opening.StoredFile, bytes]:
        kept = accounts.opening.kept(self.content)
        return kept, store.sealed(self.files.key_ring, kept.content, company_id, document_id)


@dataclass(frozen=True)
class ReadDocument(Act["tuple[Document, bytes] | None"]):
    """GET /order/v1/banking/med/{referenceId}/defense/documents/{documentId}. object_id: of its notice; None: of any."""

    document_id: UUID | None
    object_id: UUID | None
    key_ring: KeyRing

    async def read(self, session: Session, context: RequestContext) -> tuple[Document, bytes] | None:
        """The document, with its sealed bytes."""
        if self.document_id is None:
            return None
        return await store.document(session, context.company_id, self.document_id, self.object_id)

    async def call_out(self, known: tuple[Document, bytes] | None, context: RequestContext) -> tuple[Document, bytes] | None:
        """Opens it in a thread."""
        if known is None:
            return None
        one, value = known
        async with without_slot():
            return one, await asyncio.to_thread(store.unsealed, self.key_ring, value, context.company_id, one.id)

    def decide(self, known: tuple[Document, bytes] | None, context: RequestContext) -> Done | Refused:
        """Returns a file to be saved. A file of others is never shown as a page."""
        if known is None:
            return NOT_FOUND
        one, content = known
        return Done(None, content, headers=(saved_as(one.file_name),), media=OCTETS)


async def documents_of(database: Database, key_ring: KeyRing, company_id: UUID, object_id: UUID) -> list[tuple[str, bytes]]:
    """Reads the documents of a notice's defense: file name and content."""
    found = []
    async with database.session(company_id) as session:
        case = await store.whole(session, company_id, object_id)
        for one in () if case is None else case.documents:
            kept = await store.document(session, company_id, one.id, object_id)
            if kept is not None:
                found.append((one.file_name, store.unsealed(key_ring, kept[1], company_id, one.id)))
    return found
