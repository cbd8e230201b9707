"""The voucher of a cash order as its customer takes it to a till: a PDF, served to who knows its address."""

from lastro.orders.vouchers.model import Voucher, voucher_of
from lastro.orders.vouchers.store import by_token

__all__ = ["Voucher", "by_token", "pdf", "voucher_of"]


def pdf(voucher: Voucher) -> bytes:
    """The voucher on A4. It takes some 12 ms of a processor, the first time of a process half a second: not for the loop."""
    # Imported here: what it stands on takes a fifth of the time that lastro starts in.
    from lastro.orders.vouchers.drawing import draw  # noqa: PLC0415

    return draw(voucher)
