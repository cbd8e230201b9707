"""Payouts whose id is another payment's, says the network. They wait until people end them by evidence."""

from lastro.payouts.contradicted.rules import may_be_taken_until
from lastro.payouts.contradicted.settle import contradictions, disproved, shown
from lastro.payouts.contradicted.store import Word, contradicted_in, words_about

__all__ = ["Word", "contradicted_in", "contradictions", "disproved", "may_be_taken_until", "shown", "words_about"]
