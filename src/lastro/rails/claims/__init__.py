"""Claims of Pix keys at the directory (DICT), as claimer and as donor."""

from lastro.rails.claims.client import Claims

__all__ = ["Claims"]
