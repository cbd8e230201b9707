"""Assembly of what a worker speaks to networks with: one rail each, and which methods of payment they make possible."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lastro import orders
from lastro.rails import port
from lastro.rails.analysis import Analysis
from lastro.rails.boleto import Boleto
from lastro.rails.boleto.statements import statements as boleto_statements
from lastro.rails.card import Card, CardTokenizer
from lastro.rails.card.statements import statements as card_statements
from lastro.rails.cash import Cash
from lastro.rails.cash.statements import statements as cash_statements
from lastro.rails.catch_up import CatchUp
from lastro.rails.claims import Claims
from lastro.rails.crypto import Crypto, CryptoQuotes
from lastro.rails.crypto.statements import statements as crypto_statements
from lastro.rails.inbox import Inbox
from lastro.rails.internal_transfer import Book
from lastro.rails.med import Med
from lastro.rails.network_client import NetworkClient
from lastro.rails.spi.registering import Registering
from lastro.rails.spi.statements import statements as spi_statements
from lastro.rails.ted import Ted
from lastro.rails.ted.statements import statements as ted_statements
from lastro.rails.transfers import Deposit, Spei
from lastro.rails.transfers import deposit_statements as from_deposit
from lastro.rails.transfers import spei_statements as from_spei

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import datetime

    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.rails.statements import JsonStatements

_CASH = (port.OXXO, port.OXXOPAY, port.PAYNET, port.PAYNET2)  # one protocol, three networks, one of them by two partners
_Collector = Boleto | Card | Crypto | Spei | Deposit | Cash
# How each partner is spoken to, by its rail.
_ADAPTERS: Mapping[str, Callable[[NetworkClient], _Collector]] = {
    port.BOLETO: Boleto, port.CARD: Card, port.CRYPTO: Crypto, port.CRYPTO2: Crypto, port.SPEI: Spei, port.DEPOSIT: Deposit,
    **{rail: partial(Cash, rail) for rail in _CASH},
}  # fmt: skip
# How each partner's statements are read.
_STATEMENTS: Mapping[str, Callable[[NetworkClient], JsonStatements]] = {
    port.BOLETO: boleto_statements, port.CARD: card_statements,
    port.CRYPTO: crypto_statements, port.CRYPTO2: crypto_statements, port.SPEI: from_spei, port.DEPOSIT: from_deposit,
    **{rail: partial(cash_statements, rail) for rail in _CASH},
}  # fmt: skip
Closers = tuple["Callable[[], Awaitable[None]]", ...]


def disputes_of(settings: Settings) -> Med:
    """Where disputes are opened and told of: the directory of the network itself."""
    return Med(NetworkClient(settings.network_url, settings.network_token), settings.ispb)


def methods_of(settings: Settings) -> frozenset[str]:
    """The methods by which orders can be paid here: those whose partner is configured."""
    return orders.methods_by(frozenset(settings.partners), settings.crypto_brands)


def quotes_of(settings: Settings) -> dict[str, port.Quotes]:
    """Who is asked for rates, by their rails."""
    asked = (name for name in (port.CRYPTO, port.CRYPTO2) if name in settings.partners)
    return {name: CryptoQuotes(NetworkClient(settings.partners[name].url, settings.partners[name].token)) for name in asked}


def tokenizer_of(settings: Settings) -> CardTokenizer | None:
    """Who takes the numbers of cards; None: no card is taken here."""
    partner = settings.partners.get(port.CARD)
    return None if partner is None else CardTokenizer(NetworkClient(partner.url, partner.token))


def registrar_of(settings: Settings) -> Registering | None:
    """Who is asked about a recurrence: the simulated network. None: nobody, our institution registers it."""
    return Registering(NetworkClient(settings.network_url, settings.network_token)) if settings.is_sandbox else None


def rails_of(
    settings: Settings, pix: port.Rail, database: Database, work: Database, chance: Chance, documents: port.Documents
) -> tuple[dict[str, port.Rail], CatchUp, Closers]:
    """Every rail by its name, the streams of the partners, and what ends the connections of all but the Pix's own.

    documents: of requests for accounts.
    """
    ted = Ted(NetworkClient(settings.network_url, settings.network_token), settings.ispb, partial(_business_now, work))
    rails: dict[str, port.Rail] = {
        port.PIX: pix, port.TED: ted, port.BOOK: Book(work, Inbox(database, work, chance, settings.ispb, port.BOOK)),
    }  # fmt: skip
    rails[port.MED] = med = disputes_of(settings)
    rails[port.CLAIMS] = claims = Claims(NetworkClient(settings.network_url, settings.network_token), settings.ispb)
    closers: Closers = (ted.close, med.close, claims.close)
    streams: dict[str, tuple[port.Stream, port.Keep]] = {}
    for name in _ADAPTERS.keys() & settings.partners.keys():
        partner = settings.partners[name]
        rails[name] = adapter = _ADAPTERS[name](NetworkClient(partner.url, partner.token))
        streams[name] = (adapter, Inbox(database, work, chance, settings.ispb, name).keep)
        closers = (*closers, adapter.close)
    if (looks := settings.partners.get(port.ANALYSIS)) is not None:
        rails[port.ANALYSIS] = analysis = Analysis(NetworkClient(looks.url, looks.token), documents)
        closers = (*closers, analysis.close)
    return rails, CatchUp(streams), closers


def statement_rails(settings: Settings) -> tuple[str, ...]:
    """The rails whose statements are asked for."""
    return (port.PIX, port.TED, *(name for name in settings.partners if name in _STATEMENTS))


def statements_of(settings: Settings) -> tuple[dict[str, port.Statements], Closers]:
    """Where the statements of each rail are asked for, over connections of their own, and what ends these."""

    def network() -> NetworkClient:
        return NetworkClient(settings.network_url, settings.network_token)

    asked = {port.PIX: spi_statements(network(), settings.ispb), port.TED: ted_statements(network(), settings.ispb)}
    for name in statement_rails(settings)[len(asked) :]:
        partner = settings.partners[name]
        asked[name] = _STATEMENTS[name](NetworkClient(partner.url, partner.token))
    return dict(asked), tuple(one.close for one in asked.values())


async def _business_now(work: Database) -> datetime:
    async with work.session() as session:
        now: datetime = await session.value("SELECT business_now()")
        return now
