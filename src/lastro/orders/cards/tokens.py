"""Makes a token of a card without an order: the acquirer is told the number, and nothing keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit import forms
from lastro.api_kit.rendering import also
from lastro.api_kit.routes import Answer, Doc, Route, render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Write
from lastro.orders.actions.create import unguessable
from lastro.orders.cards import problems, store
from lastro.orders.cards.forms import CARD_NAMES, CardForm, of_card, typed_card
from lastro.orders.cards.model import StoredCard
from lastro.orders.cards.rules import expiry_problem
from lastro.orders.silence import silent
from lastro.rails.port import CARD, Permanent, Transient
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from lastro.api_kit.routes import Incoming
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext, Verb
    from lastro.orders.cards.model import Typed
    from lastro.rails.port import CardToken, Tokenizer

_PATH = "/order/v1/client-token-3ds/card-token"
_NAME = "lct_{}"  # a client's token of a card; the prefix lets secret scanners find one


class TokenOfCard(Answer, frozen=True, kw_only=True):
    """A token that stands for a card."""

    card_token: Annotated[str, msgspec.Meta(description="Pays orders of your company by this card.")]
    token: Annotated[str, also("cardToken")]
    card_3ds_token: Annotated[str, also("cardToken")] = msgspec.field(name="card3DSToken")
    brand: str
    last_four: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}$", examples=["1111"])]
    expiry: Annotated[str, msgspec.Meta(description="`MM/YY`.", examples=["12/49"])]


@dataclass(frozen=True, slots=True)
class CardTokenContext:
    """The company's number, and the token once the acquirer has made it."""

    company_number: int
    kept: StoredCard | None = None


@dataclass(frozen=True)
class MakeCardToken(Act[CardTokenContext]):
    """POST /order/v1/client-token-3ds/card-token."""

    typed: Typed
    tokenizer: Tokenizer
    made: list[StoredCard] = field(default_factory=list, init=False, compare=False)

    async def read(self, session: Session, context: RequestContext) -> CardTokenContext:
        """Reads the company's number."""
        return CardTokenContext(await store.company_number(session, context.company_id))

    async def call_out(self, known: CardTokenContext, context: RequestContext) -> CardTokenContext | Refused:
        """Makes the token, unless the card has expired: its number then goes nowhere."""
        typed = self.typed
        if self.made:  # decided again: the acquirer is told once
            return replace(known, kept=self.made[0])
        late = expiry_problem(typed.expiry, brasilia_day(context.now), "expiry")
        if late is not None:
            return Refused(Kind.INVALID, (late,))
        try:
            made = await self.tokenizer.tokenize(typed.number, typed.code, typed.expiry, typed.holder)
        except Transient as why:
            return silent(CARD, "tokenize", why)
        except Permanent as refused:
            refusal = problems.CREDIT_CARD_NUMBER_NOT_ALLOWED.problem(code=refused.code)
            return Refused(Kind.INVALID, tuple(of_card([refusal])))
        self.made.append(stored_card(typed, made, known.company_number, context))
        return replace(known, kept=self.made[0])

    def decide(self, known: CardTokenContext, context: RequestContext) -> Done:
        """Keeps the token."""
        kept = known.kept
        assert kept is not None, "it was made, or refused"
        answer = TokenOfCard(
            card_token=kept.name, token=kept.name, card_3ds_token=kept.name, brand=kept.brand, last_four=kept.last_four,
            expiry=_printed(kept),
        )  # fmt: skip
        write = Write(context.company_id, rows=(token_row(kept, None, context.now),))
        return Done(write, render(answer), object_id=context.company_id)


def stored_card(typed: Typed, made: CardToken, company_number: int, context: RequestContext) -> StoredCard:
    """Returns a typed card as its token keeps it."""
    name = _NAME.format(unguessable(company_number, context.chance.bytes(32)))
    return StoredCard(name, made.token, typed.brand, typed.number.last_four, typed.expiry)


def token_row(kept: StoredCard, order_id: UUID | None, at: datetime) -> Row:
    """Returns the row of a new token. order_id: of the order that it was made with, if any."""
    values = {
        "name": kept.name, "token": kept.token, "brand": kept.brand, "last_four": kept.last_four, "expiry": _printed(kept),
        "order_id": order_id, "created_at": at,
    }  # fmt: skip
    return Row("card_tokens", values)


def _printed(kept: StoredCard) -> str:
    return f"{kept.expiry.month:02d}/{kept.expiry.year % 100:02d}"


_EXAMPLE = "lct_00001lVPPixWUxJY0ZrI0u"
CREATE = Doc(
    "Make a token of a card",
    "Gives the typed card to the acquirer's tokenizer, and to nothing else: its number and code are not stored, logged or"
    " compared. The token pays orders of your company, as `paymentDetails.cardToken` or"
    " `specialPaymentDetails.card3DSToken`. Each call makes another token.",
    CardForm, TokenOfCard,
    (
        problems.CARD_NOT_SUPPORTED, *problems.CREDIT_CARD_NUMBER_NOT_ALLOWED.of("number"),
        *problems.CVV_INVALID.of("cvv"), *problems.BRAND_INVALID.of("brand"), *problems.BRAND_MISMATCH.of("brand"),
        *problems.HOLDER_DOCUMENT_INVALID.of("holderDocument"),
        *problems.CARD_EXPIRED.of("expiry"),
    ),
    {
        "holderName": "Ana Compradora", "holderDocument": "123********", "number": "4111111111111111", "cvv": "123",
        "expiry": "12/49",
    },
    {
        "cardToken": _EXAMPLE, "token": _EXAMPLE, "card3DSToken": _EXAMPLE, "brand": "VISA", "lastFour": "1111",
        "expiry": "12/49",
    },
)  # fmt: skip


@dataclass(frozen=True)
class _TokenHandlers:
    tokenizer: Tokenizer | None

    def make(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/client-token-3ds/card-token."""
        form, found = forms.read(incoming.raw, CardForm)
        of_form = list(found)
        typed = typed_card(form, found)
        wrong = [*of_form, *of_card(found[len(of_form) :])]
        if wrong or typed is None:
            return Refused(Kind.INVALID, forms.in_order(wrong, CardForm))
        if self.tokenizer is None:
            return problems.CARD_NOT_SUPPORTED.refused()
        return MakeCardToken(typed, self.tokenizer)


def token_routes(tokenizer: Tokenizer | None) -> tuple[Route, ...]:
    """Returns the operation that makes a token of a card. tokenizer None: no acquirer is configured."""
    make = _TokenHandlers(tokenizer).make
    return (
        Route(
            "POST", _PATH, "create_card_token", "orders:write", make, CREATE, success=201, key="optional",
            not_compared=("", CARD_NAMES),
        ),
    )  # fmt: skip
