"""A participant's account at a partner: payments and returns between two instants."""

from lastro_sim.network import Network
from lastro_sim.statements import Movement

from . import payments, returns
from .partner import RETURNED, SETTLED, Partner

PAID = (
    "SELECT * FROM item_payment WHERE partner = ? AND status = 'SETTLED' AND settled_at >= ? AND settled_at < ?"
    " ORDER BY settled_at, seq"
)
GIVEN = (
    "SELECT * FROM item_return WHERE partner = ? AND status = 'SETTLED' AND settled_at >= ? AND settled_at < ?"
    " ORDER BY settled_at, seq"
)


def movements(network: Network, partner: Partner, begin: int, end: int) -> list[Movement]:
    """Returns the lines for `statements.page`. begin, end: business microseconds."""
    found = []
    for row in network.store.rows(PAID, partner.name, begin, end):
        name, reference = row["payment_id"], row["reference"]
        message = {"id": f"S{name}", "type": SETTLED} | payments.told(network, partner, row)
        found.append(Movement("IN", name, reference, row["amount"], row["settled_at"], message, {"reference": reference}))
    for row in network.store.rows(GIVEN, partner.name, begin, end):
        name, about = row["return_id"], {"reference": row["reference"], "returnId": row["return_id"]}
        message = {"id": f"S{name}", "type": RETURNED} | returns.told(partner, row)
        found.append(Movement("RETURN_OUT", name, row["payment_id"], row["amount"], row["settled_at"], message, about))
    return sorted(found, key=lambda one: one.settled_at)
