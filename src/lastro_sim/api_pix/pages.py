"""The bank's page: a person plays payers, the console and the MED. It needs no script."""

from dataclasses import asdict

from litestar import Response, get, post
from litestar.di import NamedDependency

from lastro_sim.answers import Asked
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError
from lastro_sim.showing import page, typed

from . import control, customers

RECENT = 12
PATH = "/bank/company"


@get(PATH)
async def company_bank(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Shows the bank's customers, charges and Pix."""
    return _page(request, network)


@post(PATH)
async def company_bank_acts(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Carries out an act of the page's form."""
    form = await typed(request, "act", "amount", "key", "txid", "endToEndId")
    act = form.data.pop("act", "")
    try:
        await _done(network, act, form)
    except RefusedError:
        return _page(request, network, wrong=True)
    return Response("", status_code=303, headers={"Location": PATH})


async def _done(network: Network, act: str, form: Form) -> None:
    """Carries out one act. A charge is paid whatever its state: a person here plays what may go wrong."""
    tx_id, name = form.data.get("txid", ""), form.data.get("endToEndId", "")
    if act in {"pay", "pay-key"}:
        form.data["force"] = True
        await control.pay(network, form)
    elif act == "amount":
        control.set_amount(network, form, tx_id)
    elif act == "remove":
        control.remove(network, Form({}), tx_id)
    elif act in {"return", "med"}:
        form.data |= {"nature": "MED_FRAUDE"} if act == "med" else {}
        control.give_back(network, form, name)


def _page(request: Asked, network: Network, *, wrong: bool = False) -> Response[str]:
    known = [customers.of_row(row) for row in network.store.newest("bank_customer", RECENT)]
    return page(
        request,
        "company_bank.html",
        status=400 if wrong else 200,
        customers=[asdict(one) | {"keys": customers.keys_of(network, one)} for one in known],
        charges=control.list_charges(network, None, RECENT)[::-1],
        received=control.list_pix(network, None, RECENT)[::-1],
        wrong=wrong,
    )
