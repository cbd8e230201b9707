"""Pages for people: receiver's bank, tills, merchant, index. They need no script."""

from pathlib import Path

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim.answers import Asked
from lastro_sim.bank.acts import Bank
from lastro_sim.collecting import phone as collected
from lastro_sim.merchant import receiver
from lastro_sim.network import Network
from lastro_sim.outside.acts import OutsideBank
from lastro_sim.partners import PARTNERS, TILLS
from lastro_sim.refusals import RefusedError, not_found
from lastro_sim.showing import page, typed

HERE = Path(__file__).parent
FILES = {
    "sim.css": "text/css; charset=utf-8",
    "phone.js": "text/javascript; charset=utf-8",
    "merchant.js": "text/javascript; charset=utf-8",
}
CONTENT = {name: (HERE / "static" / name).read_bytes() for name in FILES}
RECENT = 12
DELIVERIES_SHOWN = 50


@get("/")
async def index(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Shows the start page."""
    return page(request, "index.html", lastro_url=network.settings.lastro_url)


@get("/static/{name:str}")
async def static_file(name: FromPath[str]) -> Response[bytes]:
    """Serves a style sheet or script of ours."""
    if name not in FILES:
        raise not_found()
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=60"}
    return Response(CONTENT[name], media_type=FILES[name], headers=headers)


@get([f"/{partner.name}" for partner in TILLS])
async def till(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Shows the tills' vouchers, newest first, each with a link for paying."""
    partner = PARTNERS[request.url.path.strip("/")]
    rows = network.store.newest("item", RECENT, partner=partner.name)[::-1]
    vouchers = [collected.read(network, partner, row) for row in rows]
    return page(request, "till.html", till=partner.kind, vouchers=vouchers)


@get("/merchant")
async def merchant(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Shows the merchant's deliveries, newest first."""
    deliveries = receiver.listed(network, None, None)[: -DELIVERIES_SHOWN - 1 : -1]
    address = f"http://{request.headers['host']}/merchant/webhooks/shop"
    return page(request, "merchant.html", deliveries=deliveries, address=address)


@get("/receiver")
async def receivers_bank(
    request: Asked, bank: NamedDependency[Bank], outside: NamedDependency[OutsideBank]
) -> Response[str]:
    """Shows the outside bank's open charges and received payments."""
    return _receivers_bank(request, bank, outside)


@post("/receiver/charges")
async def receiver_charges(
    request: Asked, bank: NamedDependency[Bank], outside: NamedDependency[OutsideBank]
) -> Response[str]:
    """Issues a charge from the page's form."""
    form = await typed(request, "amount", "description")
    try:
        outside.issue(form)
    except RefusedError:
        return _receivers_bank(request, bank, outside, wrong=True)
    return Response("", status_code=303, headers={"Location": "/receiver"})


@post("/receiver/returns")
async def receiver_returns(
    request: Asked, bank: NamedDependency[Bank], outside: NamedDependency[OutsideBank]
) -> Response[str]:
    """Returns a payment from the page's form. A refusal of the network stands among the returns."""
    form = await typed(request, "amount", "endToEndId")
    try:
        bank.give_back(form)
    except RefusedError:
        return _receivers_bank(request, bank, outside, wrong=True)
    return Response("", status_code=303, headers={"Location": "/receiver"})


def _receivers_bank(request: Asked, bank: Bank, outside: OutsideBank, *, wrong: bool = False) -> Response[str]:
    return page(
        request,
        "receiver.html",
        status=400 if wrong else 200,
        charges=outside.charges(None, RECENT)[::-1],
        received=bank.received(RECENT),
        wrong=wrong,
    )
