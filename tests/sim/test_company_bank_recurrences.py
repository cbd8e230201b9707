"""Recurrences at the companies' bank: made, shown by a code, answered by their payer, changed and ended."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro.standards import brcode, recurrence_ids
from lastro_sim.api_pix.server import CutError

from .company_bank import DEBTOR, Desk, desk, kind
from .recurring import PAYER, act, approved, asked, day, judged, recurrence, scheduled
from .stage import Sim, until


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with judged(sim) as made:
        yield made


async def test_a_recurrence_is_made_by_the_bank(bank: Desk) -> None:
    answered = await bank.ask("POST", "/rec", asked(bank))
    made = answered.json()
    assert answered.status_code == 201
    named = recurrence_ids.read_recurrence_id(made["idRec"])
    assert named is not None
    assert (named.retries, named.maker, named.day.isoformat()) == (True, "99999040", day(bank))
    assert (made["status"], made["ativacao"]) == ("CRIADA", {"tipoJornada": "AGUARDANDO_DEFINICAO"})
    assert made["recebedor"] == {"cnpj": "16727230000197", "nome": "Dora Servicos SA"}
    assert {name: made[name] for name in asked(bank)} == asked(bank)
    assert [one["status"] for one in made["atualizacao"]] == ["CRIADA"]
    assert await bank.done("GET", f"/rec/{made['idRec']}") == made  # without a location there is no code
    # It cannot be repeated: the same again is another.
    other = await bank.done("POST", "/rec", asked(bank, politicaRetentativa="NAO_PERMITE"))
    assert other["idRec"].startswith("RN")
    assert len((await bank.listed("/rec"))["recs"]) == 2


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no link": ({"vinculo": 1}, "rec.vinculo"),
    "no contract": ({"vinculo": {"devedor": DEBTOR}}, "rec.vinculo.contrato"),
    "a long contract": ({"vinculo": {"contrato": "x" * 36, "devedor": DEBTOR}}, "rec.vinculo.contrato"),
    "a debtor with both": (
        {"vinculo": {"contrato": "1", "devedor": DEBTOR | {"cnpj": "99999040000156"}}}, "rec.vinculo.devedor",
    ),
    "another period": ({"calendario": {"dataInicial": "2090-01-01", "periodicidade": "DIARIA"}},
                       "rec.calendario.periodicidade"),
    "begun before": ({"calendario": {"dataInicial": "2020-01-01", "periodicidade": "ANUAL"}}, "rec.calendario.dataInicial"),
    "no such day": ({"calendario": {"dataInicial": "2090-02-30", "periodicidade": "ANUAL"}}, "rec.calendario.dataInicial"),
    "over before": (
        {"calendario": {"dataInicial": "2090-02-01", "dataFinal": "2090-01-01", "periodicidade": "ANUAL"}},
        "rec.calendario.dataFinal",
    ),
    "both amounts": ({"valor": {"valorRec": "1.00", "valorMinimoRecebedor": "1.00"}}, "rec.valor"),
    "one decimal": ({"valor": {"valorRec": "1.0"}}, "rec.valor.valorRec"),
    "another policy": ({"politicaRetentativa": "SEMPRE"}, "rec.politicaRetentativa"),
    "no such location": ({"loc": 999}, "rec.loc"),
    "a long agreement": ({"recebedor": {"convenio": "x" * 61}}, "rec.recebedor.convenio"),
}  # fmt: skip


@in_one_test("change", WRONG.values(), ids=WRONG)
async def test_wrong_terms_are_named(bank: Desk, change: tuple[dict[str, Any], str]) -> None:
    answered = await bank.ask("POST", "/rec", asked(bank) | change[0])
    assert kind(answered) == (400, "RecOperacaoInvalida")
    assert change[1] in {one["propriedade"] for one in answered.json()["violacoes"]}


async def test_a_person_charges_nobody_automatically(bank: Desk) -> None:
    await bank.sim.act("/bank/company/customers", {"clientId": "pessoa", "document": "12345678909"})
    bank.client_id, bank.secret = "pessoa", bank.sim.network.store.get("bank_customer", client_id="pessoa")["secret"]
    await bank.enter()
    assert kind(await bank.ask("POST", "/rec", asked(bank))) == (403, "AcessoNegado")


async def test_scopes_are_those_of_each_resource(bank: Desk) -> None:
    await bank.enter("rec.read cobr.write")
    assert (await bank.ask("GET", "/rec", inicio=bank.at(-1), fim=bank.at())).status_code == 200
    for method, path in (("POST", "/rec"), ("POST", "/locrec"), ("PUT", "/webhookrec"), ("POST", "/solicrec")):
        assert kind(await bank.ask(method, path, {})) == (403, "AcessoNegado"), path


async def test_recurrences_are_listed_and_filtered(bank: Desk) -> None:
    other = {"contrato": "C-2", "devedor": {"cnpj": "99999020000185", "nome": "Empresa"}}
    made = [await recurrence(bank), await bank.done("POST", "/rec", asked(bank, vinculo=other, recebedor={"convenio": "7"}))]
    names = [one["idRec"] for one in made]
    await act(bank, names[0], "authorize")

    async def found(**query: Any) -> list[str]:
        return [one["idRec"] for one in (await bank.listed("/rec", **query))["recs"]]

    assert await found() == names
    assert await found(cpf=DEBTOR["cpf"]) == names[:1]
    assert await found(cnpj="99999020000185") == names[1:]
    assert await found(status="APROVADA") == names[:1]
    assert await found(locationPresente="false") == names[1:]
    assert await found(convenio="7") == names[1:]
    assert await found(inicio=bank.at(1), fim=bank.at(2)) == []
    assert kind(await bank.ask("GET", "/rec", fim=bank.at())) == (400, "RecConsultaInvalida")
    assert kind(await bank.ask("GET", f"/rec/{'R' * 29}")) == (404, "RecNaoEncontrada")


async def test_a_code_authorizes_without_a_payment(bank: Desk) -> None:
    made = await recurrence(bank)
    shown = (await bank.done("GET", f"/rec/{made['idRec']}"))["dadosQR"]
    code = brcode.decode(shown["pixCopiaECola"])
    assert (shown["jornada"], code.location, code.recurrence_location) == ("JORNADA_2", None, made["loc"]["location"])
    read = await bank.sim.act("/phone/read", {"qrcodeData": shown["pixCopiaECola"]})
    assert (read["kind"], read["recurrence"]["idRec"]) == ("RECURRENCE", made["idRec"])
    said = await bank.sim.act("/phone/authorize", {"qrcodeData": shown["pixCopiaECola"]})
    assert said == {"idRec": made["idRec"], "status": "AUTHORIZED"}
    now = await bank.done("GET", f"/rec/{made['idRec']}")
    assert (now["status"], now["ativacao"]) == ("APROVADA", {"tipoJornada": "JORNADA_2"})
    assert now["pagador"] == {"cpf": PAYER, "ispbParticipante": "99999020", "codMun": "3550308"}
    assert [one["status"] for one in now["atualizacao"]] == ["CRIADA", "APROVADA"]
    again = await act(bank, made["idRec"], "authorize")
    assert again == {"idRec": made["idRec"], "status": "REJECTED", "code": "ALREADY_AUTHORIZED"}


async def test_a_first_payment_authorizes_in_the_same_act(bank: Desk) -> None:
    first, other = await bank.charge("35.00"), await bank.charge("35.00")
    made = await recurrence(bank, ativacao={"dadosJornada": {"txid": first["txid"]}})
    path = f"/rec/{made['idRec']}"
    shown = (await bank.done("GET", path, txid=first["txid"]))["dadosQR"]
    code = brcode.decode(shown["pixCopiaECola"])
    assert (shown["jornada"], code.location) == ("JORNADA_3", first["location"])
    assert code.recurrence_location == made["loc"]["location"]
    for tx_id in (other["txid"], "0" * 32):
        assert kind(await bank.ask("GET", path, txid=tx_id)) == (400, "RecConsultaInvalida")
    paid = await bank.sim.act("/phone/pay", {"qrcodeData": shown["pixCopiaECola"]})
    assert paid["status"] == "SETTLED"
    now = await bank.done("GET", path)
    assert (now["status"], now["ativacao"]) == (
        "APROVADA", {"tipoJornada": "JORNADA_3", "dadosJornada": {"txid": first["txid"]}},
    )  # fmt: skip
    assert (await bank.done("GET", f"/cob/{first['txid']}"))["status"] == "CONCLUIDA"


async def test_a_test_plays_the_first_payment_too(bank: Desk) -> None:
    first = await bank.charge("35.00")
    made = await recurrence(bank)
    said = await act(bank, made["idRec"], "authorize", txid=first["txid"])
    assert said["status"] == "AUTHORIZED"
    assert (await bank.done("GET", f"/pix/{said['endToEndId']}"))["txid"] == first["txid"]
    now = await bank.done("GET", f"/rec/{made['idRec']}")
    assert now["ativacao"] == {"tipoJornada": "JORNADA_3", "dadosJornada": {"txid": first["txid"]}}


async def test_whoever_scans_the_charge_alone_authorizes_nothing(bank: Desk) -> None:
    first = await bank.charge("35.00")
    made = await recurrence(bank, ativacao={"dadosJornada": {"txid": first["txid"]}})
    await bank.pay(txid=first["txid"])
    assert (await bank.done("GET", f"/rec/{made['idRec']}"))["status"] == "CRIADA"


async def test_a_first_payment_whose_yes_cannot_be_taken_is_refused(bank: Desk) -> None:
    first = await bank.charge("35.00")
    made = await recurrence(bank)
    path = f"/rec/{made['idRec']}"
    code = (await bank.done("GET", path, txid=first["txid"]))["dadosQR"]["pixCopiaECola"]
    assert (await bank.sim.act("/phone/read", {"qrcodeData": code}))["kind"] == "COMPOSITE"
    await bank.done("PATCH", path, {"status": "CANCELADA"})
    paid = await bank.sim.act("/phone/pay", {"qrcodeData": code, "force": True})
    assert (paid["status"], paid["code"]) == ("REJECTED", "UPAY")
    assert (await bank.done("GET", f"/cob/{first['txid']}"))["status"] == "ATIVA"


async def test_a_maximum_is_above_the_floor_and_only_of_open_amounts(bank: Desk) -> None:
    fixed = (await recurrence(bank))["idRec"]
    floored = (await recurrence(bank, valor={"valorMinimoRecebedor": "50.00"}))["idRec"]
    assert (await act(bank, fixed, "authorize", maximumAmount="90.00"))["code"] == "MAXIMUM_NOT_ALLOWED"
    assert (await act(bank, floored, "authorize", maximumAmount="49.99"))["code"] == "BELOW_FLOOR"
    # The payer's bank may fail to look; then this bank refuses.
    assert (await act(bank, floored, "authorize", maximumAmount="49.99", force=True))["status"] == "REJECTED"
    assert (await act(bank, floored, "authorize", maximumAmount="50.00"))["status"] == "AUTHORIZED"


async def test_a_payer_declines_or_cancels(bank: Desk) -> None:
    one, other = (await recurrence(bank))["idRec"], await approved(bank)
    await act(bank, one, "decline")
    declined = await bank.done("GET", f"/rec/{one}")
    assert (declined["status"], declined["encerramento"]["rejeicao"]["codigo"]) == ("REJEITADA", "AP14")
    await act(bank, other, "cancel")
    canceled = await bank.done("GET", f"/rec/{other}")
    assert canceled["status"] == "CANCELADA"
    said = canceled["encerramento"]["cancelamento"]
    assert (said["solicitante"], said["codigo"]) == ("USUARIO_PAGADOR", "SLDB")
    # What has ended is neither read nor changed.
    read = await bank.sim.http.get(f"http://{declined['loc']['location']}")
    assert (read.status_code, read.json()["type"].rpartition("/")[2]) == (400, "RecPayloadOperacaoInvalida")
    for id_rec in (one, other):
        assert kind(await bank.ask("PATCH", f"/rec/{id_rec}", {"status": "CANCELADA"})) == (400, "RecOperacaoInvalida")


async def test_the_receiver_cancels_and_its_charges_end(bank: Desk) -> None:
    id_rec = await approved(bank)
    tx_id = await scheduled(bank, id_rec)
    canceled = await bank.done("PATCH", f"/rec/{id_rec}", {"status": "CANCELADA"})
    said = canceled["encerramento"]["cancelamento"]
    assert (canceled["status"], said["solicitante"], said["codigo"]) == ("CANCELADA", "USUARIO_RECEBEDOR", "SLCR")
    ended = await bank.done("GET", f"/cobr/{tx_id}")
    assert (ended["status"], ended["encerramento"]["cancelamento"]["codigo"]) == ("CANCELADA", "CCLD")
    assert [one["status"] for one in ended["tentativas"]] == ["CANCELADA"]
    assert bank.sim.network.store.get("authorization", id_rec=id_rec)["status"] == "CANCELED"
    assert bank.sim.network.store.get("instruction", tx_id=tx_id)["status"] == "CANCELED"


async def test_a_revision_changes_what_its_state_allows(bank: Desk) -> None:
    made, other = await recurrence(bank), await bank.done("POST", "/locrec")
    path, first = f"/rec/{made['idRec']}", (await bank.charge())["txid"]
    body = {
        "loc": other["id"], "vinculo": {"devedor": {"nome": "Ana Maria"}}, "calendario": {"dataInicial": day(bank, 9)},
        "ativacao": {"dadosJornada": {"txid": first}},
    }  # fmt: skip
    now = await bank.done("PATCH", path, body)
    assert (now["loc"]["id"], now["vinculo"]["devedor"]) == (other["id"], DEBTOR | {"nome": "Ana Maria"})
    assert (now["calendario"]["dataInicial"], now["ativacao"]["dadosJornada"]["txid"]) == (day(bank, 9), first)
    assert "idRec" not in await bank.done("GET", f"/locrec/{made['loc']['id']}")
    await act(bank, made["idRec"], "authorize", txid=first)
    for change in ({"loc": made["loc"]["id"]}, {"calendario": {"dataInicial": day(bank, 20)}}, {"status": "APROVADA"}):
        assert kind(await bank.ask("PATCH", path, change)) == (400, "RecOperacaoInvalida"), change
    assert (await bank.done("PATCH", path, {"vinculo": {"devedor": {"nome": "Ana"}}}))["status"] == "APROVADA"


async def test_a_location_shows_one_recurrence_until_it_is_taken_off(bank: Desk) -> None:
    made = await recurrence(bank)
    place = f"/locrec/{made['loc']['id']}"
    assert (await bank.done("GET", place))["idRec"] == made["idRec"]
    assert kind(await bank.ask("POST", "/rec", asked(bank, loc=made["loc"]["id"]))) == (400, "RecOperacaoInvalida")
    free = await bank.done("POST", "/locrec")
    for linked, number in (("true", made["loc"]["id"]), ("false", free["id"])):
        assert [one["id"] for one in (await bank.listed("/locrec", idRecPresente=linked))["loc"]] == [number]
    assert "idRec" not in await bank.done("DELETE", f"{place}/idRec")
    assert "loc" not in await bank.done("GET", f"/rec/{made['idRec']}")
    assert kind(await bank.ask("GET", "/locrec/999")) == (404, "PayloadLocationRecNaoEncontrado")


def request(id_rec: str, ends: str, **more: Any) -> dict[str, Any]:
    to = {"cpf": PAYER, "conta": "123456", "agencia": "0001", "ispbParticipante": "99999020"}
    return {"idRec": id_rec, "calendario": {"dataExpiracaoSolicitacao": ends}, "destinatario": to | more}


async def sent(bank: Desk, id_rec: str, status: str, **more: Any) -> str:
    """A request that has become so; answers its id."""
    made = await bank.done("POST", "/solicrec", request(id_rec, bank.at(3), **more))
    assert made["status"] == "CRIADA"
    store = bank.sim.network.store
    await until(lambda: store.get("bank_confirmation", id_solic_rec=made["idSolicRec"])["status"] == status)
    name: str = made["idSolicRec"]
    return name


async def test_a_payer_answers_a_request(bank: Desk) -> None:
    one, other = [(await bank.done("POST", "/rec", asked(bank)))["idRec"] for _ in range(2)]
    yes, no = await sent(bank, one, "RECEBIDA"), await sent(bank, other, "RECEBIDA")
    assert kind(await bank.ask("POST", "/solicrec", request(one, bank.at(3)))) == (400, "SolicRecOperacaoInvalida")
    await act(bank, one, "authorize")
    await act(bank, other, "decline")
    told = await bank.done("GET", f"/solicrec/{yes}")
    assert [each["status"] for each in told["atualizacao"]] == ["CRIADA", "ENVIADA", "RECEBIDA", "ACEITA"]
    assert told["recPayload"]["recebedor"]["ispbParticipante"] == "99999040"
    assert (await bank.done("GET", f"/solicrec/{no}"))["status"] == "REJEITADA"
    approved_now, rejected = await bank.done("GET", f"/rec/{one}"), await bank.done("GET", f"/rec/{other}")
    assert (approved_now["status"], approved_now["ativacao"]["tipoJornada"]) == ("APROVADA", "JORNADA_1")
    assert [each["idSolicRec"] for each in approved_now["solicitacao"]] == [yes]
    assert rejected["status"] == "REJEITADA"


async def test_a_request_is_canceled_expires_or_reaches_nobody(bank: Desk) -> None:
    made = [(await bank.done("POST", "/rec", asked(bank)))["idRec"] for _ in range(3)]
    first, second = await sent(bank, made[0], "RECEBIDA"), await sent(bank, made[1], "RECEBIDA")
    await sent(bank, made[2], "REJEITADA", conta="999999")
    answered = await bank.ask("PATCH", f"/solicrec/{first}", {"status": "CANCELADA"})
    assert (answered.status_code, answered.json()["status"]) == (201, "CANCELADA")
    await bank.pass_time(3 * 86_400 + 60)
    store = bank.sim.network.store
    await until(lambda: store.get("bank_confirmation", id_solic_rec=second)["status"] == "EXPIRADA")
    await bank.enter()
    for name in (first, second):
        refused = await bank.ask("PATCH", f"/solicrec/{name}", {"status": "CANCELADA"})
        assert kind(refused) == (400, "SolicRecOperacaoInvalida")
    assert [(await bank.done("GET", f"/rec/{id_rec}"))["status"] for id_rec in made] == ["CRIADA"] * 3
    late = await bank.ask("POST", "/solicrec", request(made[0], bank.at(-1)))
    assert kind(late) == (400, "SolicRecOperacaoInvalida")
    assert kind(await bank.ask("GET", f"/solicrec/{'S' * 29}")) == (404, "SolicRecNaoEncontrada")


async def test_a_recurrence_is_over_after_its_last_day(bank: Desk) -> None:
    dates = {"dataInicial": day(bank, 3), "dataFinal": day(bank, 5), "periodicidade": "SEMANAL"}
    id_rec = await approved(bank, calendario=dates)
    await bank.pass_time(7 * 86_400)
    store = bank.sim.network.store
    await until(lambda: store.get("bank_recurrence", id_rec=id_rec)["status"] == "EXPIRADA")
    await bank.enter()
    assert (await bank.done("GET", f"/rec/{id_rec}"))["status"] == "EXPIRADA"


async def test_an_answer_that_is_lost_leaves_a_recurrence_to_be_found(bank: Desk) -> None:
    await bank.fault("lost-after-effect", match={"route": "POST /rec"})
    with pytest.raises(CutError):
        await bank.ask("POST", "/rec", asked(bank))
    found = (await bank.listed("/rec", cpf=DEBTOR["cpf"]))["recs"]
    assert [one["vinculo"]["contrato"] for one in found] == ["C-1"]


async def test_a_call_that_is_lost_before_its_effect_makes_nothing(bank: Desk) -> None:
    await bank.fault("lost-before-effect", match={"route": "POST /rec"})
    with pytest.raises(CutError):
        await bank.ask("POST", "/rec", asked(bank))
    assert (await bank.listed("/rec"))["recs"] == []


async def test_a_recurrence_is_listed_late_and_its_state_told_late(bank: Desk) -> None:
    await bank.fault("listed-late", "bank_recurrence", delay=3600)
    id_rec = (await recurrence(bank))["idRec"]
    assert (await bank.listed("/rec"))["recs"] == []
    await bank.fault("told-late", "bank_recurrence", delay=7200)
    await act(bank, id_rec, "authorize")
    assert (await bank.done("GET", f"/rec/{id_rec}"))["status"] == "CRIADA"
    await bank.pass_time(3601)
    await bank.enter()
    assert [one["status"] for one in (await bank.listed("/rec"))["recs"]] == ["CRIADA"]
    await bank.pass_time(3600)
    await bank.enter()
    now = await bank.done("GET", f"/rec/{id_rec}")
    assert (now["status"], now["pagador"]["cpf"]) == ("APROVADA", PAYER)


async def test_answers_about_recurrences_are_changed_as_others_are(sim: Sim) -> None:
    async with desk(sim) as bank:
        await bank.fault("ok-for-created", match={"route": "POST /rec"})
        made = await bank.ask("POST", "/rec", asked(bank))
        assert made.status_code == 200
        path = f"/rec/{made.json()['idRec']}"
        await bank.fault("null-fields", match={"idRec": made.json()["idRec"]})
        assert (await bank.done("GET", path))["encerramento"] is None
        await bank.fault("unknown-fields")
        assert "extrasDoPSP" in (await bank.done("GET", path))["vinculo"]["devedor"]
        await bank.fault("local-marked-z")
        local, utc = [(await bank.done("GET", path))["atualizacao"][0]["data"] for _ in range(2)]
        assert (local == utc, local[-1]) == (False, "Z")
