"""The wiring of networks: one rail each, and the payment methods that they make possible."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lastro import orders
from lastro.accounts import Institution
from lastro.orders import DepositBank, Installation, Transfers
from lastro.rails import port
from lastro.rails.analysis import Analysis
from lastro.rails.catch_up import CatchUp
from lastro.rails.claims import Claims
from lastro.rails.collecting import PARTNERS, CardTokenizer, Collecting, PartnerQuotes, statements
from lastro.rails.inbox import Inbox
from lastro.rails.internal_transfer import Book
from lastro.rails.med import Med
from lastro.rails.network_client import NetworkClient
from lastro.rails.spi.registering import Registering
from lastro.rails.spi.statements import statements as spi_statements
from lastro.rails.ted import Ted
from lastro.rails.ted.statements import statements as ted_statements

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from lastro.api_kit.routes import Route
    from lastro.config.partners import Partner
    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.ids import Chance

RAILS = port.RAILS
Closers = tuple["Callable[[], Awaitable[None]]", ...]


def disputes_of(settings: Settings) -> Med:
    """Returns the directory of the network, for disputes and their events."""
    return Med(NetworkClient(settings.network_url, settings.network_token), settings.ispb)


def methods_of(settings: Settings) -> frozenset[str]:
    """Returns the payment methods of orders here, whose partners are configured."""
    return orders.methods_by(frozenset(settings.partners), settings.crypto_brands)


def place_of(settings: Settings) -> Installation:
    """Returns this installation, from its settings."""
    institution = Institution(settings.ispb, settings.institution_name, settings.branch, settings.compe)
    deposits = tuple(DepositBank(*bank) for bank in settings.transfers.banks)
    transfers = Transfers(settings.transfers.clabe_prefix, deposits)
    there = frozenset(settings.partners)
    connections = frozenset(one.name for one in settings.connections if one.makes_orders)
    kept = frozenset(one.name for one in settings.connections if not one.gives_refunds)
    if not settings.has_network:
        kept |= set(port.OF_NETWORK)
    return Installation(
        institution, settings.public_url, settings.is_sandbox, methods_of(settings), transfers, there, connections, kept,
        settings.has_network, {one.name: orders.AtBank(one.company, one.ispb) for one in settings.connections},
    )  # fmt: skip


def offered(routes: tuple[Route, ...], place: Installation) -> tuple[Route, ...]:
    """Returns the operations as this installation serves them: without a network those that need one are refused."""
    return routes if place.has_network else tuple(one.without_network() for one in routes)


def quotes_of(settings: Settings) -> dict[str, port.Quotes]:
    """Returns the sources of rates, by their rails."""
    asked = (name for name in port.rails_like(port.CRYPTO) if name in settings.partners)
    return {name: PartnerQuotes(name, _line_to(settings.partners[name])) for name in asked}


def tokenizer_of(settings: Settings) -> CardTokenizer | None:
    """Returns the tokenizer of card numbers; None: no card is taken here."""
    partner = settings.partners.get(port.CARD)
    return None if partner is None else CardTokenizer(_line_to(partner))


def registrar_of(settings: Settings) -> Registering | None:
    """Returns the simulated network that registers recurrences. None: our institution registers them."""
    return Registering(NetworkClient(settings.network_url, settings.network_token)) if settings.is_sandbox else None


def rails_of(
    settings: Settings, pix: port.Rail, database: Database, work: Database, chance: Chance, documents: port.Documents
) -> tuple[dict[str, port.Rail], CatchUp, Closers]:
    """Returns every rail by its name, the partners' streams, and the closers.

    The closers end the connections of all but the Pix's own. documents: of requests for accounts.
    """
    rails, closers = _of_network(settings, pix, database, work, chance) if settings.has_network else ({}, ())
    streams: dict[str, tuple[port.Stream, port.Keep]] = {}
    for name in PARTNERS.keys() & settings.partners.keys():
        rails[name] = adapter = Collecting(PARTNERS[name], _line_to(settings.partners[name]))
        streams[name] = (adapter, Inbox(database, work, chance, settings.ispb, name).keep)
        closers = (*closers, adapter.close)
    if (looks := settings.partners.get(port.ANALYSIS)) is not None:
        rails[port.ANALYSIS] = analysis = Analysis(_line_to(looks), documents)
        closers = (*closers, analysis.close)
    return rails, CatchUp(streams), closers


def _of_network(
    settings: Settings, pix: port.Rail, database: Database, work: Database, chance: Chance
) -> tuple[dict[str, port.Rail], Closers]:
    """Returns the rails that only an institution has, and closers: of all but the Pix's own."""
    ted = Ted(NetworkClient(settings.network_url, settings.network_token), settings.ispb, partial(business_now, work))
    claims = Claims(NetworkClient(settings.network_url, settings.network_token), settings.ispb)
    med = disputes_of(settings)
    book = Book(work, Inbox(database, work, chance, settings.ispb, port.BOOK))
    rails = {port.PIX: pix, port.TED: ted, port.BOOK: book, port.MED: med, port.CLAIMS: claims}
    return rails, (ted.close, med.close, claims.close)


def statement_rails(settings: Settings) -> tuple[str, ...]:
    """Returns the rails whose statements are asked for."""
    partners = (name for name in settings.partners if name in PARTNERS)
    own = (port.PIX, port.TED) if settings.has_network else ()
    return (*own, *partners, *(one.name for one in settings.connections))


def statements_of(settings: Settings) -> tuple[dict[str, port.Statements], Closers]:
    """Returns each network's and partner's source of statements, and their closers.

    Each has connections of its own, which the closers end.
    """

    def network() -> NetworkClient:
        return NetworkClient(settings.network_url, settings.network_token)

    asked = {}
    if settings.has_network:
        asked = {port.PIX: spi_statements(network(), settings.ispb), port.TED: ted_statements(network(), settings.ispb)}
    for name in settings.partners.keys() & PARTNERS.keys():
        asked[name] = statements(PARTNERS[name], _line_to(settings.partners[name]))
    return dict(asked), tuple(one.close for one in asked.values())


def _line_to(partner: Partner) -> NetworkClient:
    return NetworkClient(partner.url, partner.token)


async def business_now(work: Database) -> datetime:
    """Reads business time. work: the role that sees ids alone."""
    async with work.session() as session:
        now: datetime = await session.value("SELECT business_now()")
        return now
