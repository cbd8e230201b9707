"""Whether a page deep in a list costs what the first one does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, Rounds
from bench.load import closed
from bench.orders import in_turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.house import House, Payee

_ROWS = 1_000_000
_CONNECTIONS = 4
# Orders of every status and of many codes, a second apart, long ago.
FILL = """
INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, amount_minor,
                    final_amount_minor, description, txid, location_token, expires_at, created_at, updated_at)
SELECT '{company}', gen_random_uuid(), '{account}', 'deep-' || n, 'TRANSPARENT', 'PIX',
       CASE n % 3 WHEN 0 THEN 'EXPIRED' WHEN 1 THEN 'CANCELED' ELSE 'ERROR' END, 'BRL', 1000 + n % 999, 1000 + n % 999,
       'An order', 'deep' || n, 'deep' || n, '2020-01-01Z'::timestamptz + n * interval '1 second',
       '2020-01-01Z'::timestamptz + n * interval '1 second', '2020-01-01Z'::timestamptz + n * interval '1 second'
  FROM generate_series(1, {rows}) n
"""

# Subscriptions that nobody authorized, of the same instants.
_FILL_SUBSCRIPTIONS = """
INSERT INTO subscriptions (company_id, id, account_id, external_id, provider_id, type, status, frequency, starts_on,
                           currency, charges_after_due, adjusts, auto_schedule, webhook_url, debtor_id, location_token,
                           lapses_at, created_at, updated_at)
SELECT '{company}', gen_random_uuid(), '{account}', 'deep-' || n, 'deep' || n, 'AUTHORIZATION_QRCODE',
       CASE n % 3 WHEN 0 THEN 'REJECTED' WHEN 1 THEN 'CANCELED' ELSE 'ERROR' END, 'MONTHLY', '2020-02-01', 'BRL',
       true, true, false, 'https://shop.example.com/hook', (SELECT id FROM parties WHERE company_id = '{company}' LIMIT 1),
       'deep' || n, '2020-01-01Z', '2020-01-01Z'::timestamptz + n * interval '1 second',
       '2020-01-01Z'::timestamptz + n * interval '1 second'
  FROM generate_series(1, {rows}) n
"""
_DEBTOR = """
INSERT INTO parties (company_id, id, name, document_type, document_number)
SELECT '{company}', gen_random_uuid(), 'Maria', 'CPF', '12345678909'
"""


async def pages(house: House, rounds: int, seconds: float, rows: int = _ROWS) -> list[Figure]:
    """Time of a page of 20 after so many rows, by that of the first page; the same with a filter."""
    payee = house.payees[0]
    for fill in (FILL, _DEBTOR, _FILL_SUBSCRIPTIONS):
        await house.as_superuser(fill.format(company=payee.company_id, account=payee.account_id, rows=rows))
    await house.as_superuser("VACUUM ANALYZE orders, subscriptions")
    # The cursor of somebody who has read so many rows, newest first.
    deep = "2020-01-01T00:00:30.000000Z"
    figures = []
    async with house.api():
        for name, path, filters in (
            ("orders", "/order/v2/transparent", ""),
            ("orders of a status", "/order/v2/transparent", "&status=EXPIRED"),
            ("subscriptions", "/order/v1/banking/subscriptions", ""),
            ("subscriptions of a status", "/order/v1/banking/subscriptions", "&status=CANCELED"),
        ):
            queries = (f"limit=20{filters}{at}" for at in ("", f"&cursor={deep}"))
            first, last = (page_request(payee, house.settings.port, f"{path}?{query}") for query in queries)
            ways: dict[str, Callable[[], Any]] = {
                "first": partial(_rate, house, first, seconds),
                "last": partial(_rate, house, last, seconds),
            }
            rates = await in_turns(house, ways, rounds + 1)
            times = [f / d for f, d in zip(rates["first"], rates["last"], strict=True)]
            note = f"page one {sorted(rates['first'])[len(times) // 2]:,.0f}/s"
            what = f"a page of {name} after {rows:,} rows, by page one"
            figures.append(Figure(what, "x", Rounds(tuple(times)), None, 1.3, 1.1, at_most=True, digits=2, note=note))
    return figures


def page_request(payee: Payee, port: int, target: str) -> str:
    """One request for a page."""
    return f"GET {target} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {payee.token}\r\n\r\n"


async def _rate(house: House, text: str, seconds: float) -> float:
    seen = await closed(house.home, house.settings.port, [text], _CONNECTIONS, seconds)
    if seen.others:
        raise RuntimeError(f"{seen.others} pages were refused")
    return seen.rate
