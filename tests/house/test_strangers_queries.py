"""What a query names of another company is as what never was: the same bytes, and nothing of it."""

import secrets
from dataclasses import replace
from uuid import uuid4

import pytest

from .examples import EXAMPLES
from .strangers import Town
from .test_strangers import ROUTES, asked

# What names an object in a query, and Ana's own, as the database has it. What only filters by words is not here.
_HERS = {
    "accountId": "SELECT id::text FROM accounts WHERE company_id = $1 ORDER BY created_at LIMIT 1",
    "orderId": "SELECT order_id::text FROM refunds WHERE company_id = $1 AND order_id IS NOT NULL LIMIT 1",
    "staticQrcodeId": "SELECT id::text FROM pix_static_qrcodes WHERE company_id = $1 LIMIT 1",
    "referenceId": "SELECT reference_id::text FROM events WHERE company_id = $1 ORDER BY id LIMIT 1",
    "endToEndId": "SELECT end_to_end_id FROM payouts WHERE company_id = $1 AND end_to_end_id IS NOT NULL LIMIT 1",
    "externalId": "SELECT external_id FROM {} WHERE company_id = $1 AND external_id IS NOT NULL LIMIT 1",
}
_TABLES = {
    "find_order_payin": "orders", "read_order_payin": "orders", "list_orders": "orders", "list_payouts": "payouts", "list_refunds": "refunds",
    "list_subscriptions": "subscriptions", "list_subscription_payments": "subscription_payments",
}  # fmt: skip
# No order of the town was paid by a static code, and its events are none of those that a list shows by itself.
_EMPTY = {("list_orders", "staticQrcodeId"), ("list_webhook_events", "referenceId")}
_NAMING = [(r.operation, q.name) for r in ROUTES.values() for q in r.queries if q.name in _HERS]
# Words, numbers, days and places of pages: they name no object.
_WORDS = {
    "status", "paymentMethod", "limit", "cursor", "sort", "from", "to", "ispb", "bankNumber", "name", "method", "event", "url",
    "after", "wait", "key", "holderType", "document", "email", "fullName", "currency", "asOf", "startDate", "endDate", "operation",
    "mergeBatch", "onlyPending", "role", "format", "excel", "page", "accountType",
    "connection",
}  # fmt: skip


def test_every_query_is_known_to_name_something_or_not() -> None:
    assert {q.name for r in ROUTES.values() for q in r.queries} == _HERS.keys() | _WORDS


@pytest.mark.parametrize(("operation", "name"), _NAMING)
async def test_what_a_query_names_of_another_company_is_not_there(town: Town, operation: str, name: str) -> None:
    route, before = ROUTES[operation], await town.written()
    hers = await town.admin.fetchval(_HERS[name].format(_TABLES.get(operation)), town.ana.company_id)
    assert hers is not None, "Ana has none: this test would say nothing"
    never = str(uuid4()) if name != "endToEndId" else hers[:-11] + secrets.token_hex(6)[:11]
    ask = asked(town, route)
    if EXAMPLES[operation].kind is not None:  # below an account of her own
        own = await town.admin.fetchval("SELECT id::text FROM accounts WHERE company_id = $1 LIMIT 1", town.dora.company_id)
        ask = replace(ask, path={**ask.path, "accountId": own})
    token = town.token(town.dora)
    answers = [await town.send(route, replace(ask, query={**ask.query, name: one}), token) for one in (hers, never)]
    assert answers[0].status_code == answers[1].status_code
    assert answers[0].text.replace(hers, never) == answers[1].text
    assert answers[0].status_code in {200, 400, 404}
    assert not [one for one in town.objects.values() if one in answers[0].text and one != hers]
    assert await town.written() == before
    own = await town.send(route, replace(asked(town, route), query={**ask.query, name: hers}), town.token(town.ana))
    assert (own.text.replace(hers, never) != answers[1].text) is ((operation, name) not in _EMPTY), own.text
