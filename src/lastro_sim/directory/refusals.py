"""Errors of the directory: codes, their statuses, and the form of the answer.

Source: DICT API 2.12.1, "Tratamento de erros". Its codes for what is wrong are 400, not 409; a type is an address.
"""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from lastro_sim.answers import Asked, answer, refused
from lastro_sim.refusals import Problem, RefusedError

TYPE = "https://dict.pi.rsfn.net.br/api/v2/error/"
_STATUSES = {"NotFound": 404, "ClaimKeyNotFound": 404, "Forbidden": 403, "ResourceConflict": 409, "RateLimited": 429}
TITLES: Mapping[str, str] = {
    "BadRequest": "The request's form is not valid",
    "Forbidden": "The participant may not do this",
    "NotFound": "There is no such thing",
    "ResourceConflict": "Another operation is at work on this: ask again in a moment",
    "RateLimited": "Too many requests: wait before the next one",
    "RequestIdAlreadyUsed": "The request id was used for another request",
    "InvalidReason": "The reason does not fit the operation",
    "ParticipantInvalid": "The participant cannot take part in this operation",
    "TaxIdNumberBlocked": "A court has blocked the CPF or CNPJ",
    "UserOrAccountWithFraudRelatedRestriction": "The user or account is restricted for suspicion of fraud",
    "EntryInvalid": "Fields of the entry are not valid",
    "EntryLimitExceeded": "The account has as many entries as it may",
    "EntryAlreadyExists": "The participant has registered the key for this owner already",
    "EntryCannotBeQueriedForBookTransfer": "The key is at the payer's own participant, which asks nobody about it",
    "EntryKeyOwnedByDifferentPerson": "Somebody else has the key",
    "EntryKeyInCustodyOfDifferentParticipant": "The owner has the key at another participant",
    "EntryLockedByClaim": "A claim of the key is open",
    "EntryTaxIdNumberByDifferentOwner": "The entry's CPF or CNPJ is not its owner's",
    "EntryBlocked": "The entry is blocked by a court order",
    "EntryWithFraudRelatedRestriction": "The entry is blocked for suspicion of fraud",
    "ClaimInvalid": "Fields of the claim are not valid",
    "ClaimTypeInconsistent": "Whose key it is asks for the other kind of claim",
    "ClaimKeyNotFound": "Nobody has the key",
    "ClaimAlreadyExistsForKey": "A claim of the key is open",
    "ClaimResultingEntryAlreadyExists": "The participant has the key for this owner already",
    "ClaimOperationInvalid": "The claim's status does not allow it",
    "ClaimResolutionPeriodNotEnded": "The donor may still answer",
    "ClaimCompletionPeriodNotEnded": "The completion period has not ended",
}


class DirectoryError(Exception):
    """A refusal by the directory. code: the directory's own."""

    def __init__(self, code: str, *problems: Problem) -> None:
        super().__init__(TITLES.get(code, code))
        self.code = code
        self.problems = problems

    def answered(self, headers: dict[str, str] | None = None) -> Response[bytes]:
        """Returns the answer to a participant (RFC 7807)."""
        status = _STATUSES.get(self.code, 400)
        body: dict[str, Any] = {"type": TYPE + self.code, "title": TITLES.get(self.code, "Refused"), "status": status}
        if self.problems:
            body["violations"] = [{"property": one.field, "reason": one.description} for one in self.problems]
        return answer(body, status, headers)


def says_no(invalid: str) -> dict[int | type[Exception], Any]:
    """Returns the exception handlers. invalid: the code of a request with invalid fields."""

    def by_framework(asked: Asked, no: RefusedError) -> Response[bytes]:
        if no.status >= 500 or no.status == 401:  # a directory that is down has no answer of its own
            return refused(asked, no)
        code = {"NOT_FOUND": "NotFound", "INVALID_REQUEST": invalid, "FORBIDDEN_ERROR": "Forbidden"}.get(no.code, no.code)
        return DirectoryError(code, *no.problems).answered(no.headers)

    return {RefusedError: by_framework, DirectoryError: lambda _, no: no.answered()}
