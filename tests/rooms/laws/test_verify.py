"""`lastro verify` names each law, says what it means, shows what breaks it, and ends accordingly."""

import json
import os
import re
import secrets
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from tests import forked
from tests.cast import Cast, Seller
from tests.conftest import lent
from tests.databases import Database
from tests.laws import connected, laws
from tests.read_only import read_only

from lastro.core.db import Dsn
from lastro.core.laws import broken_rows
from lastro.ops.verify import verify

SHOWN = 10


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database in which every law holds; whoever breaks one mends it."""
    yield from lent(request, "clone", secrets.token_hex(4))


@pytest.fixture(scope="module")
async def ana(kept: Database) -> Seller:
    cast = Cast.of(kept.app, size=1)
    founded = await cast.ana()
    await cast.close()
    return founded


@asynccontextmanager
async def by_hand(database: Database, broken: str, mended: str, *arguments: Any) -> AsyncIterator[None]:
    """As long as it lasts, what this statement has broken."""
    connection = await (connected(database.admin) if broken.startswith("UPDATE") else database.connect())
    await connection.execute(broken, *arguments)
    yield
    await connection.execute(mended, *arguments)
    await connection.close()


def stray(kept: Database, ana: Seller) -> AbstractAsyncContextManager[None]:
    """Ana's account by default is nobody's."""
    broken = "UPDATE companies SET default_account_id = {} WHERE company_id = $1"
    return by_hand(kept, broken.format("gen_random_uuid()"), broken.format(f"'{ana.account_id}'"), ana.company_id)


async def said(database: Database, **how: Any) -> tuple[int, list[str]]:
    lines: list[str] = []
    status = await verify(database.audit, **{"at_rest": True, "say": lines.append, **how})
    return status, "\n".join(lines).splitlines()


async def test_every_law_is_named_with_its_meaning(kept: Database, ana: Seller) -> None:
    told: list[Any] = []
    audit = await kept.connect(kept.audit)
    names = await laws(audit.fetch)
    await audit.close()
    status = await verify(kept.audit, at_rest=True, say=told.append, progress=lambda *where: told.append(where))
    waited, lines = told[:-1:2], [*told[1:-1:2], told[-1]]
    assert [where[:2] for where in waited] == [(n, len(names)) for n in range(1, len(names) + 1)]
    assert all(where[2] in line for where, line in zip(waited, lines, strict=False)), "told of before it is read"
    assert (status, lines[-1]) == (0, f"{len(names)} laws, 0 broken")
    titles = {line[8:].split("  ")[0] for line in lines[:-1]}
    assert titles == {name.removeprefix("law_").replace("_", " ") for name in names}
    meanings = {re.match(r"holds   [a-z ]+?  +([A-Z].*\.)\Z", line) for line in lines[:-1]}
    assert None not in meanings
    assert len({match.start(1) for match in meanings if match}) == 1, "the meanings stand in line"
    _, moving = await said(kept, at_rest=False)
    assert {line.split("  ")[1].strip() for line in set(lines[:-1]) - set(moving)} == {
        "a closed account has nothing at rest", "in transit is zero at rest", "nothing is overdue at rest",
        "what is owed is taken at rest",
    }  # fmt: skip


async def test_what_breaks_a_law_is_shown(kept: Database, ana: Seller) -> None:
    async with stray(kept, ana):
        status, lines = await said(kept)
        as_json, (line,) = await said(kept, as_json=True)
    assert status == as_json == 1
    (place,) = (n for n, line in enumerate(lines) if line.startswith("broken"))
    assert lines[place].startswith("broken  an account is the companys own ")
    head, row = lines[place + 1 : place + 3]
    assert head.split() == ["company_id", "place", "id", "account_id"]
    assert row.split()[:3] == [str(ana.company_id), "companies", str(ana.company_id)]
    assert row.index("companies") == head.index("place"), "columns stand in line"
    assert all(line.startswith("holds ") for line in (*lines[:place], *lines[place + 3 : -1]))
    assert lines[-1].endswith(" laws, 1 broken")
    told = json.loads(line)
    assert (told["broken"], told["checked"]) == (1, len(told["laws"]))
    (broken,) = (law for law in told["laws"] if law["state"] == "broken")
    assert broken["law"] == "an_account_is_the_companys_own"
    assert broken["says"].startswith("The accounts that")
    assert (broken["hasMore"], broken["rows"][0]["company_id"]) == (False, str(ana.company_id))


async def test_only_the_first_breaches_are_shown(kept: Database, ana: Seller) -> None:
    several = "INSERT INTO account_numbers SELECT 'x' || n, $1, gen_random_uuid() FROM generate_series(1, 11) n"
    mended = "DELETE FROM account_numbers WHERE company_id = $1 AND number LIKE 'x%'"
    async with by_hand(kept, several, mended, ana.company_id):
        status, lines = await said(kept)
    assert status == 1
    assert sum("account_numbers" in line for line in lines) == SHOWN
    assert "        … and more" in lines


async def test_a_law_that_cannot_be_read_is_not_kept(kept: Database, ana: Seller) -> None:
    right = "{} SELECT ON account_numbers {} lastro_audit"
    async with by_hand(kept, right.format("REVOKE", "FROM"), right.format("GRANT", "TO")):
        status, lines = await said(kept)
        async with stray(kept, ana):
            assert (await said(kept))[0] == 1, "what is broken counts more than what is not known"
    assert status == 2
    (place,) = (n for n, line in enumerate(lines) if line.startswith("unread"))
    assert "permission denied for table account_numbers" in lines[place + 1]
    assert lines[-1].endswith(" laws, 0 broken, 1 unread")


async def test_it_reads_a_replica(kept: Database, ana: Seller) -> None:
    """The server that is named will do, though it takes no writes."""
    async with read_only(kept):
        status, lines = await said(kept)
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


async def test_the_command_ends_as_it_found(kept: Database, ana: Seller, tmp_path: Any) -> None:
    at = {"LASTRO_HOME": str(tmp_path), "LASTRO_DATABASE_URL": kept.admin.url}
    whole = run(**at)
    assert (whole.returncode, whole.stdout.splitlines()[-1].split(", ")[1]) == (0, "0 broken")
    async with stray(kept, ana):
        broken = run("--json", "--moving", **at)
    assert (broken.returncode, json.loads(broken.stdout)["broken"]) == (1, 1)
    nowhere = run(LASTRO_HOME=str(tmp_path))
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert "No running sandbox was found" in nowhere.stderr


async def test_each_law_is_planned_for_all_of_its_rows(kept: Database, ana: Seller) -> None:
    connection = await kept.connect_beside(ana.company_id, kept.audit)

    async def plan(sql: str) -> Any:
        (found,) = json.loads(await connection.fetchval(f"EXPLAIN (FORMAT JSON) {sql}"))
        return found["Plan"]

    for law in await laws(connection.fetch):
        read = await plan(broken_rows(law, SHOWN))
        assert read["Node Type"] == "Limit"
        whole = next(one for one in _plans(read) if one.get("Subplan Name") == "CTE broken")
        assert whole["Total Cost"] == (await plan(f"SELECT * FROM {law}"))["Total Cost"], law
    await connection.close()


def _plans(of: dict[str, Any]) -> list[dict[str, Any]]:
    return [of, *(each for one in of.get("Plans", ()) for each in _plans(one))]
