"""Collecting partners by name, for routes, timer, phone and faults.

Slips and OXXO settle on the next business day, crypto a minute after it is seen, and everything else at once. A till takes
the amount on its screen and knows nobody's name. A sender of a transfer types its amount, as often as he likes. Money to a
number that is closed, or past its time, goes back by itself, so that the phone is refused.
"""

import re
from collections.abc import Callable, Mapping

from lastro_sim import faults, scenarios
from lastro_sim.api_pix import ordered
from lastro_sim.boleto.partner import BOLETO
from lastro_sim.card.partner import CARD
from lastro_sim.clock import MINUTE
from lastro_sim.collecting import payments, returns, terms
from lastro_sim.collecting.partner import Item, Partner, Row, as_it_is
from lastro_sim.crypto import quotes
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError

LEAST, MOST = 1_000, 1_000_000  # MXN 10 to MXN 10,000
TRACKING_KEY_LENGTH = 30
AT_ONCE = terms.after(0)
_NO_MARKS = str.maketrans("", "", " .-")


def _in_range(_network: Network, _partner: Partner, item: Item) -> None:
    if not LEAST <= item.amount <= MOST:
        raise RefusedError(422, "AMOUNT_OUT_OF_RANGE", "A till takes from MXN 10 to MXN 10,000")


def _till(name: str, kind: str, settles_at: Callable[[int, int], int] = AT_ONCE) -> Partner:
    return Partner(
        name=name, kind=kind, currency="MXN", reference=re.compile(r"[0-9]{14,30}"), settles_at=settles_at,
        magic=scenarios.BY_VOUCHER_AMOUNT, admit=_in_range, knows_payer=False,
    )  # fmt: skip


def _digits_of(text: str) -> str:
    """Removes blanks, dots and hyphens from a typed number."""
    return text.translate(_NO_MARKS)


def _tracking_key(unique: str) -> str:
    """Returns a clave de rastreo of up to thirty letters and digits."""
    return unique.replace("-", "").upper()[:TRACKING_KEY_LENGTH]


def _bank(name: str, currency: str, digits: int, named: Callable[[str], str]) -> Partner:
    """Returns a partner of account numbers, where nothing is announced."""
    return Partner(
        name=name, kind=name.upper(), currency=currency, reference=re.compile(rf"[0-9]{{{digits}}}"), settles_at=AT_ONCE,
        magic=scenarios.BY_TRANSFER_AMOUNT, faults=frozenset({"reject", "timeout", "late", "twice", "lost-answer", "down"}),
        takes_any_amount=True, takes_again=True, typed=_digits_of, named=named,
    )  # fmt: skip


def _app(name: str) -> Partner:
    """Returns a crypto partner, where a quote is paid exactly or not."""
    return Partner(
        name=name, kind="CRYPTO", currency="BRL", reference=quotes.REFERENCE, settles_at=terms.after(MINUTE),
        magic=scenarios.BY_CRYPTO_AMOUNT, admit=quotes.admit, typed=quotes.reference_in,
    )  # fmt: skip


TILLS = (
    _till("oxxo", "OXXO", terms.next_morning),
    _till("oxxopay", "OXXOPAY"),
    _till("paynet", "PAYNET"),
    _till("paynet2", "PAYNET"),
)
APPS = (_app("crypto"), _app("crypto2"))
BANKS = (_bank("spei", "MXN", 18, _tracking_key), _bank("deposit", "BRL", 19, as_it_is))
PARTNERS: Mapping[str, Partner] = {partner.name: partner for partner in (BOLETO, *TILLS, *BANKS, *APPS, CARD)}
# The faults that a test may order, by operation.
BEHAVIOURS: Mapping[str, frozenset[str]] = {
    **faults.BEHAVIOURS, **ordered.BEHAVIOURS,
    **{name: partner.faults for name, partner in PARTNERS.items() if partner.faults},
}  # fmt: skip


def end_payment(network: Network, row: Row) -> None:
    """Ends a due payment at its partner."""
    payments.end_due(network, PARTNERS[row["partner"]], row)


def end_return(network: Network, row: Row) -> None:
    """Ends a due return at its partner."""
    returns.end_due(network, PARTNERS[row["partner"]], row)
