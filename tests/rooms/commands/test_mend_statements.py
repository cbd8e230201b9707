"""lastro account mend-statements, typed where an older version has left entries out: what is printed, how it ends, what stands then."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests import forked
from tests.cast import Cast, Seller
from tests.house.office import environment
from tests.rooms.ledger.test_entries import enter, entries
from tests.rooms.ledger.test_entries_behind import laws, now, write

from lastro.api_kit.routes import stamp
from lastro.core.commit import commit
from lastro.core.write import LedgerAccount, Transfer, Write

Types = Callable[..., forked.Said]


@pytest.fixture
async def cast(own_database: Any) -> AsyncIterator[Cast]:
    made = Cast.of(own_database.app)
    yield made
    await made.close()


@pytest.fixture
async def admin(own_database: Any) -> AsyncIterator[Any]:
    made = await own_database.connect()
    yield made
    await made.close()


@pytest.fixture
async def ana(cast: Cast) -> Seller:
    return await cast.ana()


@pytest.fixture
def lastro(own_database: Any, tmp_path: Path) -> Types:
    """The command itself, in a process of its own."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")}
    told = {**clean, **environment(own_database, tmp_path)}
    return lambda *words: forked.run(("-m", "lastro.cli.main", "account", "mend-statements", *words), env=told)


async def left_out(
    cast: Cast, seller: Seller, debit: LedgerAccount, credit: LedgerAccount, amount: int, **more: Any
) -> Transfer:
    """A transfer behind the watermark, written as a version did it that did not look at its time."""
    made = structs.replace(cast.transfer(debit, credit, amount, **more), at=await now(cast) - timedelta(hours=1))
    await commit(cast.database, Write(seller.company_id, transfers=(made,)))
    return made


async def test_where_nothing_is_lacking_nothing_is_made(admin: Any, cast: Cast, ana: Seller, lastro: Types) -> None:
    await write(cast, ana, ana.clearing, ana.customer, 100)
    await enter(cast, ana, await now(cast))
    before = await entries(cast, ana, ana.customer)
    for words, said in (((), "none\n"), (("--json",), "[]\n")):
        told = await asyncio.to_thread(lastro, *words)
        assert (told.returncode, told.stdout, told.stderr) == (0, said, "")
    assert await entries(cast, ana, ana.customer) == before
    assert await laws(admin, ana) == set()


async def test_what_was_left_out_is_entered_once_and_each_is_listed(
    admin: Any, cast: Cast, ana: Seller, lastro: Types
) -> None:
    own, dora = ana.customer, await cast.dora()
    for seller in (ana, dora):
        await write(cast, seller, seller.clearing, seller.customer, 10_000)
        await enter(cast, seller, await now(cast))
    shown = {seller.company_id: await entries(cast, seller, seller.customer) for seller in (ana, dora)}
    came = await left_out(cast, ana, ana.clearing, own, 123_456)
    went = await left_out(cast, ana, own, ana.clearing, 3_000)
    held = await left_out(cast, ana, own, ana.clearing, 700, kind="held")
    hers = await left_out(cast, dora, dora.clearing, dora.customer, 5)
    assert await laws(admin, ana) | await laws(admin, dora) == {"law_transfers_have_their_entries"}

    told = await asyncio.to_thread(lastro, "--json")
    assert (told.returncode, told.stderr) == (0, "")
    listed = {one["reference"]: one for one in json.loads(told.stdout)}
    assert len(listed) == 4
    expected = (
        (ana, came, 2, "1234.56", "1334.56", "0.00"), (ana, went, 3, "-30.00", "1304.56", "0.00"),
        (ana, held, 4, "0.00", "1304.56", "7.00"), (dora, hers, 2, "0.05", "100.05", "0.00"),
    )  # fmt: skip
    for seller, made, number, *figures in expected:
        one = listed[str(made.reference_id)]
        assert (one["company"], one["account"], one["kind"]) == (
            seller.number, str(seller.account_id), "CUST",
        )  # fmt: skip
        assert (one["number"], one["bookedAt"]) == (number, stamp(made.at))
        assert [one[name] for name in ("amount", "balance", "held")] == figures
        assert one["enteredAt"] > one["bookedAt"]
    for seller in (ana, dora):
        stand = await entries(cast, seller, seller.customer)
        assert stand[: len(shown[seller.company_id])] == shown[seller.company_id], "nothing that was shown has changed"
    assert [(side, amount, balance) for side, amount, balance, *_ in (await entries(cast, ana, own))[1:]] == [
        (1, 123_456, 133_456), (-1, 3_000, 130_456), (0, 700, 130_456),
    ]  # fmt: skip
    assert await laws(admin, ana) == set()
    again = await asyncio.to_thread(lastro)
    assert (again.returncode, again.stdout, again.stderr) == (0, "none\n", "")


async def test_people_are_told_in_a_table(cast: Cast, ana: Seller, lastro: Types) -> None:
    await write(cast, ana, ana.clearing, ana.customer, 10_000)
    await enter(cast, ana, await now(cast))
    lost = await left_out(cast, ana, ana.clearing, ana.customer, 3_000)
    told = await asyncio.to_thread(lastro)
    head, line = told.stdout.splitlines()
    assert (told.returncode, told.stderr) == (0, "")
    assert head.split() == [
        "company", "account", "kind", "number", "type", "amount", "balance", "held",
        "booked", "at", "entered", "at", "reference",
    ]  # fmt: skip
    assert line.split()[1:] == [
        str(ana.account_id), "CUST", "2", lost.type, "30.00", "130.00", "0.00", *f"{lost.at:%Y-%m-%d %H:%M:%SZ}".split(),
        *line.split()[-3:-1], str(lost.reference_id),
    ]  # fmt: skip


async def test_a_database_that_is_away_ends_it_with_one(
    cast: Cast, lastro: Types, own_database: Any, tmp_path: Path
) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")}
    told = {**clean, **environment(own_database, tmp_path), "LASTRO_DATABASE_URL": "postgresql://lastro@127.0.0.1:1/x"}
    told.pop("LASTRO_APP_DATABASE_URL", None)
    said = await asyncio.to_thread(forked.run, ("-m", "lastro.cli.main", "account", "mend-statements"), env=told)
    assert (said.returncode, said.stdout) == (1, "")
    assert "Traceback" not in said.stderr
