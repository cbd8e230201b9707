"""schemathesis against the API over HTTP: thousands of requests made of the document, right and wrong; every answer keeps it.

Here a few of each operation, the same each time: each field times each fault is tried in tests/house/test_bad_input.py.
`make fuzz` makes hundreds, others each time, and those of the edges of every schema.
"""

import asyncio
import os
import socket
import sys
import tempfile
import tomllib
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import httpx
import msgspec
from tests import databases
from tests.house.asking import Ask
from tests.house.examples import EXAMPLES
from tests.house.strangers import Town, leave, settle
from tests.journeys.stage import until

from lastro.app import wiring
from lastro.core.db import Database
from lastro.web.application import application
from lastro.web.server import server
from lastro_sandbox import wiring as sandbox

HERE = Path(__file__).parent
HOST = "127.0.0.1"
NOBODY = "http://127.0.0.1:9"  # where a simulated network would be
REQUESTS = int(os.environ.get("FUZZ_EXAMPLES", "4"))  # of each operation
SEED = os.environ.get("FUZZ_SEED")  # given: requests of this seed, instead of the same each time
NO_LIMIT = 100_000_000
# What `lastro run` says of a sandbox, as far as paths read it.
SANDBOX = {
    "baseUrl": "http://127.0.0.1:9", "simulatorUrl": NOBODY, "clientId": "lc_x", "clientSecret": "",
    "accounts": [{"id": "0196a4ef-1d02-7e40-8b11-64c3f0de9a17", "number": "1", "pixKey": "ana@example.com"}],
}  # fmt: skip


@asynccontextmanager
async def served(town: Town, work: Database) -> AsyncIterator[str]:
    """The town's API on a port of its own, with what a sandbox has beside, by the server that production has; its address."""
    with socket.socket() as listening, tempfile.TemporaryDirectory() as home:
        (Path(home) / "sandbox.json").write_bytes(msgspec.json.encode(SANDBOX))
        listening.bind((HOST, 0))
        address = f"{HOST}:{listening.getsockname()[1]}"
        house = replace(
            town.house, hosts=frozenset({address}), requests_per_minute=NO_LIMIT, token_requests_per_minute=NO_LIMIT
        )
        gate = wiring.gate(house)
        gate.note = lambda *_: None  # a line for each of thousands of requests is read by nobody
        operations = wiring.operations(house)
        settings = Mock(network_url=NOBODY, partners={}, connections=(), home=Path(home))
        public = wiring.public(house, sandbox.OPEN_PATHS) | sandbox.paths(settings, house, operations, work)
        app = application(gate, operations, wiring.routes(house), public)
        serves = server(app, behind_proxy=True, lifespan="off")
        serving = asyncio.create_task(serves.serve(sockets=[listening]))

        async def begun() -> bool:
            return serves.started

        await until(begun, "the server")
        yield f"http://{address}"
        serves.should_exit = True
        await serving


async def known(town: Town) -> Mapping[str, str]:
    """What there is, so that not everything that is asked for is unknown."""
    route = next(r for r in wiring.routes(town.house) if r.operation == "read_order")
    order = (await town.send(route, Ask(path={"id": town.objects["order"]}), town.token(town.ana))).json()
    picture = order["pix"]["qrcodeImageUrl"].rpartition("/")[2]
    return {
        "orders": order["id"], "accounts": town.objects["account"], "events": town.objects["event"], "pictures": picture,
        "charges": picture.removesuffix(".png"), "checkouts": order["orderToken"], "payouts": town.objects["paid payout"],
    }  # fmt: skip


def as_list(said: str | list[str]) -> list[str]:
    return [said] if isinstance(said, str) else said


def there(town: Town, but: Collection[str]) -> str:
    """For every reading operation that names an object, the ids of one that is there: half of the time it is asked for.

    but: operations that have theirs from the file beside this one.
    """
    lines = []
    for route in wiring.routes(town.house):
        example = EXAMPLES[route.operation]
        if route.method != "GET" or example.kind is None or route.operation in but:
            continue
        names = [route.operation, *(f"{route.operation}_elsewhere" for _ in route.same_at)]
        ids = example.ask(town.objects[example.kind]).path
        lines += [f"[[operations]]\ninclude-operation-id = {msgspec.json.encode(names).decode()}\n[operations.parameters]"]
        lines += [f'"path.{name}" = {{ dictionary = "{route.operation}-{name}", probability = 0.5 }}' for name in ids]
        lines += [
            f'[dictionaries."{route.operation}-{name}"]\nvalues = {msgspec.json.encode([value]).decode()}'
            for name, value in ids.items()
        ]
    return "\n".join(lines)


async def test_every_answer_is_as_the_document_says(own_database: databases.Database, tmp_path: Path) -> None:
    town, work = await settle(own_database), Database(own_database.work, size=2)
    try:
        async with served(town, work) as address:
            said = (HERE / "schemathesis.toml").read_text(encoding="utf-8")
            if SEED is not None:
                said = said.replace('mode = "negative"', 'mode = "all"')
            for name, value in (await known(town)).items():
                said += f"\n[dictionaries.{name}]\nvalues = {msgspec.json.encode([value]).decode()}\n"
            configured = [one for one in tomllib.loads(said)["operations"] if "parameters" in one]
            said += there(town, {name for one in configured for name in as_list(one["include-operation-id"])})
            (tmp_path / "schemathesis.toml").write_text(said, encoding="utf-8")
            # Made when it is first asked for, which a busy machine may take longer for than schemathesis waits.
            async with httpx.AsyncClient(base_url=address, timeout=60.0, trust_env=False) as http:
                assert (await http.get("/openapi.json")).status_code == 200
            few = ("--generation-deterministic", "--phases", "fuzzing")
            repeatable = few if SEED is None else ("--seed", SEED)
            running = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "schemathesis.cli", "--config-file", tmp_path / "schemathesis.toml", "run",
                f"{address}/openapi.json", "--url", address, "--max-examples", str(REQUESTS), "--no-color", *repeatable,
                cwd=tmp_path, env={**os.environ, "FUZZ_TOKEN": town.token(town.ana)},
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )  # fmt: skip
            output, _ = await running.communicate()
        assert running.returncode == 0, output.decode()
        every = sum(len(item) for item in wiring.documented(town.house, sandbox.OPEN_PATHS)["paths"].values())
        # It does not ask for the document again, from which it has all this.
        assert f"Tested: {every - 1}\n".encode() in output, output.decode()
    finally:
        await work.close()
        await leave(town)


def test_a_500_is_admitted_nowhere() -> None:
    """503 is, where an operation asks somebody who is not there; 500 is a documented status, so that this check alone finds it."""
    said = tomllib.loads((HERE / "schemathesis.toml").read_text(encoding="utf-8"))
    rules = [one.get("checks", {}).get("not_a_server_error", {}) for one in (said, *said["operations"])]
    assert all(rule.get("enabled", True) for rule in rules)
    admitted = {str(status).lower() for rule in rules for status in rule.get("expected-statuses", ())}
    assert admitted == {"2xx", "3xx", "4xx", "503"}
