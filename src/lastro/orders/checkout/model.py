"""What the hosted page knows of an order, and how a payment method says how it is paid."""

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
    """What is scanned. png: in base64. text: a name in TEXTS, of what it is. is_bars: a bar code, wider than a QR code."""

    png: str
    text: str
    is_bars: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """Where a payer goes on. text: a name in TEXTS. href: of ours or of a partner, never a stranger's."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class HowToPay:
    """How an order of one method is paid, as one template shows it for all of them.

    steps: names in TEXTS, in order. shown_in: the standings in which it can be followed; in others it is not shown.
    """

    steps: tuple[str, ...] = ()
    lines: tuple[CheckoutLine, ...] = ()
    picture: Picture | None = None
    link: Link | None = None
    shown_in: tuple[str, ...] = ("INITIAL",)


@dataclass(frozen=True, slots=True)
class Standing:
    """How an order stands for who looks at its page. late: its last instant has passed, and its end is not decided yet.

    key_left: it is paid by Pix alone, and its key leads to somebody else.
    """

    status: str
    late: bool
    key_left: bool = False


@dataclass(frozen=True, slots=True)
class OrderSeen:
    """An order behind a page's address, and the moment at which it was so."""

    shown: OrderShown
    now: datetime


@dataclass(frozen=True, slots=True)
class ReturnLink:
    """The way back to whoever asks for the money. host: what a person is shown of it."""

    href: str
    host: str


class CheckoutState(Answer, frozen=True, kw_only=True):
    """How an order stands, for a page that waits."""

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
