"""The statements of our account at the STR (STR0013 and its kind). Each line has the message behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.spi import wire
from lastro.rails.statements import JsonStatements
from lastro.rails.ted.wire import READERS

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


def statements(line: NetworkClient, ispb: str) -> JsonStatements:
    """Returns the source of the statements. line: to the STR, of its own. ispb: ours."""
    return JsonStatements(line, f"/str/v1/statements/{ispb}", lambda raw: wire.read(raw, ispb, READERS))
