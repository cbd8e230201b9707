"""The decisions of card payments, pure: what is wrong with a card, what follows from an authentication."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from lastro.orders.cards.problems import CARD_EXPIRED
from lastro.rails.port import SKIPPED

if TYPE_CHECKING:
    from datetime import date

    from lastro.core.errors import Problem
    from lastro.standards.cards import Expiry

METHOD: Final = "CREDIT_CARD"
CHALLENGE_WITHIN: Final = timedelta(minutes=15)  # contract.md §10
CHARGE_WITHIN: Final = timedelta(minutes=15)  # an order to charge is not sent after that
OVERTAKEN_WITHIN: Final = timedelta(minutes=5)  # a message sent in the last moment has reached its acquirer by then
SILENT_AFTER: Final = timedelta(seconds=30)  # an acquirer without an answer about a charge counts as silent
LEAST_INSTALLMENTS, MOST_INSTALLMENTS = 1, 24  # plans without interest in Mexico go from 3 to 24 months
_SHOWN = 3  # characters of a document that stay

Action = Literal["authorize", "challenge", "fail"]


@dataclass(frozen=True, slots=True)
class Consequence:
    """The consequence of a transStatus. flow: how the payer was, or is, authenticated; None: as it was before."""

    action: Action
    flow: str | None
    text: str


# transStatus of EMV 3-D Secure 2 (EMVCo; domain.md §7.4), each with a consequence of its own. U and I are authorized only
# where the company takes cards without the shift of liability.
RESULTS: Final = {
    "Y": Consequence("authorize", "FRICTIONLESS", "authenticated"),
    "A": Consequence("authorize", "FRICTIONLESS", "an authentication was attempted"),
    "C": Consequence("challenge", "CHALLENGE", "the payer has to pass a challenge"),
    "D": Consequence("challenge", "DECOUPLED", "the payer is asked by the issuer elsewhere"),
    "N": Consequence("fail", None, "the payer was not authenticated"),
    "R": Consequence("fail", None, "the issuer rejects the payment"),
    "U": Consequence("authorize", "FRICTIONLESS", "the payer could not be authenticated"),
    "I": Consequence("authorize", "FRICTIONLESS", "for information alone: nobody was authenticated"),
    SKIPPED: Consequence("authorize", "SKIPPED", "not asked for"),
}
_WITHOUT_SHIFT: Final = frozenset({"U", "I"})
_AFTER_A_CHALLENGE: Final = frozenset({"Y", "N", "U", "A", "R"})
_UNKNOWN: Final = Consequence("fail", None, "an answer that nobody knows")


def consequence(status: str, *, challenged: bool, skips: bool, takes_unauthenticated: bool) -> Consequence:
    """Returns the consequence of an authentication result. challenged: the payer was sent to a challenge before.

    skips: we asked for no authentication. takes_unauthenticated: the company takes cards whose issuer did not authenticate
    the payer (U, I), at its own risk. An unexpected result, a second challenge or a skip that nobody wished, fails: nothing
    is charged on a misunderstanding.
    """
    found = RESULTS.get(status, _UNKNOWN)
    if challenged and status not in _AFTER_A_CHALLENGE:
        return Consequence("fail", None, f"{found.text}, which cannot follow a challenge")
    if (status == SKIPPED) != skips:
        return Consequence("fail", None, f"{found.text}, which was not agreed")
    if status in _WITHOUT_SHIFT and not takes_unauthenticated:
        return Consequence("fail", None, found.text)
    return Consequence(found.action, None, found.text) if challenged else found


def refusal_of(status: str, found: Consequence) -> str:
    """Returns a failed authentication's errorMessage: the raw status before the sentence (contract.md §10)."""
    return f"3DS {status}: {found.text}"


def expiry_problem(expiry: Expiry, today: date, field: str) -> Problem | None:
    """Returns the problem of an expired card. today: in Brasilia, by the business clock."""
    return CARD_EXPIRED.problem(field) if expiry.is_past(today) else None


_MASKED = re.compile(r"[0-9A-Za-z]{3}\*{3,37}")
_WHOLE = re.compile(r"[0-9A-Za-zÑñ&]{6,40}")
_SEPARATORS = re.compile(r"[ ./-]")


def masked_document(text: str) -> str | None:
    """Masks a holder's document but for three characters; None: it is none. A masked one stays as it is."""
    bare = _SEPARATORS.sub("", text)
    if _MASKED.fullmatch(bare):
        return bare
    return bare[:_SHOWN] + "*" * (len(bare) - _SHOWN) if _WHOLE.fullmatch(bare) else None
