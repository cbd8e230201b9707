"""The statements of our account at the crypto partner, with the movements behind their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails import event_stream
from lastro.rails.crypto.wire import READERS
from lastro.rails.statements import JsonStatements

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


def statements(line: NetworkClient) -> JsonStatements:
    """Where they are asked for. line: to the partner, of its own."""
    return JsonStatements(line, "/crypto/v1/statements", lambda raw: event_stream.read(raw, READERS))
