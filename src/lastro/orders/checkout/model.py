"""The data of an order's hosted page, for every payment method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import words
from lastro.api_kit.routes import Answer
from lastro.orders.model import STATUSES

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.orders.model import OrderShown


@dataclass(frozen=True, slots=True)
class CheckoutLine:
    """Something that a payer needs. label: a name in TEXTS. copied: whether it is typed or pasted elsewhere."""

    label: str
    value: str
    copied: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to scan. png: in base64. text: its name in TEXTS. is_bars: a bar code, wider than a QR code."""

    png: str
    text: str
    is_bars: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link for the payer. text: a name in TEXTS. href: ours or a partner's, never a stranger's."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class HowToPay:
    """The payment steps of one method, shown by one template for all. steps: names in TEXTS, in order.

    shown_in: the standings in which it can be followed; in others it is not shown.
    """

    steps: tuple[str, ...] = ()
    lines: tuple[CheckoutLine, ...] = ()
    picture: Picture | None = None
    link: Link | None = None
    shown_in: tuple[str, ...] = ("INITIAL",)


@dataclass(frozen=True, slots=True)
class Standing:
    """An order's status on its page. late: its last instant has passed, and its end is not decided yet.

    key_left: it is paid by Pix alone, and its key leads to somebody else.
    """

    status: str
    late: bool
    key_left: bool = False


@dataclass(frozen=True, slots=True)
class OrderSeen:
    """An order behind a page's address. now: the time of the read."""

    shown: OrderShown
    now: datetime


@dataclass(frozen=True, slots=True)
class ReturnLink:
    """The link back to the payee. host: the part of it that a person is shown."""

    href: str
    host: str


class CheckoutState(Answer, frozen=True, kw_only=True):
    """The state of an order, for a page that polls it."""

    status: Annotated[str, words(*STATUSES)]
    late: Annotated[
        bool,
        msgspec.Meta(description="Its last instant has passed, and whether a payment came in time is not known yet."),
    ]
    key_left: Annotated[
        bool,
        msgspec.Meta(description="Its Pix key leads to somebody else: its code is not shown, and nobody should pay it."),
    ]
    over: Annotated[bool, msgspec.Meta(description="Nobody needs to wait any more.")]
