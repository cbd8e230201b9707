"""Claims of Pix keys at the directory (DICT), by claimers and donors."""

from lastro.rails.claims.client import Claims

__all__ = ["Claims"]
