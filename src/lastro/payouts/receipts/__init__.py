"""Receipts of payouts whose money has left: JSON, and PDF for people.

`drawing` is imported for the first PDF: its libraries take a fifth of the time that lastro starts in.
"""

from lastro.payouts.receipts.docs import RECEIPT
from lastro.payouts.receipts.model import HAS_LEFT, Receipt, ReceivedReturn
from lastro.payouts.receipts.rendering import shown

__all__ = ["HAS_LEFT", "RECEIPT", "Receipt", "ReceivedReturn", "shown"]
