"""The adapter of the partner that takes crypto assets and pays us in reais."""

from lastro.rails.crypto.client import Crypto
from lastro.rails.crypto.quotes import CryptoQuotes

__all__ = ["Crypto", "CryptoQuotes"]
