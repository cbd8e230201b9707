"""Hands a complete request over: to the partner, or else to people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from lastro.rails import port

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lastro.accounts.opening.actions.upload import UploadContext
    from lastro.accounts.opening.model import DocumentPage, NamedPerson, Request
    from lastro.core.runner import RequestContext
    from lastro.core.write import Write


def handed_over(
    write: Write, known: UploadContext, pages: Sequence[DocumentPage], context: RequestContext, *, is_analysed: bool
) -> Write:
    """Adds the columns of ANALYSIS to the Write of the last upload.

    It also gets the message to the partner, where there is one. pages: in the slots after the write.
    """
    (move,) = write.moves
    request = known.request
    assert request is not None
    submission = request.submissions + 1
    if not is_analysed:
        more: dict[str, Any] = {"submissions": submission, "analysis_reference": None, "ask_at": None}
        return structs.replace(write, moves=(structs.replace(move, sets={**move.sets, **more}),))
    reference = port.analysis_reference(known.company_number, request.id, submission)
    more = {
        "submissions": submission, "analysis_reference": reference, "ask_at": context.now + port.FIRST_ASK, "asked": 0,
    }  # fmt: skip
    message = port.analysis_message(
        _order(reference, request, known.representatives, pages), request.id, context.chance.uuid(context.now), context.now
    )
    return structs.replace(write, moves=(structs.replace(move, sets={**move.sets, **more}),), messages=(message,))


def _order(
    reference: str, request: Request, representatives: Sequence[NamedPerson], pages: Sequence[DocumentPage]
) -> port.AnalysisOrder:
    return port.AnalysisOrder(
        reference, request.holder_type, _subject(request.holder), [_subject(one) for one in representatives],
        [
            port.DocumentRef(str(page.id), page.slot, page.page, page.content_type, page.kept_digest.hex())
            for page in sorted(pages, key=lambda page: (page.slot, page.page))
        ],
        request.trade_name,
    )  # fmt: skip


def _subject(person: NamedPerson) -> port.Subject:
    """Renders a person for the partner."""
    return port.Subject(
        person.name, person.document_type, person.document_number, person.email, person.phone, person.birth_date,
        None if person.address is None else dict(person.address),
    )  # fmt: skip
