"""An account with very many entries: whether a page deep in it and a past balance cost what they do of a young one, and how
fast all of it is had as a file.
"""

from __future__ import annotations

import asyncio
import http.client
import time
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
from bench.figures import Figure, Rounds
from bench.load import closed
from bench.orders import in_turns

from lastro import ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.house import House, Payee

_CONNECTIONS = 4
_DAYS = 300  # from the second of January 2025 on
_IN_A_FILE = 1_000_000  # entries, at most
_SHOWN = 1_000  # of the newest entries, whose orders are there: more than a page has
_AT = "'2025-01-02Z'::timestamptz + n * (interval '{days} days' / {rows})"
_ORDER = "('01941f29-7c00-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"  # in order of time, as ours are
# Straight into the tables, in the order of their keys, and the other indexes made afterwards, of all rows at once. What the
# rows refer to is there; it is not looked up for each. No transfers lie under these entries: nothing measured reads them.
_FILL = """
SET session_replication_role = replica;
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';
INSERT INTO parties (company_id, id, name, document_type, document_number)
SELECT '{company}', gen_random_uuid(), 'Maria ' || n, 'CPF', '12345678909' FROM generate_series(1, 1000) n;
CREATE TEMPORARY TABLE who AS
  SELECT row_number() OVER () - 1 AS place, id FROM parties WHERE company_id = '{company}' LIMIT 1000;
ANALYZE who;
INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, amount_minor,
                    final_amount_minor, description, customer_id, txid, location_token, end_to_end_id, expires_at,
                    created_at, updated_at)
SELECT '{company}', {order}, '{account}', 'paid-' || n, 'TRANSPARENT', 'PIX', 'EXPIRED', 'BRL', 1050, 1050,
       'An order of bread', w.id, 'paid' || n, 'paid' || n, 'E9999901020250131' || lpad(n::text, 15, '0'),
       '2025-01-01Z', '2025-01-01Z'::timestamptz + n * interval '1 second', '2025-01-01Z'
  FROM (SELECT n FROM generate_series(1, {in_a_file}) n
         UNION ALL SELECT n FROM generate_series(greatest({in_a_file}, {rows} - {shown}) + 1, {rows}) n) paid
  JOIN who w ON w.place = n % 1000;
INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id, amount_minor,
                     balance_minor, held_minor)
SELECT '{company}', '{ledger}', CASE WHEN n % 3 = 0 THEN -1 ELSE 1 END, {at}, n, {order},
       CASE WHEN n % 3 = 0 THEN 'PIX_REFUND' ELSE 'PIX_IN' END, {order}, 1050, 1050::bigint * (n - 2 * (n / 3)), 0
  FROM generate_series(1, {rows}) n;
INSERT INTO entries (company_id, ledger_account_id, side, created_at, number, transfer_id, type, reference_id, amount_minor,
                     balance_minor, held_minor)
SELECT '{company}', '{young}', 1, '2025-01-02Z'::timestamptz + n * interval '1 day', n, gen_random_uuid(), 'PIX_IN',
       gen_random_uuid(), 1050, 1050::bigint * n, 0 FROM generate_series(1, 50) n;
INSERT INTO entry_cursors (company_id, entered_until, proven_until) VALUES ('{company}', now(), now())
    ON CONFLICT (company_id) DO UPDATE SET entered_until = now(), proven_until = now()
"""
_LATER = """
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS made
  FROM pg_index WHERE indrelid = 'orders'::regclass AND NOT indisprimary
"""
_FLOOR = """
SELECT created_at, transfer_id, side, type, amount_minor, balance_minor FROM entries
 WHERE company_id = '{company}' AND ledger_account_id = '{ledger}' AND side IN (1, -1) AND created_at < '{end}'::date + 1
 ORDER BY created_at
"""


async def measured(house: House, rounds: int, seconds: float, rows: int) -> list[Figure]:
    """The page after so many entries, a past balance, and the file of them all."""
    payee = house.payees[0]
    own = ledger.customer(payee.company_id, payee.account_id, "BRL").id
    young = next(p for p in house.payees if p.company_id == payee.company_id and p.account_id != payee.account_id)
    other = ledger.customer(payee.company_id, young.account_id, "BRL").id
    in_a_file = min(rows, _IN_A_FILE)
    end = date(2025, 1, 1) + timedelta(days=_DAYS * in_a_file // rows)
    names = {
        "young": other, "company": payee.company_id, "account": payee.account_id, "ledger": own, "rows": rows, "end": end,
        "in_a_file": in_a_file, "shown": _SHOWN, "order": _ORDER,
    }  # fmt: skip
    await _filled(house, _FILL.format(at=_AT.format(days=_DAYS, rows=rows), **names))
    async with house.api() as api:
        port = house.settings.port
        list_ = f"/order/v1/banking/accounts/{payee.account_id}/statements?limit=20"
        past = "/order/v2/account/balance?asOf=2025-02-01T00:00:00Z&accountId="
        deep = f"{list_}&cursor=2025-01-02T12:00:00.000000Z"
        pages = _asking(payee, port, list_), _asking(payee, port, deep)
        balances = tuple(_asking(payee, port, past + str(one.account_id)) for one in (young, payee))
        figures = [
            await _beside(house, rounds, seconds, f"a page after {rows:,} entries, by page one", 1.2, *pages),
            await _beside(house, rounds, seconds, f"a past balance of {rows:,} entries, by that of 50", 1.2, *balances),
        ]
        return [*figures, *await _file(house, api.pid, payee, rounds, end, _FLOOR.format(**names))]


async def _filled(house: House, fill: str) -> None:
    connection = await asyncpg.connect(house.dsn("postgres"))
    try:
        later = await connection.fetch(_LATER)
        for index in later:
            await connection.execute(f"DROP INDEX {index['name']}")
        for statement in fill.split(";"):
            await connection.execute(statement, timeout=3600)
        for index in later:
            await connection.execute(index["made"], timeout=3600)
        for table in ("orders", "entries", "parties"):
            await connection.execute(f"VACUUM ANALYZE {table}", timeout=3600)
    finally:
        await connection.close()


async def _beside(house: House, rounds: int, seconds: float, what: str, bar: float, first: str, second: str) -> Figure:
    """What the second request takes by what the first does, in turns."""
    ways: dict[str, Callable[[], Any]] = {
        "first": partial(_rate, house, first, seconds), "second": partial(_rate, house, second, seconds),
    }  # fmt: skip
    rates = await in_turns(house, ways, rounds + 1)
    times = tuple(f / s for f, s in zip(rates["first"], rates["second"], strict=True))
    note = f"the first {sorted(rates['first'])[len(times) // 2]:,.0f}/s"
    return Figure(what, "x", Rounds(times), None, bar, 1.05, at_most=True, digits=2, note=note)


async def _file(house: House, pid: int, payee: Payee, rounds: int, end: date, floor: str) -> list[Figure]:
    """Lines of a CSV a second, beside the server's own printing of the bare entries; and the memory it took."""
    before, speeds, floors = _most_resident(pid), [], []
    path = f"/order/v1/banking/accounts/{payee.account_id}/statements?format=csv&startDate=2025-01-01&endDate={end}"
    for _ in range(rounds):
        speeds.append(await asyncio.to_thread(_lines_a_second, house.settings.port, payee.token, path))
        floors.append(await _printed(house, floor))
    grown = (_most_resident(pid) - before) / 1e6
    note = f"the server prints bare entries at {sorted(floors)[len(floors) // 2]:,.0f} lines/s"
    return [
        Figure("a statement as CSV", "lines/s", Rounds(tuple(speeds)), None, 50_000, 60_000, note=note),
        Figure("memory a statement as CSV takes", "MB", Rounds((grown,)), None, 100, 30, at_most=True, digits=1),
    ]


def _lines_a_second(port: int, token: str, path: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    begun = time.perf_counter()
    connection.request("GET", path, headers={"authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    lines, last = 0, b""
    while part := answer.read(1 << 20):
        lines, last = lines + part.count(b"\n"), part
    if answer.status != http.HTTPStatus.OK or b"CLOSING_BALANCE" not in last[-300:]:
        raise RuntimeError(f"the file was answered with {answer.status} and ends with {last[-100:]!r}")
    return lines / (time.perf_counter() - begun)


async def _printed(house: House, sql: str) -> float:
    lines = 0

    async def count(part: bytes) -> None:
        nonlocal lines
        lines += part.count(b"\n")

    connection = await asyncpg.connect(house.dsn("postgres"))
    begun = time.perf_counter()
    try:
        await connection.copy_from_query(sql, output=count, format="csv")
    finally:
        await connection.close()
    return lines / (time.perf_counter() - begun)


def _most_resident(pid: int) -> int:
    """The most that a process has held in memory so far, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def _asking(payee: Payee, port: int, target: str) -> str:
    return f"GET {target} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {payee.token}\r\n\r\n"


async def _rate(house: House, text: str, seconds: float) -> float:
    seen = await closed(house.home, house.settings.port, [text], _CONNECTIONS, seconds)
    if seen.others:
        raise RuntimeError(f"{seen.others} of {seen.answered} answers were not as meant")
    return seen.rate
