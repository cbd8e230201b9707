"""The drill: books of a size are copied while the server works, put back on another folder, and every law is read over them.

The floor is what any copy costs here: the same files copied and flushed by the operating system.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
from bench.figures import Figure, Rounds
from bench.load import asking, filled, template
from bench.orders import InProcess

from lastro.doors.backups import back_up, restore
from lastro_sandbox.embedded.account import Account, programs_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.house import House

    from lastro.doors.settings import Settings

_FIRST = 70_000_000  # of the numbers that no other part gives its orders
_AT_ONCE = 5_000  # copies of an order that one statement makes
_GIGABYTE = 1e9
_BAR_SECONDS, _AIM_SECONDS = 300.0, 60.0  # of one gigabyte put back, its laws read
# An order that was canceled, its two moves, customer, answer and event, once more under other ids and a little later. The
# event names the new order; numbers in the feed are given by lastro itself.
_COPIES = """
SET session_replication_role = replica;
SET synchronous_commit = off;
CREATE TEMPORARY TABLE made AS
  SELECT gen_random_uuid() AS id, gen_random_uuid() AS party, gen_random_uuid() AS event, md5(n::text) AS word,
         make_interval(secs => n / 1000.0) AS later
    FROM generate_series({first}, {last}) n;
INSERT INTO parties SELECT r.* FROM made m, orders o, parties p,
       LATERAL jsonb_populate_record(p, jsonb_build_object('id', m.party)) r
 WHERE o.id = '{order}' AND p.company_id = o.company_id AND p.id = o.customer_id;
INSERT INTO orders SELECT r.* FROM made m, orders o,
       LATERAL jsonb_populate_record(o, jsonb_build_object('id', m.id, 'customer_id', m.party, 'external_id', m.word,
         'txid', left(o.txid, 5) || left(m.word, 30), 'location_token', left(o.location_token, 5) || left(m.word, 17),
         'order_token', left(o.order_token, 5) || left(m.word, 17), 'created_at', o.created_at + m.later,
         'updated_at', o.updated_at + m.later)) r
 WHERE o.id = '{order}';
INSERT INTO history SELECT r.* FROM made m, history h,
       LATERAL jsonb_populate_record(h, jsonb_build_object('reference_id', m.id, 'created_at', h.created_at + m.later)) r
 WHERE h.reference_id = '{order}';
INSERT INTO answers SELECT r.* FROM made m, answers a,
       LATERAL jsonb_populate_record(a, jsonb_build_object('object_id', m.id, 'key', m.word,
         'created_at', a.created_at + m.later)) r
 WHERE a.object_id = '{order}' AND a.operation = 'create_order';
INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)
SELECT e.company_id, m.event, e.type, m.id, e.url,
       convert_to(replace(replace(convert_from(e.body, 'UTF8'), '{order}', m.id::text), o.external_id, m.word), 'UTF8'),
       e.created_at + m.later
  FROM made m, events e, orders o WHERE e.reference_id = '{order}' AND o.id = '{order}';
DROP TABLE made;
"""
_NUMBER = "SELECT number_events('{company}', 100000)"


async def drilled(house: House, size: float) -> list[Figure]:
    """Books of `size` bytes: their backup, and their restore with recovery and laws. RuntimeError: a law is broken."""
    await _fill(house, size)
    folder, back = house.home / "drill", house.home / "drill-back"
    held = sum(file.stat().st_size for file in (house.home / "postgres").rglob("*") if file.is_file())
    floor = await asyncio.to_thread(_timed, lambda: _copied(house.home / "postgres" / "base", house.home / "drill-floor"))
    shutil.rmtree(house.home / "drill-floor")
    said: list[str] = []

    def settled() -> Settings:
        return house.settings

    took = await asyncio.to_thread(_timed, lambda: _lawful(back_up([str(folder)], settled, _programs, said.append), said))
    again = await asyncio.to_thread(
        _timed,
        lambda: _lawful(restore([str(folder), str(back)], settled, _programs, said.append), said),
    )
    note = f"{held / 1e6:,.0f} MB, {await _orders(house):,} orders"
    shutil.rmtree(back)
    shutil.rmtree(folder)
    return [
        Figure("a backup, checked", "s", Rounds((took,)), Rounds((floor,)), at_most=True, digits=1, note=note),
        Figure("its restore, with every law", "s", Rounds((again,)), Rounds((floor,)), at_most=True, digits=1, note=note),
        Figure("a restore of 1 GB", "s", Rounds((again / held * _GIGABYTE,)), None, _BAR_SECONDS, _AIM_SECONDS, at_most=True,
               digits=1, note="of the size above" if held >= _GIGABYTE else "reckoned from less"),
    ]  # fmt: skip


async def _fill(house: House, size: float) -> None:
    payee = house.payees[0]
    app = await InProcess.build(house)
    try:
        if await app.ask(filled(template(payee, house.settings.port), _FIRST)) >= 300:
            raise RuntimeError("the order was refused")
        ((order,),) = await house.as_superuser("SELECT id::text FROM orders ORDER BY created_at DESC LIMIT 1")
        cancel = asking("POST", f"/order/v2/transparent/{order}/cancel", payee, house.settings.port, {})
        if await app.ask(filled(cancel, _FIRST)) >= 300:
            raise RuntimeError("the order was not canceled")
    finally:
        await app.close()
    connection = await asyncpg.connect(house.dsn("postgres"))
    try:
        made = 0
        while await connection.fetchval("SELECT pg_database_size('lastro')") < size:
            await connection.execute(_COPIES.format(order=order, first=made + 1, last=made + _AT_ONCE))
            await connection.execute(_NUMBER.format(company=payee.company_id))
            made += _AT_ONCE
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


async def _orders(house: House) -> int:
    return int((await house.as_superuser("SELECT count(*) FROM orders"))[0][0])


def _lawful(status: int, said: list[str]) -> None:
    if status:
        raise RuntimeError(f"status {status}: {'; '.join(said[-5:])}")


def _programs() -> Path:
    return Path(programs_for(Account.for_data(Path("/nonexistent"))).folder)


def _copied(source: Path, target: Path) -> None:
    # Caches that a server in use makes and drops at any moment; nobody copies them.
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("pg_internal.init*"))
    os.sync()


def _timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began
