"""The statements of our accounts at banks that keep account numbers, with the movements behind their lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lastro.rails import event_stream
from lastro.rails.statements import JsonStatements
from lastro.rails.transfers.dialects import DEPOSIT, SPEI
from lastro.rails.transfers.wire import readers

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import NetworkMessage
    from lastro.rails.transfers.dialects import Dialect


def spei_statements(line: NetworkClient) -> JsonStatements:
    """Where those of SPEI are asked for. line: to the bank, of its own."""
    return _statements(line, SPEI)


def deposit_statements(line: NetworkClient) -> JsonStatements:
    """Where those of deposits are asked for. line: to the partner, of its own."""
    return _statements(line, DEPOSIT)


def _statements(line: NetworkClient, dialect: Dialect) -> JsonStatements:
    found = readers(dialect)

    def told(raw: bytes) -> NetworkMessage:
        """With the rail by which its account number is found: statements of all rails come one way."""
        return replace(event_stream.read(raw, found), rail=dialect.rail)

    return JsonStatements(line, f"{dialect.root}/statements", told, dialect.currency)
