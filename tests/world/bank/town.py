"""The town of a bank's storm: the second company's orders are made by its own account at the simulated bank."""

import json
from pathlib import Path
from typing import Any

import aiohttp
from tests.journeys.servers import Server
from tests.world.whole.town import APIS, WORKERS, Manner, Town

from lastro.core.db import Database as Pool
from lastro_sandbox import bank_file
from lastro_sandbox.run_settings import Running

RAIL = bank_file.NAME
CLIENT = "lastro-demo"  # of the bank: the second company
_QUICK = str(Path(__file__).with_name("quick.py"))
_PATHS = {"santander": "/v1", "sicredi": ""}  # behind the bank's address, where it is not /v2
# As quick as may be: a bank that says 429 a few times would hold up the storm's end for minutes.
_END_CURSORS = "UPDATE rail_cursors SET leased_until = machine_now() WHERE leased_until > machine_now()"


class BankTown(Town):
    """A town whose bank speaks the manner's dialect."""

    def __init__(self, home: Path, server: Server, disk: Path | None, manner: Manner) -> None:
        super().__init__(home, server, disk, manner)
        quick = dict.fromkeys(WORKERS, (_QUICK, "worker")) | dict.fromkeys(APIS, (_QUICK, "api"))
        self._programs = {**self._programs, **quick}

    async def connected(self, running: Running) -> Path | None:
        """The file of connections, in the dialect that the bank speaks from now on."""
        dialect = self.manner.dialect or "standard"
        async with aiohttp.ClientSession(trust_env=False) as http:
            url = f"{self.simulator_url}/bank/company/customers/{CLIENT}/dialect"
            async with http.post(url, json={"dialect": dialect}) as answer:
                customer: dict[str, Any] = await answer.json()
        customer["base_url"] = customer["base_url"].removesuffix("/v2") + _PATHS.get(dialect, "/v2")
        if dialect == "sicoob":
            customer["client_secret_file"] = ""
        told = running.home / "simulator" / "bank" / "customer.json"
        told.write_text(json.dumps(customer), encoding="utf-8")
        file = bank_file.write(running, self.sandbox)
        assert file is not None
        secret = _written(running.home / "bank-webhook-secret", "a-secret-of-a-storm-of-32-letters")
        more = [f'webhook = "{self.base_url}"', f"secret_file = {json.dumps(str(secret))}"]
        if dialect == "bb":
            key = _written(running.home / "bank-app-key", "app-key-of-a-storm")
            more.append(f"app_key_file = {json.dumps(str(key))}")
        lines = file.read_text(encoding="utf-8").splitlines()
        lines = [line for line in lines if not line.startswith("window_days")]  # the dialect's own
        at = lines.index(f"[{RAIL}]") + 1
        return _written(file, "\n".join([*lines[:at], *more, *lines[at:], ""]))

    async def end_leases(self) -> None:
        """The lease of whoever read the bank's lists ends, too."""
        await super().end_leases()
        pool = Pool(self.dsn("lastro_app"), size=1)
        try:
            async with pool.session() as session:
                await session.fetch(_END_CURSORS)
        finally:
            await pool.close()


def _written(file: Path, text: str) -> Path:
    """A file of its owner alone."""
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
    return file
