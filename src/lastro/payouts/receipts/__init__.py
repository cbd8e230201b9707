"""What is given to people as proof of a payout whose money has left: as JSON, and as a PDF to print or send on.

`drawing` is imported when the first PDF is asked for: what it stands on takes a fifth of the time that lastro starts in.
"""

from lastro.payouts.receipts.docs import RECEIPT
from lastro.payouts.receipts.model import HAS_LEFT, Receipt, ReceivedReturn
from lastro.payouts.receipts.rendering import shown

__all__ = ["HAS_LEFT", "RECEIPT", "Receipt", "ReceivedReturn", "shown"]
