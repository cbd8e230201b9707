"""The JSON to and from the partner of analyses; documents go as forms.

Codes are the partner's own, raw. Messages about a reference that is not of our making are not read.
"""

from __future__ import annotations

import re

import msgspec

from lastro.api_kit.multipart import FORM_DATA, one_file
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, decoded

_CODE = re.compile(r"[A-Z0-9_]{1,40}")
_LONGEST_DESCRIPTION = 300
_MOST_FIELDS = 50
_SUFFIXES = {"application/pdf": "pdf", "image/png": "png", "image/jpeg": "jpg"}


class _Verdict(msgspec.Struct, rename="camel"):
    reference: str
    outcome: str
    code: str | None = None
    description: str | None = None
    fields: list[str] = []
    decided_at: Instant | None = None


class _RequestStatus(msgspec.Struct, rename="camel"):
    reference: str
    status: str
    missing_documents: list[str] = []
    verdict: _Verdict | None = None


def written(order: port.AnalysisOrder) -> bytes:
    """Returns a request's wire form, the same bytes on every send."""
    return msgspec.json.encode(
        {
            "holderType": order.holder_type,
            "holder": _person(order.holder),
            **({} if order.trade_name is None else {"tradeName": order.trade_name}),
            "representatives": [_person(one) for one in order.representatives],
            "documents": [
                {"id": d.id, "type": d.slot, "page": d.page, "contentType": d.content_type, "sha256": d.sha256}
                for d in order.documents
            ],
        }
    )


def upload(document: port.DocumentRef, content: bytes) -> tuple[bytes, str]:
    """Returns a document as a form of one file, and its content-type.

    The file is named by its id, which says nothing of anybody.
    """
    boundary = f"lastro-{document.id}"  # an id that was drawn at random is in no file by chance
    name = f"{document.id}.{_SUFFIXES[document.content_type]}"
    return one_file(content, name, document.content_type, boundary), f"{FORM_DATA}; boundary={boundary}"


def missing(reference: str, body: bytes) -> frozenset[str]:
    """Returns the ids of the documents that the partner lacks.

    body: its answer to a request. Malformed: it names none.
    """
    return frozenset(_of(reference, body).missing_documents)


def status(reference: str, body: bytes) -> port.NetworkMessage | port.Pending | port.Unknown:
    """Returns the partner's answer about a request. Malformed where it is none."""
    found = _of(reference, body)
    if found.status == "WAITING":
        return port.Unknown()
    if found.verdict is None:
        return port.Pending()
    return _message("", found.verdict)


def _of(reference: str, body: bytes) -> _RequestStatus:
    found = decoded(body, _RequestStatus)
    if found.reference != reference:
        raise Malformed("reference")
    return found


def _verdict(name: str, raw: bytes) -> port.NetworkMessage:
    return _message(name, decoded(raw, _Verdict))


def _message(name: str, verdict: _Verdict) -> port.NetworkMessage:
    company = port.company_of_analysis(verdict.reference)
    if company is None:
        raise Malformed("reference")
    if verdict.outcome not in ("APPROVED", "REPROVED"):
        raise Malformed("outcome")
    if verdict.outcome == "REPROVED" and (verdict.code is None or _CODE.fullmatch(verdict.code) is None):
        raise Malformed("code")
    description = None if verdict.description is None else verdict.description[:_LONGEST_DESCRIPTION].strip() or None
    final = port.AnalysisFinal(
        verdict.reference, "APPROVED" if verdict.outcome == "APPROVED" else "REPROVED", verdict.code, description,
        verdict.fields[:_MOST_FIELDS], verdict.decided_at,
    )  # fmt: skip
    return port.NetworkMessage(port.ANALYSIS_FINAL, name, verdict.reference, port.encode(final), company_number=company)


def _person(person: port.Subject) -> dict[str, object]:
    return {
        "name": person.name, "document": {"type": person.document_type, "number": person.document_number},
        "email": person.email, "phone": person.phone,
        **({} if person.birth_date is None else {"birthDate": person.birth_date.isoformat()}),
        **({} if person.address is None else {"address": person.address}),
    }  # fmt: skip


# By the type that a movement names.
READERS = {"VERDICT": _verdict}
