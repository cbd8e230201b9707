"""The acquirer as a collecting partner; a charge settles at once."""

import re

from lastro_sim.collecting import terms
from lastro_sim.collecting.partner import Partner

# Registrations have a table of their own, and nobody types them.
CARD = Partner(
    name="card",
    kind="CREDIT_CARD",
    currency="MXN",
    reference=re.compile(r"[0-9]{20}"),
    settles_at=terms.after(0),
    faults=frozenset(),
    knows_payer=False,
)
