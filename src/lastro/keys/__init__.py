"""Pix keys: names in the directory that lead to our accounts."""

from lastro.keys.actions import RegisterRandomKey
from lastro.keys.store import keys_of

__all__ = ["RegisterRandomKey", "keys_of"]
