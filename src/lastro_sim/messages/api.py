"""Endpoints of messages: the SMS gateway and the inbox."""

import re

from litestar import Response, post
from litestar.di import NamedDependency

from lastro_sim.answers import Asked, answer
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, away, malformed
from lastro_sim.routes import listing

from . import box

PHONE = re.compile(r"\+[1-9][0-9]{1,14}")
MOST_LISTED = 1_000


@post("/sms/v1/messages", opt=PARTICIPANT_ONLY)
async def sms_post(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Sends a text message; the same id again sends nothing more."""
    form = Form.read(await request.body())
    message_id, to, text = form.text("id", 64), form.text("to", 16, PHONE), form.text("text", 480)
    form.check()
    fault = box.strike(network, to)
    if fault is not None and fault.behaviour == "down":
        raise away()
    if fault is not None and fault.behaviour == "reject":
        raise malformed(Problem("to", "INVALID", "Nobody has this number"))
    is_new = box.keep(network, message_id, box.SMS, to, text)
    if fault is not None:
        raise away()
    return answer({"id": message_id}, 201 if is_new else 200)


ROUTES = (listing("/messages", box.listed, "to", usual=100, most=MOST_LISTED),)
