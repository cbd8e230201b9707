"""The hosted page of an order, made on the server: whole without a script, a cookie or any other address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

from lastro.api_kit.language import preferred
from lastro.api_kit.routes import render
from lastro.orders.checkout.model import CheckoutState
from lastro.orders.checkout.rules import TONES, is_over, name_of, return_link, standing, tag_of
from lastro.orders.checkout.views import how_to_pay
from lastro.orders.checkout.words import LANGUAGES, NAMES, TAGS, Words
from lastro.orders.methods import PIX
from lastro.standards.documents import mask
from lastro.standards.legible import as_shown

if TYPE_CHECKING:
    from lastro.core.money import Money
    from lastro.orders.checkout.model import OrderSeen, Standing
    from lastro.orders.model import Installation, Order, Party

_TEMPLATES = Path(__file__).parent / "templates"
REFRESH_SECONDS = 15  # without a script the page reloads at this pace, while the payer waits
_JINJA = jinja2.Environment(
    loader=jinja2.FileSystemLoader(_TEMPLATES),
    autoescape=True,
    finalize=as_shown,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


@dataclass(frozen=True)
class CheckoutPages:
    """The renderer of hosted pages."""

    place: Installation
    style: bytes = (_TEMPLATES / "checkout.css").read_bytes()
    script: bytes = (_TEMPLATES / "checkout.js").read_bytes()

    def language(self, accepted: str, asked: str | None) -> str:
        """Chooses the page's language, of LANGUAGES. asked: `?lang=`; a known one goes before the header."""
        primary = (asked or "").strip().lower().partition("-")[0]
        return primary if primary in LANGUAGES else preferred(accepted, LANGUAGES)

    def tag(self, language: str) -> str:
        """Returns a language's name in HTTP."""
        return TAGS[language]

    def order(self, seen: OrderSeen, language: str) -> bytes:
        """Renders the page of an order as it is now."""
        shown, order = seen.shown, seen.shown.order
        key_left = order.payment_method == PIX and not order.leads_here
        stands = standing(order.state, order.expires_at, seen.now, key_left=key_left)
        name = name_of(stands)
        how = how_to_pay(shown, self.place)
        assert order.order_token is not None
        return _rendered(
            "order.html",
            language,
            order=order,
            receiver=shown.holder_name,
            name=name,
            tone=TONES[name],
            amount=order.paid or order.final_amount,
            fee=_fee(order),
            customer=_customer(order.customer),
            how=how if how is not None and name in how.shown_in else None,
            waits=None if is_over(stands) else tag_of(stands),
            refresh=REFRESH_SECONDS,
            back=return_link(order.return_url, order.order_token) if is_over(stands) else None,
            place=self.place,
        )

    def missing(self, language: str) -> bytes:
        """Renders the page of an unknown address: the same bytes for every address."""
        return _rendered("missing.html", language)

    def state(self, stands: Standing) -> tuple[bytes, str]:
        """Returns the state for a page that polls, and its entity tag."""
        body = CheckoutState(status=stands.status, late=stands.late, key_left=stands.key_left, over=is_over(stands))
        return render(body), tag_of(stands)


def _rendered(template: str, language: str, **values: object) -> bytes:
    others = [(one, TAGS[one], NAMES[one]) for one in LANGUAGES]
    return _JINJA.get_template(template).render(say=Words(language), languages=others, **values).encode()


def _fee(order: Order) -> Money | None:
    """Returns the fee that the customer pays above the price."""
    if order.amount is None or order.final_amount is None or order.final_amount == order.amount:
        return None
    return order.final_amount - order.amount


def _customer(customer: Party | None) -> str | None:
    """Returns the customer's name and masked document, and nothing else: anybody may have the page's address."""
    if customer is None:
        return None
    if customer.document_number is None:
        return customer.name
    return f"{customer.name}, {customer.document_type} {mask(customer.document_number)}"
