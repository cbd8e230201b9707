"""Pages for people: one template each, in the reader's language, under a strict CSP."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
from litestar import Response

from lastro.standards.legible import as_shown
from lastro_sim.answers import Asked
from lastro_sim.forms import Form
from lastro_sim.texts import Speech, spoken

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
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    finalize=as_shown,
    trim_blocks=True,
    lstrip_blocks=True,
)
_BRASILIA_BEHIND_UTC = timedelta(hours=3)


def page(request: Asked, template: str, status: int = 200, **values: Any) -> Response[str]:
    """Renders a page. values: for its template, beside the reader's texts."""
    say: Speech = spoken(request.headers.get("accept-language", ""))
    html = TEMPLATES.get_template(template).render(say=say, day=_day, date=_date, pretty=_pretty, **values)
    return Response(html, status_code=status, media_type="text/html; charset=utf-8", headers=HEADERS)


def _pretty(body: object) -> str:
    """Formats a delivered body for people."""
    return body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)


def _day(printed: str) -> str:
    """Formats an instant for people in Brasilia."""
    return (datetime.fromisoformat(printed) - _BRASILIA_BEHIND_UTC).strftime("%d/%m/%Y %H:%M:%S")


def _date(printed: str) -> str:
    """Formats a civil day as Brazilians write it."""
    return "/".join(reversed(printed.split("-")))


async def typed(request: Asked, *names: str) -> Form:
    """Reads the filled-in fields of a page's form."""
    data = await request.form()
    given = {name: str(data.get(name, "")).strip() for name in names}
    for name in given.keys() & {"amount", "maximumAmount"}:
        given[name] = _typed_amount(given[name])
    return Form({name: value for name, value in given.items() if value})


def _typed_amount(text: str) -> str:
    """Converts `1.234,50` as Brazilians type it; other text stays. It is then judged like any amount."""
    return text.replace(".", "").replace(",", ".") if "," in text else text


def to_result(done: dict[str, Any], **more: str) -> Response[str]:
    """Redirects to the result of a recurrence, a slip, or a payment. more: further parameters of the link."""
    if "paymentId" in done:
        place = f"/phone/slip/{done['paymentId']}"
    else:
        place = f"/phone/recurrence/{done['idRec']}" if "idRec" in done else f"/phone/result/{done['endToEndId']}"
    where = f"{place}?" + urlencode({"code": done.get("code", ""), **more})
    return Response("", status_code=303, headers={"Location": where})
