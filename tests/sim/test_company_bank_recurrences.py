"""Pix Automático at the companies' bank: recurrences, the payer's yes and no, and the charges of the cycles."""

from collections.abc import AsyncIterator

import pytest

from lastro.standards import brcode, recurrence_ids

from .company_bank import Desk, desk, kind
from .recurring import BROKE, PAYER, act, approved, asked, became, day, on_its_day, recurrence, scheduled
from .stage import Sim, until


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


async def test_a_recurrence_is_made_by_the_bank(bank: Desk) -> None:
    answered = await bank.ask("POST", "/rec", asked(bank))
    made = answered.json()
    assert answered.status_code == 201
    named = recurrence_ids.read_recurrence_id(made["idRec"])
    assert named is not None
    assert (named.retries, named.maker) == (True, "99999040")
    assert (made["status"], made["ativacao"]) == ("CRIADA", {"tipoJornada": "AGUARDANDO_DEFINICAO"})
    assert made["recebedor"] == {"cnpj": "16727230000197", "nome": "Dora Servicos SA"}
    assert {name: made[name] for name in asked(bank)} == asked(bank)
    assert [one["status"] for one in made["atualizacao"]] == ["CRIADA"]
    assert await bank.done("GET", f"/rec/{made['idRec']}") == made  # without a location there is no code
    # It cannot be repeated: the same again is another.
    assert (await bank.done("POST", "/rec", asked(bank)))["idRec"] != made["idRec"]
    assert len((await bank.listed("/rec"))["recs"]) == 2


async def test_a_code_authorizes_without_a_payment(bank: Desk) -> None:
    made = await recurrence(bank)
    shown = (await bank.done("GET", f"/rec/{made['idRec']}"))["dadosQR"]
    code = brcode.decode(shown["pixCopiaECola"])
    assert (shown["jornada"], code.location, code.recurrence_location) == ("JORNADA_2", None, made["loc"]["location"])
    said = await bank.sim.act("/phone/authorize", {"qrcodeData": shown["pixCopiaECola"]})
    assert said == {"idRec": made["idRec"], "status": "AUTHORIZED"}
    now = await bank.done("GET", f"/rec/{made['idRec']}")
    assert (now["status"], now["ativacao"]) == ("APROVADA", {"tipoJornada": "JORNADA_2"})
    assert now["pagador"] == {"cpf": PAYER, "ispbParticipante": "99999020", "codMun": "3550308"}
    assert [one["status"] for one in now["atualizacao"]] == ["CRIADA", "APROVADA"]


async def test_a_first_payment_authorizes_in_the_same_act(bank: Desk) -> None:
    first = await bank.charge("35.00")
    made = await recurrence(bank, ativacao={"dadosJornada": {"txid": first["txid"]}})
    shown = (await bank.done("GET", f"/rec/{made['idRec']}", txid=first["txid"]))["dadosQR"]
    code = brcode.decode(shown["pixCopiaECola"])
    assert (shown["jornada"], code.location) == ("JORNADA_3", first["location"])
    assert code.recurrence_location == made["loc"]["location"]
    other = await bank.charge("35.00")
    wrong = await bank.ask("GET", f"/rec/{made['idRec']}", txid=other["txid"])
    assert kind(wrong) == (400, "RecConsultaInvalida")
    paid = await bank.sim.act("/phone/pay", {"qrcodeData": shown["pixCopiaECola"]})
    assert paid["status"] == "SETTLED"
    now = await bank.done("GET", f"/rec/{made['idRec']}")
    assert (now["status"], now["ativacao"]) == (
        "APROVADA", {"tipoJornada": "JORNADA_3", "dadosJornada": {"txid": first["txid"]}},
    )  # fmt: skip
    assert (await bank.done("GET", f"/cob/{first['txid']}"))["status"] == "CONCLUIDA"


async def test_a_payer_declines_or_cancels(bank: Desk) -> None:
    one, other = (await recurrence(bank))["idRec"], await approved(bank)
    await act(bank, one, "decline")
    declined = await bank.done("GET", f"/rec/{one}")
    assert (declined["status"], declined["encerramento"]["rejeicao"]["codigo"]) == ("REJEITADA", "AP14")
    tx_id = await scheduled(bank, other)
    await act(bank, other, "cancel")
    canceled = await bank.done("GET", f"/rec/{other}")
    assert canceled["status"] == "CANCELADA"
    said = canceled["encerramento"]["cancelamento"]
    assert (said["solicitante"], said["codigo"]) == ("USUARIO_PAGADOR", "SLDB")
    ended = await became(bank, tx_id, "CANCELADA")
    assert ended["encerramento"]["cancelamento"]["codigo"] == "CCLD"
    assert [try_["status"] for try_ in ended["tentativas"]] == ["CANCELADA"]


async def test_a_charge_is_collected_on_its_day(bank: Desk) -> None:
    id_rec = await approved(bank)
    tx_id = await scheduled(bank, id_rec)
    told = await bank.done("GET", f"/cobr/{tx_id}")
    (attempt,) = told["tentativas"]
    assert (attempt["tipo"], attempt["status"], attempt["dataLiquidacao"]) == ("AGND", "AGENDADA", day(bank, 5))
    assert [one["status"] for one in attempt["atualizacao"]] == ["SOLICITADA", "AGENDADA"]
    await on_its_day(bank, tx_id)
    ended = await became(bank, tx_id, "CONCLUIDA")
    (pix,) = ended["pix"]
    assert (pix["endToEndId"], pix["txid"], pix["valor"]) == (attempt["endToEndId"], tx_id, "35.00")
    assert ended["tentativas"][0]["status"] == "PAGA"
    listed = (await bank.listed(txid=tx_id))["pix"]
    assert [one["endToEndId"] for one in listed] == [attempt["endToEndId"]]


async def test_who_lacks_the_money_is_tried_again(bank: Desk) -> None:
    id_rec = await approved(bank, payer=BROKE)
    tx_id = await scheduled(bank, id_rec)
    await on_its_day(bank, tx_id)
    store = bank.sim.network.store
    await until(lambda: store.get("instruction", tx_id=tx_id)["step"] == "SECOND")
    await on_its_day(bank, tx_id)
    await until(lambda: store.get("instruction", tx_id=tx_id)["step"] == "CLOSING")
    await on_its_day(bank, tx_id)
    await until(lambda: store.get("bank_attempt")["status"] == "EXPIRADA")
    await bank.enter()
    answered = await bank.ask("POST", f"/cobr/{tx_id}/retentativa/{day(bank, 1)}")
    assert answered.status_code == 201, answered.text
    assert [one["tipo"] for one in answered.json()["tentativas"]] == ["AGND", "NTAG"]
    await until(lambda: store.get("bank_attempt")["status"] == "AGENDADA")
    again = await bank.ask("POST", f"/cobr/{tx_id}/retentativa/{day(bank, 2)}")
    assert kind(again) == (400, "CobROperacaoInvalida")


async def test_a_charge_is_canceled_until_the_evening_before(bank: Desk) -> None:
    id_rec = await approved(bank)
    tx_id = await scheduled(bank, id_rec)
    canceled = await bank.done("PATCH", f"/cobr/{tx_id}", {"status": "CANCELADA"})
    assert (canceled["status"], canceled["tentativas"][0]["status"]) == ("CANCELADA", "CANCELADA")
    assert canceled["encerramento"]["cancelamento"]["solicitante"] == "USUARIO_RECEBEDOR"
    assert store_status(bank, tx_id) == "CANCELED"
    assert kind(await bank.ask("PATCH", f"/cobr/{tx_id}", {"status": "CANCELADA"})) == (400, "CobROperacaoInvalida")


def store_status(bank: Desk, tx_id: str) -> str:
    status: str = bank.sim.network.store.get("instruction", tx_id=tx_id)["status"]
    return status
