"""Pix keys: names in the directory that lead to our accounts."""

from lastro.keys.actions import RegisterRandomKey

__all__ = ["RegisterRandomKey"]
