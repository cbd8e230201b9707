"""The locations that dynamic QRs carry: fetched under the guard, signed by whom they must be, read as charges."""

from lastro.rails.locations.fetching import Fetcher
from lastro.rails.locations.reading import SECONDS, Locations
from lastro.rails.locations.trust import Trust

__all__ = ["SECONDS", "Fetcher", "Locations", "Trust"]
