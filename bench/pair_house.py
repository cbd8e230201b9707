"""Lays the house of one commit, for `bench.pair`: run by its path, with that commit's own code on PYTHONPATH.

It prints where the house is as a line of JSON, and new tokens for each line that it reads. At the input's end it leaves.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from bench.house import house
from bench.payouts import enrich

if TYPE_CHECKING:
    from bench.house import House


async def main() -> None:
    """The simulated network, the API and the worker run until the input ends."""
    async with house() as laid:
        await enrich(laid)
        async with laid.api() as api, laid.process("worker", "lastro.cli.main", "worker") as worker:
            database = laid.server.pid
            pids = {"PostgreSQL": database, "worker": worker.pid, "network": laid.simulator.pid, "API": api.pid}
            settings = laid.settings
            where = {"port": settings.port, "sim_port": settings.sim_port, "dsn": laid.dsn("postgres"), "pids": pids}
            _say({"home": str(laid.home), **where, "payees": _payees(laid)})
            while await asyncio.to_thread(sys.stdin.readline):
                await asyncio.to_thread(laid.sign_in)
                _say(_payees(laid))


def _payees(laid: House) -> list[dict[str, Any]]:
    return [
        {"company_id": str(p.company_id), "account_id": str(p.account_id), "client": dict(p.client), "token": p.token}
        for p in laid.payees
    ]


def _say(told: object) -> None:
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
