"""The phone's pages: codes, payments, authorizations, statement, cancellations, disputes. They need no script."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.datastructures import UploadFile
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim.answers import Asked, answer
from lastro_sim.bank import payers, scheduled
from lastro_sim.bank.acts import Bank
from lastro_sim.bank.authorizing import Authorizing
from lastro_sim.bank.payers import PhoneOwner
from lastro_sim.collecting import phone as collected
from lastro_sim.forms import Form
from lastro_sim.messages import box
from lastro_sim.network import Network
from lastro_sim.partners import PARTNERS
from lastro_sim.refusals import RefusedError, not_found
from lastro_sim.showing import page, to_result, typed
from lastro_sim.texts import TEXTS

from . import contesting, scanning, statement

RECENT = 12
LOOKED_AT = 200  # the newest authorizations of all customers; the customer's own among them are shown


@get("/phone")
async def phone(request: Asked, bank: NamedDependency[Bank], authorizing: NamedDependency[Authorizing]) -> Response[str]:
    """Shows the app, with a code that was read if given."""
    text = request.query_params.get("qrcodeData", "").strip()
    return await _phone(request, bank, authorizing, text)


@post("/phone")
async def phone_acts(
    request: Asked, bank: NamedDependency[Bank], authorizing: NamedDependency[Authorizing]
) -> Response[str]:
    """Pays, authorizes or declines, then redirects to the result for safe reloads."""
    form = await typed(request, "qrcodeData", "amount", "maximumAmount", "payer", "act")
    act, text = form.data.pop("act", "pay"), form.data.get("qrcodeData", "")
    holder = _holder(form.data.get("payer", ""))
    try:
        done = await _done(bank, authorizing, act, form)
    except RefusedError:
        return await _phone(request, bank, authorizing, text, holder, wrong=True)
    if not done.keys() & {"idRec", "endToEndId", "paymentId"}:
        # Nothing can be read there any more; the page says why.
        return await _phone(request, bank, authorizing, text, holder)
    return to_result(done, payer=holder.document)


@post("/phone/scan", request_max_body_size=scanning.MOST_BYTES)
async def phone_scans(
    request: Asked, bank: NamedDependency[Bank], authorizing: NamedDependency[Authorizing]
) -> Response[str] | Response[bytes]:
    """Reads the code in a picture and redirects to it.

    A script that looks through the camera gets the text: `{"qrcodeData": …}`, null where the picture shows no code.
    """
    form = await request.form()
    picture, payer = form.get("picture"), str(form.get("payer", ""))
    # In a thread: looking through a large picture takes a tenth of a second, in which others are served.
    text = await asyncio.to_thread(scanning.code_in, await picture.read()) if isinstance(picture, UploadFile) else None
    if request.headers.get("accept", "") == "application/json":
        return answer({"qrcodeData": text})
    if text is None:
        return await _phone(request, bank, authorizing, "", _holder(payer), unseen=True)
    where = "/phone?" + urlencode({"payer": _holder(payer).document, "qrcodeData": text})
    return Response("", status_code=303, headers={"Location": where})


@post("/phone/recurrence/{id_rec:str}")
async def phone_cancels(request: Asked, authorizing: NamedDependency[Authorizing], id_rec: FromPath[str]) -> Response[str]:
    """Cancels an authorization from its page."""
    return to_result(authorizing.cancel(await typed(request), id_rec))


@post("/phone/charge/{end_to_end_id:str}")
async def phone_calls_off(request: Asked, network: NamedDependency[Network], end_to_end_id: FromPath[str]) -> Response[str]:
    """Cancels a charge to come and redirects to its recurrence's page."""
    done = scheduled.cancel(network, await typed(request), end_to_end_id)
    if "idRec" not in done:
        raise not_found()
    return to_result({"idRec": done["idRec"], "code": done.get("code", "")})


@get("/phone/recurrence/{id_rec:str}")
async def phone_recurrence(
    request: Asked,
    network: NamedDependency[Network],
    authorizing: NamedDependency[Authorizing],
    id_rec: FromPath[str],
) -> Response[str]:
    """Shows a recurrence, its payer's decisions, and its charges.

    The link has the payer's bank's reason for refusing, and the phone's owner: nothing else tells of a decision that never
    left that bank.
    """
    code = request.query_params.get("code", "")
    one = authorizing.newest(id_rec)
    payer = one.get("payer", {}).get("document", {}).get("number")
    return page(
        request,
        "recurrence.html",
        one=one,
        refusal=code if code in TEXTS else "",
        charges=scheduled.listed(network, id_rec, RECENT)[::-1],
        holder=_holder(request.query_params.get("payer", "") if payer is None else payer),
    )


@get("/phone/result/{end_to_end_id:str}")
async def phone_result(
    request: Asked,
    bank: NamedDependency[Bank],
    network: NamedDependency[Network],
    authorizing: NamedDependency[Authorizing],
    end_to_end_id: FromPath[str],
) -> Response[str]:
    """Shows a payment's outcome, its authorization, and its dispute.

    A payment that the payer's own bank refused never reached the network: its reason is in the link, like the directory's
    reason for refusing a dispute.
    """
    found = bank.payments(end_to_end_id, 1)
    code, payer = request.query_params.get("code", ""), bank.payer_of(end_to_end_id)
    if not found and code not in TEXTS:
        raise not_found()
    payment = found[0] if found else {"endToEndId": end_to_end_id, "status": "REJECTED", "code": code, "amount": None}
    return page(
        request,
        "result.html",
        payment=payment,
        refusal=code if found and code in TEXTS else "",
        authorized=[one for one in authorizing.listed(None, LOOKED_AT) if one.get("endToEndId") == end_to_end_id],
        dispute=contesting.of_payment(network, end_to_end_id) if found else None,
        situations=contesting.SITUATIONS if payer is not None else (),
        holder=_holder(request.query_params.get("payer", "") if payer is None else payer),
    )


@post("/phone/dispute/{end_to_end_id:str}")
async def phone_contests(request: Asked, network: NamedDependency[Network], end_to_end_id: FromPath[str]) -> Response[str]:
    """Contests a payment from its page, or withdraws that."""
    form = await typed(request, "situationType", "act")
    if form.data.pop("act", "contest") == "withdraw":
        code = await contesting.withdraw(network, end_to_end_id)
    else:
        code = contesting.contest(network, end_to_end_id, form)
    return to_result({"endToEndId": end_to_end_id, "code": code})


@get("/phone/slip/{payment_id:str}")
async def phone_slip(request: Asked, network: NamedDependency[Network], payment_id: FromPath[str]) -> Response[str]:
    """Shows the payment of a slip or a reference. A refused one was never taken: its reason is in the link."""
    found = collected.paid(network, PARTNERS.values(), payment_id)
    code = request.query_params.get("code", "")
    if found is None and code not in TEXTS:
        raise not_found()
    refused = {"paymentId": payment_id, "status": "REJECTED", "code": code, "amount": None}
    return page(request, "slip.html", payment=found or refused, holder=_holder(request.query_params.get("payer", "")))


def _holder(document: str) -> PhoneOwner:
    """Returns the phone's owner by document, or the default payer."""
    return next((payer for payer in payers.ON_THE_PHONE if payer.document == document), payers.DEFAULT)


async def _done(bank: Bank, authorizing: Authorizing, act: str, form: Form) -> dict[str, Any]:
    """Carries out the act of the page's form."""
    if act == "authorize":
        return await authorizing.authorize(form)
    if act == "decline":
        return await authorizing.decline(
            Form({name: form.data[name] for name in ("qrcodeData", "payer") if name in form.data})
        )
    return await bank.pay(form)


async def _phone(
    request: Asked,
    bank: Bank,
    authorizing: Authorizing,
    text: str,
    holder: PhoneOwner | None = None,
    *,
    wrong: bool = False,
    unseen: bool = False,
) -> Response[str]:
    """Shows the app. wrong: invalid fields; unseen: a picture without a code."""
    reading: dict[str, Any] | None = None
    unreadable = False
    if text:
        try:
            reading = await bank.read(Form({"qrcodeData": text}))
        except RefusedError:
            unreadable = True
    network, holder = bank.network, holder or _holder(request.query_params.get("payer", ""))
    mine = [one for one in authorizing.listed(None, LOOKED_AT) if one["payer"]["document"]["number"] == holder.document]
    agreed = {one["idRec"] for one in mine}
    charges = [one for one in scheduled.listed(network, None, LOOKED_AT) if one["idRec"] in agreed]
    return page(
        request,
        "phone.html",
        status=400 if wrong or unseen else 200,
        text=text,
        reading=reading,
        unreadable=unreadable,
        wrong=wrong,
        unseen=unseen,
        holder=holder,
        payers=payers.ON_THE_PHONE,
        statement=statement.movements(network, holder, RECENT),
        authorizations=mine[: -RECENT - 1 : -1],
        charges=charges[: -RECENT - 1 : -1],
        disputes=contesting.of_payer(network, holder, RECENT),
        letters=box.listed(network, None, RECENT),
    )
