"""One day of the clock over many accepted subscriptions, of which a few are to be charged: what is due is what it costs.

Measured is a whole installation at work: until every charge is made, with its order, its events and its instruction in the
outbox, while the same worker sends, hears the network and delivers, and the same machine plays network and receiver.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import aiohttp
import asyncpg
from bench.figures import Figure, Rounds
from bench.receiver import receiver

if TYPE_CHECKING:
    from bench.house import House

_PATIENCE_SECONDS = 300.0
_LOOK_SECONDS = 0.05
_PEOPLE = """
INSERT INTO parties (company_id, id, name, document_type, document_number, bank)
SELECT company_id, gen_random_uuid(), 'Assinante', 'CPF', '12345678909',
       '{"ispb": "99999020", "branch": "0001", "account": "123456"}' FROM companies WHERE number > 0
"""
# Of all accounts in turn: so many that are to be charged tomorrow, and others on each of the four weeks after that.
_FILL = """
INSERT INTO subscriptions (company_id, id, account_id, external_id, provider_id, type, status, frequency, starts_on,
                           currency, fixed_minor, charges_after_due, adjusts, auto_schedule, webhook_url, debtor_id,
                           payer_id, location_token, lapses_at, accepted_at, charge_at, created_at, updated_at)
SELECT a.company_id, gen_random_uuid(), a.id, 'many-' || n,
       'RR' || '99999010' || '20260101' || base62(c.number, 5) || lpad(n::text, 6, '0'),
       'AUTHORIZATION_QRCODE', 'ACCEPTED', 'MONTHLY', day + 9, 'BRL', 2990, true, false, true,
       $4, p.id, p.id, 'many' || n, business_now(), business_now(),
       day::timestamp AT TIME ZONE 'America/Sao_Paulo', business_now() + n * interval '1 us', business_now()
  FROM generate_series($1::integer, $2) n
  JOIN (SELECT row_number() OVER (ORDER BY a.id) - 1 AS place, count(*) OVER () AS all_of_them, a.* FROM accounts a) a
    ON a.place = n % a.all_of_them
  JOIN companies c ON c.company_id = a.company_id
 CROSS JOIN LATERAL (SELECT id FROM parties WHERE company_id = a.company_id AND name = 'Assinante' LIMIT 1) p
 CROSS JOIN LATERAL (SELECT (business_now() AT TIME ZONE 'America/Sao_Paulo')::date + 1
                            + CASE WHEN n < $1 + $3 THEN 0 ELSE 2 + n % 27 END AS day) d
"""
_PLANNED = "SELECT count(*) FROM subscription_payments"


async def planned(house: House, many: int, due: int) -> list[Figure]:
    """Seconds in which a day's `due` charges are made, of so many subscriptions; and by those of a tenth of them."""
    admin = await asyncpg.connect(house.dsn("postgres"))
    try:
        await admin.execute(_PEOPLE)
        async with receiver() as shop, house.api(), house.process("worker", "lastro.cli.main", "worker"):
            (url,) = await shop.listen()
            few = await _a_day(house, admin, url, 1, many // 10, due)
            all_of_them = await _a_day(house, admin, url, many // 10 + 1, many, due)
    finally:
        await admin.close()
    what = f"a day's {due:,} charges of {many:,} subscriptions made"
    pace = f"{due / all_of_them:.0f} a second"
    return [
        Figure(what, "s", Rounds((all_of_them,)), None, 60, at_most=True, digits=1, note=pace),
        Figure(
            "the same, by that of a tenth of the subscriptions", "x", Rounds((all_of_them / few,)), None, 1.3, at_most=True,
            digits=2, note=f"a tenth took {few:.1f} s",
        ),
    ]  # fmt: skip


async def _a_day(house: House, admin: asyncpg.Connection, url: str, first: int, last: int, due: int) -> float:
    """Adds subscriptions, lets a day pass, and returns how long their charges took."""
    await admin.execute(_FILL, first, last, due, url)
    await admin.execute("VACUUM ANALYZE subscriptions")
    await admin.execute("CHECKPOINT")
    wanted = await admin.fetchval(_PLANNED) + due
    clock = f"http://127.0.0.1:{house.settings.port}/sandbox/clock"
    started = time.monotonic()
    async with aiohttp.ClientSession(trust_env=False) as http:
        asking = asyncio.ensure_future(_step(http, clock))
        while (made := await admin.fetchval(_PLANNED)) < wanted:
            if time.monotonic() - started > _PATIENCE_SECONDS:
                raise RuntimeError(f"{made} of {wanted} charges were made in time")
            await asyncio.sleep(_LOOK_SECONDS)
        took = time.monotonic() - started
        await asking
        await _at_rest(http, clock)
    return took


async def _step(http: aiohttp.ClientSession, url: str) -> None:
    async with http.put(url, json={"advance": "P1D"}) as answer:
        answer.raise_for_status()


async def _at_rest(http: aiohttp.ClientSession, url: str) -> None:
    """Returns when nothing of the day is left to do, so that the next one is measured alone."""
    while True:
        async with http.get(url) as answer:
            if (await answer.json())["pending"] == 0:
                return
        await asyncio.sleep(_LOOK_SECONDS)
