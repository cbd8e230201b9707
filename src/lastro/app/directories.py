"""Requests to the directory while a client waits. They use the connection to the network that there is already."""

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
    """The directory's services of the installation at `place`, over the network's `rail`."""

    place: Installation
    rail: Spi

    @cached_property
    def disputes(self) -> port.Disputes:
        """The service that opens disputes."""
        return Med(self.rail.line, self.place.institution.ispb)

    @cached_property
    def claims(self) -> port.Claims:
        """The service that opens and decides claims of keys."""
        return Claims(self.rail.line, self.place.institution.ispb)
