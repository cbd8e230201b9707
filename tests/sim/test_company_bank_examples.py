"""The Central Bank's own examples of requests for Pix Automático, posted to the companies' bank as they stand."""

import json
from collections.abc import AsyncIterator
from datetime import date, time
from typing import Any

import pytest
from tests.oracles import examples, pix_api

from lastro.standards import calendar
from lastro_sim.clock import counted

from .company_bank import Desk, kind
from .recurring import PLACE, judged
from .stage import Sim

pytestmark = pix_api.needed


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    """The bank on the first of January 2024, before every date of the examples."""
    sim.network.move_clock(counted(calendar.instant(date(2024, 1, 1), time(12))) - sim.network.clock.machine())
    async with judged(sim) as made:
        yield made


def requests(operation: str) -> list[Any]:
    """The examples of an operation's request, each a copy."""
    found = [one.value for one in examples.examples() if (one.operation, one.side) == (operation, "request")]
    assert found, operation
    copied: list[Any] = json.loads(json.dumps(found))
    return copied


async def test_recurrences_are_made_and_revised(bank: Desk) -> None:
    first, second = requests("POST /rec")
    assert kind(await bank.ask("POST", "/rec", first)) == (400, "RecOperacaoInvalida")  # its location is not there
    for _ in range(first["loc"]):
        await bank.done("POST", "/locrec")
    one, other = await bank.done("POST", "/rec", first), await bank.done("POST", "/rec", second)
    assert (one["idRec"][:2], other["idRec"][:2]) == ("RN", "RR")
    assert (one["loc"]["id"], one["ativacao"]["dadosJornada"]) == (108, first["ativacao"]["dadosJornada"])
    for made, asked in ((one, first), (other, second)):
        assert {name: made[name] for name in ("vinculo", "calendario", "valor", "politicaRetentativa")} == {
            name: asked[name] for name in ("vinculo", "calendario", "valor", "politicaRetentativa")
        }
    (revision,) = requests("PATCH /rec/{idRec}")
    revised = await bank.done("PATCH", f"/rec/{one['idRec']}", revision)
    assert revised["vinculo"]["devedor"]["nome"] == revision["vinculo"]["devedor"]["nome"]


async def test_a_request_is_made_and_canceled(bank: Desk) -> None:
    made = await bank.done("POST", "/rec", requests("POST /rec")[1])
    (asked,) = requests("POST /solicrec")
    # Its recurrence is another's, and its last day was in 2023.
    assert kind(await bank.ask("POST", "/solicrec", asked)) == (400, "SolicRecOperacaoInvalida")
    asked |= {"idRec": made["idRec"], "calendario": {"dataExpiracaoSolicitacao": bank.at(10)}}
    answered = await bank.ask("POST", "/solicrec", asked)
    assert answered.status_code == 201, answered.text
    (revision,) = requests("PATCH /solicrec/{idSolicRec}")
    canceled = await bank.ask("PATCH", f"/solicrec/{answered.json()['idSolicRec']}", revision)
    # Nobody has the account of the example: the payer's bank may have said so already.
    assert canceled.status_code in {201, 400}, canceled.text


async def test_a_charge_is_made_and_canceled(bank: Desk) -> None:
    made = await bank.done("POST", "/rec", requests("POST /rec")[1])
    (asked,) = requests("PUT /cobr/{txid}")
    path = f"/cobr/{'a' * 32}"
    refused = await bank.ask("PUT", path, asked)
    # Its CEP has a hyphen, which its own schema does not allow.
    assert {one["propriedade"] for one in refused.json()["violacoes"]} == {"cobr.devedor.cep"}
    asked["devedor"]["cep"] = asked["devedor"]["cep"].replace("-", "")
    assert kind(await bank.ask("PUT", path, asked)) == (404, "NaoEncontrado")  # its recurrence is another's
    asked |= {"idRec": made["idRec"]}
    refused = await bank.ask("PUT", path, asked)
    assert {one["propriedade"] for one in refused.json()["violacoes"]} == {"cobr.recebedor"}  # so is its account
    asked |= {"recebedor": PLACE}
    assert (await bank.done("PUT", path, asked))["status"] == "CRIADA"
    (revision,) = requests("PATCH /cobr/{txid}")
    assert (await bank.done("PATCH", path, revision))["status"] == "CANCELADA"


async def test_webhooks_are_registered(bank: Desk) -> None:
    for path in ("/webhookrec", "/webhookcobr"):
        (asked,) = requests(f"PUT {path}")
        await bank.done("PUT", path, asked)
        assert (await bank.done("GET", path))["webhookUrl"] == asked["webhookUrl"]
