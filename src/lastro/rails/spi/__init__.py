"""The adapter of the instant payment system (SPI) and its directory (DICT)."""

from lastro.rails.spi.client import Place, Spi

__all__ = ["Place", "Spi"]
