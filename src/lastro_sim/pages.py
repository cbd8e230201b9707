"""Pages for people: the phone, the receiver's bank, the merchant, an index. They need no script and suit a real phone."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from .answers import Asked
from .bank import payers, scheduled
from .bank.acts import Bank
from .bank.authorizing import Authorizing
from .boleto import phone as slip
from .cash.partner import PARTNERS as CASH
from .collecting import items
from .collecting import phone as collected
from .crypto import app as crypto
from .crypto.partner import at as crypto_at
from .crypto.partner import whose as whose_crypto
from .forms import Form
from .merchant import receiver
from .messages import box
from .network import Network
from .outside.acts import OutsideBank
from .partners import PARTNERS
from .refusals import RefusedError, not_found
from .texts import TEXTS, Speech, spoken

HERE = Path(__file__).parent
FILES = {
    "sim.css": "text/css; charset=utf-8",
    "phone.js": "text/javascript; charset=utf-8",
    "merchant.js": "text/javascript; charset=utf-8",
}
CONTENT = {name: (HERE / "static" / name).read_bytes() for name in FILES}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: a browser then says "Origin: null" when the page's own form is sent, and the guard refuses it.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "Accept-Language",
}
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(HERE / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
)
RECENT = 12
BRASILIA_BEHIND_UTC = timedelta(hours=3)
DELIVERIES_SHOWN = 50


@get("/")
async def index(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """What there is."""
    return _page(request, "index.html", lastro_url=network.settings.lastro_url)


@get("/static/{name:str}")
async def static_file(name: FromPath[str]) -> Response[bytes]:
    """A style sheet or script of ours."""
    if name not in FILES:
        raise not_found()
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "max-age=60"}
    return Response(CONTENT[name], media_type=FILES[name], headers=headers)


@get("/phone")
async def phone(request: Asked, bank: NamedDependency[Bank], authorizing: NamedDependency[Authorizing]) -> Response[str]:
    """Read a code and see what it asks, or the empty phone."""
    text = request.query_params.get("qrcodeData", "").strip()
    return await _phone(request, bank, authorizing, text)


@post("/phone")
async def phone_acts(
    request: Asked, bank: NamedDependency[Bank], authorizing: NamedDependency[Authorizing]
) -> Response[str]:
    """Pay, authorize or decline from the page's form, then go to the result, so that a reload does nothing again."""
    form = await _form(request, "qrcodeData", "amount", "maximumAmount", "payer", "act")
    act = form.data.pop("act", "pay")
    try:
        done = await _done(bank, authorizing, act, form)
    except RefusedError:
        return await _phone(request, bank, authorizing, form.data.get("qrcodeData", ""), wrong=True)
    if not done.keys() & {"idRec", "endToEndId", "paymentId"}:
        # Nothing can be read there any more; the page says why.
        return await _phone(request, bank, authorizing, form.data.get("qrcodeData", ""))
    return _to_result(done)


@post("/phone/recurrence/{id_rec:str}")
async def phone_cancels(request: Asked, authorizing: NamedDependency[Authorizing], id_rec: FromPath[str]) -> Response[str]:
    """Take an authorization back from its page."""
    return _to_result(authorizing.cancel(await _form(request), id_rec))


@post("/phone/charge/{end_to_end_id:str}")
async def phone_calls_off(request: Asked, network: NamedDependency[Network], end_to_end_id: FromPath[str]) -> Response[str]:
    """Call off a charge to come from its recurrence's page, which then says how that ended."""
    done = scheduled.cancel(network, await _form(request), end_to_end_id)
    if "idRec" not in done:
        raise not_found()
    return _to_result({"idRec": done["idRec"], "code": done.get("code", "")})


@get("/phone/recurrence/{id_rec:str}")
async def phone_recurrence(
    request: Asked,
    network: NamedDependency[Network],
    authorizing: NamedDependency[Authorizing],
    id_rec: FromPath[str],
) -> Response[str]:
    """A recurrence, what its payer has said of it, and its charges. Why his own bank refused is in the link."""
    code = request.query_params.get("code", "")
    return _page(
        request,
        "recurrence.html",
        one=authorizing.newest(id_rec),
        refusal=code if code in TEXTS else "",
        charges=scheduled.listed(network, id_rec, RECENT)[::-1],
    )


@get("/phone/result/{end_to_end_id:str}")
async def phone_result(request: Asked, bank: NamedDependency[Bank], end_to_end_id: FromPath[str]) -> Response[str]:
    """How a payment ended. One that the payer's own bank refused never reached the network: its reason is in the link."""
    found = bank.payments(end_to_end_id, 1)
    code = request.query_params.get("code", "")
    if not found and code not in TEXTS:
        raise not_found()
    payment = found[0] if found else {"endToEndId": end_to_end_id, "status": "REJECTED", "code": code, "amount": None}
    return _page(request, "result.html", payment=payment)


@get("/phone/slip/{payment_id:str}")
async def phone_slip(request: Asked, network: NamedDependency[Network], payment_id: FromPath[str]) -> Response[str]:
    """How the payment of a slip or a reference stands. One that was refused was never taken: its reason is in the link."""
    found = slip.paid(network, payment_id) or collected.paid(network, PARTNERS.values(), payment_id)
    code = request.query_params.get("code", "")
    if found is None and code not in TEXTS:
        raise not_found()
    refused = {"paymentId": payment_id, "status": "REJECTED", "code": code, "amount": None}
    return _page(request, "slip.html", payment=found or refused)


@get(crypto_at("/crypto/app/{reference:str}"))
async def crypto_app(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[str]:
    """What an app shows of a quote: what is given for what, until when."""
    path = request.url.path
    quote = crypto.shown(network, whose_crypto(path), reference)
    return _page(request, "crypto.html", quote=quote, path=path, payers=payers.ON_THE_PHONE)


@post(crypto_at("/crypto/app/{reference:str}"))
async def crypto_app_acts(request: Asked, network: NamedDependency[Network], reference: FromPath[str]) -> Response[str]:
    """Pay from the app's page, or decline, after which nobody can pay it."""
    form = await _form(request, "payer", "act")
    if form.data.pop("act", "pay") == "decline":
        crypto.decline(network, whose_crypto(request.url.path), reference)
        return Response("", status_code=303, headers={"Location": request.url.path})
    return _to_result(crypto.pay(network, whose_crypto(request.url.path), reference, form))


@get([f"/{partner.name}" for partner in CASH])
async def till(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """A network of tills: the vouchers that are registered there, newest first, each of which leads to being paid."""
    partner = PARTNERS[request.url.path.strip("/")]
    rows = items.listed(network, partner, RECENT)[::-1]
    vouchers = [collected.read(network, partner, row) for row in rows]
    return _page(request, "till.html", till=partner.kind, vouchers=vouchers)


@get("/merchant")
async def merchant(request: Asked, network: NamedDependency[Network]) -> Response[str]:
    """What the merchant's receiver was sent, newest first."""
    deliveries = receiver.listed(network, None, None)[: -DELIVERIES_SHOWN - 1 : -1]
    address = f"http://{request.headers['host']}/merchant/webhooks/shop"
    return _page(request, "merchant.html", deliveries=deliveries, address=address)


@get("/receiver")
async def receivers_bank(
    request: Asked, bank: NamedDependency[Bank], outside: NamedDependency[OutsideBank]
) -> Response[str]:
    """The outside bank: its charges to be paid, and what was received."""
    return _receivers_bank(request, bank, outside)


@post("/receiver/charges")
async def receiver_charges(
    request: Asked, bank: NamedDependency[Bank], outside: NamedDependency[OutsideBank]
) -> Response[str]:
    """Make a charge from the page's form."""
    form = await _form(request, "amount", "description")
    try:
        outside.issue(form)
    except RefusedError:
        return _receivers_bank(request, bank, outside, wrong=True)
    return Response("", status_code=303, headers={"Location": "/receiver"})


@post("/receiver/returns")
async def receiver_returns(
    request: Asked, bank: NamedDependency[Bank], outside: NamedDependency[OutsideBank]
) -> Response[str]:
    """Give back from the page's form. A refusal of the network stands among the returns."""
    form = await _form(request, "amount", "endToEndId")
    try:
        bank.give_back(form)
    except RefusedError:
        return _receivers_bank(request, bank, outside, wrong=True)
    return Response("", status_code=303, headers={"Location": "/receiver"})


ROUTES: tuple[HTTPRouteHandler, ...] = (
    index,
    static_file,
    phone,
    phone_acts,
    phone_cancels,
    phone_calls_off,
    phone_recurrence,
    phone_result,
    phone_slip,
    crypto_app,
    crypto_app_acts,
    till,
    merchant,
    receivers_bank,
    receiver_charges,
    receiver_returns,
)


def _receivers_bank(request: Asked, bank: Bank, outside: OutsideBank, *, wrong: bool = False) -> Response[str]:
    return _page(
        request,
        "receiver.html",
        status=400 if wrong else 200,
        charges=outside.charges(None, RECENT)[::-1],
        received=bank.received(RECENT),
        wrong=wrong,
    )


async def _form(request: Asked, *names: str) -> Form:
    """The fields of a page's form that were filled in."""
    data = await request.form()
    given = {name: str(data.get(name, "")).strip() for name in names}
    for name in given.keys() & {"amount", "maximumAmount"}:
        given[name] = _typed_amount(given[name])
    return Form({name: value for name, value in given.items() if value})


async def _done(bank: Bank, authorizing: Authorizing, act: str, form: Form) -> dict[str, Any]:
    """What became of what the page's form asks for."""
    if act == "authorize":
        return await authorizing.authorize(form)
    if act == "decline":
        return await authorizing.decline(
            Form({name: form.data[name] for name in ("qrcodeData", "payer") if name in form.data})
        )
    return await bank.pay(form)


def _to_result(done: dict[str, Any]) -> Response[str]:
    """The page that shows how it ended: of a recurrence, of a slip, or of a payment."""
    if "paymentId" in done:
        place = f"/phone/slip/{done['paymentId']}"
    else:
        place = f"/phone/recurrence/{done['idRec']}" if "idRec" in done else f"/phone/result/{done['endToEndId']}"
    where = f"{place}?" + urlencode({"code": done.get("code", "")})
    return Response("", status_code=303, headers={"Location": where})


async def _phone(request: Asked, bank: Bank, authorizing: Authorizing, text: str, *, wrong: bool = False) -> Response[str]:
    reading: dict[str, Any] | None = None
    unreadable = False
    if text:
        try:
            reading = await bank.read(Form({"qrcodeData": text}))
        except RefusedError:
            unreadable = True
    return _page(
        request,
        "phone.html",
        status=400 if wrong else 200,
        text=text,
        reading=reading,
        unreadable=unreadable,
        wrong=wrong,
        payers=payers.ON_THE_PHONE,
        recent=bank.payments(None, RECENT)[::-1],
        slips=slip.recent(bank.network, RECENT)[::-1],
        items=collected.recent(bank.network, PARTNERS.values(), RECENT)[::-1],
        authorizations=authorizing.listed(None, RECENT)[::-1],
        charges=scheduled.listed(bank.network, None, RECENT)[::-1],
        letters=box.listed(bank.network, None, RECENT),
    )


def _typed_amount(text: str) -> str:
    """`1.234,50` as Brazilians type it; anything else stays as it is and is judged like any amount."""
    return text.replace(".", "").replace(",", ".") if "," in text else text


def _page(request: Asked, template: str, status: int = 200, **values: Any) -> Response[str]:
    say: Speech = spoken(request.headers.get("accept-language", ""))
    html = TEMPLATES.get_template(template).render(say=say, day=_day, date=_date, pretty=_pretty, **values)
    return Response(html, status_code=status, media_type="text/html; charset=utf-8", headers=HEADERS)


def _pretty(body: object) -> str:
    """A delivered body as people read it."""
    return body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)


def _day(printed: str) -> str:
    """A moment of an answer as people in Brasilia read it."""
    return (datetime.fromisoformat(printed) - BRASILIA_BEHIND_UTC).strftime("%d/%m/%Y %H:%M:%S")


def _date(printed: str) -> str:
    """A civil day as Brazilians write it."""
    return "/".join(reversed(printed.split("-")))
