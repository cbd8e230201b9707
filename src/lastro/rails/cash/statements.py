"""The statements of our account at a network of tills, with the movements behind their lines."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lastro.rails import event_stream
from lastro.rails.cash.wire import CURRENCY, READERS
from lastro.rails.statements import JsonStatements

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import NetworkMessage


def statements(rail: str, line: NetworkClient) -> JsonStatements:
    """Where they are asked for. line: to the network of this rail, of its own."""
    return JsonStatements(line, f"/{rail}/v1/statements", partial(_told, rail), CURRENCY)


def _told(rail: str, raw: bytes) -> NetworkMessage:
    """With the rail by which its voucher is found: statements of all rails come one way."""
    return replace(event_stream.read(raw, READERS), rail=rail)
