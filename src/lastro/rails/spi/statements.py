"""The statements of our settlement account at the SPI (in its catalogue camt.053), with the messages behind their lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.spi import wire
from lastro.rails.statements import JsonStatements

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


def statements(line: NetworkClient, ispb: str) -> JsonStatements:
    """Where they are asked for. line: to the SPI, of its own. ispb: ours."""
    return JsonStatements(line, f"/spi/v1/statements/{ispb}", lambda raw: wire.read(raw, ispb))
