"""A request for an account, and the documents that it needs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lastro.accounts.opening.due_work import TO_ASK
from lastro.rails.port import ANALYSIS_SEND, Need, Waiting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime
    from uuid import UUID

    from lastro.accounts.model import Institution
    from lastro.core.secrets import KeyRing

STATUSES = ("PENDING", "PENDING_DOCUMENTS", "ANALYSIS", "APPROVED", "REPROVED")
# The documents for each kind of holder, in the order in which they are shown (contract.md §5).
SLOTS: Mapping[str, tuple[str, ...]] = {
    "INDIVIDUAL": ("documentHolder", "selfieHolder", "pepDeclaration"),
    "ORGANIZATION": (
        "socialContract", "cnpjCard", "documentRepresentative", "selfieRepresentative", "proofAddress", "balanceSheet",
        "accountTerms",
    ),
}  # fmt: skip
# Documents that are taken as well, and that nothing waits for.
OPTIONAL_SLOTS: Mapping[str, tuple[str, ...]] = {
    "INDIVIDUAL": ("accountTerms",),
    "ORGANIZATION": ("partnerProofAddress", "proofBankAddress", "ir", "kyc", "incomeStatement", "pepDeclaration"),
}
TAKEN_SLOTS: Mapping[str, tuple[str, ...]] = {holder: (*SLOTS[holder], *OPTIONAL_SLOTS[holder]) for holder in SLOTS}
ALL_SLOTS = tuple(dict.fromkeys(slot for slots in TAKEN_SLOTS.values() for slot in slots))
UPLOADS_FOR = timedelta(days=30)  # states.md 8: without an upload for so long, a request is over
EXPIRED = "EXPIRED"  # the reason it then gets
MOST_PAGES = 10  # of one slot, at a time
LARGEST_FILE = 10 * 1024 * 1024
LARGEST_UPLOAD = LARGEST_FILE + 512 * 1024  # with what stands around the file

NEEDS = {
    ANALYSIS_SEND: Need.until(
        "account_requests", "(x.status <> 'ANALYSIS' OR x.analysis_reference IS DISTINCT FROM outbox.network_id)"
    )
}
WAITING = (Waiting(ANALYSIS_SEND, TO_ASK, "analysis_reference"),)


@dataclass(frozen=True, slots=True)
class OpeningPlace:
    """The settings for requests. key_ring: seals the documents.

    is_analysed: a partner looks at them; else people do. turns: of files that are decoded at a time in a process, since that
    takes memory by the pixel. public_url: under which the terms are served.
    """

    institution: Institution
    key_ring: KeyRing
    is_analysed: bool
    public_url: str
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A person in a request, as in its row of parties; erased fields are empty."""

    name: str
    document_type: str
    document_number: str
    email: str
    phone: str
    birth_date: date | None
    address: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request, as read, with the machine's state and version.

    missing: slots that wait for a document. reproved_fields: slots that may be uploaded again; with none a refusal is
    definitive. expires_at: the end of uploads. submissions: the number of times it was handed over.
    is_keyless: the account that was opened waits for its first Pix key.
    """

    id: UUID
    state: str
    version: int
    external_id: str
    holder_type: str
    holder: NamedPerson
    trade_name: str | None
    alias: str | None
    representative_ids: tuple[UUID, ...]
    missing: tuple[str, ...]
    reproved_code: str | None
    reproved_description: str | None
    reproved_fields: tuple[str, ...]
    expires_at: datetime | None
    submissions: int
    analysis_reference: str | None
    account_id: UUID | None
    is_keyless: bool
    created_at: datetime
    updated_at: datetime

    @property
    def wanted(self) -> tuple[str, ...]:
        """The slots that wait for an upload, as clients see them."""
        return self.reproved_fields if self.state == "REPROVED" else self.missing


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A page in a slot. digest: SHA-256 of the bytes as they were sent; kept_digest: of the stored bytes."""

    id: UUID
    version: int
    slot: str
    page: int
    content_type: str
    size: int
    digest: bytes
    kept_digest: bytes
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a request. code, description: the reason of a refusal.

    fields: slots that may be uploaded again. by: the person who judged; None: the partner.
    """

    is_approved: bool
    code: str | None = None
    description: str | None = None
    fields: tuple[str, ...] = ()
    by: str | None = None
