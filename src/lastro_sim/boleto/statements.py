"""The account at the collecting bank of whom it collects for, day by day."""

from functools import partial

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from lastro_sim import statements
from lastro_sim.answers import Asked
from lastro_sim.guard import participant_only
from lastro_sim.network import Network
from lastro_sim.statements import Movement

from . import payments, returns

PAID = "SELECT * FROM slip_payment WHERE status = 'SETTLED' AND settled_at >= ? AND settled_at < ? ORDER BY settled_at, seq"
GIVEN = "SELECT * FROM slip_return WHERE status = 'SETTLED' AND settled_at >= ? AND settled_at < ? ORDER BY settled_at, seq"


@get("/boleto/v1/statements", guards=[participant_only])
async def statement(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """A page of the statement of a day that is over."""
    return statements.page(request, network, "boleto", partial(movements, network))


ROUTES: tuple[HTTPRouteHandler, ...] = (statement,)


def movements(network: Network, begin: int, end: int) -> list[Movement]:
    """What came and was given back between two instants."""
    found = []
    for row in network.store.rows(PAID, begin, end):
        message = {"id": f"S{row['payment_id']}", "type": "SETTLED"} | payments.told(network, row)
        about = {"nossoNumero": row["nosso_numero"]}
        found.append(
            Movement("IN", row["payment_id"], row["nosso_numero"], row["amount"], row["settled_at"], message, about)
        )
    for row in network.store.rows(GIVEN, begin, end):
        message = {"id": f"S{row['return_id']}", "type": "RETURNED"} | _told(returns.shown(row))
        about = {"nossoNumero": row["nosso_numero"], "returnId": row["return_id"]}
        found.append(
            Movement("RETURN_OUT", row["return_id"], row["payment_id"], row["amount"], row["settled_at"], message, about)
        )
    return sorted(found, key=lambda one: one.settled_at)


def _told(shown: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in shown.items() if value is not None and name != "status"}
