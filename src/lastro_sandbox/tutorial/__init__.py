"""The tutorial in the browser, at /start: an order, its payment, its effects, each with its call."""

from lastro_sandbox.tutorial.acting import TutorialHandlers
from lastro_sandbox.tutorial.serving import Tutorial

__all__ = ["Tutorial", "TutorialHandlers"]
