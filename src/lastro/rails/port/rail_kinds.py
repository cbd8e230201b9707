"""Kinds of rails by their names: connections, those of an institution's network, those whose payments are Pix."""

from __future__ import annotations

from lastro.rails.port.analysis import ANALYSIS
from lastro.rails.port.claims import CLAIMS
from lastro.rails.port.collecting import RAILS
from lastro.rails.port.med import MED
from lastro.rails.port.messages import MESSAGES
from lastro.rails.port.payments import TED
from lastro.rails.port.pix import BOOK, PIX
from lastro.rails.port.rail import OWN, UNKNOWN

# Names that no connection may have: every rail there is, and what stands in the same columns.
RESERVED = frozenset({*RAILS, BOOK, ANALYSIS, CLAIMS, MED, MESSAGES, OWN, UNKNOWN})

# Those of an institution's network; a lastro without one has none of them.
OF_NETWORK = (PIX, TED, BOOK, MED, CLAIMS)


def is_connection(rail: str) -> bool:
    """Tells whether a rail is a connection: a company's own account at a bank that speaks API Pix.

    Money that is not ours may come there. A name that is not known here counts as one, so that no new rail is taken for an
    account of ours alone.
    """
    return rail not in RESERVED


def is_pix(rail: str) -> bool:
    """Tells whether the payments of a rail are Pix, with endToEndIds. The schema's `is_pix` says the same."""
    return rail in {PIX, BOOK} or is_connection(rail)


def entry_word(rail: str) -> str:
    """Returns the word that the types of a rail's transfers begin with. Money by a connection is a Pix."""
    return PIX.upper() if is_connection(rail) else rail.upper()
