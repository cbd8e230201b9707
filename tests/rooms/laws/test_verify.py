"""`lastro verify` names each law, says what it means, shows what breaks it, and ends accordingly."""

import json
import os
import re
import subprocess
from typing import Any

import pytest
from tests import forked
from tests.cast import Cast, Seller
from tests.laws import laws
from tests.read_only import read_only

from lastro.core.db import Dsn
from lastro.core.laws import broken_rows
from lastro.ops.verify import verify

STRAY = "UPDATE companies SET default_account_id = gen_random_uuid() WHERE company_id = $1"
SHOWN = 10


@pytest.fixture
async def ana(own_database: Any) -> Seller:
    cast = Cast.of(own_database.app, size=1)
    founded = await cast.ana()
    await cast.close()
    return founded


async def by_hand(database: Any, sql: str, *arguments: Any) -> None:
    connection = await database.connect(database.for_role("lastro_owner"))
    transaction = connection.transaction()
    await transaction.start()
    tables = await connection.fetch("SELECT relname::text FROM pg_class WHERE relrowsecurity AND relkind = 'r'")
    for (table,) in tables:
        await connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    await connection.execute(sql, *arguments)
    for (table,) in tables:
        await connection.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    await transaction.commit()
    await connection.close()


async def said(database: Any, **how: Any) -> tuple[int, list[str]]:
    lines: list[str] = []
    status = await verify(database.audit, **{"at_rest": True, "say": lines.append, **how})
    return status, "\n".join(lines).splitlines()


async def test_whoever_waits_is_told_of_each_law_before_it_is_read(own_database: Any, ana: Seller) -> None:
    told: list[Any] = []
    _, lines = await said(own_database, progress=lambda *where: told.append(where), say=told.append)
    assert lines == []
    laws_read = len(told) // 2  # and the last line
    assert [where[:2] for where in told[:-1:2]] == [(n, laws_read) for n in range(1, laws_read + 1)]
    assert all(where[2] in line for where, line in zip(told[:-1:2], told[1:-1:2], strict=True))


async def test_every_law_is_named_with_its_meaning(own_database: Any, ana: Seller) -> None:
    status, lines = await said(own_database)
    audit = await own_database.connect(own_database.audit)
    names = await laws(audit)
    await audit.close()
    assert (status, lines[-1]) == (0, f"{len(names)} laws, 0 broken")
    titles = {line[8:].split("  ")[0] for line in lines[:-1]}
    assert titles == {name.removeprefix("law_").replace("_", " ") for name in names}
    meanings = {re.match(r"holds   [a-z ]+?  +([A-Z].*\.)\Z", line) for line in lines[:-1]}
    assert None not in meanings
    assert len({match.start(1) for match in meanings if match}) == 1, "the meanings stand in line"


async def test_what_breaks_a_law_is_shown(own_database: Any, ana: Seller) -> None:
    await by_hand(own_database, STRAY, ana.company_id)
    status, lines = await said(own_database)
    assert status == 1
    (place,) = (n for n, line in enumerate(lines) if line.startswith("broken"))
    assert lines[place].startswith("broken  an account is the companys own ")
    head, row = lines[place + 1 : place + 3]
    assert head.split() == ["company_id", "place", "id", "account_id"]
    assert row.split()[:3] == [str(ana.company_id), "companies", str(ana.company_id)]
    assert row.index("companies") == head.index("place"), "columns stand in line"
    assert all(line.startswith("holds ") for line in (*lines[:place], *lines[place + 3 : -1]))
    assert lines[-1].endswith(" laws, 1 broken")


async def test_only_the_first_breaches_are_shown(own_database: Any, ana: Seller) -> None:
    several = "INSERT INTO account_numbers SELECT 'x' || n, $1, gen_random_uuid() FROM generate_series(1, 11) n"
    await by_hand(own_database, several, ana.company_id)
    status, lines = await said(own_database)
    assert status == 1
    assert sum("account_numbers" in line for line in lines) == SHOWN
    assert "        … and more" in lines


async def test_as_json(own_database: Any, ana: Seller) -> None:
    await by_hand(own_database, STRAY, ana.company_id)
    status, lines = await said(own_database, as_json=True)
    (line,) = lines
    told = json.loads(line)
    assert (status, told["broken"], told["checked"]) == (1, 1, len(told["laws"]))
    (broken,) = (law for law in told["laws"] if law["state"] == "broken")
    assert broken["law"] == "an_account_is_the_companys_own"
    assert broken["says"].startswith("The accounts that")
    assert (broken["hasMore"], broken["rows"][0]["company_id"]) == (False, str(ana.company_id))


async def test_laws_of_rest_may_be_left_out(own_database: Any, ana: Seller) -> None:
    every, (_, moving) = (await said(own_database))[1], await said(own_database, at_rest=False)
    left_out = {line.split("  ")[1].strip() for line in set(every[:-1]) - set(moving)}
    assert left_out == {
        "a closed account has nothing at rest", "in transit is zero at rest", "nothing is overdue at rest",
        "what is owed is taken at rest",
    }  # fmt: skip


async def test_a_law_that_cannot_be_read_is_not_kept(own_database: Any, ana: Seller) -> None:
    await by_hand(own_database, "REVOKE SELECT ON account_numbers FROM lastro_audit")
    status, lines = await said(own_database)
    assert status == 2
    (place,) = (n for n, line in enumerate(lines) if line.startswith("unread"))
    assert "permission denied for table account_numbers" in lines[place + 1]
    assert lines[-1].endswith(" laws, 0 broken, 1 unread")
    await by_hand(own_database, STRAY, ana.company_id)
    assert (await said(own_database))[0] == 1, "what is broken counts more than what is not known"


async def test_it_reads_a_replica(own_database: Any, ana: Seller) -> None:
    """The server that is named will do, though it takes no writes."""
    async with read_only(own_database):
        status, lines = await said(own_database)
    assert status == 0, lines


async def test_a_database_without_laws_proves_nothing(empty_database: Any) -> None:
    lines: list[str] = []
    status = await verify(empty_database.admin, at_rest=True, say=lines.append)
    assert (status, len(lines)) == (2, 1)
    assert lines[0].startswith("There are no laws in this database")


async def test_a_database_that_is_away_proves_nothing(tmp_path: Any) -> None:
    lines: list[str] = []
    status = await verify(Dsn(f"postgresql://nobody@/nothing?host={tmp_path}"), at_rest=True, say=lines.append)
    assert (status, len(lines)) == (2, 1)
    assert lines[0].startswith("The database does not answer")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LASTRO_")}
    return forked.run(("-m", "lastro.cli.main", "verify", *arguments), env={**inherited, **environment})


async def test_the_command_ends_as_it_found(own_database: Any, ana: Seller, tmp_path: Any) -> None:
    at = {"LASTRO_HOME": str(tmp_path), "LASTRO_DATABASE_URL": own_database.admin.url}
    kept = run(**at)
    assert (kept.returncode, kept.stdout.splitlines()[-1].split(", ")[1]) == (0, "0 broken")
    await by_hand(own_database, STRAY, ana.company_id)
    broken = run("--json", "--moving", **at)
    assert (broken.returncode, json.loads(broken.stdout)["broken"]) == (1, 1)
    nowhere = run(LASTRO_HOME=str(tmp_path))
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "No running sandbox was found" in nowhere.stderr


async def test_each_law_is_planned_for_all_of_its_rows(own_database: Any) -> None:
    connection = await own_database.connect(own_database.audit)

    async def plan(sql: str) -> Any:
        (found,) = json.loads(await connection.fetchval(f"EXPLAIN (FORMAT JSON) {sql}"))
        return found["Plan"]

    for law in await laws(connection):
        read = await plan(broken_rows(law, SHOWN))
        assert read["Node Type"] == "Limit"
        whole = next(one for one in _plans(read) if one.get("Subplan Name") == "CTE broken")
        assert whole["Total Cost"] == (await plan(f"SELECT * FROM {law}"))["Total Cost"], law
    await connection.close()


def _plans(of: dict[str, Any]) -> list[dict[str, Any]]:
    return [of, *(each for one in of.get("Plans", ()) for each in _plans(one))]
