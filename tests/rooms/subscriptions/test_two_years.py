"""Two years of random subscriptions, payers and faults, over which the same things are true whatever happens.

LASTRO_YEARS_SEED plays the choices of one walk again, LASTRO_YEARS=n walks n times.
"""

import os
import secrets
import sys
from datetime import datetime, timedelta

import pytest
from tests.databases import Database
from tests.laws import breaches, connected

from .years.judged import every_cycle_was_charged, judge, read
from .years.walk import Walk

YEARS = timedelta(days=730)
MOST = 9  # subscriptions in one walk


@pytest.mark.parametrize("number", range(int(os.environ.get("LASTRO_YEARS") or 1)))
async def test_two_years(own_database: Database, number: int) -> None:
    seed = int(os.environ.get("LASTRO_YEARS_SEED") or secrets.randbelow(2**32))
    sys.stdout.write(f"LASTRO_YEARS_SEED={seed} ({number})\n")
    walk = await Walk.begin(own_database, seed)
    try:
        slept = await _live(walk)
        walk.bank.calm = True
        await walk.pass_until(await walk.now() + timedelta(days=2))  # what is on its way arrives
        books = await connected(own_database.audit)
        try:
            rows = await read(books)
        finally:
            await books.close()
        judge(rows, walk.bank)
        charged = every_cycle_was_charged(rows, await walk.now(), slept=slept)
        paid = sum(p["status"] == "PAID" for p in rows["payments"])
        sys.stdout.write(f"{len(rows['payments'])} charges, {paid} paid, {charged} by themselves; {walk.refused} refused\n")
        assert await breaches(own_database.audit, at_rest=False) == {}
    finally:
        await walk.close()


async def _live(walk: Walk) -> list[tuple[datetime, datetime]]:
    """Everything that happens; when nobody worked."""
    chance, slept = walk.chance, []
    ends = await walk.now() + YEARS
    while (now := await walk.now()) < ends:
        if len(walk.made) < MOST and (not walk.made or chance.random() < 0.2):
            made = await walk.subscribe()
            if made is not None and chance.random() < 0.8:
                await walk.answer_of_payer(made)
        if walk.made:
            one = chance.choice(walk.made)
            for act, share in ((walk.answer_of_payer, 0.25), (walk.schedule, 0.4), (walk.meddle, 0.2)):
                if chance.random() < share:
                    await act(one)
                    if chance.random() < 0.5:
                        await walk.rest()
        step = timedelta(hours=chance.choice((1, 5, 12, 24, 60, 120, 300)) * chance.random())
        if chance.random() < 0.02:
            await walk.sleep_until(now + step)
            slept.append((now, await walk.now()))
            await walk.restart()
        else:
            await walk.pass_until(now + step)
    return slept
