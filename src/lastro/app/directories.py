"""What of the directory a house asks while a client waits, each over the line to the network that it has already."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lastro.rails.claims import Claims
from lastro.rails.med import Med

if TYPE_CHECKING:
    from lastro.orders import Installation
    from lastro.rails import port
    from lastro.rails.spi import Spi


class Directories:
    """Of a house that stands at `place` and speaks to the network by `rail`."""

    place: Installation
    rail: Spi

    @cached_property
    def disputes(self) -> port.Disputes:
        """Where disputes are opened."""
        return Med(self.rail.line, self.place.institution.ispb)

    @cached_property
    def claims(self) -> port.Claims:
        """Where claims of keys are opened and decided."""
        return Claims(self.rail.line, self.place.institution.ispb)
