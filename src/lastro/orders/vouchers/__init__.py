"""Cash orders' vouchers for a till: PDFs. One is served to anybody who knows its address."""

from lastro.orders.vouchers.model import Voucher, voucher_of
from lastro.orders.vouchers.store import by_token

__all__ = ["Voucher", "by_token", "pdf", "voucher_of"]


def pdf(voucher: Voucher) -> bytes:
    """Draws the voucher on A4: some 12 ms of a processor, the first time of a process half a second. Not for the loop."""
    # Imported here: the libraries of it take a fifth of the time that lastro starts in.
    from lastro.orders.vouchers.drawing import draw  # noqa: PLC0415

    return draw(voucher)
