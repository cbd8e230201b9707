"""Each dialect at the simulated bank, which others made from what banks say of themselves: the file, the check, a charge."""

import itertools
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sim.company_bank import new_tx_id, terms
from tests.sim.stage import running

from lastro.rails.api_pix import DIALECTS, Ambient, BankLine, check, read
from lastro.standards.account_numbers import with_check_digit
from lastro_sim.api_pix import listener

# Where the bank's own base is another than /v2; Sicredi's versions are in the paths.
BASES = {"santander": "/api/v1", "sicredi": ""}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_connection_of_each_dialect(tmp_path: Path, dialect: str) -> None:
    async with running(tmp_path, bank_port=0) as sim, listener.listening(sim.network, "127.0.0.1"):
        folder = sim.network.settings.bank_folder
        customer = json.loads((folder / "customer.json").read_text(encoding="utf-8"))
        with sim.network.store.writing():
            known = sim.network.store.find("bank_customer", client_id=customer["client_id"])
            assert known is not None
            sim.network.store.change("bank_customer", known, dialect=dialect)
        (folder / "app-key").touch(mode=0o600)
        (folder / "app-key").write_text("app-key-1")
        row = DIALECTS[dialect]
        lines = [
            "[efi1]", "company = 1", f'dialect = "{dialect}"', f'client_id = "{customer["client_id"]}"',
            f'base_url = "{customer["base_url"].removesuffix("/v2")}{BASES.get(dialect, "/v2")}"',
            f'token_url = "{customer["token_url"]}"', f'certificate_file = "{customer["pkcs12_file"]}"',
            f'ca_file = "{customer["ca_file"]}"', f'keys = {{ "{customer["keys"][0]}" = "{with_check_digit("00000123")}" }}',
            f'client_secret_file = "{customer["client_secret_file"]}"' if row.has_secret else "",
            'app_key_file = "app-key"' if "app_key" in row.needs else "",
            'bank_account = "400001"' if "bank_account" in row.needs else "",
        ]  # fmt: skip
        (connection,), problems = read("\n".join(lines), folder, is_sandbox=False)
        assert problems == ()
        numbers = itertools.count(1)
        ambient = Ambient(time.monotonic, lambda: datetime.now(UTC), lambda: f"8d7f2b9e-1c1e-4b3a-9d57-{next(numbers):012}")
        found = await check(connection, ambient)
        assert [one for one in found if one.state != "passed"] == []
        assert [one.check.split()[0] for one in found] == [
            "tls",
            "tls",
            "token",
            "payments",
            "webhook",
            "clock",
            "certificate",
        ]
        line = BankLine(connection, ambient)
        tx_id = new_tx_id()
        made = await line.ask("PUT", f"/cob/{tx_id}", json.dumps(terms(key=customer["keys"][0])).encode(), 5.0)
        assert made.status in {200, 201}
        assert json.loads((await line.ask("GET", f"/cob/{tx_id}", None, 5.0)).body)["txid"] == tx_id
        await line.close()
