"""The rail between two accounts here: the messages of Pix, carried by ourselves from outbox to inbox.

Both sides live as on any network: the receiver's side is asked and answers, then both are told the end. In transit the money
is in TRANSIT, which is zero when nothing is on its way.
"""

from lastro.rails.internal_transfer.carrier import Book

__all__ = ["Book"]
