"""The opening of accounts: a request, its documents, and how it is judged."""

from lastro.accounts.opening.actions.judge import Expire, Judge, Judged
from lastro.accounts.opening.api import routes
from lastro.accounts.opening.docs import NOTICES
from lastro.accounts.opening.model import NEEDS, STATUSES, WAITING, OpeningPlace, Request, Verdict
from lastro.accounts.opening.rendering import shown
from lastro.accounts.opening.states import ACCOUNT_REQUESTS
from lastro.accounts.opening.store import (
    EXPIRED,
    WITHOUT_KEY,
    SealedDocuments,
    keyless,
    pages,
    related,
    request_by_id,
    requests_of,
)

__all__ = [
    "ACCOUNT_REQUESTS", "EXPIRED", "NEEDS", "NOTICES", "STATUSES", "WAITING", "WITHOUT_KEY", "Expire", "Judge", "Judged",
    "OpeningPlace", "Request", "SealedDocuments", "Verdict", "keyless", "pages", "related",
    "request_by_id", "requests_of", "routes", "shown",
]  # fmt: skip
