"""The guide at /docs/guide: what stands in docs/, as pages that need no other server, and llms.txt."""

from lastro.web.guide.addresses import Addresses
from lastro.web.guide.serving import Guide

__all__ = ["Addresses", "Guide"]
