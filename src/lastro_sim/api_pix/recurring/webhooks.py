"""Addresses to tell of recurrences and of their charges: /webhookrec and /webhookcobr. Each customer has one of a kind.

Source: API Pix 2.9.0, tags WebhookRec and WebhookCobR.
"""

from lastro_sim.api_pix import paging
from lastro_sim.api_pix.calls import Answer, Call, Handler, Row
from lastro_sim.api_pix.problems import not_found
from lastro_sim.api_pix.reading import Body
from lastro_sim.api_pix.webhooks import LONGEST_URL, is_base

from .notices import TABLE

_WORDS = {"rec": "WebhookRec", "cobr": "WebhookCobR"}


def put(kind: str) -> Handler:
    """Returns PUT of a kind: the bank will call this base with the kind's path behind it."""

    def handle(call: Call) -> Answer:
        form = Body.of(call, f"{_WORDS[kind]}OperacaoInvalida", f"webhook{kind}")
        form.require("webhookUrl")
        url = form.text("webhookUrl", LONGEST_URL)
        if url is not None and not is_base(url):
            form.refuse("webhookUrl", value=url)
        form.check()
        now, client_id = call.network.clock.business(), call.customer.client_id
        call.network.store.run("DELETE FROM bank_recurrence_webhook WHERE kind = ? AND client_id = ?", kind, client_id)
        call.network.store.insert(TABLE, kind=kind, client_id=client_id, url=url, created_at=now)
        return Answer(200)

    return handle


def one(kind: str) -> Handler:
    """Returns GET of a kind."""

    def handle(call: Call) -> Answer:
        row = _found(call, kind)
        return Answer(200, {"webhookUrl": row["url"], "criacao": paging.printed(row["created_at"])})

    return handle


def remove(kind: str) -> Handler:
    """Returns DELETE of a kind."""

    def handle(call: Call) -> Answer:
        call.network.store.run("DELETE FROM bank_recurrence_webhook WHERE seq = ?", _found(call, kind)["seq"])
        return Answer(204)

    return handle


def _found(call: Call, kind: str) -> Row:
    row = call.network.store.find(TABLE, kind=kind, client_id=call.customer.client_id)
    if row is None:
        raise not_found()
    return row
