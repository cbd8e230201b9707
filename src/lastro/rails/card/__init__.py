"""The adapter of the acquirer of cards, and of its tokenizer."""

from lastro.rails.card.client import Card
from lastro.rails.card.tokenizer import CardTokenizer

__all__ = ["Card", "CardTokenizer"]
