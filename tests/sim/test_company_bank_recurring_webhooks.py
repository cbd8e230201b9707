"""The calls of the companies' bank about recurrences and scheduled charges: what is told, and what goes wrong with it."""

from collections.abc import AsyncIterator

import pytest
from tests.oracles import pix_api

from .company_bank import Desk, desk, kind
from .recurring import act, approved, became, on_its_day, recurrence, scheduled
from .stage import Sim, until
from .test_company_bank_webhooks import Shop, answered, shop


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


@pytest.fixture
async def told(bank: Desk) -> AsyncIterator[Shop]:
    async with shop() as made:
        for name in ("rec", "cobr"):
            await bank.done("PUT", f"/webhook{name}", {"webhookUrl": made.base})
        yield made
    if pix_api.found() is not None:
        forms = {"rec": pix_api.oracle().of_callback("rec"), "cobr": pix_api.oracle().of_callback("cobr")}
        wrong = [problem for where, body in made.heard for problem in forms[where.rpartition("/")[2]].problems(body)]
        assert wrong == []


def recs(shop: Shop) -> list[tuple[str, str]]:
    return [(one["idRec"], one["status"]) for _, body in shop.heard for one in body.get("recs", [])]


def cobsr(shop: Shop) -> list[tuple[str, list[str]]]:
    return [
        (one["status"], [each["status"] for each in one.get("tentativas", [])])
        for _, body in shop.heard
        for one in body.get("cobsr", [])
    ]


async def test_a_customer_has_one_webhook_of_each_kind(bank: Desk) -> None:
    for name, word in (("rec", "WebhookRec"), ("cobr", "WebhookCobR")):
        path, url = f"/webhook{name}", f"https://shop.example/{name}"
        for method in ("GET", "DELETE"):
            assert kind(await bank.ask(method, path)) == (404, "NaoEncontrado")
        for each in ("https://shop.example/old", url):
            answer = await bank.ask("PUT", path, {"webhookUrl": each})
            assert (answer.status_code, answer.content) == (200, b"")
        shown = await bank.done("GET", path)
        assert (shown["webhookUrl"], sorted(shown)) == (url, ["criacao", "webhookUrl"])
        for wrong in ({}, {"webhookUrl": "http://shop.example"}, {"webhookUrl": 1}):
            assert kind(await bank.ask("PUT", path, wrong)) == (400, f"{word}OperacaoInvalida")
        assert (await bank.ask("DELETE", path)).status_code == 204


async def test_each_change_is_told_at_the_base_and_its_kind(bank: Desk, told: Shop) -> None:
    id_rec = await approved(bank)
    tx_id = await scheduled(bank, id_rec)
    await on_its_day(bank, tx_id)
    pix = (await became(bank, tx_id, "CONCLUIDA"))["pix"][0]["endToEndId"]
    await act(bank, id_rec, "cancel")
    await answered(bank, 4)
    assert {where for where, _ in told.heard} == {"/hook/secret/rec", "/hook/secret/cobr"}
    assert recs(told) == [(id_rec, "APROVADA"), (id_rec, "CANCELADA")]
    assert cobsr(told) == [("ATIVA", ["AGENDADA"]), ("CONCLUIDA", ["PAGA"])]
    last = [one for _, body in told.heard for one in body.get("cobsr", [])][-1]
    assert [one["endToEndId"] for one in last["pix"]] == [pix]


async def test_notices_fail_as_those_of_a_pix_do(bank: Desk, told: Shop) -> None:
    await bank.fault("none", "bank_webhook")
    await approved(bank)
    await bank.fault("twice", "bank_webhook", match={"route": "/rec"})
    twice = await approved(bank)
    await answered(bank, 2)
    assert recs(told) == [(twice, "APROVADA")] * 2
    await bank.fault("forged", "bank_webhook")
    forged = (await recurrence(bank))["idRec"]
    await act(bank, forged, "decline")
    await answered(bank, 3)
    name, status = recs(told)[-1]
    assert (name == forged, status) == (False, "APROVADA")
    assert kind(await bank.ask("GET", f"/rec/{name}")) == (404, "RecNaoEncontrada")
    await bank.fault("out-of-order", "bank_webhook")
    behind, before = await approved(bank), await approved(bank)
    await until(lambda: len(told.heard) == 5)
    assert [one for one, _ in recs(told)[3:]] == [before, behind]
    await bank.fault("late", "bank_webhook", delay=3600)
    late = await approved(bank)
    assert late not in {one for one, _ in recs(told)}
    await bank.pass_time(3601)
    await until(lambda: (late, "APROVADA") in recs(told))


async def test_what_is_told_late_is_shown_late(bank: Desk, told: Shop) -> None:
    id_rec = (await recurrence(bank))["idRec"]
    await bank.fault("told-late", "bank_recurrence", delay=600)
    await act(bank, id_rec, "authorize")
    assert recs(told) == []
    await bank.pass_time(601)
    await until(lambda: recs(told) == [(id_rec, "APROVADA")])
    await bank.enter()
    assert (await bank.done("GET", f"/rec/{id_rec}"))["status"] == "APROVADA"


async def test_a_notice_strays_to_another_customer(bank: Desk, told: Shop) -> None:
    async with shop() as elsewhere:
        await bank.sim.act("/bank/company/customers", {"clientId": "other", "keys": []})
        async with desk(bank.sim, "other") as other:
            await other.done("PUT", "/webhookrec", {"webhookUrl": elsewhere.base})
        await bank.fault("wrong-customer", "bank_webhook")
        strayed = await approved(bank)
        await answered(bank, 1)
        assert (recs(elsewhere), recs(told)) == ([(strayed, "APROVADA")], [])
