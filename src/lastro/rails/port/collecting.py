"""What partners that collect money (slips, account numbers, vouchers) and the rooms tell each other. Codes are raw.

An order is paid with an instrument that we number ourselves: a slip by its nosso número. It is made payable at the
partner, who then tells of every payment: announced when it is taken from the payer, settled when the money is ours.
"""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 msgspec reads the annotations when it runs
from typing import TYPE_CHECKING

import msgspec

from lastro.base.money import Money  # noqa: TC001
from lastro.base.write import Message
from lastro.rails.port.codec import decode, encode

if TYPE_CHECKING:
    from uuid import UUID

BOLETO = "boleto"
COLLECTING = (BOLETO,)  # the rails of such partners

# Outbox kinds. Money goes back by RETURN_SEND, as a Pix does; its end_to_end_id is then the partner's payment id.
COLLECTION_SEND = "collection.send"  # CollectionOrder
COLLECTION_CLOSE = "collection.close"  # CollectionClose

# Inbox kinds.
COLLECTION_REFUSED = "collection.refused"  # CollectionRefused
COLLECTION_ANNOUNCED = "collection.announced"  # Collected, settled_at None
COLLECTION_SETTLED = "collection.settled"  # Collected, settled_at set
COLLECTION_VOID = "collection.void"  # CollectionVoid


class Person(msgspec.Struct, frozen=True):
    """Somebody on a slip. document_type: CPF, CNPJ, or another of the interface's. address: one line, where it is known."""

    name: str
    document_type: str
    document_number: str
    address: str | None = None


class CollectionOrder(msgspec.Struct, frozen=True):
    """An instrument to be made payable. reference: ours, by which the partner tells of it (nosso número of a slip).

    amount: what has to be paid, no other amount is to be taken. due: the day it is due. payable_until: the last day on which
    it may be paid. code: 44 digits of the slip's bars. number: the client's own number of it.
    """

    reference: str
    amount: Money
    due: date
    payable_until: date
    code: str
    payer: Person
    receiver: Person
    description: str
    number: str


class CollectionClose(msgspec.Struct, frozen=True):
    """An instrument that is not to be paid any more: its order was canceled, is paid in another way, or its time is over."""

    reference: str


class CollectionRefused(msgspec.Struct, frozen=True):
    """The partner will not make an instrument payable. code: its word, raw."""

    reference: str
    code: str


class Collected(msgspec.Struct, frozen=True):
    """A payment of an instrument. payment_id: the partner's own id of it, the same in everything it tells of it.

    paid_at: when it was taken from the payer. settled_at: when the money became ours; None: it is announced alone.
    payer: where the partner knows who paid.
    """

    payment_id: str
    reference: str
    amount: Money
    paid_at: datetime
    settled_at: datetime | None = None
    payer: Person | None = None


class CollectionVoid(msgspec.Struct, frozen=True):
    """A payment that was announced will not settle. code: the partner's word, raw."""

    payment_id: str
    reference: str
    code: str | None = None


def collection_order(body: bytes) -> CollectionOrder:
    """The body of collection.send. msgspec.ValidationError for other bytes, as for each of these."""
    return decode(body, CollectionOrder)


def collection_close(body: bytes) -> CollectionClose:
    """The body of collection.close."""
    return decode(body, CollectionClose)


def collection_refused(body: bytes) -> CollectionRefused:
    """The body of collection.refused."""
    return decode(body, CollectionRefused)


def collected(body: bytes) -> Collected:
    """The body of collection.announced and collection.settled."""
    return decode(body, Collected)


def collection_void(body: bytes) -> CollectionVoid:
    """The body of collection.void."""
    return decode(body, CollectionVoid)


def collection_message(rail: str, order: CollectionOrder, order_id: UUID, row_id: UUID, at: datetime) -> Message:
    """The outbox message that makes an instrument payable. order_id: of the order that is paid with it."""
    return Message(row_id, rail, COLLECTION_SEND, order.reference, order_id, encode(order), at)


def close_message(rail: str, reference: str, order_id: UUID, row_id: UUID, at: datetime) -> Message:
    """The outbox message that ends it. The partner knows it by the same reference; the message has a name of its own."""
    return Message(row_id, rail, COLLECTION_CLOSE, f"close:{reference}", order_id, encode(CollectionClose(reference)), at)
