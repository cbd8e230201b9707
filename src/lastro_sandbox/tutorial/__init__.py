"""The guided first minute in the browser, at /start: an order, its payment, what followed from it, each with its call."""

from lastro_sandbox.tutorial.acting import Desk
from lastro_sandbox.tutorial.serving import Minute

__all__ = ["Desk", "Minute"]
