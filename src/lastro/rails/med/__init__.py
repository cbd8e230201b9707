"""Disputes at the directory of Pix keys (DICT): recoveries, infraction reports, refunds."""

from lastro.rails.med.client import Med

__all__ = ["Med"]
