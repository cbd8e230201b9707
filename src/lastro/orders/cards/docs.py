"""What a create refuses of a card, as it tells of itself. No text has anything of what was typed."""

from __future__ import annotations

from lastro.core.errors import Kind, Refusal
from lastro.orders.cards import problems

_DETAILS = "order.paymentDetails"
_CARD = f"{_DETAILS}.creditCard"
_BROWSER = (
    "userAgent", "acceptHeader", "language", "colorDepth", "screenHeight", "screenWidth", "timeZoneOffset",
    "javascriptEnabled",
)  # fmt: skip


def _invalid(field: str, issue: str, cause: str, cure: str) -> Refusal:
    return Refusal(Kind.INVALID, field, issue, cause, cure)


CARD_REFUSALS = (
    _invalid("customer.phone", "REQUIRED", "The acquirer of cards asks for it.", "Give `customer.phone`."),
    _invalid(_DETAILS, "REQUIRED", "An order by card says how it is paid.", "Give a `creditCard` or a `cardToken`."),
    _invalid(_DETAILS, "NOT_ALLOWED", "Another method than CREDIT_CARD has no card.", "Leave it out."),
    _invalid(_CARD, "REQUIRED", "There is neither a card nor a token of one.", "Give one of the two."),
    problems.CARD_TOKEN_MUTUALLY_EXCLUSIVE, problems.CARD_TOKEN_INVALID,
    _invalid(f"{_DETAILS}.cardToken", "EXPIRED", "Its card has expired.", "Have a newer card typed."),
    problems.INSTALLMENTS_NOT_ALLOWED,
    _invalid(f"{_CARD}.number", "INVALID", "It has not 12 to 19 digits, or its check digit does not match.",
             "Have it typed again, digits alone."),
    _invalid(f"{_CARD}.number", "NOT_SUPPORTED", "No brand that is taken has such numbers.", "Have another card typed."),
    _invalid(f"{_CARD}.number", "NOT_ALLOWED", "The acquirer's tokenizer takes no such card; its code says why.",
             "Have another card typed."),
    _invalid(f"{_CARD}.cvv", "INVALID", "It has not three digits, of AMEX four.", "Have it typed again."),
    _invalid(f"{_CARD}.expiry", "INVALID", "It is not written `MM/YY`.", "Write it so."),
    _invalid(f"{_CARD}.expiry", "EXPIRED", "The card has expired.", "Have a newer card typed."),
    _invalid(f"{_CARD}.brand", "INVALID", "It is no brand that is known.", "Leave it out: the number says it."),
    _invalid(f"{_CARD}.brand", "MISMATCH", "The number is of another brand.", "Leave it out: the number says it."),
    _invalid(f"{_CARD}.holderDocument", "INVALID", "It shows more or less than three characters before `*`.",
             "Show three characters, then `*`; or give it whole."),
    _invalid(f"{_CARD}.installments", "MISMATCH", "`paymentDetails.installments` says another number.", "Give one."),
    problems.BROWSER_REQUIRED,
    *(_invalid(f"{_DETAILS}.browser.{name}", "REQUIRED", "3-D Secure asks for it.", "Give it as the browser says it.")
      for name in _BROWSER),
)  # fmt: skip
