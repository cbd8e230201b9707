"""The slip (boleto) of an order as people know it: a PDF to print or pay from, served to who knows its address."""

from lastro.orders.slips.model import Ended, Slip, SlipParty, slip_of
from lastro.orders.slips.store import OrderOfSlip, by_token

__all__ = ["Ended", "OrderOfSlip", "Slip", "SlipParty", "by_token", "pdf", "slip_of"]


def pdf(slip: Slip) -> bytes:
    """Draws the slip on A4: some 12 ms of a processor, the first time of a process half a second. Not for the loop."""
    # Imported here: the libraries of it take a fifth of the time that lastro starts in.
    from lastro.orders.slips.drawing import draw  # noqa: PLC0415

    return draw(slip)
