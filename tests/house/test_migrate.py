"""What migrating refuses before it changes anything, and what it does with what is there already."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from lastro import ledger
from lastro.base.ids import Chance
from lastro.doors import migrate as migration
from lastro.doors.migrate import migrate
from lastro.rails.port import RAILS


async def test_a_migration_that_was_changed_afterwards_is_refused(own_database: Any) -> None:
    url = own_database.admin.url
    assert await migrate(url) == []
    connection = await own_database.connect(own_database.admin)
    await connection.execute("UPDATE migrations SET sha256 = 'of another file'")
    await connection.close()
    with pytest.raises(SystemExit, match=r"0001_first_money\.sql is not the one that was applied"):
        await migrate(url)


async def test_a_database_of_the_other_mode_is_left_alone(own_database: Any) -> None:
    with pytest.raises(SystemExit, match="This database is for sandbox"):
        await migrate(own_database.admin.url, mode="production")


async def test_a_company_that_was_there_before_has_what_a_new_one_has(
    empty_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner of the tables is bound by row-level security too: a migration that forgets it changes no row, and says so nowhere."""
    whole = migration.schema_folder()
    shutil.copytree(whole / "migrations", tmp_path / "migrations")
    later = sorted(path.name for path in (whole / "migrations").glob("*.sql") if path.name > "0013")
    for name in later:
        (tmp_path / "migrations" / name).unlink()
    with monkeypatch.context() as before:
        before.setattr(migration, "schema_folder", lambda: tmp_path)
        await migrate(empty_database.admin.url)
    connection = await empty_database.connect(empty_database.admin)
    company = Chance(lambda count: b"c" * count).uuid(await connection.fetchval("SELECT now()"))
    await connection.execute("INSERT INTO company_numbers (number, company_id) VALUES (1, $1)", company)
    await connection.execute(
        "INSERT INTO companies (company_id, number, name, webhook_secret, created_at) VALUES ($1, 1, 'Ana', 'x', now())",
        company,
    )
    await connection.execute(
        "INSERT INTO company_fees (company_id, payment_method, fixed_minor) VALUES ($1, 'PIX', 50)", company
    )
    for row in ledger.company_rows(company, {"pix": "BRL", "ted": "BRL"}):
        columns = {"company_id": company, **row.values}
        places = ", ".join(f"${n}" for n in range(1, len(columns) + 1))
        await connection.execute(f"INSERT INTO {row.table} ({', '.join(columns)}) VALUES ({places})", *columns.values())
    assert await migrate(empty_database.admin.url) == later
    rails = await connection.fetch("SELECT id, rail FROM ledger_accounts WHERE code = 'NET' ORDER BY rail")
    assert {(r["rail"], r["id"]) for r in rails} == {
        (rail, ledger.clearing(company, rail, currency).id) for rail, currency in RAILS.items()
    }
    fees = await connection.fetch("SELECT fixed_minor, payer FROM company_fees")
    assert [tuple(r) for r in fees] == [(50, "RECEIVER")]
    for law in ("law_the_chart_is_whole", "law_a_ledger_account_has_the_id_of_its_name", "law_numbers_lead_to_their_owner"):
        assert await connection.fetch(f"SELECT * FROM {law}") == []
    await connection.close()
