"""The statements of our account at the acquirer, with the movements behind their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails import event_stream
from lastro.rails.card.wire import CURRENCY, READERS
from lastro.rails.statements import JsonStatements

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


def statements(line: NetworkClient) -> JsonStatements:
    """Where they are asked for. line: to the acquirer, of its own."""
    return JsonStatements(line, "/card/v1/statements", lambda raw: event_stream.read(raw, READERS), CURRENCY)
