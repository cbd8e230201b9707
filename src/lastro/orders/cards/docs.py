"""The refusals of a card in a create. No text has anything of what was typed."""

from __future__ import annotations

from lastro.orders.cards import problems

_DETAILS = "order.paymentDetails"
_CARD = f"{_DETAILS}.creditCard"
_BROWSER = (
    "userAgent", "acceptHeader", "language", "colorDepth", "screenHeight", "screenWidth", "timeZoneOffset",
    "javascriptEnabled",
)  # fmt: skip


CARD_REFUSALS = (
    problems.PHONE_REQUIRED, problems.PAYMENT_DETAILS_REQUIRED, problems.PAYMENT_DETAILS_NOT_ALLOWED,
    problems.CREDIT_CARD_REQUIRED, problems.CARD_TOKEN_MUTUALLY_EXCLUSIVE, problems.CARD_TOKEN_INVALID,
    *problems.CARD_EXPIRED.of(f"{_DETAILS}.cardToken", f"{_CARD}.expiry"), problems.INSTALLMENTS_NOT_ALLOWED,
    *problems.CARD_FIELD_INVALID.of(f"{_CARD}.number", f"{_CARD}.expiry"),
    problems.CREDIT_CARD_NUMBER_NOT_SUPPORTED, problems.CREDIT_CARD_NUMBER_NOT_ALLOWED, problems.CVV_INVALID,
    problems.BRAND_INVALID, problems.BRAND_MISMATCH, problems.HOLDER_DOCUMENT_INVALID, problems.INSTALLMENTS_MISMATCH,
    problems.BROWSER_REQUIRED, *problems.BROWSER_PART_REQUIRED.of(*(f"{_DETAILS}.browser.{name}" for name in _BROWSER)),
)  # fmt: skip
