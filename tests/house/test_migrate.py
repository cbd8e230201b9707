"""What migrating refuses before it changes anything, and what it does with what is there already."""

import shutil
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.event_contract import hold_over

from lastro import ledger
from lastro.core.ids import Chance
from lastro.core.schema_files import schema_folder
from lastro.ops import migrate as migration
from lastro.ops.migrate import migrate
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
    whole = schema_folder()
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


async def test_accounts_that_were_changed_by_hand_have_the_history_that_tells_of_it(
    empty_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before there were commands, whoever blocked or closed an account raised its version, and wrote no history."""
    whole = schema_folder()
    shutil.copytree(whole / "migrations", tmp_path / "migrations")
    for path in (tmp_path / "migrations").glob("*.sql"):
        if path.name > "0032":
            path.unlink()
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
    for n, (status, version) in enumerate((("ACTIVE", 3), ("INACTIVE", 2), ("CLOSED", 5))):
        account = UUID(int=n + 1)
        await connection.execute("INSERT INTO account_numbers VALUES ($1, $2, $3)", str(n), company, account)
        await connection.execute(
            "INSERT INTO accounts (company_id, id, number, branch, status, version, holder_type, full_name, document_type,"
            " document_number, email, phone, created_at, updated_at) VALUES ($1, $2, $3, '1', $4, $5, 'INDIVIDUAL', 'Ana', 'CPF',"
            " '1', 'a@example.com', '1', now() - make_interval(days => $6), now())",
            company, account, str(n), status, version, n + 1,
        )  # fmt: skip
    await migrate(empty_database.admin.url)
    moves = await connection.fetch(
        "SELECT reference_id, to_state FROM history WHERE machine = 'accounts' ORDER BY 1, version"
    )
    assert [(row["reference_id"].int, row["to_state"]) for row in moves] == [
        (1, "ACTIVE"), (2, "ACTIVE"), (2, "INACTIVE"), (3, "ACTIVE"), (3, "CLOSED"),
    ]  # fmt: skip
    requests = await connection.fetch("SELECT account_id, status FROM account_close_requests")
    assert [(row["account_id"].int, row["status"]) for row in requests] == [(3, "REQUESTED")]
    for law in (
        "law_history_is_dense", "law_state_is_the_last_of_history", "law_times_are_those_of_history", "law_every_move_allowed",
        "law_each_fact_is_told_once", "law_an_event_tells_what_happened", "law_a_closed_account_was_asked_to_close",
    ):  # fmt: skip
        assert await connection.fetch(f"SELECT * FROM {law}") == [], law
    await hold_over(connection)
    await connection.close()
