"""The interface between rooms and partners that collect money. Codes are raw.

They collect by slips, account numbers and vouchers. An order is paid with an instrument that we number ourselves: a slip
by its nosso número, a transfer by the CLABE that it goes to. It is made payable at the partner, who then tells of every
payment: announced when it is taken from the payer, settled when the money is ours.
"""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from lastro.core.money import Money  # noqa: TC001
from lastro.core.write import Message
from lastro.rails.port.codec import decoder, encode
from lastro.rails.port.facts import Facts  # noqa: TC001
from lastro.rails.port.payments import TED
from lastro.rails.port.pix import PIX

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

# Rails of partners that take money for orders, beside the Pix.
BOLETO, DEPOSIT, CRYPTO, CARD = "boleto", "deposit", "crypto", "card"
SPEI, OXXO, OXXOPAY, PAYNET = "spei", "oxxo", "oxxopay", "paynet"
CRYPTO2, PAYNET2 = "crypto2", "paynet2"  # second partners, whose names end in their number


class CollectingRail(NamedTuple):
    """A partner's rail. cnab_code: of its entries in CNAB 240, never changed. like: the rail whose methods it serves too."""

    name: str
    currency: str
    cnab_code: str
    like: str | None = None


_RAILS = (
    CollectingRail(BOLETO, "BRL", "04"), CollectingRail(DEPOSIT, "BRL", "05"), CollectingRail(CRYPTO, "BRL", "06"),
    CollectingRail(CRYPTO2, "BRL", "07", like=CRYPTO), CollectingRail(CARD, "MXN", "08"), CollectingRail(SPEI, "MXN", "09"),
    CollectingRail(OXXO, "MXN", "10"), CollectingRail(OXXOPAY, "MXN", "11"), CollectingRail(PAYNET, "MXN", "12"),
    CollectingRail(PAYNET2, "MXN", "13", like=PAYNET),
)  # fmt: skip
COLLECTING: Mapping[str, CollectingRail] = {rail.name: rail for rail in _RAILS}
# Every rail at which our clearing has a position, and the currency that moves there: the view rails of the schema.
RAILS = {PIX: "BRL", TED: "BRL", **{rail.name: rail.currency for rail in _RAILS}}


def kind_of(rail: str) -> str:
    """Returns the first rail of the partners that serve the same methods."""
    return COLLECTING[rail].like or rail


def rails_like(rail: str) -> tuple[str, ...]:
    """Returns the rails that serve the same methods, this one first."""
    return (rail, *(one.name for one in _RAILS if one.like == rail))


# Outbox kinds. Money goes back by RETURN_SEND, as a Pix does; its end_to_end_id is then the partner's payment id.
COLLECTION_SEND = "collection.send"  # CollectionOrder
COLLECTION_CLOSE = "collection.close"  # CollectionClose

# Inbox kinds.
COLLECTION_REFUSED = "collection.refused"  # CollectionRefused
COLLECTION_ANNOUNCED = "collection.announced"  # Collected, settled_at None
COLLECTION_SETTLED = "collection.settled"  # Collected, settled_at set
COLLECTION_VOID = "collection.void"  # CollectionVoid


class Person(msgspec.Struct, frozen=True):
    """A person on a slip. document_type: CPF, CNPJ, or another of the interface's. address: one line, where it is known."""

    name: str
    document_type: str
    document_number: str
    address: str | None = None


class CardOrder(msgspec.Struct, frozen=True):
    """The card of an order.

    token: the acquirer's, in place of the number. return_url: where a challenge leads back to. skip_3ds: nobody is
    authenticated. three_ds_token: a nonce of the client's own device data. browser: as the client told.
    """

    token: str
    installments: int
    return_url: str
    skip_3ds: bool = False
    three_ds_token: str | None = None
    browser: dict[str, str | int | bool] | None = None
    email: str | None = None
    phone: str | None = None
    ip: str | None = None


class CollectionOrder(msgspec.Struct, frozen=True):
    """An instrument to be made payable. reference: ours, by which the partner tells of it (nosso número of a slip).

    amount: what has to be paid. expires_at: the last instant at which it may be. number: the client's own number of it.
    Of a slip alone: due, the day it is due; payable_until, the last day on which it may be paid; code, the bars' 44 digits.
    card: of a payment by card alone.
    """

    reference: str
    amount: Money
    payer: Person
    receiver: Person
    description: str
    number: str
    expires_at: datetime | None = None
    due: date | None = None
    payable_until: date | None = None
    code: str | None = None
    card: CardOrder | None = None


class CollectionClose(msgspec.Struct, frozen=True):
    """An instrument that is not to be paid any more: its order was canceled, is paid in another way, or its time is over."""

    reference: str


class CollectionRefused(msgspec.Struct, frozen=True):
    """The partner will not make an instrument payable. code: its word, raw. of: as in Collected."""

    reference: str
    code: str
    of: Facts | None = None


class Collected(msgspec.Struct, frozen=True):
    """A payment of an instrument. payment_id: the partner's own id of it, the same in everything it tells of it.

    paid_at: when it was taken from the payer. settled_at: when the money became ours; None: it is announced alone.
    payer: where the partner knows who paid. of: what it says was registered under the reference; number: our own of it.
    """

    payment_id: str
    reference: str
    amount: Money
    paid_at: datetime
    settled_at: datetime | None = None
    payer: Person | None = None
    of: Facts | None = None


class CollectionVoid(msgspec.Struct, frozen=True):
    """A payment that was announced will not settle. code: the partner's word, raw. of: as in Collected."""

    payment_id: str
    reference: str
    code: str | None = None
    of: Facts | None = None


def currency_of(rail: str) -> str:
    """Returns the currency that moves by a rail; from one account here to another it is BRL."""
    return RAILS.get(rail, "BRL")


collection_order = decoder(CollectionOrder)
collection_close = decoder(CollectionClose)
collection_refused = decoder(CollectionRefused)
collected = decoder(Collected)
collection_void = decoder(CollectionVoid)


def collection_message(rail: str, order: CollectionOrder, order_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that makes an instrument payable. order_id: of the order that is paid with it."""
    return Message(row_id, rail, COLLECTION_SEND, order.reference, order_id, encode(order), at)


def close_message(rail: str, reference: str, order_id: UUID, row_id: UUID, at: datetime) -> Message:
    """Returns the outbox message that ends it.

    The partner knows it by the same reference; the message has a name of its own.
    """
    return Message(row_id, rail, COLLECTION_CLOSE, f"close:{reference}", order_id, encode(CollectionClose(reference)), at)
