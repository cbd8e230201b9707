"""The adapter of the bank that collects slips (boletos)."""

from lastro.rails.boleto.client import Boleto

__all__ = ["Boleto"]
