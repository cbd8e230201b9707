"""A participant's STR account by day: TEDs out, in, and returned."""

from functools import partial

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import amounts, statements
from lastro_sim.answers import Asked
from lastro_sim.clock import printed
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.statements import Movement

from . import incoming
from .returns import RETURN
from .transfers import EFFECTIVE, RESULT, repeated

SENT = "SELECT * FROM ted WHERE status = ? AND settled_at >= ? AND settled_at < ? AND ispb = ? ORDER BY settled_at, seq"
CAME_BACK = """
SELECT r.*, t.amount, t.num_ctrl_str AS original, t.ispb, t.body
  FROM ted_return r JOIN ted t ON t.num_ctrl_if = r.num_ctrl_if
 WHERE r.settled_at >= ? AND r.settled_at < ? AND t.ispb = ? ORDER BY r.settled_at, r.seq
"""
CAME_IN = "SELECT * FROM ted_in WHERE settled_at >= ? AND settled_at < ? AND ispb = ? ORDER BY settled_at, seq"
WENT_BACK = "SELECT * FROM ted_in_return WHERE settled_at >= ? AND settled_at < ? AND ispb = ? ORDER BY settled_at, seq"


@get("/str/v1/statements/{ispb:str}", opt=PARTICIPANT_ONLY)
async def statement(request: Asked, network: NamedDependency[Network], ispb: FromPath[str]) -> Response[bytes]:
    """Returns a page of the statement of a past day."""
    return statements.page(request, network, "ted", partial(movements, network, ispb))


def movements(network: Network, ispb: str, begin: int, end: int) -> list[Movement]:
    """Returns the transfers and returns, sent and received, between two instants."""
    found = []
    for row in network.store.rows(SENT, EFFECTIVE, begin, end, ispb):
        name, number = row["num_ctrl_if"], row["num_ctrl_str"]
        message = {
            "msgId": f"S{name}",
            "type": RESULT,
            "numCtrlIf": name,
            "numCtrlStr": number,
            "status": EFFECTIVE,
            "settledAt": printed(row["settled_at"]),
            **repeated(row),
        }
        about = {"numCtrlIf": name, "numCtrlStr": number}
        found.append(Movement("OUT", name, number, row["amount"], row["settled_at"], message, about))
    for row in network.store.rows(CAME_BACK, begin, end, ispb):
        name, number = row["num_ctrl_if"], row["num_ctrl_str"]
        message = {
            "msgId": f"S{number}",
            "type": RETURN,
            "numCtrlStr": number,
            "originalNumCtrlStr": row["original"],
            "originalNumCtrlIf": name,
            "amount": amounts.printed(row["amount"]),
            "code": row["code"],
            "settledAt": printed(row["settled_at"]),
            **repeated(row),
        }
        about = {"numCtrlIf": name, "numCtrlStr": number}
        found.append(Movement("RETURN_IN", number, name, row["amount"], row["settled_at"], message, about))
    found += _to_us(network, ispb, begin, end)
    return sorted(found, key=lambda one: one.settled_at)


def _to_us(network: Network, ispb: str, begin: int, end: int) -> list[Movement]:
    """Returns the transfers from other banks and the participant's returns."""
    found = []
    for row in network.store.rows(CAME_IN, begin, end, ispb):
        number = row["num_ctrl_str"]
        message = {"msgId": f"S{number}", "type": incoming.ARRIVED, **incoming.arrival(row)}
        about = {"numCtrlStr": number}
        found.append(Movement("IN", number, None, row["amount"], row["settled_at"], message, about))
    for row in network.store.rows(WENT_BACK, begin, end, ispb):
        name, original = row["num_ctrl_if"], row["original"]
        message = {"msgId": f"S{name}", "type": incoming.RESULT, **incoming.result(row)}
        about = {"numCtrlIf": name, "numCtrlStr": row["num_ctrl_str"]}
        found.append(Movement("RETURN_OUT", name, original, row["amount"], row["settled_at"], message, about))
    return found
