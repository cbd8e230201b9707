"""The rules of a request for an account and of its uploads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from lastro.accounts.opening import problems as refusals
from lastro.accounts.opening.model import TAKEN_SLOTS
from lastro.accounts.opening.terms import TERMS, version_of
from lastro.accounts.rules import is_email
from lastro.api_kit.paging import read_timestamp
from lastro.standards.documents import is_document

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lastro.accounts.opening.forms import (
        AcceptanceForm,
        OpeningAddressForm,
        OpeningDocumentForm,
        OpeningForm,
        OpeningTermsForm,
        RepresentativeForm,
    )
    from lastro.accounts.opening.model import DocumentPage, Request
    from lastro.core.errors import Problem

DOCUMENTS: Final = {"INDIVIDUAL": "CPF", "ORGANIZATION": "CNPJ"}
_PHONE: Final = re.compile(r"\+[1-9][0-9]{7,14}")  # ITU-T E.164, with the country
_POSTAL_CODE: Final = re.compile(r"[0-9]{5}-?[0-9]{3}")
_STATES: Final = frozenset({
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI", "PR", "RJ", "RN",
    "RO", "RR", "RS", "SC", "SE", "SP", "TO",
})  # fmt: skip
_BRASILIA: Final = timezone(timedelta(hours=-3))  # no summer time since 2019
_BRAZIL: Final = frozenset({"BR", "BRA"})  # ISO 3166-1
_OLDEST_YEAR: Final = 1500  # an earlier birth or founding is a typing error


def problems_of(form: OpeningForm, of_form: Sequence[Problem] = ()) -> list[Problem]:
    """Lists a request's problems beyond its form. A field that the form found at fault is None and skipped.

    of_form: the form's own problems.
    """
    at_fault = {problem.field for problem in of_form}
    code = form.external_id
    found = [refusals.EXTERNAL_ID_INVALID.problem()] if code is not None and not code.isprintable() else []
    found += [
        *_document(form.document, DOCUMENTS.get(form.holder_type), "document"),
        *_contact(form.email, form.phone, ""),
        *_country(form.country, ""),
        *_address(form.address),
        *_terms(form.terms_accepted, form.holder_type),
        *_acceptance(form.acceptance, form.holder_type),
    ]
    if form.acceptance is None and not any(name.startswith("acceptance") for name in at_fault):
        found += [refusals.TERMS_ACCEPTED_REQUIRED.problem()] if form.terms_accepted is None else []
        found += [refusals.EXTERNAL_ID_REQUIRED.problem()] if form.external_id is None else []
    given = form.representatives
    if form.holder_type == "ORGANIZATION" and given is None:
        found.append(refusals.REPRESENTATIVES_REQUIRED.problem())
    if form.holder_type == "INDIVIDUAL" and given:
        found.append(refusals.REPRESENTATIVES_NOT_ALLOWED.problem())
    if form.holder_type == "INDIVIDUAL" and form.trade_name is not None:
        found.append(refusals.TRADE_NAME_NOT_ALLOWED.problem())
    for place, one in enumerate(given or ()):
        found += _representative(one, f"representatives[{place}].", at_fault)
    return found


def dated_problems(form: OpeningForm, now: datetime) -> list[Problem]:
    """Lists the problems of a request's dates. now: business time."""
    today = now.astimezone(_BRASILIA).date()
    born = [("birthDate", form.birth_date)]
    people = [one for one in form.representatives or () if one is not None]
    born += [(f"representatives[{place}].birthDate", one.birth_date) for place, one in enumerate(people)]
    found = [
        refusals.BIRTH_DATE_OUT_OF_RANGE.problem(field)
        for field, day in born
        if day is not None and (day.year < _OLDEST_YEAR or day > today)
    ]
    latest = now + timedelta(minutes=5)  # clocks of different machines
    if (_accepted_at(form.terms_accepted) or now) > latest:
        found.append(refusals.ACCEPTED_AT_OUT_OF_RANGE.problem())
    if (_accepted_at(form.acceptance) or now) > latest:
        found.append(refusals.ACCEPTANCE_TIME_OUT_OF_RANGE.problem())
    return found


@dataclass(frozen=True, slots=True)
class Accepted:
    """The acceptance of the terms. at: in UTC. ip: None where it was not said."""

    version: str
    at: datetime
    ip: str | None


def accepted(form: OpeningForm, now: datetime) -> Accepted:
    """Returns the acceptance of a request without problems. now: stands in where the moment is not said."""
    terms: OpeningTermsForm | AcceptanceForm | None = form.terms_accepted or form.acceptance
    assert terms is not None, "the rules ask for it"
    return Accepted(version_of(form.holder_type), _accepted_at(terms) or now, terms.ip)


def cpf_of(one: RepresentativeForm) -> str:
    """Returns a representative's CPF, by whichever field it came. one: without problems."""
    number = one.document_number if one.document is None else one.document.number
    assert number is not None, "the rules ask for it"
    return number


def _accepted_at(terms: OpeningTermsForm | AcceptanceForm | None) -> datetime | None:
    """Returns the time of acceptance in UTC; None: there is none, or it cannot be read."""
    text = None if terms is None else terms.accepted_at
    return None if text is None else read_timestamp(text)


def _representative(one: RepresentativeForm | None, path: str, at_fault: Collection[str]) -> list[Problem]:
    if one is None:
        return []
    return [
        *_cpf(one, path, at_fault), *_document(one.document, "CPF", f"{path}document"),
        *_contact(one.email, one.phone, path), *_country(one.country, path),
    ]  # fmt: skip


def _cpf(one: RepresentativeForm, path: str, at_fault: Collection[str]) -> list[Problem]:
    number, document = one.document_number, one.document
    if number is None:
        is_missing = document is None and f"{path}documentNumber" not in at_fault
        return [refusals.DOCUMENT_REQUIRED.problem(f"{path}document")] if is_missing else []
    if document is not None and document.number not in (None, number):
        names = ("document", "documentNumber")
        return [refusals.DOCUMENT_MUTUALLY_EXCLUSIVE.problem(path + name) for name in names]
    is_right = is_document("CPF", number)
    return [] if is_right else [refusals.PERSON_NUMBER_INVALID.problem(f"{path}documentNumber", kind="CPF")]


def _country(country: str | None, path: str) -> list[Problem]:
    if country is None or country.upper() in _BRAZIL:
        return []
    return [refusals.COUNTRY_NOT_SUPPORTED.problem(f"{path}country")]


def _document(given: OpeningDocumentForm | None, kind: str | None, path: str) -> list[Problem]:
    if given is None or given.type is None or kind is None:
        return []
    if given.type != kind:
        return [refusals.PERSON_TYPE_MISMATCH.problem(f"{path}.type", kind=kind)]
    if given.number is not None and not is_document(kind, given.number):
        return [refusals.PERSON_NUMBER_INVALID.problem(f"{path}.number", kind=kind)]
    return []


def _contact(email: str | None, phone: str | None, path: str) -> list[Problem]:
    found = []
    if email is not None and not is_email(email):
        found.append(refusals.EMAIL_INVALID.problem(f"{path}email"))
    if phone is not None and _PHONE.fullmatch(phone) is None:
        found.append(refusals.PHONE_INVALID.problem(f"{path}phone"))
    return found


def _address(given: OpeningAddressForm | None) -> list[Problem]:
    if given is None:
        return []
    found = []
    if given.state is not None and given.state not in _STATES:
        found.append(refusals.ADDRESS_STATE_INVALID.problem())
    if given.postal_code is not None and _POSTAL_CODE.fullmatch(given.postal_code) is None:
        found.append(refusals.POSTAL_CODE_INVALID.problem())
    return found


def _terms(given: OpeningTermsForm | None, holder_type: str | None) -> list[Problem]:
    if given is None:
        return []
    found = []
    if holder_type is not None and given.version is not None and given.version != version_of(holder_type):
        found.append(refusals.TERMS_VERSION_MISMATCH.problem())
    if given.accepted_at is not None and _accepted_at(given) is None:
        found.append(refusals.ACCEPTED_AT_INVALID.problem())
    if given.ip is not None and not _is_address(given.ip):
        found.append(refusals.TERMS_IP_INVALID.problem())
    return found


def _acceptance(given: AcceptanceForm | None, holder_type: str | None) -> list[Problem]:
    if given is None:
        return []
    found = []
    if holder_type is not None and given.file_name not in (None, TERMS[holder_type].file_name):
        found.append(refusals.FILE_NAME_MISMATCH.problem())
    if given.accepted_at is not None and _accepted_at(given) is None:
        found.append(refusals.ACCEPTANCE_TIME_INVALID.problem())
    if given.ip is not None and not _is_address(given.ip):
        found.append(refusals.ACCEPTANCE_IP_INVALID.problem())
    return found


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The effect of an upload on a request. trigger: of the machine. missing: slots that wait. replaced: pages that go."""

    trigger: str
    missing: tuple[str, ...]
    replaced: tuple[DocumentPage, ...]


def takes_uploads(request: Request, now: datetime) -> bool:
    """Tells whether a document may still be uploaded, by state and expiry."""
    if request.state not in ("PENDING_DOCUMENTS", "REPROVED"):
        return False
    return request.expires_at is not None and now < request.expires_at


def uploaded(request: Request, slot: str, pages: Sequence[DocumentPage], *, append: bool) -> Uploaded:
    """Returns the effect of the slot's upload. pages: in the slot now. append: the page follows them.

    The first page of a slot that waits replaces what was refused in it.
    """
    missing = tuple(one for one in request.wanted if one != slot)
    adds = append and slot not in request.wanted
    return Uploaded("upload" if missing else "complete", missing, () if adds else tuple(pages))


def flags(holder_type: str, fields: Sequence[str]) -> tuple[str, ...]:
    """Returns the fields that are slots of such a holder, in order. Only these can be uploaded again."""
    return tuple(slot for slot in TAKEN_SLOTS[holder_type] if slot in fields)
