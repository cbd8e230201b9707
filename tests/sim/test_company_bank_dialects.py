"""The dialects of the companies' bank: what a customer of each bank sees on the wire."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from .company_bank import Desk, desk, kind, new_tx_id, terms
from .stage import Sim

GRANT = {"grant_type": "client_credentials"}


@asynccontextmanager
async def speaking(sim: Sim, dialect: str) -> AsyncIterator[Desk]:
    """A customer of a bank of this dialect, with a token got in the standard's way."""
    async with desk(sim) as made:
        await sim.act(f"/bank/company/customers/{made.client_id}/dialect", {"dialect": dialect})
        yield made


async def _granted(bank: Desk) -> dict[str, int]:
    own, basic = {"client_id": bank.client_id, "client_secret": bank.secret}, (bank.client_id, bank.secret)
    found = {
        "basic-form": await bank.http.post("/oauth/token", data=GRANT, auth=basic),
        "basic-json": await bank.http.post("/oauth/token", json=GRANT, auth=basic),
        "body": await bank.http.post("/oauth/token", data=GRANT | own),
    }
    return {style: answered.status_code for style, answered in found.items()}


STYLES = {
    "standard": {"basic-form", "basic-json", "body"}, "efi": {"basic-form", "basic-json"}, "bb": {"basic-form"}, "inter": {"body"},
    "itau": {"body"}, "santander": {"body"}, "sicoob": set(), "sicredi": {"basic-form"}, "bradesco": {"basic-form"},
}  # fmt: skip


async def test_each_takes_its_own_style_of_token(sim: Sim) -> None:
    for dialect, styles in STYLES.items():
        async with desk(sim) as bank:
            await sim.act(f"/bank/company/customers/{bank.client_id}/dialect", {"dialect": dialect})
            assert {style for style, status in (await _granted(bank)).items() if status == 200} == styles, dialect
        await sim.act("/bank/company/customers/lastro-demo/dialect", {"dialect": "standard"})


async def test_itaus_token_lives_five_minutes_and_its_times_are_local(sim: Sim) -> None:
    async with speaking(sim, "itau") as bank:
        bank.headers["x-correlationID"] = "7"
        own = {"client_id": bank.client_id, "client_secret": bank.secret}
        assert (await bank.http.post("/oauth/token", data=GRANT | own)).json()["expires_in"] == 300
        now = datetime.fromisoformat(bank.at())
        made = datetime.fromisoformat((await bank.charge())["calendario"]["criacao"])
        assert timedelta(hours=2, minutes=59) < now - made < timedelta(hours=3, minutes=1)
        paging = (await bank.listed("/cob", **{"paginacao.itensPorPagina": 1000}))["parametros"]["paginacao"]
        assert paging["itensPorPagina"] == 100
        del bank.headers["x-correlationID"]
        assert kind(await bank.ask("GET", f"/cob/{new_tx_id()}")) == (400, "RequisicaoInvalida")


async def test_banco_do_brasil_wants_its_key_and_answers_200(sim: Sim) -> None:
    async with speaking(sim, "bb") as bank:
        without = await bank.ask("PUT", f"/cob/{new_tx_id()}", terms())
        assert (without.status_code, without.json()["erros"][0]["ocorrencia"]) == (400, "RequisicaoInvalida")
        key = {"gw-dev-app-key": "d27b"}
        assert (await bank.ask("PUT", f"/cob/{new_tx_id()}", terms(), **key)).status_code == 200
        assert (await bank.ask("POST", "/cob", terms(), **key)).status_code == 405
        refused = await bank.ask("GET", f"/cob/{new_tx_id()}", **key)
        assert (refused.status_code, refused.headers["content-type"]) == (404, "application/json")
        assert refused.json()["erros"][0]["codigo"] == "404"
        bank.headers["Authorization"] = "Bearer none"
        # Whose dialect it is, the bank does not know yet.
        assert (await bank.ask("GET", f"/cob/{new_tx_id()}", **key)).status_code == 401


async def test_sicoob_says_brcode_and_null(sim: Sim) -> None:
    async with speaking(sim, "sicoob") as bank:
        bank.headers["client_id"] = bank.client_id
        made = await bank.charge()
        assert "pixCopiaECola" not in made
        assert made["brcode"].startswith("000201")
        assert made["devedor"] is None
        name = (await bank.pay(txid=made["txid"]))["endToEndId"]
        answered = await bank.ask("PUT", f"/pix/{name}/devolucao/r1", {"valor": "1.00"})
        assert (answered.status_code, answered.json()["motivo"]) == (200, None)


async def test_sicredi_has_a_version_for_each_resource(sim: Sim) -> None:
    async with speaking(sim, "sicredi") as bank:
        bank.prefix = "/api/v3"
        tx_id = (await bank.charge())["txid"]
        assert kind(await bank.ask("GET", "/webhook")) == (404, "NaoEncontrado")
        bank.prefix = "/api/v2"
        assert kind(await bank.ask("GET", f"/cob/{tx_id}")) == (404, "NaoEncontrado")
        assert [one["txid"] for one in (await bank.listed("/cob"))["cobs"]] == [tx_id]
        await bank.enter("cob.read")
        assert kind(await bank.ask("GET", "/webhook")) == (400, "RequisicaoInvalida")


async def test_santander_refuses_milliseconds(sim: Sim) -> None:
    async with speaking(sim, "santander") as bank:
        bank.prefix = "/api/v1"
        good = {"inicio": "2026-01-01T00:00:00Z", "fim": "2026-01-02T00:00:00Z"}
        assert (await bank.ask("GET", "/pix", **good)).status_code == 200
        refused = await bank.ask("GET", "/pix", **(good | {"fim": "2026-01-02T00:00:00.000Z"}))
        assert kind(refused) == (400, "PixConsultaInvalida")


async def test_inter_filters_by_another_name(sim: Sim) -> None:
    async with speaking(sim, "inter") as bank:
        mine, name = await bank.paid()
        await bank.paid()
        assert [one["endToEndId"] for one in (await bank.listed(txId=mine))["pix"]] == [name]
        assert (await bank.ask("GET", "/webhook")).status_code == 405


async def test_efi_names_its_errors(sim: Sim) -> None:
    async with speaking(sim, "efi") as bank:
        refused = await bank.ask("PUT", f"/cob/{new_tx_id()}", terms("0.00"))
        assert (refused.status_code, refused.json()["nome"]) == (400, "cob_operacao_invalida")
        assert "valor.original" in refused.json()["mensagem"]


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


async def both(bank: Desk, **more: Any) -> list[httpx.Response]:
    """Two new charges in a row: the first suffers what was ordered."""
    return [await bank.ask("PUT", f"/cob/{new_tx_id()}", terms(**more)) for _ in range(2)]


async def test_each_change_of_fields_can_be_ordered_alone(bank: Desk) -> None:
    await bank.fault("ok-for-created")
    assert [one.status_code for one in await both(bank)] == [200, 201]
    await bank.fault("brcode")
    assert [("brcode" in one.json(), "pixCopiaECola" in one.json()) for one in await both(bank)] == [
        (True, False),
        (False, True),
    ]
    await bank.fault("null-fields")
    assert [one.json().get("devedor", 0) for one in await both(bank)] == [None, 0]
    await bank.fault("unknown-fields")
    assert ["extrasDoPSP" in one.json() for one in await both(bank)] == [True, False]
    await bank.fault("local-marked-z")
    early, now = (datetime.fromisoformat(one.json()["calendario"]["criacao"]) for one in await both(bank))
    assert timedelta(hours=2, minutes=59) < now - early < timedelta(hours=3, minutes=1)
