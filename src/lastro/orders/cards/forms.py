"""The card fields of a request, and their problems. No answer repeats a typed value."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

import msgspec

from lastro.api_kit.forms import Form, Line
from lastro.orders.cards import problems as refusals
from lastro.orders.cards.model import CardWish, Typed
from lastro.orders.cards.rules import LEAST_INSTALLMENTS, METHOD, MOST_INSTALLMENTS, masked_document
from lastro.standards.cards import BRANDS, CardError, CardNumber, Expiry, SecurityCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lastro.core.errors import Problem

T = TypeVar("T")
_ABOVE = "order.paymentDetails"
_CARD = f"{_ABOVE}.creditCard"
# Values that never identify a request, in any field of an order. Not even a keyed hash of them is kept, also if somebody
# wrote a card number into a field that is not read.
CARD_NAMES = frozenset({
    "holderName", "holderDocument", "number", "cardNumber", "pan", "cvv", "cvv2", "cvc", "securityCode", "expiry",
})  # fmt: skip
Installments = Annotated[int, msgspec.Meta(ge=LEAST_INSTALLMENTS, le=MOST_INSTALLMENTS)]
Token = Annotated[str, msgspec.Meta(min_length=1, max_length=128, pattern=r"^[!-~]*$(?!\n)")]
_HEADER = r"^[ -~]*$(?!\n)"  # the characters that a browser may send in a header
_NEVER = "It goes to the acquirer's tokenizer and nowhere else: it is not stored, logged or compared."


class CardForm(Form):
    """A card as its holder typed it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(***)"

    holder_name: Line
    holder_document: Annotated[
        str,
        msgspec.Meta(
            description="Three characters shown, then `*`; a whole one is masked before anything is kept.",
            examples=["123********"], min_length=1, max_length=60,
        ),
    ]  # fmt: skip
    number: Annotated[str, msgspec.Meta(description=_NEVER, examples=["4111111111111111"], max_length=40)]
    cvv: Annotated[str, msgspec.Meta(description=_NEVER, examples=["123"], max_length=10)]
    expiry: Annotated[str, msgspec.Meta(description="`MM/YY`.", examples=["12/49"], max_length=10)]
    brand: Annotated[
        str | None, msgspec.Meta(description=f"{', '.join(BRANDS)}; where it is given it has to be the number's.")
    ] = None


class CreditCardForm(CardForm):
    """A card as its holder typed it, with its plan."""

    installments: Installments | None = None
    skip3ds: Annotated[
        bool | None, msgspec.Meta(description="The payer is not authenticated: a chargeback is then yours.")
    ] = None


class BrowserForm(Form):
    """The browser of the payer, as 3-D Secure wants it."""

    user_agent: Annotated[str, msgspec.Meta(min_length=1, max_length=2048, pattern=_HEADER)] | None = None
    accept_header: Annotated[str, msgspec.Meta(min_length=1, max_length=2048, pattern=_HEADER)] | None = None
    language: Annotated[str, msgspec.Meta(min_length=1, max_length=8, pattern=_HEADER, examples=["es-MX"])] | None = None
    color_depth: Annotated[int, msgspec.Meta(ge=1, le=48)] | None = None
    screen_height: Annotated[int, msgspec.Meta(ge=0, le=999_999)] | None = None
    screen_width: Annotated[int, msgspec.Meta(ge=0, le=999_999)] | None = None
    time_zone_offset: Annotated[int, msgspec.Meta(ge=-840, le=840, description="Minutes from UTC.")] | None = None
    java_enabled: bool | None = None
    javascript_enabled: bool | None = None


class PaymentDetailsForm(Form):
    """The card that pays the order: one that was typed, or one that is kept."""

    aliases: ClassVar = {"card3DSToken": "cardToken"}
    three_ds_token: Token | None = None
    card_token: Annotated[Token | None, msgspec.Meta(description="A `cardToken` of your company.")] = None
    installments: Annotated[
        Installments | None, msgspec.Meta(description="1 where nothing is said; the same as in `creditCard`.")
    ] = None
    credit_card: CreditCardForm | None = None
    browser: Annotated[
        BrowserForm | None,
        msgspec.Meta(description="Required where the payer is authenticated, all of it but `javaEnabled`."),
    ] = None


# The browser fields that EMV 3-D Secure 2 requires (EMVCo, AReq, deviceChannel 02).
_NEEDED = (
    "user_agent", "accept_header", "language", "color_depth", "screen_height", "screen_width", "time_zone_offset",
    "javascript_enabled",
)  # fmt: skip


def wish_of(details: PaymentDetailsForm | None, method: str | None, problems: list[Problem]) -> CardWish | None:
    """Returns how an order by card is to be paid. None with every problem noted, and for other methods.

    The typed card is taken out of the form: it is in the answer alone, where it cannot be printed.
    """
    if method != METHOD:
        if details is not None:
            details.credit_card = None
        if details is not None and method is not None:
            # A part that is not allowed is not validated.
            problems[:] = [p for p in problems if not p.field.startswith(f"{_ABOVE}.")]
            problems.append(refusals.PAYMENT_DETAILS_NOT_ALLOWED.problem(method=METHOD))
        return None
    if details is None:
        problems.append(refusals.PAYMENT_DETAILS_REQUIRED.problem(method=METHOD))
        return None
    card, details.credit_card = details.credit_card, None
    before = len(problems)
    skips = card is not None and bool(card.skip3ds)
    typed = None if card is None else typed_card(card, problems)
    _check_choice(details, card, problems)
    installments = _installments(details, card, problems)
    browser = _browser(details.browser, problems, needed=not skips)
    if len(problems) > before:
        return None
    return CardWish(installments, typed, details.card_token, skips, details.three_ds_token, browser)


def _check_choice(details: PaymentDetailsForm, card: CreditCardForm | None, problems: list[Problem]) -> None:
    if card is not None and details.card_token is not None:
        problems.append(refusals.CARD_TOKEN_MUTUALLY_EXCLUSIVE.problem())
    if card is None and details.card_token is None and not any(p.field == f"{_ABOVE}.cardToken" for p in problems):
        problems.append(refusals.CREDIT_CARD_REQUIRED.problem())
        if details.installments is not None:
            problems.append(refusals.INSTALLMENTS_NOT_ALLOWED.problem())


def _installments(details: PaymentDetailsForm, card: CreditCardForm | None, problems: list[Problem]) -> int:
    of_card = None if card is None else card.installments
    if None not in (of_card, details.installments) and of_card != details.installments:
        problems.append(refusals.INSTALLMENTS_MISMATCH.problem())
    return of_card or details.installments or LEAST_INSTALLMENTS


def _browser(browser: BrowserForm | None, problems: list[Problem], *, needed: bool) -> dict[str, str | int | bool] | None:
    if browser is None:
        if needed:
            problems.append(refusals.BROWSER_REQUIRED.problem())
        return None
    told: dict[str, str | int | bool] = {}
    for name, shown in zip(BrowserForm.__struct_fields__, BrowserForm.__struct_encode_fields__, strict=True):
        value = getattr(browser, name)
        if value is not None:
            told[shown] = value
        elif needed and name in _NEEDED:
            problems.append(refusals.BROWSER_PART_REQUIRED.problem(f"{_ABOVE}.browser.{shown}"))
    return told


def typed_card(card: CardForm, problems: list[Problem]) -> Typed | None:
    """Returns the card if it has no problem. A field that the form found at fault is None, and was noted there.

    Problems are of a card within an order; `of_card` names their fields for a card by itself.
    """
    before = len(problems)
    number = _read(CardNumber, card.number, "number", problems)
    code = _read(SecurityCode, card.cvv, "cvv", problems)
    expiry = _read(Expiry.parse, card.expiry, "expiry", problems)
    brand = None if number is None else number.brand
    if number is not None and brand is None:
        problems.append(refusals.CREDIT_CARD_NUMBER_NOT_SUPPORTED.problem())
    if card.brand is not None and card.brand not in BRANDS:
        problems.append(refusals.BRAND_INVALID.problem(what=", ".join(BRANDS)))
    elif card.brand is not None and brand is not None and card.brand != brand:
        problems.append(refusals.BRAND_MISMATCH.problem())
    if code is not None and brand is not None and not code.fits(brand):
        problems.append(refusals.CVV_INVALID.problem())
    document = None if card.holder_document is None else masked_document(card.holder_document)
    if card.holder_document is not None and document is None:
        problems.append(refusals.HOLDER_DOCUMENT_INVALID.problem())
    if None in (number, code, expiry, brand, document, card.holder_name) or len(problems) > before:
        return None
    assert number is not None
    assert code is not None
    assert expiry is not None
    assert brand is not None
    assert document is not None
    return Typed(number, code, expiry, brand, {"name": card.holder_name, "document": document})


def of_card(problems: Iterable[Problem]) -> list[Problem]:
    """Returns the problems of a card by itself. Their fields are named without the order around it."""
    return [replace(problem, field=problem.field.removeprefix(f"{_CARD}.")) for problem in problems]


def _read(read: Callable[[str], T], text: str | None, field: str, problems: list[Problem]) -> T | None:
    if text is None:
        return None
    try:
        return read(text)
    except CardError as wrong:
        problems.append(refusals.CARD_FIELD_INVALID.problem(f"{_CARD}.{field}", wrong=wrong))
        return None
