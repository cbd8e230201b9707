"""The unified decline codes of ABECS, and which allow another try.

Source: ABECS, Normativo 21 (standard return codes of refused authorizations, version 3 of April 2023), as acquirers publish
its tables by brand (docs.cielo.com.br, "Return codes ABECS"; docs.payzu.com.br); seen in November 2026. If brands differ
in whether a code is reversible, the irreversible reading is taken: a card that is tried again in vain costs money.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_ROWS: Final[tuple[tuple[str, bool, str], ...]] = (
    ("04", True, "the issuer asks to try again"),
    ("05", True, "not authorized: the holder asks the issuer"),
    ("06", True, "ask the acquirer"),
    ("12", False, "an error of the card: check its data"),
    ("13", False, "the amount is not allowed"),
    ("14", False, "the card number is invalid"),
    ("19", False, "an error at the acquirer"),
    ("23", False, "the installments are not allowed"),
    ("30", False, "an error in the message's format"),
    ("38", True, "too many tries: the holder asks the issuer"),
    ("41", False, "the card was reported lost"),
    ("43", False, "the card was reported stolen"),
    ("46", False, "the account is closed"),
    ("51", True, "insufficient balance or limit"),
    ("54", False, "the card has expired, or its expiry is wrong"),
    ("55", True, "the password is wrong"),
    ("56", False, "the card number is invalid"),
    ("57", False, "the transaction is not allowed for this card"),
    ("58", False, "the merchant is invalid"),
    ("59", True, "suspected fraud: the holder asks the issuer"),
    ("61", True, "above the limit of one payment"),
    ("62", False, "the card is restricted"),
    ("63", False, "a breach of security: the security code is wrong"),
    ("64", False, "below the least amount"),
    ("65", True, "above the number of payments"),
    ("75", True, "too many tries: the holder asks the issuer"),
    ("76", False, "the account is invalid"),
    ("77", False, "the account of origin is invalid"),
    ("78", True, "the card is new and not unlocked yet"),
    ("82", False, "the card is invalid"),
    ("83", False, "the password has expired"),
    ("91", True, "the issuer is away"),
    ("93", False, "not allowed by law"),
    ("96", True, "a failure of the system"),
)  # fmt: skip
_UNKNOWN: Final = "refused by the network"


@dataclass(frozen=True, slots=True)
class Decline:
    """A reason for declining a card. is_reversible: the same card may be tried again; None: the code is unknown."""

    code: str
    is_reversible: bool | None
    text: str

    @property
    def message(self) -> str:
        """As errorMessage tells it (contract.md §10), with what to do next."""
        if self.is_reversible is None:
            return f"{self.code}: {self.text}"
        advice = "the same card may be tried again" if self.is_reversible else "do not try this card again"
        return f"{self.code}: {self.text}; {advice}"


DECLINES: Final = {code: Decline(code, reversible, text) for code, reversible, text in _ROWS}


def decline_of(code: str) -> Decline:
    """Returns the meaning of a code; an unknown one is kept raw."""
    return DECLINES.get(code) or Decline(code, None, _UNKNOWN)
