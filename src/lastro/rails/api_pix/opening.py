"""Puts the parts of one connection together: what app opens for each line of LASTRO_BANKS_FILE."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from lastro.rails.api_pix.charges import Charges
from lastro.rails.api_pix.client import ApiPix
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.lists import Lists, ListTerms
from lastro.rails.api_pix.nightly import Nightly
from lastro.rails.api_pix.orphans import OrphanTerms, sweep_orphans
from lastro.rails.api_pix.own_returns import OwnReturns
from lastro.rails.api_pix.polling import PaymentRouter, Polling, PollingTerms
from lastro.rails.api_pix.recurrence_making import ApiPixRecurrences
from lastro.rails.api_pix.recurring import Recurring
from lastro.rails.api_pix.statements import ApiPixStatements
from lastro.rails.api_pix.sweep import ReturnsReader, sweep_returns
from lastro.rails.cursors import LEASE_SECONDS, RailCursor
from lastro.rails.instruments import Instruments

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.rails.api_pix.connection_config import Connection
    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.issuing import Hint
    from lastro.rails.api_pix.line import BankLine
    from lastro.rails.api_pix.sweep import Takings
    from lastro.rails.port.foreign import Foreign

PAYMENTS, RETURNS, CHARGES = "pix", "returns", "charges"  # streams: each has a cursor of its own


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores of a connection's rows. work: of the role that sees ids alone. token: of this process, drawn once."""

    database: Database
    work: Database
    foreign: Foreign
    token: UUID


def terms_of(connection: Connection) -> ListTerms:
    """Returns how the lists of a connection are asked for."""
    dialect = connection.dialect
    return ListTerms(connection.name, dialect.clock, timedelta(days=connection.window_days), dialect.page_size)


def polling_of(connection: Connection) -> PollingTerms:
    """Returns how a connection is polled."""
    return PollingTerms(connection.name, connection.poll_seconds)


def rail_of(connection: Connection, line: Line, stores: Stores) -> ApiPix:
    """Returns the adapter of a connection: a Rail and a Stream. line: to it, of its own."""
    terms, own = terms_of(connection), instruments_of(stores)
    recurring = Recurring(connection.name, line, terms.clock, connection.company, connection.receiver_account)
    router = PaymentRouter(terms, own, stores.foreign, recurring)
    cursor = cursor_of(connection, stores, PAYMENTS)
    polling = Polling(polling_of(connection), terms, line, Lists(terms, line), cursor, router, recurring)
    return ApiPix(
        connection.name, line, terms.clock, polling, OwnReturns(stores.work, connection.name), own, recurring,
        gives_refunds=connection.gives_refunds,
    )  # fmt: skip


def instruments_of(stores: Stores) -> Instruments:
    """Returns what tells the payments of our orders."""
    return Instruments(stores.work, stores.database)


def cursor_of(connection: Connection, stores: Stores, stream: str) -> RailCursor:
    """Returns the place of one of a connection's streams; that of PAYMENTS takes a webhook's hints."""
    # Who polls keeps the lease from one poll to the next; if it dies, another polls a minute after the next one was due.
    seconds = LEASE_SECONDS + (connection.poll_seconds if stream == PAYMENTS else 0)
    return RailCursor(stores.database, connection.name, stream, stores.token, seconds)


def issuer_of(connection: Connection, line: BankLine, hint: Hint | None = None) -> ApiPixIssuer:
    """Returns what makes an order's charge at a connection. hint: notes payments for whoever polls."""
    return ApiPixIssuer(connection.name, line, connection.dialect.clock, hint, line.tell)


def recurrences_of(connection: Connection, line: BankLine, issuer: ApiPixIssuer) -> ApiPixRecurrences:
    """Returns what makes subscriptions at a connection. issuer: of the same, for first charges."""
    return ApiPixRecurrences(connection.name, line, issuer)


def statements_of(
    connection: Connection, line: Line, stores: Stores, now: Callable[[], Awaitable[datetime]]
) -> ApiPixStatements:
    """Returns the source of a connection's statements. now: business time."""
    terms = terms_of(connection)
    return ApiPixStatements(terms, Lists(terms, line), _reader(connection, stores), connection.company, now)


def sweeps_of(connection: Connection, line: Line, stores: Stores, takings: Takings) -> tuple[Nightly, ...]:
    """Returns what is made at a connection each night. takings: books what the bank has taken."""
    terms, name = terms_of(connection), connection.name
    lists, reader = Lists(terms, line), _reader(connection, stores)
    charges, instruments = Charges(name, line, terms.clock), instruments_of(stores)
    removal = OrphanTerms(name, terms.clock, connection.company, connection.is_removing_orphans)

    async def returns(since: datetime, now: datetime) -> None:
        del since  # a dispute may be about any payment of a hundred days
        await sweep_returns(name, lists, now, reader, takings)

    async def orphans(since: datetime, now: datetime) -> None:
        found = await sweep_orphans(removal, lists, charges, instruments, since, now)
        await of_charges.count_orphans(len(found.removed), found.left)

    cursor = partial(cursor_of, connection, stores)
    of_charges = cursor(CHARGES)
    return (Nightly(cursor(RETURNS), returns), Nightly(of_charges, orphans))


def _reader(connection: Connection, stores: Stores) -> ReturnsReader:
    own_returns = OwnReturns(stores.work, connection.name)
    return ReturnsReader(terms_of(connection), instruments_of(stores), stores.foreign, own_returns)
