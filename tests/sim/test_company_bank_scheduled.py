"""Scheduled charges at the companies' bank: one a cycle, tried on its day, tried again, canceled, rejected, expired."""

from collections.abc import AsyncIterator
from datetime import date, time
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.standards import calendar
from lastro_sim.clock import counted

from .company_bank import Desk, kind, new_tx_id
from .recurring import BROKE, PLACE, act, approved, became, charge, day, judged, on_its_day, recurrence, scheduled
from .stage import Sim, until


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with judged(sim) as made:
        yield made


async def step(bank: Desk, tx_id: str, name: str) -> None:
    """Moves to the next hour at which the payer's bank looks at the charge, and waits for the step it then is in."""
    await on_its_day(bank, tx_id)
    store = bank.sim.network.store
    await until(lambda: store.get("instruction", tx_id=tx_id)["step"] == name)


async def attempt(bank: Desk, status: str) -> Any:
    """The newest attempt once it is so."""
    store = bank.sim.network.store
    row = await until(lambda: (found := store.find("bank_attempt")) and found["status"] == status and found)
    await bank.enter()
    return row


async def without_money(bank: Desk, tx_id: str) -> None:
    """Lets an attempt go through both windows of its day in vain."""
    for name in ("SECOND", "CLOSING", "DONE"):
        await step(bank, tx_id, name)
    await attempt(bank, "EXPIRADA")


async def to(bank: Desk, on: str, hour: str = "12:00") -> None:
    """Moves to an hour of a day in Brasília."""
    when = calendar.instant(date.fromisoformat(on), time.fromisoformat(hour))
    await bank.pass_time((counted(when) - bank.sim.network.clock.business()) / 1_000_000)
    await bank.enter()


async def test_a_charge_is_collected_on_its_day(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank))
    told = await bank.done("GET", f"/cobr/{tx_id}")
    (first,) = told["tentativas"]
    assert (first["tipo"], first["status"], first["dataLiquidacao"]) == ("AGND", "AGENDADA", day(bank, 5))
    assert [one["status"] for one in first["atualizacao"]] == ["SOLICITADA", "AGENDADA"]
    await on_its_day(bank, tx_id)
    ended = await became(bank, tx_id, "CONCLUIDA")
    (pix,) = ended["pix"]
    assert (pix["endToEndId"], pix["txid"], pix["valor"]) == (first["endToEndId"], tx_id, "35.00")
    assert [one["status"] for one in ended["atualizacao"]] == ["CRIADA", "ATIVA", "CONCLUIDA"]
    assert ended["tentativas"][0]["status"] == "PAGA"
    listed = (await bank.listed(txid=tx_id))["pix"]
    assert [one["endToEndId"] for one in listed] == [first["endToEndId"]]
    returned = await bank.done("PUT", f"/pix/{first['endToEndId']}/devolucao/r1", {"valor": "5.00"})
    assert returned["status"] == "DEVOLVIDO"
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["pix"][0]["devolucoes"][0]["valor"] == "5.00"


async def test_who_lacks_the_money_is_tried_again_as_the_policy_says(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank, payer=BROKE))
    path = f"/cobr/{tx_id}/retentativa"
    assert kind(await bank.ask("POST", f"{path}/{day(bank, 6)}")) == (400, "CobROperacaoInvalida")  # one is scheduled
    await without_money(bank, tx_id)
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["status"] == "ATIVA"
    for wrong in (day(bank), day(bank, -1), "2090-02-30", "tomorrow"):
        assert kind(await bank.ask("POST", f"{path}/{wrong}")) == (400, "CobROperacaoInvalida"), wrong
    for turn in range(3):
        made = await bank.ask("POST", f"{path}/{day(bank, 1)}")
        assert made.status_code == 201, made.text
        assert [one["tipo"] for one in made.json()["tentativas"]] == ["AGND"] + ["NTAG"] * (turn + 1)
        await attempt(bank, "AGENDADA")
        await without_money(bank, tx_id)
    ended = await became(bank, tx_id, "EXPIRADA")
    assert [one["status"] for one in ended["tentativas"]] == ["EXPIRADA"] * 4
    assert kind(await bank.ask("POST", f"{path}/{day(bank, 1)}")) == (400, "CobROperacaoInvalida")


async def test_money_that_came_by_the_evening_pays(bank: Desk) -> None:
    id_rec = await approved(bank, valor={"valorRec": "7004.07"})  # none in the first window, some in the second
    tx_id = await scheduled(bank, id_rec, amount="7004.07")
    await step(bank, tx_id, "SECOND")
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["tentativas"][0]["status"] == "AGENDADA"
    await on_its_day(bank, tx_id)
    assert [one["tipo"] for one in (await became(bank, tx_id, "CONCLUIDA"))["tentativas"]] == ["AGND"]


async def test_a_new_attempt_pays(bank: Desk) -> None:
    id_rec = await approved(bank, valor={"valorRec": "7004.09"})  # none on its day, some at the first new attempt
    tx_id = await scheduled(bank, id_rec, amount="7004.09")
    await without_money(bank, tx_id)
    await bank.done("POST", f"/cobr/{tx_id}/retentativa/{day(bank, 1)}")
    await attempt(bank, "AGENDADA")
    await on_its_day(bank, tx_id)
    ended = await became(bank, tx_id, "CONCLUIDA")
    assert [(one["tipo"], one["status"]) for one in ended["tentativas"]] == [("AGND", "EXPIRADA"), ("NTAG", "PAGA")]


async def test_what_a_bank_has_failed_is_sent_again_the_same_day(bank: Desk) -> None:
    id_rec = await approved(bank, valor={"valorRec": "7004.14"})
    tx_id = await scheduled(bank, id_rec, amount="7004.14")
    await on_its_day(bank, tx_id)
    ended = await became(bank, tx_id, "CONCLUIDA")
    assert [(one["tipo"], one["status"]) for one in ended["tentativas"]] == [("AGND", "REJEITADA"), ("RIFL", "PAGA")]
    assert ended["tentativas"][0]["rejeicao"]["codigo"] == "AB10"


async def test_no_attempt_follows_where_the_policy_allows_none(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank, payer=BROKE, politicaRetentativa="NAO_PERMITE"))
    await without_money(bank, tx_id)
    ended = await became(bank, tx_id, "EXPIRADA")
    assert ended["politicaRetentativa"] == "NAO_PERMITE"
    refused = await bank.ask("POST", f"/cobr/{tx_id}/retentativa/{day(bank, 1)}")
    assert "não permite retentativa" in refused.json()["violacoes"][0]["razao"]


async def test_a_charge_nobody_tries_again_is_over_a_week_later(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank, payer=BROKE))
    due = (await bank.done("GET", f"/cobr/{tx_id}"))["calendario"]["dataDeVencimento"]
    await without_money(bank, tx_id)
    await to(bank, due)
    await bank.pass_time(7 * 86_400)
    assert bank.sim.network.store.get("bank_scheduled_charge", tx_id=tx_id)["status"] == "ATIVA"
    await bank.pass_time(86_400)
    await became(bank, tx_id, "EXPIRADA")


REJECTED = {"another amount": ("36.00", "AM09"), "a closed account": ("7004.03", "AC05")}


@in_one_test("amount", REJECTED.values(), ids=REJECTED)
async def test_a_payers_bank_rejects(bank: Desk, amount: tuple[str, str]) -> None:
    fixed: dict[str, Any] = {} if amount[1] == "AM09" else {"valor": {"valorRec": amount[0]}}
    id_rec, tx_id = await approved(bank, **fixed), new_tx_id()
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec, amount=amount[0]))
    ended = await became(bank, tx_id, "REJEITADA")
    assert ended["encerramento"]["rejeicao"]["codigo"] == amount[1]
    assert ended["tentativas"][0]["rejeicao"]["codigo"] == amount[1]
    # Its cycle is free again.
    assert (await bank.ask("PUT", f"/cobr/{new_tx_id()}", charge(bank, id_rec))).status_code == 201


async def test_an_amount_above_the_payers_maximum_is_rejected(bank: Desk) -> None:
    id_rec, tx_id = (await recurrence(bank, valor={"valorMinimoRecebedor": "10.00"}))["idRec"], new_tx_id()
    assert (await act(bank, id_rec, "authorize", maximumAmount="30.00"))["status"] == "AUTHORIZED"
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec))
    assert (await became(bank, tx_id, "REJEITADA"))["encerramento"]["rejeicao"]["codigo"] == "AM02"


async def test_a_charge_is_sent_ten_days_before_and_only_once_its_payer_agreed(bank: Desk) -> None:
    id_rec, late, near = (await recurrence(bank))["idRec"], new_tx_id(), new_tx_id()
    await bank.done("PUT", f"/cobr/{near}", charge(bank, id_rec, 5))
    await bank.done("PUT", f"/cobr/{late}", charge(bank, id_rec, 40))
    store = bank.sim.network.store
    await until(lambda: store.get("bank_scheduled_charge", tx_id=near)["due_at"] > bank.sim.network.clock.business())
    assert "tentativas" not in await bank.done("GET", f"/cobr/{near}")
    await act(bank, id_rec, "authorize")
    await became(bank, near, "ATIVA")
    assert (await bank.done("GET", f"/cobr/{late}"))["status"] == "CRIADA"
    await to(bank, day(bank, 30), "07:00")
    await became(bank, late, "ATIVA")


async def test_a_charge_no_payer_agreed_to_is_rejected(bank: Desk) -> None:
    id_rec, tx_id = (await recurrence(bank))["idRec"], new_tx_id()
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec, 5))
    await to(bank, day(bank, 3), "23:30")
    assert (await became(bank, tx_id, "REJEITADA"))["encerramento"]["rejeicao"]["codigo"] == "MIDI"


async def test_a_due_day_without_banks_moves_where_it_is_asked_for(bank: Desk) -> None:
    today = date.fromisoformat(day(bank))
    ahead = next(n for n in range(4, 12) if (today.weekday() + n) % 7 == 5)  # a Saturday
    id_rec = await approved(bank, calendario={"dataInicial": day(bank), "periodicidade": "SEMANAL"})
    tx_id = new_tx_id()
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec, ahead, ajusteDiaUtil=True))
    store = bank.sim.network.store
    row = store.get("bank_scheduled_charge", tx_id=tx_id)
    assert row["settles_on"] == calendar.next_business_day(date.fromisoformat(day(bank, ahead))).isoformat()
    other = await approved(bank, calendario={"dataInicial": day(bank), "periodicidade": "SEMANAL"})
    tx_id = new_tx_id()
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, other, ahead))
    assert store.get("bank_scheduled_charge", tx_id=tx_id)["settles_on"] == day(bank, ahead)


async def test_a_charge_is_canceled_until_the_evening_before(bank: Desk) -> None:
    one, other = await scheduled(bank, await approved(bank)), await scheduled(bank, await approved(bank))
    canceled = await bank.done("PATCH", f"/cobr/{one}", {"status": "CANCELADA"})
    assert (canceled["status"], canceled["tentativas"][0]["status"]) == ("CANCELADA", "CANCELADA")
    assert canceled["encerramento"]["cancelamento"]["solicitante"] == "USUARIO_RECEBEDOR"
    assert bank.sim.network.store.get("instruction", tx_id=one)["status"] == "CANCELED"
    assert kind(await bank.ask("PATCH", f"/cobr/{one}", {"status": "CANCELADA"})) == (400, "CobROperacaoInvalida")
    eve = day(bank, 4)
    await to(bank, eve, "22:00")
    assert kind(await bank.ask("PATCH", f"/cobr/{other}", {"status": "CANCELADA"})) == (400, "CobROperacaoInvalida")
    await to(bank, eve, "21:59")
    assert (await bank.done("PATCH", f"/cobr/{other}", {"status": "CANCELADA"}))["status"] == "CANCELADA"


async def test_a_payers_bank_may_refuse_to_leave_a_charge(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank))
    await bank.fault("reject", "cancellation", match={"txId": tx_id})
    assert kind(await bank.ask("PATCH", f"/cobr/{tx_id}", {"status": "CANCELADA"})) == (400, "CobROperacaoInvalida")
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["status"] == "ATIVA"
    assert (await bank.done("PATCH", f"/cobr/{tx_id}", {"status": "CANCELADA"}))["status"] == "CANCELADA"


async def test_what_is_only_told_to_who_asks_still_brings_its_money(bank: Desk) -> None:
    id_rec, tx_id = await approved(bank, valor={"valorRec": "7004.06"}), new_tx_id()
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec, amount="7004.06"))
    await attempt(bank, "SOLICITADA")
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["status"] == "CRIADA"
    await on_its_day(bank, tx_id)
    ended = await became(bank, tx_id, "CONCLUIDA")
    assert [one["status"] for one in ended["tentativas"]] == ["PAGA"]
    assert ended["tentativas"][0]["endToEndId"] == ended["pix"][0]["endToEndId"]


async def test_the_med_takes_a_collected_charge_back(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank))
    await on_its_day(bank, tx_id)
    name = (await became(bank, tx_id, "CONCLUIDA"))["pix"][0]["endToEndId"]
    await bank.sim.act(f"/bank/company/pix/{name}/return", {"nature": "MED_PIX_AUTOMATICO"})
    (returned,) = (await bank.done("GET", f"/cobr/{tx_id}"))["pix"][0]["devolucoes"]
    assert (returned["natureza"], returned["valor"]) == ("MED_PIX_AUTOMATICO", "35.00")


async def test_the_payer_cancels_one_charge(bank: Desk) -> None:
    tx_id = await scheduled(bank, await approved(bank))
    await bank.sim.act("/phone/cancel-charge", {"txid": tx_id})
    ended = await became(bank, tx_id, "CANCELADA")
    said = ended["encerramento"]["cancelamento"]
    assert (said["solicitante"], said["codigo"]) == ("USUARIO_PAGADOR", "SLBD")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no amount": ({"valor": {}}, "cobr.valor.original"),
    "zero": ({"valor": {"original": "0.00"}}, "cobr.valor.original"),
    "no day": ({"calendario": {}}, "cobr.calendario.dataDeVencimento"),
    "yesterday": ({"calendario": {"dataDeVencimento": "2020-01-01"}}, "cobr.calendario.dataDeVencimento"),
    "a flag in words": ({"ajusteDiaUtil": "true"}, "cobr.ajusteDiaUtil"),
    "another's account": ({"recebedor": PLACE | {"conta": "1"}}, "cobr.recebedor"),
    "another kind of account": ({"recebedor": PLACE | {"tipoConta": "POUPANÇA"}}, "cobr.recebedor.tipoConta"),
    "a CEP with a hyphen": ({"devedor": {"cep": "89256-140"}}, "cobr.devedor.cep"),
    "too long a text": ({"infoAdicional": "x" * 141}, "cobr.infoAdicional"),
}


@in_one_test("change", WRONG.values(), ids=WRONG)
async def test_wrong_terms_are_named(bank: Desk, change: tuple[dict[str, Any], str]) -> None:
    id_rec = await approved(bank)
    answered = await bank.ask("PUT", f"/cobr/{new_tx_id()}", charge(bank, id_rec) | change[0])
    assert kind(answered) == (400, "CobROperacaoInvalida")
    assert change[1] in {one["propriedade"] for one in answered.json()["violacoes"]}


async def test_a_cycle_has_one_charge_and_a_txid_one_use(bank: Desk) -> None:
    id_rec = await approved(bank)
    tx_id = await scheduled(bank, id_rec)
    for body, name in (
        (charge(bank, id_rec, 6), new_tx_id()),
        (charge(bank, id_rec, 40), tx_id),
        (charge(bank, id_rec), tx_id),
    ):
        assert kind(await bank.ask("PUT", f"/cobr/{name}", body)) == (400, "CobROperacaoInvalida")
    taken = (await bank.charge())["txid"]
    assert kind(await bank.ask("PUT", f"/cobr/{taken}", charge(bank, id_rec, 40))) == (400, "CobROperacaoInvalida")
    near = await bank.ask("PUT", f"/cobr/{new_tx_id()}", charge(bank, await approved(bank), 1))
    assert kind(near) == (400, "CobROperacaoInvalida")
    assert kind(await bank.ask("POST", "/cobr", charge(bank, "R" * 29))) == (404, "NaoEncontrado")
    made = await bank.ask("POST", "/cobr", charge(bank, id_rec, 40))
    assert (made.status_code, len(made.json()["txid"])) == (201, 32)
    await act(bank, id_rec, "cancel")
    assert kind(await bank.ask("POST", "/cobr", charge(bank, id_rec, 80))) == (400, "CobROperacaoInvalida")


async def test_charges_are_listed_and_filtered(bank: Desk) -> None:
    one, other = await approved(bank), await approved(bank)
    first, second = await scheduled(bank, one), await scheduled(bank, other)
    await bank.done("PATCH", f"/cobr/{second}", {"status": "CANCELADA"})

    async def found(**query: Any) -> list[str]:
        return [each["txid"] for each in (await bank.listed("/cobr", **query))["cobsr"]]

    assert await found() == [first, second]
    assert await found(idRec=one) == [first]
    assert await found(status="CANCELADA") == [second]
    assert await found(cpf="12345678909") == [first, second]
    assert await found(cnpj="99999020000185") == []
    assert kind(await bank.ask("GET", "/cobr", fim=bank.at())) == (400, "CobRConsultaInvalida")
    assert kind(await bank.ask("GET", f"/cobr/{new_tx_id()}")) == (404, "CobRNaoEncontrado")


async def test_a_charge_is_listed_late_and_its_end_told_late(bank: Desk) -> None:
    await bank.fault("listed-late", "bank_scheduled_charge", delay=3600)
    tx_id = await scheduled(bank, await approved(bank))
    assert (await bank.listed("/cobr"))["cobsr"] == []
    await bank.fault("told-late", "bank_scheduled_charge", delay=600, match={"txId": tx_id})
    await on_its_day(bank, tx_id)
    store = bank.sim.network.store
    await until(lambda: store.get("bank_scheduled_charge", tx_id=tx_id)["status"] == "CONCLUIDA")
    await bank.enter()
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["status"] == "ATIVA"
    await bank.pass_time(601)
    assert (await bank.done("GET", f"/cobr/{tx_id}"))["status"] == "CONCLUIDA"


async def test_the_clock_names_the_next_hour_of_a_charge(bank: Desk) -> None:
    id_rec, tx_id = await approved(bank), new_tx_id()
    await bank.done("PUT", f"/cobr/{tx_id}", charge(bank, id_rec, 40))
    due = (await bank.sim.http.get("/clock")).json()["nextDue"]
    assert due[:10] == day(bank, 30)
