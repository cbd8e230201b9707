"""The opening of accounts: a request, its documents, and its verdict."""

from lastro.accounts.opening.actions.judge import Expire, Judge, Judged
from lastro.accounts.opening.api import routes
from lastro.accounts.opening.docs import EVENT_TYPES, FILE_REFUSALS
from lastro.accounts.opening.documents import read_file
from lastro.accounts.opening.due_work import DUE_WORK
from lastro.accounts.opening.files import StoredFile, kept
from lastro.accounts.opening.model import LARGEST_UPLOAD, NEEDS, STATUSES, WAITING, OpeningPlace, Request, Verdict
from lastro.accounts.opening.refusing import FileRefused
from lastro.accounts.opening.rendering import shown
from lastro.accounts.opening.states import ACCOUNT_REQUESTS
from lastro.accounts.opening.store import SealedDocuments, keyless, pages, related, request_by_id, requests_of
from lastro.accounts.opening.terms import terms_pdf

__all__ = [
    "ACCOUNT_REQUESTS", "DUE_WORK", "EVENT_TYPES", "FILE_REFUSALS", "LARGEST_UPLOAD", "NEEDS", "STATUSES", "WAITING",
    "Expire", "FileRefused", "Judge", "Judged", "OpeningPlace", "Request", "SealedDocuments", "StoredFile", "Verdict",
    "kept", "keyless", "pages", "read_file", "related", "request_by_id", "requests_of", "routes", "shown", "terms_pdf",
]  # fmt: skip
