"""The adapter of partners that collect money for orders: one protocol, and a description of each partner."""

from lastro.rails.collecting.client import Collecting, statements
from lastro.rails.collecting.partners import PARTNERS
from lastro.rails.collecting.quotes import PartnerQuotes
from lastro.rails.collecting.tokenizer import CardTokenizer

__all__ = ["PARTNERS", "CardTokenizer", "Collecting", "PartnerQuotes", "statements"]
