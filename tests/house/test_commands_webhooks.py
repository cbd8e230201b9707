"""lastro company rotate-webhook-secret: another secret signs, shown once, and the one before it beside it for a day."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.signing import signing_secrets

from lastro.core.db import Database
from lastro.ops.keys_file import key_ring_of

from .office import Office


def signing(office: Office, company_id: str, later: timedelta = timedelta(0)) -> tuple[str, ...]:
    """What deliveries of a company are signed with, the newest first, as the worker reads it."""

    async def asked() -> tuple[str, ...]:
        database = Database(office.settings.app)
        try:
            at = datetime.now(UTC) + later
            return await signing_secrets(database, key_ring_of(office.settings), UUID(company_id), at)
        finally:
            await database.close()

    return asyncio.run(asked())


def test_the_new_one_signs_and_the_old_one_beside_it_for_a_day(office: Office) -> None:
    ana, dora = office.asks("company", "add", "Ana"), office.asks("company", "add", "Dora")
    first = ana["webhookSecret"]
    made = office.asks("company", "rotate-webhook-secret", "1")
    second = made["webhookSecret"]
    assert (made["number"], made["id"]) == (1, ana["id"])
    assert second.startswith("whsec_")
    assert second != first
    until = datetime.fromisoformat(made["olderSecretUntil"])
    assert abs(until - datetime.now(UTC) - timedelta(hours=24)) < timedelta(minutes=1)
    assert signing(office, ana["id"]) == (second, first)
    assert signing(office, ana["id"], timedelta(hours=24, minutes=1)) == (second,)
    assert signing(office, dora["id"]) == (dora["webhookSecret"],), "another company's stays"


def test_twice_ends_the_one_that_was_stolen(office: Office) -> None:
    ana = office.asks("company", "add", "Ana")
    second, third = (office.asks("company", "rotate-webhook-secret", ana["id"])["webhookSecret"] for _ in range(2))
    assert signing(office, ana["id"]) == (third, second)
    assert ana["webhookSecret"] not in (second, third)


def test_it_is_shown_once_and_kept_sealed(office: Office, own_database: Any) -> None:
    office.types("company", "add", "Ana")
    secret = office.asks("company", "rotate-webhook-secret", "1")["webhookSecret"]
    assert secret not in office.types("company", "show", "1") + office.types("company", "list")

    async def kept() -> tuple[list[str], int]:
        admin = await own_database.connect()
        rows = await admin.fetch("SELECT c::text AS row FROM companies c")
        answers = await admin.fetchval("SELECT count(*) FROM answers")
        await admin.close()
        return [row["row"] for row in rows], answers

    rows, answers = asyncio.run(kept())
    assert not [row for row in rows if secret in row or secret.encode().hex() in row]
    assert answers == 0, "nobody sends a command again: its answer is kept nowhere"


def test_a_company_that_is_not_there(office: Office) -> None:
    office.types("company", "add", "Ana")
    assert "There is no company '7'" in office.declined("company", "rotate-webhook-secret", "7")
