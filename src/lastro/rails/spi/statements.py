"""The statements of our settlement account at the SPI.

In the SPI's catalogue they are camt.053; each line has the message behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.spi import wire
from lastro.rails.statements import JsonStatements

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


def statements(line: NetworkClient, ispb: str) -> JsonStatements:
    """Returns the source of the statements. line: to the SPI, of its own. ispb: ours."""
    return JsonStatements(line, f"/spi/v1/statements/{ispb}", lambda raw: wire.read(raw, ispb))
