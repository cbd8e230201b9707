"""Endpoints of the merchant: deliveries from lastro, lists and orders for tests."""

import asyncio

from litestar import Response, delete, get, post
from litestar.di import NamedDependency

from lastro_sim import queries
from lastro_sim.answers import Asked, answer
from lastro_sim.clock import SECOND
from lastro_sim.network import Network
from lastro_sim.routes import act

from . import receiver


@post(["/merchant/webhooks", "/merchant/webhooks/{path:path}"], status_code=200)
async def webhook(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Receives one delivery."""
    body = await request.body()
    status, text, delay = receiver.next_answer(network)
    receiver.keep(network, str(request.path_params.get("path", "/")), request.headers, body, status)
    network.bells.ring("merchant")
    await asyncio.sleep(delay / SECOND)
    return Response(text, status_code=status, media_type="application/json")


@get("/merchant/webhooks")
async def webhook_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the delivered webhooks, oldest first."""
    found = queries.read(request, {"path", "eventId"})
    return answer({"data": receiver.listed(network, found.get("path"), found.get("eventId"))})


@delete("/merchant/webhooks", status_code=200)
async def webhook_forget(network: NamedDependency[Network]) -> Response[bytes]:
    """Forgets deliveries and ordered answers."""
    with network.store.writing():
        network.store.run("DELETE FROM webhook")
        network.store.run("DELETE FROM merchant_behaviour")
    return answer({"data": []})


ROUTES = (act("/merchant/behaviour", receiver.behave),)
