"""The adapter of the reserve transfer system (STR), which carries TEDs."""

from lastro.rails.ted.client import Ted
from lastro.rails.ted.wire import READERS

__all__ = ["READERS", "Ted"]
