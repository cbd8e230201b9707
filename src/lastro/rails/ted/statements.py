"""The statements of our account at the STR (STR0013 and its kind), with the messages behind their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.spi import wire
from lastro.rails.statements import JsonStatements
from lastro.rails.ted.wire import READERS

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


def statements(line: NetworkClient, ispb: str) -> JsonStatements:
    """Where they are asked for. line: to the STR, of its own. ispb: ours."""
    return JsonStatements(line, f"/str/v1/statements/{ispb}", lambda raw: wire.read(raw, ispb, READERS))
