"""The adapter of the instant payment system (SPI) and its directory (DICT)."""

from lastro.rails.spi.client import Spi, SpiEndpoint

__all__ = ["Spi", "SpiEndpoint"]
