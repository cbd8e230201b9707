"""The file of connections becomes rows when a worker starts: keys move, connections leave, and mistakes are named."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.cast import Cast
from tests.rooms.lists import problems
from tests.rooms.rails.api_pix_bank import Bank, serving

from lastro.app.banks import ForeignOfCompany, declare_all, demand_declarable
from lastro.core.db import Database
from lastro.core.declined import StartRefused
from lastro.core.secrets import KeyRing
from lastro.rails.api_pix import DIALECTS, ApiPixIssuer, Connection
from lastro.standards.account_numbers import with_check_digit

from .shop import Shop
from .test_connections import KEY, Connected

OLD, NEW = "oldbank", "newbank"


@dataclass
class Street(Connected):
    """Ana's shop in a database of its own. Each of its connections is at one small bank."""

    work: Database | None = None
    open: frozenset[str] = frozenset()

    async def start(self, *found: Connection) -> None:
        """Starts an API, then a worker with this file."""
        assert self.work is not None
        await demand_declarable(found, self.work, self.shop.cast.runner)
        await declare_all(found, self.work, self.shop.cast.runner)
        self.open = frozenset(one.name for one in found if one.makes_orders)

    async def refused(self, *found: Connection) -> list[str]:
        with pytest.raises(StartRefused) as told:
            await self.start(*found)
        return str(told.value).removeprefix("LASTRO_BANKS_FILE: ").removesuffix(".").split("; ")

    @property
    def here(self) -> Any:
        return replace(super().here, connections=self.open)

    def connection(self, name: str, *keys: str, **changes: Any) -> Connection:
        return Connection(
            name=name, company=self.shop.ana.number, dialect=DIALECTS["standard"], base_url="https://bank.example",
            token_url="https://bank.example/t", client_id="x", client_secret=None, certificate=None, ca_file=None,
            keys=dict.fromkeys(keys, self.shop.ana.account_number), **changes,
        )  # fmt: skip

    async def live(self) -> list[tuple[str, str]]:
        """The connection and key of each row that has not ended."""
        sql = "SELECT rail, key FROM connection_keys WHERE ended_at IS NULL ORDER BY rail, key"
        return [tuple(row) for row in await self.shop.rows(sql)]

    async def issuing(self) -> list[tuple[str, bool]]:
        return [tuple(row) for row in await self.shop.rows("SELECT rail, is_issuing FROM connections ORDER BY rail")]

    async def rail_of(self, made: dict[str, Any]) -> str:
        (rail,) = await self.shop.column("SELECT rail FROM instruments WHERE order_id = $1", made["id"])
        return str(rail)


@pytest.fixture
async def street(own_database: Any) -> AsyncIterator[Street]:
    cast, work = Cast.of(own_database.app), Database(own_database.work, size=1)
    ana = await cast.ana()
    async with cast.database.session(ana.company_id) as session:  # the account's own random key would go first
        await session.fetch("UPDATE pix_keys SET status = 'DELETED' WHERE company_id = $1", ana.company_id)
    async with serving(Bank(now=datetime.now(UTC))) as line:
        made = Street(Shop(cast, ana), Bank(now=datetime.now(UTC)), {}, work=work)
        made.issuers |= {name: ApiPixIssuer(name, line, "utc", made.hint) for name in (OLD, NEW)}
        yield made
    await work.close()
    await cast.close()


# ── leaving a bank ──


async def test_an_order_without_a_key_goes_to_the_bank_that_makes_codes(street: Street) -> None:
    old, new = street.connection(OLD, KEY), street.connection(NEW, "nova@example.com")
    await street.start(old)
    assert await street.rail_of(await street.make(pixKey=None)) == OLD
    await street.start(replace(old, is_issuing=False), new)
    assert await street.rail_of(await street.make(pixKey=None, externalId="order-2")) == NEW
    assert problems(await street.send(externalId="order-3")) == [("order.pixKey", "NOT_SUPPORTED")]
    await street.start(replace(old, capabilities=frozenset({"refund"})), new)
    assert await street.rail_of(await street.make(pixKey=None, externalId="order-4")) == NEW


async def test_an_order_decided_before_a_bank_stopped_is_decided_again(street: Street) -> None:
    old = street.connection(OLD, KEY)
    await street.start(old)
    (version,) = await street.shop.column("SELECT version FROM connection_keys")
    await street.start(replace(old, is_issuing=False))
    stands = await street.shop.column("SELECT version FROM connection_keys")
    assert stands == [version + 1], "what relied on the key does not commit any more"
    await street.start(replace(old, is_issuing=False))
    assert await street.shop.column("SELECT version FROM connection_keys") == stands, "once"


async def test_a_connection_that_left_the_file_has_its_keys_ended(street: Street) -> None:
    old, new = street.connection(OLD, KEY), street.connection(NEW, "nova@example.com")
    await street.start(old)
    await street.start(new)
    assert await street.live() == [(NEW, "nova@example.com")]
    assert await street.issuing() == [(NEW, True), (OLD, False)]
    assert await street.rail_of(await street.make(pixKey=None)) == NEW
    assert problems(await street.send(externalId="order-2")) == [("order.pixKey", "INVALID")]
    await street.start(old, new)
    assert await street.live() == [(NEW, "nova@example.com"), (OLD, KEY)]


# ── keys move ──


async def test_a_key_moves_to_another_bank_whatever_the_order_of_the_tables(street: Street) -> None:
    for number, (way, listed) in enumerate((way, keys) for way in permutations((0, 1)) for keys in ((), (KEY,))):
        await street.start(street.connection(OLD, KEY), street.connection(NEW, is_issuing=False))
        assert await street.live() == [(OLD, KEY)]
        before = await street.make(externalId=f"before-{number}")
        file = (street.connection(OLD, *listed, is_issuing=False), street.connection(NEW, KEY))
        for _ in range(2):  # the same file again changes nothing
            await street.start(*(file[place] for place in way))
            assert await street.live() == [(NEW, KEY)]
        after = await street.make(externalId=f"after-{number}")
        assert [await street.rail_of(one) for one in (before, after)] == [OLD, NEW], "made orders stay where they are"


async def test_a_connection_is_renamed(street: Street) -> None:
    await street.start(street.connection(OLD, KEY))
    await street.start(street.connection(NEW, KEY))
    assert (await street.live(), await street.issuing()) == ([(NEW, KEY)], [(NEW, True), (OLD, False)])
    assert await street.rail_of(await street.make(pixKey=None)) == NEW


async def test_keys_change_places_between_two_banks(street: Street) -> None:
    other = "outra@example.com"
    await street.start(street.connection(OLD, KEY), street.connection(NEW, other))
    await street.start(street.connection(OLD, other), street.connection(NEW, KEY))
    assert await street.live() == [(NEW, KEY), (OLD, other)]


# ── what is wrong is named ──


async def test_a_start_names_everything_that_the_file_says_wrongly_and_changes_nothing(street: Street) -> None:
    right = street.connection(OLD, KEY)
    await street.start(right)
    await street.make()
    lost = replace(street.connection(NEW), keys={KEY: "999999999"})
    assert await street.refused(lost, replace(street.connection("third", "x@example.com"), company=999_999)) == [
        f"{OLD} is not in the file, and orders of the last 90 days are paid there: put it back with issuing = false",
        "third.company is 999999, and no company has this number",
        f"{NEW}.keys.{KEY} names the account 999999999, which is no active account of this company",
    ]
    await street.refused(street.connection(NEW, KEY))
    assert (await street.live(), await street.issuing()) == ([(OLD, KEY)], [(OLD, True)])


async def test_an_api_refuses_what_its_worker_would_refuse(street: Street) -> None:
    assert street.work is not None
    await street.start(street.connection(OLD, KEY))
    await street.make()
    files: list[tuple[Connection, ...]] = [
        (), (street.connection(NEW, KEY),), (replace(street.connection(OLD, KEY), company=999_999),),
        (replace(street.connection(OLD, KEY), company=0),), (replace(street.connection(OLD), keys={KEY: "999999999"}),),
    ]  # fmt: skip
    for file in files:
        said = []
        for start in (demand_declarable, declare_all):
            with pytest.raises(StartRefused) as told:
                await start(file, street.work, street.shop.cast.runner)
            said.append(str(told.value))
        assert said[0] == said[1]


async def test_an_api_may_start_before_its_worker_and_writes_nothing(street: Street) -> None:
    assert street.work is not None
    await demand_declarable((street.connection(OLD, KEY),), street.work, street.shop.cast.runner)
    assert (await street.live(), await street.issuing()) == ([], [])
    await street.start(street.connection(OLD, KEY))
    await demand_declarable((street.connection(NEW, KEY),), street.work, street.shop.cast.runner)
    assert (await street.live(), await street.issuing()) == ([(OLD, KEY)], [(OLD, True)])


@pytest.mark.parametrize("command", ["api", "worker"])
async def test_a_process_does_not_start_with_the_bank_of_no_company(own_database: Any, tmp_path: Path, command: str) -> None:
    ring = KeyRing.generate("k", os.urandom).text().reveal()
    (tmp_path / "home").mkdir()
    for name, text in {"secret": "very-secret", "home/keys": ring}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    file = tmp_path / "banks.toml"
    file.write_text(f"""[{OLD}]
company = 999999
base_url = "https://bank.example"
token_url = "https://bank.example/t"
client_id = "x"
client_secret_file = "secret"
keys = {{ "{KEY}" = "{with_check_digit("00000123")}" }}
""")
    file.chmod(0o600)
    logins = {"LASTRO_APP_DATABASE_URL": own_database.app.url, "LASTRO_WORK_DATABASE_URL": own_database.work.url}
    environment = {
        "PATH": os.environ["PATH"], "LASTRO_HOME": str(tmp_path / "home"), "LASTRO_BANKS_FILE": str(file),
        "LASTRO_DATABASE_URL": own_database.admin.url,
    } | ({} if own_database.is_external else logins)  # fmt: skip
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "lastro.cli.main", command, env=environment, cwd=tmp_path, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        said, _ = await asyncio.wait_for(made.communicate(), 30)
    finally:
        with suppress(ProcessLookupError):
            made.kill()
    assert f"LASTRO_BANKS_FILE: {OLD}.company is 999999, and no company has this number." in said.decode()
    assert made.returncode != 0


_TAKEN_MEANWHILE = """
CREATE FUNCTION taken_meanwhile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE unique_violation USING CONSTRAINT = 'connection_keys_one'; END $$;
CREATE TRIGGER taken_meanwhile BEFORE INSERT ON connection_keys EXECUTE FUNCTION taken_meanwhile();
"""


async def test_a_key_that_cannot_be_declared_is_named(street: Street, own_database: Any) -> None:
    """Another process has the key whenever it is written, and not when it is read."""
    admin = await own_database.connect()
    await admin.execute(_TAKEN_MEANWHILE)
    await admin.close()
    assert await street.refused(street.connection(OLD, KEY)) == [
        f"{OLD} cannot be declared while another process declares it or its keys: start again"
    ]


async def test_a_company_that_is_not_there_is_no_database_that_is_away(street: Street) -> None:
    assert street.work is not None
    listed = ForeignOfCompany(99_999, street.work, street.shop.cast.runner)
    with pytest.raises(LookupError, match="no company with number 99999"):
        await listed.claimed(OLD, ["E1"])
