"""The analyst's verdicts: by the holder's document, by a fault, otherwise approved."""

from typing import Any, NamedTuple

from lastro_sim.clock import DAY, MINUTE

APPROVED, REPROVED = "APPROVED", "REPROVED"
ILLEGIBLE, DEFINITIVE = "DOCUMENT_ILLEGIBLE", "HOLDER_NOT_ACCEPTED"
DESCRIPTIONS = {
    ILLEGIBLE: "The document or the picture of who holds it cannot be read",
    DEFINITIVE: "The holder is not accepted",
}
AFTER = MINUTE  # after the last document
SLOW = 2 * DAY
# The illegible fields of an illegible request, by kind of holder.
FLAGGED = {
    "INDIVIDUAL": ("documentHolder", "selfieHolder"),
    "ORGANIZATION": ("documentRepresentative", "selfieRepresentative"),
}


class Play(NamedTuple):
    """The scenario of a holder's requests.

    code: the reason why the first of them, or all, are refused. copies: the number of times a verdict is sent.
    """

    outcome: str
    code: str | None = None
    only_first: bool = False
    after: int = AFTER
    copies: int = 1


FLAGS = Play(
    "REPROVED with documentHolder and selfieHolder (of an organization those of the representative); approved after they"
    " were uploaded again",
    ILLEGIBLE, only_first=True,
)  # fmt: skip
NEVER = Play("REPROVED with HOLDER_NOT_ACCEPTED and no fields: definitive", DEFINITIVE)
LATE = Play("approved after two days", after=SLOW)
SILENT = Play("approved, which is told only to who asks", copies=0)
USUAL = Play("approved a minute after the last document")
BY_DOCUMENT = {
    "70000050172": FLAGS, "70000000050190": FLAGS,
    "70000050253": NEVER, "70000000050271": NEVER,
    "70000050334": LATE, "70000000050352": LATE,
    "70000050415": SILENT, "70000000050433": SILENT,
}  # fmt: skip


def play_of(document: str) -> Play:
    """Returns the scenario for this holder's requests."""
    return BY_DOCUMENT.get(document, USUAL)


def verdict(reference: str, holder_type: str, code: str | None, decided_at: str) -> dict[str, Any]:
    """Returns the verdict message; code is the reason for refusal, None for approval."""
    if code is None:
        return {"reference": reference, "outcome": APPROVED, "decidedAt": decided_at}
    fields = list(FLAGGED[holder_type]) if code == ILLEGIBLE else []
    description = DESCRIPTIONS.get(code, code)
    return {
        "reference": reference, "outcome": REPROVED, "code": code, "description": description, "fields": fields,
        "decidedAt": decided_at,
    }  # fmt: skip


def listed() -> list[dict[str, Any]]:
    """Returns the magic documents, for GET /scenarios."""
    return [
        {"operation": "analysis", "field": "document", "value": document, "outcome": play.outcome}
        for document, play in BY_DOCUMENT.items()
    ]
