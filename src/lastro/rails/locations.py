"""Reads the charge that a dynamic QR leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.port import NoCharge

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.rails.port import Charge


class Locations:
    """Fetches locations."""

    async def read(self, location: str, now: datetime) -> Charge | NoCharge:
        """What is asked for at a location."""
        del location, now
        return NoCharge("NOT_SUPPORTED", "dynamic QRs cannot be read yet")
