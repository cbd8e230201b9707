"""The demo data of a sandbox: laid once, finished if a start was cut short, found again by every later start."""

from __future__ import annotations

import asyncio
import json
import os
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

import aiohttp

from lastro import accounts, companies, keys, people
from lastro.accounts import Holder
from lastro.app.networks import RAILS, place_of
from lastro.app.wiring import jku_of, rail_of
from lastro.config.settings import read
from lastro.core.clock import BusinessClock
from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.runner import Done, Runner
from lastro.ops import key_proofs
from lastro.ops.keys_file import key_ring_of
from lastro_sandbox import secrets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lastro.config.settings import Settings
    from lastro.core.runner import Verb
    from lastro.core.secrets import KeyRing
    from lastro_sandbox.run_settings import Running

_OURS = UUID("7a6f2a52-2f4e-5f0c-9a55-3c0d7f0e5b11")  # the namespace of request ids, so that a second try asks the same
_OPENING = "100000.00"
_LOOK_SECONDS = 0.02
_LOOKS = 500
_CUSTOMERLESS = "OPEN_PIX"
_PEOPLE = {
    1: (
        Holder("ORGANIZATION", "Ana Comercio Ltda", "CNPJ", "11222333000181", "ana@example.com", "+5511987650001"),
        Holder("INDIVIDUAL", "Ana Pereira", "CPF", "11122233396", "ana.pereira@example.com", "+5511987650002"),
    ),
    2: (Holder("ORGANIZATION", "Dora Servicos SA", "CNPJ", "16727230000197", "dora@example.com", "+5511987650003"),),
}
_PERSON = ("demo@lastro.example", "Demo")  # may do everything in the console
_NAMES = {0: "lastro", 1: "Ana Comercio", 2: "Dora Servicos"}


def seed(running: Running) -> Mapping[str, Any]:
    """Creates missing demo data, and returns the content of sandbox.json."""
    return asyncio.run(_seed(running))


def fund(running: Running, sandbox: Mapping[str, Any]) -> None:
    """Pays the accounts' first money, and waits for it. Needs sandbox.json. The money comes in as everybody's does."""
    asyncio.run(_fund(running, sandbox))


async def _fund(running: Running, sandbox: Mapping[str, Any]) -> None:
    client = {name: sandbox[name] for name in ("clientId", "clientSecret")}
    database = Database(_settings(running).app, size=1)
    try:
        for account in sandbox["accounts"]:
            await _opening_money(running, database, client, UUID(sandbox["companyId"]), account)
    finally:
        await database.close()


async def _seed(running: Running) -> dict[str, Any]:
    settings = _settings(running)
    database, chance = Database(settings.app, size=2), Chance(os.urandom)
    runner = Runner(database, BusinessClock(time.monotonic), chance)
    demo = _Demo(running.home / "demo.json", settings, database, runner, chance)
    try:
        await key_proofs.prove(database, key_ring_of(settings), settings.keys_file)
        return await demo.lay(running)
    finally:
        await demo.rail.close()
        await database.close()


def _settings(running: Running) -> Settings:
    told = json.loads((running.home / "database.json").read_text(encoding="utf-8"))
    return read(
        {
            **os.environ,
            **secrets.ensure(running.home),
            "LASTRO_HOME": str(running.home),
            "LASTRO_PUBLIC_URL": os.environ.get("LASTRO_PUBLIC_URL") or running.base_url,
            "LASTRO_NETWORK_URL": running.simulator_url,
            "LASTRO_DATABASE_URL": told["url"],
            "LASTRO_DATABASE_LOGIN": told["login"],
        }
    )


class _Demo:
    """One laying. file: what can be read nowhere else later (client secrets), for its owner alone."""

    def __init__(self, file: Path, settings: Settings, database: Database, runner: Runner, chance: Chance) -> None:
        self._file = file
        self._settings = settings
        self._database = database
        self._runner = runner
        self._chance = chance
        self._key_ring: KeyRing = key_ring_of(settings)
        self.rail = rail_of(settings)
        self._kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    async def lay(self, running: Running) -> dict[str, Any]:
        place = place_of(self._settings)
        await self.rail.register_participant(
            name=place.institution.name, jku=jku_of(place.public_url), host=place.public_url.partition("://")[2]
        )
        await self._company(companies.INSTITUTION_NUMBER)
        clients, opened = {}, {}
        for number in (1, 2):
            company_id = await self._company(number)
            clients[number] = await self._client(number, company_id)
            opened[number] = [await self._account(company_id, n, h) for n, h in enumerate(_PEOPLE[number])]
        company_id = await self._company(1)
        return {
            "home": str(running.home), "baseUrl": running.base_url, "simulatorUrl": running.simulator_url,
            "consoleUrl": await self._console(running),
            "companyId": str(company_id), **clients[1], "otherClient": clients[2],
            "otherCompanyId": str(await self._company(2)), "accounts": opened[1], "otherAccounts": opened[2],
            "webhookSecret": await self._webhook_secret(company_id),
            "otherWebhookSecret": await self._webhook_secret(await self._company(2)),
        }  # fmt: skip

    async def _console(self, running: Running) -> str:
        """Returns a sign-in link to the console for the sandbox's user.

        The link of an earlier start leads nowhere any more.
        """
        entrance = people.Entrance(self._database, self._key_ring, self._chance, partial(datetime.now, UTC))
        link = await people.Register(entrance).let_in(*_PERSON)
        return f"{running.base_url}/console/link/{link.reveal()}"

    async def _company(self, number: int) -> UUID:
        async with self._database.session() as session:
            found: UUID | None = await session.value("SELECT company_id FROM company_numbers WHERE number = $1", number)
        if found is not None:
            return found
        company_id = self._chance.uuid(datetime.now(UTC))
        partner = _CUSTOMERLESS if number == 1 else None
        verb = companies.FoundCompany(_NAMES[number], self._key_ring, RAILS, number, partner)
        await self._act(company_id, verb)
        return company_id

    async def _client(self, number: int, company_id: UUID) -> dict[str, str]:
        if str(number) not in self._kept:
            made = await self._act(company_id, companies.AddClient("demo"))
            self._keep(str(number), made)
        client: dict[str, str] = self._kept[str(number)]
        return client

    async def _account(self, company_id: UUID, position: int, holder: Holder) -> dict[str, str]:
        async with self._database.session(company_id) as session:
            found = await accounts.accounts_of(session, company_id)
        if len(found) > position:
            account_id, number = found[position].id, found[position].number
        else:
            verb = accounts.OpenAccount(place_of(self._settings).institution, holder)
            made = await self._act(company_id, verb)
            account_id, number = UUID(made["id"]), made["number"]
        async with self._database.session(company_id) as session:
            key = await session.value(
                "SELECT key FROM pix_keys WHERE company_id = $1 AND account_id = $2 ORDER BY created_at LIMIT 1",
                company_id, account_id,
            )  # fmt: skip
        if key is None:
            request_id = uuid5(_OURS, str(account_id))
            key = (await self._act(company_id, keys.RegisterRandomKey(account_id, request_id, self.rail)))["key"]
        return {"id": str(account_id), "number": number, "pixKey": key}

    async def _act(self, company_id: UUID, verb: Verb[Any]) -> dict[str, Any]:
        outcome = await self._runner.act(company_id, verb)
        if not isinstance(outcome, Done):
            raise RuntimeError(f"The demo data could not be laid: {outcome}")  # noqa: TRY004 a refusal, not a wrong type
        made: dict[str, Any] = json.loads(outcome.body)
        return made

    async def _webhook_secret(self, company_id: UUID) -> str:
        async with self._database.session(company_id) as session:
            sealed = await session.value("SELECT webhook_secret FROM companies WHERE company_id = $1", company_id)
        secret = self._key_ring.open(
            sealed, table="companies", column="webhook_secret", company_id=company_id, row_id=company_id
        )
        return secret.decode()

    def _keep(self, name: str, value: Any) -> None:
        self._kept[name] = value
        fresh = self._file.with_name(f".{self._file.name}.new")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            json.dump(self._kept, stream)
        fresh.replace(self._file)


async def _opening_money(
    running: Running, database: Database, client: Mapping[str, str], company_id: UUID, account: Mapping[str, str]
) -> None:
    """Pays an account's first money as everybody does: an order, paid at the simulated bank."""
    code = f"opening-{account['id']}"
    async with database.session(company_id) as session:
        order_id = await session.value(
            "SELECT id FROM orders WHERE company_id = $1 AND external_id = $2 AND status IN ('INITIAL', 'PAID')"
            " ORDER BY status DESC LIMIT 1",
            company_id, code,
        )  # fmt: skip
    url = f"{running.base_url}/order/v2/transparent"
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60), trust_env=False) as http:
        async with http.post(f"{running.base_url}/auth/v1/token", json=dict(client)) as answer:
            headers = {"authorization": f"Bearer {(await answer.json())['token']}"}
        if order_id is None:
            async with http.put(url, json=_opening_order(running, account, code), headers=headers) as answer:
                order = await answer.json()
        else:
            async with http.get(f"{url}/{order_id}", headers=headers) as answer:
                order = await answer.json()
        if order["status"] == "INITIAL":
            pay = {"qrcodeData": order["pix"]["qrcodeData"]}
            async with http.post(f"{running.simulator_url}/phone/pay", json=pay) as answer:
                await answer.read()
            for _ in range(_LOOKS):
                async with http.get(f"{url}/{order['id']}", headers=headers) as answer:
                    if (await answer.json())["status"] == "PAID":
                        return
                await asyncio.sleep(_LOOK_SECONDS)


def _opening_order(running: Running, account: Mapping[str, str], code: str) -> dict[str, Any]:
    return {
        "customer": {
            "name": "Pessoa Pagadora",
            "entityType": "INDIVIDUAL",
            "document": {"type": "CPF", "number": "12345678909"},
            "email": "pessoa@example.com",
        },
        "order": {
            "externalId": code,
            "accountId": account["id"],
            "paymentMethod": "PIX",
            "amount": {"currency": "BRL", "value": _OPENING},
            "description": "Opening money of the demo",
            "notificationUrl": f"{running.simulator_url}/merchant/webhooks/opening",
        },
    }
