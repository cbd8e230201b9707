"""The acquirer, as one of the partners that collect. A charge is in at once."""

import re

from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import Partner

# What is registered is kept in a table of its own, and nobody types it.
CARD = Partner(
    name="card",
    kind="CREDIT_CARD",
    currency="MXN",
    reference=re.compile(r"[0-9]{20}"),
    settles_at=terms.after(0),
    faults=frozenset(),
    knows_payer=False,
)
