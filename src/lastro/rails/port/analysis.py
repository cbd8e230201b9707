"""The interface between rooms and the partner that analyses account requests.

Codes are the partner's own, raw. A request is handed over with the names and digests of its documents; the adapter
fetches the documents that the partner lacks from their store, so that no message carries a picture of anybody.
"""

from __future__ import annotations

import re
from datetime import date, datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import Literal, Protocol
from uuid import UUID

import msgspec

from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.standards.pix_ids import base62, from_base62

ANALYSIS = "analysis"  # the rail's name: no money moves by it

ANALYSIS_SEND = "analysis.send"  # outbox: AnalysisOrder
ANALYSIS_FINAL = "analysis.final"  # inbox: AnalysisFinal

_COMPANY_DIGITS = 5
_ID_DIGITS = 32
_REFERENCE = re.compile(r"[0-9A-Za-z]{5}[0-9a-f]{32}-[1-9][0-9]{0,8}")

Outcome = Literal["APPROVED", "REPROVED", "NOT_TAKEN"]


class Subject(msgspec.Struct, frozen=True):
    """A person or an organization that is looked at. address: as the interface names its parts; None of representatives."""

    name: str
    document_type: str
    document_number: str
    email: str
    phone: str
    birth_date: date | None
    address: dict[str, str] | None = None


class DocumentRef(msgspec.Struct, frozen=True):
    """A page of a document. id: ours, in lower case. sha256: of its content, in hex."""

    id: str
    slot: str
    page: int
    content_type: str
    sha256: str


class AnalysisOrder(msgspec.Struct, frozen=True):
    """A request to be looked at. reference: ours, another one each time that it is handed over."""

    reference: str
    holder_type: str
    holder: Subject
    representatives: list[Subject]
    documents: list[DocumentRef]
    trade_name: str | None = None


class AnalysisFinal(msgspec.Struct, frozen=True):
    """The judgement of a request.

    fields: slots that may be uploaded again; none: it is refused for good. NOT_TAKEN: the partner would not look at it at
    all, which says nothing about the holder.
    """

    reference: str
    outcome: Outcome
    code: str | None = None
    description: str | None = None
    fields: list[str] = []
    decided_at: datetime | None = None


class Documents(Protocol):
    """The store of documents."""

    async def content(self, company_id: UUID, document_id: UUID) -> bytes | None:
        """Returns the bytes of a page; None: it is not kept any more."""


analysis_order = decoder(AnalysisOrder)
analysis_final = decoder(AnalysisFinal)


def analysis_message(order: AnalysisOrder, request_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that hands a request over."""
    return Message(row_id, ANALYSIS, ANALYSIS_SEND, order.reference, request_id, encode(order), at)


def analysis_reference(company_number: int, request_id: UUID, submission: int) -> str:
    """Returns the partner's reference of a request.

    It is five base-62 digits of the company, the request's id in hex, and the number of the submission.
    """
    return f"{base62(company_number, _COMPANY_DIGITS)}{request_id.hex}-{submission}"


def company_of_analysis(reference: str) -> int | None:
    """Returns the company number in a reference of ours, else None. It may be nobody's."""
    return from_base62(reference[:_COMPANY_DIGITS]) if _REFERENCE.fullmatch(reference) is not None else None


def request_of_analysis(reference: str) -> UUID:
    """Returns the id of the request in a reference of ours. ValueError for any other text."""
    if _REFERENCE.fullmatch(reference) is None:
        raise ValueError("no reference of ours")
    return UUID(reference[_COMPANY_DIGITS : _COMPANY_DIGITS + _ID_DIGITS])
