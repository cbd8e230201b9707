"""The companies' bank against the Central Bank's document: schemathesis makes thousands of requests of it, right and wrong.

Each operation that the bank offers is tried; every answer has a documented status, type and schema, and what breaks the
document is refused. In the document, as corrected, stands besides what its text alone says.
"""

import asyncio
import copy
import json
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from openapi_schema_validator import OAS30ReadValidator
from tests.oracles import pix_api

from lastro_sim.api_pix import locations, operations
from lastro_sim.api_pix.customers import DEMO
from lastro_sim.api_pix.recurring import locations as recurrence_locations
from lastro_sim.api_pix.server import build_bank

from .company_bank import KEY, Desk, desk, new_tx_id
from .recurring import BROKE, PAYER, approved, charge, day, on_its_day, recurrence
from .recurring import scheduled as scheduled_charge
from .stage import Sim, until

HERE = Path(__file__).parent
REQUESTS = int(os.environ.get("FUZZ_EXAMPLES", "25"))  # of each operation, in each mode
LOCATION, RECURRENCE_LOCATION = "/{pixUrlAccessToken}", "/rec/{recUrlAccessToken}"
LOCATIONS = {LOCATION, RECURRENCE_LOCATION}
# Without a parameter or a body there is nothing to refuse; that a webhook may be absent test_company_bank_webhooks sees.
TAKE_NOTHING = {"POST /locrec", *(f"{method} /webhook{kind}" for method in ("GET", "DELETE") for kind in ("rec", "cobr"))}
Known = dict[str, list[str]]
pytestmark = pix_api.needed


class Counted:
    """The bank, with a count of its answers by operation and status."""

    def __init__(self, sim: Sim) -> None:
        self._bank = build_bank(sim.network)
        self.answers: Counter[tuple[str, int]] = Counter()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def count(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.answers[self._route(scope), message["status"]] += 1
            await send(message)

        await self._bank(scope, receive, count)

    def _route(self, scope: Any) -> str:
        path = scope["raw_path"].decode("ascii")
        if path.startswith("/qr/"):
            return f"{scope['method']} {RECURRENCE_LOCATION if path.startswith('/qr/v2/rec/') else LOCATION}"
        found = operations.matched(path.partition("?")[0])
        known = found and found.operations.get(scope["method"])
        return known.route if known else ""


@asynccontextmanager
async def served(bank: Counted) -> AsyncIterator[str]:
    """The bank on a port without TLS: schemathesis is to judge its words."""
    config = uvicorn.Config(bank, port=0, log_config=None, lifespan="off", access_log=False)
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        for door in server.servers:
            door.close()
        for connection in tuple(server.server_state.connections):
            connection.shutdown()


def document(offered: set[tuple[str, str]], known: Known) -> dict[str, Any]:
    """The corrected document of these paths and methods."""
    made = copy.deepcopy(pix_api.oracle().document)
    methods = {"get", "put", "post", "patch", "delete"}
    paths = {
        path: {name: value for name, value in item.items() if name not in methods or (path, name) in offered}
        for path, item in made["paths"].items()
    }
    made["paths"] = {path: item for path, item in paths.items() if methods & item.keys()}
    # The text says them; the schemas do not.
    schemas = made["components"]["schemas"]
    schemas["CobBase"]["properties"]["chave"]["enum"] = [KEY]
    schemas["CobExpiracao"]["properties"]["expiracao"]["minimum"] = 1
    for name, other in (("PessoaFisica", "cnpj"), ("PessoaJuridica", "cpf")):
        schemas[name]["not"] = {"required": [other]}
    _of_recurrences(schemas, known)
    # A location is another's or there is none, as a rule; cash back is a service that this bank does not have.
    del schemas["CobValor"]["properties"]["retirada"]
    for name in ("CobSolicitada", "CobRevisada"):
        schemas[name]["allOf"] = [part for part in schemas[name]["allOf"] if "loc" not in part.get("properties", {})]
    for path in LOCATIONS & made["paths"].keys():
        # The answer is a JWS; the schema is of the payload that it signs.
        location = made["paths"][path]["get"]
        location["responses"]["200"]["content"] = {"application/jose": {"schema": {"type": "string"}}}
        del location["servers"]
    return made


def _of_recurrences(schemas: dict[str, Any], known: Known) -> None:
    """What the text says of recurrences and their charges, and which are there."""
    for name, other in (("PessoaFisicaRecorrencia", "cnpj"), ("PessoaJuridicaRecorrencia", "cpf")):
        schemas[name]["not"] = {"required": [other]}
        schemas[name]["properties"]["nome"]["minLength"] = 1
    for name, other in (("CPF", "cnpj"), ("CNPJ", "cpf")):
        schemas[name]["not"] = {"required": [other]}
    base = schemas["RecBase"]["properties"]
    base["vinculo"]["properties"]["contrato"]["minLength"] = 1
    base["valor"]["not"] = {"required": ["valorRec", "valorMinimoRecebedor"]}
    for name in ("RecSolicitada", "RecRevisada"):
        schemas[name]["allOf"] = [part for part in schemas[name]["allOf"] if "loc" not in part.get("properties", {})]

    def only(name: str, **fields: Any) -> None:
        """Lets a request's fields, or those in them, be one of these values."""
        schemas[name]["allOf"].append(
            {"type": "object", "properties": {field: _only(values) for field, values in fields.items()}}
        )

    days = known["days"]
    only("RecSolicitada", calendario={"dataInicial": days[:1], "dataFinal": days[-1:]})
    only("RecRevisada", calendario={"dataInicial": days[:1]})
    only("SolicRecSolicitada", idRec=known["unconfirmed"], calendario={"dataExpiracaoSolicitacao": known["ends"]})
    place = {"conta": [DEMO.account], "agencia": [DEMO.branch]}
    asked = {"calendario": {"dataDeVencimento": days}, "valor": {"original": ["35.00", "0.01"]}, "recebedor": place}
    only("CobRSolicitada", idRec=known["charging"], **asked)


def _only(values: Any) -> dict[str, Any]:
    if isinstance(values, dict):
        return {"type": "object", "properties": {name: _only(inner) for name, inner in values.items()}}
    return {"type": "string", "enum": values}


API = {(one.path, one.method.lower()) for one in operations.OPERATIONS}


async def prepared(bank: Desk) -> Known:
    """What is there to be asked for."""
    failed = await _failed(bank)  # it moves the clock
    active, paid = (await bank.charge("0.01"))["txid"], await bank.paid("99.99")
    token = (await bank.done("GET", f"/cob/{active}"))["location"].rpartition("/")[2]
    place = (await bank.done("POST", "/loc", {"tipoCob": "cob"}))["id"]
    weekly: dict[str, Any] = {"calendario": {"dataInicial": day(bank, 5), "periodicidade": "SEMANAL"}}
    charging = [await approved(bank, **weekly) for _ in range(8)]
    made = [await recurrence(bank, **weekly) for _ in range(4)]
    scheduled = new_tx_id()
    await bank.done("PUT", f"/cobr/{scheduled}", charge(bank, charging[0]))
    to = {"cpf": PAYER, "conta": "123456", "agencia": "0001", "ispbParticipante": "99999020"}
    days = [day(bank, 5 + 7 * week) for week in range(100)]
    ends = f"{days[-1]}T12:00:00Z"
    asked = {"idRec": made[3]["idRec"], "calendario": {"dataExpiracaoSolicitacao": ends}, "destinatario": to}
    request = (await bank.done("POST", "/solicrec", asked))["idSolicRec"]
    for kind in ("webhookrec", "webhookcobr"):
        await bank.done("PUT", f"/{kind}", {"webhookUrl": "https://shop.example/hook"})
    return {
        "charges": [active, paid[0]], "pix": [paid[1]], "keys": [KEY], "tokens": [token], "locations": [str(place)],
        "charging": charging, "unconfirmed": [made[2]["idRec"]], "requests": [request],
        "recurrences": [one["idRec"] for one in made[:2]], "recurrence_locations": [str(made[1]["loc"]["id"])],
        "recurrence_tokens": [made[1]["loc"]["location"].rpartition("/")[2]], "scheduled": [scheduled],
        "failed": [failed], "days": days, "ends": [ends], "tomorrow": [day(bank, 1)],
    }  # fmt: skip


async def _failed(bank: Desk) -> str:
    """A charge of which one attempt brought no money."""
    first: dict[str, Any] = {"calendario": {"dataInicial": day(bank, 3), "periodicidade": "SEMANAL"}}
    tx_id = await scheduled_charge(bank, await approved(bank, BROKE, **first))
    store = bank.sim.network.store
    for step in ("SECOND", "CLOSING", "DONE"):
        await on_its_day(bank, tx_id)
        await until(lambda step=step: store.get("instruction", tx_id=tx_id)["step"] == step)  # type: ignore[misc]
    await until(lambda: store.get("bank_attempt")["status"] == "EXPIRADA")
    await bank.enter()
    return tx_id


async def tried(
    folder: Path, url: str, bank: Desk, offered: set[tuple[str, str]], requests: int = REQUESTS
) -> tuple[int, str]:
    """Runs schemathesis; answers its exit status and what it said."""
    known = await prepared(bank)
    await bank.done("PUT", f"/webhook/{KEY}", {"webhookUrl": "https://shop.example/hook"})
    said = (HERE / "schemathesis.toml").read_text(encoding="utf-8")
    said += "".join(f"\n[dictionaries.{name}]\nvalues = {json.dumps(values)}\n" for name, values in known.items())
    (folder / "schemathesis.toml").write_text(said, encoding="utf-8")
    (folder / "document.json").write_text(json.dumps(document(offered, known)), encoding="utf-8")
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "schemathesis.cli", "--config-file", folder / "schemathesis.toml", "run",
        folder / "document.json", "--url", url, "--max-examples", str(requests), "--no-color",
        "--generation-deterministic", "--phases", "examples,coverage,fuzzing",
        cwd=folder, env={**os.environ, "BANK_TOKEN": bank.headers["Authorization"].removeprefix("Bearer ")},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await running.communicate()
    return running.returncode or 0, output.decode()


async def test_every_answer_is_as_the_central_bank_says(sim: Sim, tmp_path: Path) -> None:
    counted = Counted(sim)
    async with served(counted) as url, desk(sim) as bank:
        status, output = await tried(tmp_path, f"{url}/v2", bank, API)
    assert status == 0, output
    assert f"Tested: {len(API)}\n" in output, output
    # Right requests were taken, and wrong ones refused, of each.
    taken = {route for route, answered in counted.answers if answered < 300}
    refused = {route for route, answered in counted.answers if answered in {400, 404}}
    assert taken >= {one.route for one in operations.OPERATIONS}, counted.answers
    assert refused >= {one.route for one in operations.OPERATIONS} - TAKE_NOTHING, counted.answers


async def test_every_location_answers_as_the_central_bank_says(sim: Sim, tmp_path: Path) -> None:
    counted = Counted(sim)
    async with served(counted) as url, desk(sim) as bank:
        status, output = await tried(tmp_path, f"{url}/qr/v2", bank, {(path, "get") for path in LOCATIONS})
        charged, made = await bank.charge(), await recurrence(bank)
    payloads = {
        LOCATION: locations.payload(sim.network, charged["location"].rpartition("/")[2]),
        RECURRENCE_LOCATION: recurrence_locations.payload(sim.network, made["loc"]["location"].rpartition("/")[2]),
    }
    assert status == 0, output
    for path, payload in payloads.items():
        assert {answered for route, answered in counted.answers if route == f"GET {path}"} >= {200, 404}
        signed = pix_api.oracle().operation("GET", path)["responses"]["200"]["content"]["application/jose"]["schema"]
        assert list(OAS30ReadValidator(signed).iter_errors(payload)) == []


async def test_a_bank_that_leaves_the_document_is_found(sim: Sim, tmp_path: Path) -> None:
    """So the tests above can fail: null for what is absent breaks the schemas."""
    async with served(Counted(sim)) as url, desk(sim) as bank:
        await bank.fault("null-fields", times=100_000)
        status, output = await tried(tmp_path, f"{url}/v2", bank, {("/pix/{e2eid}", "get")}, requests=2)
    assert status == 1, output
    assert "Response violates schema" in output
