"""Addresses to tell of Pix: /webhook/{chave} and /webhook. Source: API Pix 2.9.0, tag Webhook."""

from typing import Any
from urllib.parse import urlsplit

from lastro.standards import pix_keys

from . import customers, paging
from .calls import Answer, Call, Row
from .problems import Violation, invalid, not_found
from .reading import Body, Query

OPERATION, QUERY, UNKNOWN = "WebhookOperacaoInvalida", "WebhookConsultaInvalida", "WebhookNaoEncontrado"
LONGEST_URL = 2000
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def put(call: Call) -> Answer:
    """PUT /webhook/{chave}: the bank will call this base with `/pix` behind it."""
    form = Body.of(call, OPERATION, "webhook")
    form.require("webhookUrl")
    url = form.text("webhookUrl", LONGEST_URL)
    if url is not None and not is_base(url):
        form.refuse("webhookUrl", value=url)
    form.check()
    key = pix_keys.canonical(call.parameters["key"])
    if not customers.has_key(call.network, call.customer, key):
        reason = "O parâmetro {chave} não corresponde a uma chave DICT pertencente a este usuário recebedor."
        raise invalid(OPERATION, Violation(reason, "chave", key))
    now = call.network.clock.business()
    call.network.store.put("bank_webhook", key=key, client_id=call.customer.client_id, url=url, created_at=now)
    return Answer(200)


def one(call: Call) -> Answer:
    """GET /webhook/{chave}."""
    return Answer(200, _shown(_found(call)))


def remove(call: Call) -> Answer:
    """DELETE /webhook/{chave}."""
    call.network.store.run("DELETE FROM bank_webhook WHERE key = ?", _found(call)["key"])
    return Answer(204)


def listed(call: Call) -> Answer:
    """GET /webhook."""
    query = Query(call, QUERY)
    span, page = paging.period(query, required=False), paging.page(query)
    query.check()
    rows = call.network.store.every("bank_webhook", client_id=call.customer.client_id)
    rows = [row for row in rows if span.holds(row["created_at"])]
    asked = paging.parameters(span, page, len(rows))
    return Answer(200, {"parametros": asked, "webhooks": [_shown(row) for row in page.of(rows)]})


def is_base(url: str) -> bool:
    """Tells whether the bank would call this URL: https, or a plain one on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if not host or not url.isascii() or not url.isprintable() or " " in url:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)


def _found(call: Call) -> Row:
    row = call.network.store.find(
        "bank_webhook", key=pix_keys.canonical(call.parameters["key"]), client_id=call.customer.client_id
    )
    if row is None:
        raise not_found(UNKNOWN)
    return row


def _shown(row: Row) -> dict[str, Any]:
    return {"webhookUrl": row["url"], "chave": row["key"], "criacao": paging.printed(row["created_at"])}
