"""The refusals of a card in a create. No text has anything of what was typed."""

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
    problems.PHONE_REQUIRED, problems.PAYMENT_DETAILS_REQUIRED, problems.PAYMENT_DETAILS_NOT_ALLOWED,
    problems.CREDIT_CARD_REQUIRED, problems.CARD_TOKEN_MUTUALLY_EXCLUSIVE, problems.CARD_TOKEN_INVALID,
    _invalid(f"{_DETAILS}.cardToken", "EXPIRED", "Its card has expired.", "Have a newer card typed."),
    problems.INSTALLMENTS_NOT_ALLOWED,
    _invalid(f"{_CARD}.number", "INVALID", "It has not 12 to 19 digits, or its check digit does not match.",
             "Have it typed again, digits alone."),
    problems.CREDIT_CARD_NUMBER_NOT_SUPPORTED, problems.CREDIT_CARD_NUMBER_NOT_ALLOWED, problems.CVV_INVALID,
    _invalid(f"{_CARD}.expiry", "INVALID", "It is not written `MM/YY`.", "Write it so."),
    _invalid(f"{_CARD}.expiry", "EXPIRED", "The card has expired.", "Have a newer card typed."),
    problems.BRAND_INVALID, problems.BRAND_MISMATCH, problems.HOLDER_DOCUMENT_INVALID, problems.INSTALLMENTS_MISMATCH,
    problems.BROWSER_REQUIRED,
    *(_invalid(f"{_DETAILS}.browser.{name}", "REQUIRED", "3-D Secure asks for it.", "Give it as the browser says it.")
      for name in _BROWSER),
)  # fmt: skip
