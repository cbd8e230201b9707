"""The bank's page of Pix Automático: a person plays payers who authorize, decline and cancel. It needs no script."""

from litestar import Response, get, post
from litestar.di import NamedDependency

from lastro_sim.answers import Asked
from lastro_sim.bank import payers
from lastro_sim.forms import Form
from lastro_sim.network import Network
from lastro_sim.refusals import RefusedError
from lastro_sim.showing import page, typed

from . import control

RECENT = 12
PATH = "/bank/company/recurring"


@get(PATH)
async def company_bank_recurring(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Shows the newest recurrences and scheduled charges."""
    return _page(request, network)


@post(PATH)
async def company_bank_recurring_acts(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """Carries out a payer's act of the page's form."""
    form = await typed(request, "act", "idRec", "payer", "maximumAmount")
    act, id_rec = form.data.pop("act", ""), form.data.pop("idRec", "")
    try:
        done = await _done(network, act, form, id_rec)
    except RefusedError:
        return _page(request, network, wrong=True)
    if "code" in done:
        return _page(request, network, refusal=done["code"])
    return Response("", status_code=303, headers={"Location": PATH})


async def _done(network: Network, act: str, form: Form, id_rec: str) -> dict[str, str]:
    if act == "authorize":
        return await control.authorize(network, form, id_rec)
    return control.decline(network, form, id_rec) if act == "decline" else control.cancel(network, form, id_rec)


def _page(request: Asked, network: Network, *, wrong: bool = False, refusal: str = "") -> Response[str]:
    return page(
        request,
        "company_bank_recurring.html",
        status=400 if wrong else 200,
        recurrences=control.list_recurrences(network, None, RECENT)[::-1],
        charges=control.list_charges(network, None, RECENT)[::-1],
        payers=payers.ON_THE_PHONE,
        wrong=wrong,
        refusal=refusal,
    )
