"""A customer of the companies' bank who charges by Pix Automático: recurrences, their payers, and charges of cycles."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
from tests.oracles import pix_api
from tests.oracles.contract import Exchange

from lastro.standards import calendar
from lastro_sim.clock import moment

from .company_bank import DEBTOR, Desk, desk, new_tx_id
from .stage import Sim, until

PAYER, BROKE = "12345678909", "70000000159"
PLACE = {"conta": "400001", "agencia": "0001", "tipoConta": "CORRENTE"}


@asynccontextmanager
async def judged(sim: Sim) -> AsyncIterator[Desk]:
    """A customer whose every exchange is held against the Central Bank's document at the end, where that is here."""
    exchanges: list[Exchange] = []

    async def note(answered: httpx.Response) -> None:
        asked, body = answered.request, await answered.aread()
        if asked.url.path.startswith("/v2"):
            target, media = asked.url.raw_path.decode(), answered.headers.get("content-type", "")
            exchanges.append(Exchange(asked.method, target, asked.content or None, answered.status_code, media, body))

    async with desk(sim) as made:
        made.http.event_hooks["response"].append(note)
        yield made
    if pix_api.found() is not None:
        oracle = pix_api.oracle()
        wrong = [problem for one in exchanges for problem in oracle.problems_of(one, base="/v2")]
        assert not wrong, "\n".join(wrong)


def day(bank: Desk, ahead: int = 0) -> str:
    today = calendar.brasilia_day(moment(bank.sim.network.clock.business()))
    return (today + timedelta(days=ahead)).isoformat()


def asked(bank: Desk, **more: Any) -> dict[str, Any]:
    return {
        "vinculo": {"contrato": "C-1", "objeto": "Assinatura", "devedor": DEBTOR},
        "calendario": {"dataInicial": day(bank, 3), "periodicidade": "MENSAL"},
        "valor": {"valorRec": "35.00"},
        "politicaRetentativa": "PERMITE_3R_7D",
    } | more


async def recurrence(bank: Desk, **more: Any) -> Any:
    place = await bank.done("POST", "/locrec")
    return await bank.done("POST", "/rec", asked(bank, loc=place["id"]) | more)


async def act(bank: Desk, id_rec: str, name: str, **form: Any) -> Any:
    return await bank.sim.act(f"/bank/company/recurrences/{id_rec}/{name}", form)


async def approved(bank: Desk, payer: str = PAYER, **more: Any) -> str:
    made: str = (await recurrence(bank, **more))["idRec"]
    assert (await act(bank, made, "authorize", payer=payer))["status"] == "AUTHORIZED"
    return made


def charge(bank: Desk, id_rec: str, ahead: int = 5, amount: str = "35.00", **more: Any) -> dict[str, Any]:
    return {
        "idRec": id_rec, "calendario": {"dataDeVencimento": day(bank, ahead)}, "valor": {"original": amount},
        "ajusteDiaUtil": False, "recebedor": PLACE, "infoAdicional": "Ciclo 1",
    } | more  # fmt: skip


async def scheduled(bank: Desk, id_rec: str, **more: Any) -> str:
    """A charge that the payer's bank has scheduled; answers its txid."""
    tx_id = new_tx_id()
    assert (await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec, **more)))["status"] == "CRIADA"
    await became(bank, tx_id, "ATIVA")
    return tx_id


async def became(bank: Desk, tx_id: str, status: str) -> Any:
    store = bank.sim.network.store
    await until(lambda: store.get("bank_scheduled_charge", tx_id=tx_id)["status"] == status)
    await bank.enter()
    return await bank.done("GET", f"/cobr/{tx_id}")


async def to(bank: Desk, ahead: float) -> None:
    """Moves to an hour of a day from now, in days."""
    await bank.pass_time(ahead * 86_400)


async def on_its_day(bank: Desk, tx_id: str) -> None:
    """Moves to the first window of its next attempt."""
    store = bank.sim.network.store
    due = store.get("instruction", tx_id=tx_id)["due_at"]
    await bank.pass_time((due - bank.sim.network.clock.business()) / 1_000_000 + 1)
