"""Strangers' clients charge by Pix Automático at the companies' bank: efipay is Efí's own, pypix-api talks to four banks.

Both know every call of the document's second half; nobody here wrote either. Each makes a recurrence, a payer authorizes it,
and a charge of it is collected on its day.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import efipay
import pytest
from efipay.constants import Constants

from lastro.standards import brcode, calendar
from lastro_sim.api_pix import listener
from lastro_sim.clock import moment

from .company_bank import DEBTOR, new_tx_id
from .recurring import BROKE, PAYER
from .stage import Sim, running, until
from .test_company_bank_clients import BASES, CLIENTS, Shop, shop

AMOUNT = "35.00"
SCOPES = " ".join(
    f"{name}.{act}"
    for name in ("rec", "solicrec", "cobr", "payloadlocationrec", "webhookrec", "webhookcobr", "pix")
    for act in ("read", "write")
)


@pytest.fixture
async def sim(tmp_path: Path) -> AsyncIterator[Sim]:
    async with running(tmp_path, bank_port=0) as made, listener.listening(made.network, "127.0.0.1"):
        yield made


def day(made: Shop, ahead: int) -> str:
    now = calendar.brasilia_day(moment(made.sim.network.clock.business()))
    return (now + timedelta(days=ahead)).isoformat()


def asked(made: Shop, **more: Any) -> dict[str, Any]:
    return {
        "vinculo": {"contrato": "C-1", "objeto": "Assinatura", "devedor": DEBTOR},
        "calendario": {"dataInicial": day(made, 2), "periodicidade": "MENSAL"},
        "valor": {"valorRec": AMOUNT}, "politicaRetentativa": "PERMITE_3R_7D",
    } | more  # fmt: skip


def charge(made: Shop, id_rec: str) -> dict[str, Any]:
    return {
        "idRec": id_rec, "calendario": {"dataDeVencimento": day(made, 4)}, "valor": {"original": AMOUNT},
        "ajusteDiaUtil": False,
        "recebedor": {"conta": made.said["account"], "agencia": made.said["branch"], "tipoConta": "CORRENTE"},
    }  # fmt: skip


async def authorized(made: Shop, id_rec: str, payer: str = PAYER) -> None:
    path = f"/bank/company/recurrences/{id_rec}/authorize"
    assert (await made.sim.act(path, {"payer": payer}))["status"] == "AUTHORIZED"


async def until_it_is(made: Shop, tx_id: str, status: str) -> None:
    store = made.sim.network.store
    await until(lambda: store.get("bank_scheduled_charge", tx_id=tx_id)["status"] == status)


async def next_hour(made: Shop, tx_id: str) -> None:
    """Moves to the next hour at which the payer's bank tries to collect it."""
    network = made.sim.network
    row = await until(lambda: (one := network.store.find("instruction", tx_id=tx_id)) and one["due_at"] and one)
    network.move_clock(network.clock.offset + row["due_at"] - network.clock.business() + 1_000_000)


async def test_efipay_authorizes_charges_and_cancels(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await shop(sim, "efi", monkeypatch)
    monkeypatch.setitem(Constants.APIS["PIX"]["URL"], "sandbox", made.url)
    options = {"client_id": "efi", "client_secret": made.secret, "sandbox": True, "certificate": made.said["bundle_file"]}
    efi, tx_id = efipay.EfiPay(options), new_tx_id()

    async def call(name: str, **given: Any) -> Any:
        return await asyncio.to_thread(getattr(efi, name), **given)

    place = await call("pix_create_location_recurrence_automatic")
    rec = await call("pix_create_recurrence_automatic", body=asked(made, loc=place["id"]))
    named = {"idRec": rec["idRec"]}
    shown = await call("pix_detail_recurrence_automatic", params=named)
    assert brcode.decode(shown["dadosQR"]["pixCopiaECola"]).recurrence_location == place["location"]
    assert (await call("pix_detail_location_recurrence_automatic", params={"id": place["id"]}))["idRec"] == rec["idRec"]
    await authorized(made, rec["idRec"], BROKE)
    begins, ends = made.day()
    listed = await call("pix_list_recurrence_automatic", params={"inicio": begins, "fim": ends})
    assert [(one["idRec"], one["status"]) for one in listed["recs"]] == [(rec["idRec"], "APROVADA")]
    await call("pix_create_automatic_charge_txid", params={"txid": tx_id}, body=charge(made, rec["idRec"]))
    await until_it_is(made, tx_id, "ATIVA")
    store = made.sim.network.store
    for step in ("SECOND", "CLOSING", "DONE"):  # both windows of the day, and its end
        await next_hour(made, tx_id)
        await until(lambda step=step: store.get("instruction", tx_id=tx_id)["step"] == step)  # type: ignore[misc]
    await until(lambda: store.get("bank_attempt")["status"] == "EXPIRADA")
    again = await call("pix_retry_request_automatic", params={"txid": tx_id, "data": day(made, 1)})
    assert [one["tipo"] for one in again["tentativas"]] == ["AGND", "NTAG"]
    refused = await call("pix_update_automatic_charge", params={"txid": tx_id}, body={"status": "CANCELADA"})
    assert refused["nome"] == "cob_r_operacao_invalida"
    gone = await call("pix_update_recurrence_automatic", params=named, body={"status": "CANCELADA"})
    assert gone["status"] == "CANCELADA"
    listed = await call("pix_list_automatic_charge", params={"inicio": begins, "fim": f"{day(made, 9)}T00:00:00Z"})
    assert [one["status"] for one in listed["cobsr"]] == ["CANCELADA"]


@pytest.mark.parametrize("bank", CLIENTS)
async def test_pypix_authorizes_charges_and_is_paid(sim: Sim, monkeypatch: pytest.MonkeyPatch, bank: str) -> None:
    made = await shop(sim, bank, monkeypatch)
    api = CLIENTS[bank](
        made, token_url=made.said["token_url"], client_id=bank, cert=made.said["certificate_file"], pvk=made.said["key_file"]
    )
    monkeypatch.setattr(type(api), "BASE_URL", made.url + BASES[bank])
    api.scopes = SCOPES  # two of its banks have no scope for locations of recurrences
    tx_id, (begins, ends), call = new_tx_id(), made.day(), asyncio.to_thread

    place = await call(api.criar_location_rec)
    rec = await call(api.criar_recorrencia, asked(made, loc=place["id"]))
    assert (rec["status"], rec["loc"]["idRec"]) == ("CRIADA", rec["idRec"])
    to = {"cpf": PAYER, "conta": "123456", "agencia": "0001", "ispbParticipante": "99999020"}
    body = {"idRec": rec["idRec"], "calendario": {"dataExpiracaoSolicitacao": ends}, "destinatario": to}
    request = await call(api.criar_solicrec, body)
    store = made.sim.network.store
    await until(lambda: store.get("bank_confirmation")["status"] == "RECEBIDA")
    await authorized(made, rec["idRec"])
    assert (await call(api.consultar_solicrec, request["idSolicRec"]))["status"] == "ACEITA"
    now = await call(api.consultar_recorrencia, rec["idRec"])
    assert (now["status"], now["ativacao"]["tipoJornada"]) == ("APROVADA", "JORNADA_1")
    assert [one["idRec"] for one in (await call(api.listar_recorrencias, begins, ends))["recs"]] == [rec["idRec"]]
    await call(api.configurar_webhook_cobr, "https://shop.example/hook")
    assert (await call(api.consultar_webhook_cobr))["webhookUrl"] == "https://shop.example/hook"
    assert await call(api.excluir_webhook_cobr)
    await call(api.criar_cobr_com_txid, tx_id, charge(made, rec["idRec"]))
    await until_it_is(made, tx_id, "ATIVA")
    await next_hour(made, tx_id)
    await until_it_is(made, tx_id, "CONCLUIDA")
    ended = await call(api.consultar_cobr, tx_id)
    listed = await call(api.consultar_pix, begins, f"{day(made, 1)}T00:00:00Z", txid=tx_id)
    assert [one["endToEndId"] for one in listed["pix"]] == [ended["pix"][0]["endToEndId"]]
    other = await call(api.criar_cobr, charge(made, rec["idRec"]) | {"calendario": {"dataDeVencimento": day(made, 40)}})
    assert (await call(api.cancelar_cobr, other["txid"]))["status"] == "CANCELADA"
    assert (await call(api.cancelar_recorrencia, rec["idRec"]))["status"] == "CANCELADA"
    assert date.fromisoformat(ended["calendario"]["dataDeVencimento"]).isoformat() == day(made, 0)
