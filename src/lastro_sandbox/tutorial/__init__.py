"""The guided first minute in the browser, at /start: an order, its payment, what followed from it, each with its call."""

from lastro_sandbox.tutorial.acting import TutorialHandlers
from lastro_sandbox.tutorial.serving import Tutorial

__all__ = ["Tutorial", "TutorialHandlers"]
