"""An entry of a statement, as the API shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.accounts.statements.model import IN, OPERATIONS, OUT
from lastro.api_kit.rendering import Id, Money, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.core import money
from lastro.standards.documents import mask

if TYPE_CHECKING:
    from asyncpg import Record


class CounterpartyDocument(Answer, frozen=True, kw_only=True):
    """By which a state knows who is at the other end; shown in part."""

    type: Annotated[str, msgspec.Meta(examples=["CPF"])]
    number: Annotated[str, msgspec.Meta(examples=["***.813.579-**"])]


class Counterparty(Answer, frozen=True, kw_only=True):
    """The other party, as far as it is known."""

    name: str
    document: CounterpartyDocument | None = None


class Entry(Answer, frozen=True, kw_only=True):
    """One thing that moved the account."""

    id: Annotated[Id, msgspec.Meta(description="Of the entry; of a batch that was joined, the batch's.")]
    operation: Annotated[str, words(*OPERATIONS)]
    type: Annotated[str, msgspec.Meta(description="What moved the account; the guide explains each.", examples=["PIX_OUT"])]
    amount: Annotated[Money, msgspec.Meta(description="Never below zero; `operation` says which way it went.")]
    balance_after: Annotated[Money, msgspec.Meta(description="What the account had then, available and held together.")]
    description: str | None = None
    order_id: Annotated[Id | None, msgspec.Meta(description="The order that was paid or given back.")] = None
    end_to_end_id: Annotated[str | None, msgspec.Meta(description="The payment's id in its network.")] = None
    control_number: Annotated[str | None, msgspec.Meta(description="The STR's number of a TED.")] = None
    txid: Annotated[
        str | None,
        msgspec.Meta(description="That the Pix carried: of a charge its `conciliationId`, of a static code its own."),
    ] = None
    counterparty: Counterparty | None = None
    created_at: Timestamp


class Entries(Paged, frozen=True, kw_only=True):
    """A page of a statement."""

    data: list[Entry]


def entry(row: Record, currency: str) -> Entry:
    """Renders an entry as read by its page's statement."""
    batch_id = row.get("batch_id")
    number = row["document_number"]
    party = None
    if row["name"] is not None:
        document = None if number is None else CounterpartyDocument(type=row["document_type"], number=mask(number))
        party = Counterparty(name=row["name"], document=document)
    return Entry(
        id=str(batch_id or row["transfer_id"]),
        operation=IN if row["side"] > 0 else OUT,
        type=row["type"],
        amount=Money.of(money.Money(row["amount_minor"], currency)),
        balance_after=Money.of(money.Money(row["balance_minor"], currency)),
        description=row["description"],
        order_id=None if row["order_id"] is None else str(row["order_id"]),
        end_to_end_id=None if batch_id else row["end_to_end_id"],
        control_number=None if batch_id else row["control_number"],
        txid=None if batch_id else row["txid"],
        counterparty=party,
        created_at=stamp(row["created_at"]),
    )
