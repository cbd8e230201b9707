"""The simulated bank that speaks API Pix: charges, Pix, returns, webhooks and tokens as the official document has them."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.in_one import in_one_test

from lastro.standards import brcode

from .company_bank import DEBTOR, KEY, Desk, desk, kind, new_tx_id, terms
from .stage import Sim, until


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


async def test_a_charge_is_made_under_the_txid_that_its_owner_chose(bank: Desk) -> None:
    tx_id, asked = new_tx_id(), terms("123.45", devedor=DEBTOR, infoAdicionais=[{"nome": "Pedido", "valor": "7"}])
    answered = await bank.ask("PUT", f"/cob/{tx_id}", asked | {"solicitacaoPagador": "Pague já"})
    made = answered.json()
    assert answered.status_code == 201
    assert made["calendario"].pop("criacao").endswith("Z")
    assert {name: made[name] for name in asked} == asked
    assert (made["txid"], made["revisao"], made["status"]) == (tx_id, 0, "ATIVA")
    assert (made["loc"]["txid"], made["loc"]["tipoCob"], made["loc"]["location"]) == (tx_id, "cob", made["location"])
    code = brcode.decode(made["pixCopiaECola"])
    assert (code.location, code.single_use) == (made["location"], True)
    assert await bank.done("GET", f"/cob/{tx_id}") == (
        await bank.done("PUT", f"/cob/{tx_id}", asked | {"solicitacaoPagador": "Pague já"})
    )


async def test_the_same_again_is_200_and_a_change_is_a_revision(bank: Desk) -> None:
    tx_id = new_tx_id()
    statuses = [(await bank.ask("PUT", f"/cob/{tx_id}", terms(amount))).status_code for amount in ("1.00", "1.00", "2.00")]
    assert statuses == [201, 200, 200]
    now, first = await bank.done("GET", f"/cob/{tx_id}"), await bank.done("GET", f"/cob/{tx_id}", revisao=0)
    assert (now["revisao"], now["valor"]) == (1, {"original": "2.00"})
    assert (first["revisao"], first["valor"]) == (0, {"original": "1.00"})
    assert kind(await bank.ask("GET", f"/cob/{tx_id}", revisao=9)) == (400, "CobConsultaInvalida")


async def test_the_bank_chooses_a_txid_where_none_is_given(bank: Desk) -> None:
    answered = await bank.ask("POST", "/cob", terms())
    assert answered.status_code == 201
    assert 26 <= len(answered.json()["txid"]) <= 35


async def test_a_patch_changes_parts_and_removal_goes_alone(bank: Desk) -> None:
    tx_id = (await bank.charge())["txid"]
    changed = await bank.done("PATCH", f"/cob/{tx_id}", {"valor": {"original": "3.00"}, "devedor": DEBTOR})
    assert (changed["revisao"], changed["valor"]["original"], changed["devedor"]) == (1, "3.00", DEBTOR)
    removal = {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}
    both = await bank.ask("PATCH", f"/cob/{tx_id}", removal | {"valor": {"original": "4.00"}})
    assert kind(both) == (400, "CobOperacaoInvalida")
    assert (await bank.done("PATCH", f"/cob/{tx_id}", removal))["status"] == removal["status"]
    # It is never used again, and what is as before changes nothing.
    assert kind(await bank.ask("PUT", f"/cob/{tx_id}", terms("9.00"))) == (400, "CobOperacaoInvalida")
    assert kind(await bank.ask("PATCH", f"/cob/{tx_id}", {"valor": {"original": "9.00"}})) == (400, "CobOperacaoInvalida")
    assert kind(await bank.ask("PATCH", f"/cob/{new_tx_id()}", removal)) == (404, "CobNaoEncontrado")


async def test_a_charge_stays_active_after_its_time(bank: Desk) -> None:
    made = await bank.charge()
    await bank.pass_time(7 * 86_400)
    await bank.enter()
    assert (await bank.done("GET", f"/cob/{made['txid']}"))["status"] == "ATIVA"
    assert (await bank.pay(txid=made["txid"]))["status"] == "REJECTED"
    assert (await bank.pay(txid=made["txid"], force=True))["status"] == "SETTLED"
    assert (await bank.done("GET", f"/cob/{made['txid']}"))["status"] == "CONCLUIDA"


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no amount": ({"valor": {}}, "cob.valor.original"),
    "zero": ({"valor": {"original": "0.00"}}, "cob.valor.original"),
    "one decimal": ({"valor": {"original": "10.0"}}, "cob.valor.original"),
    "a comma": ({"valor": {"original": "10,00"}}, "cob.valor.original"),
    "a number": ({"valor": {"original": 10.0}}, "cob.valor.original"),
    "something around": ({"valor": {"original": "x10.00y"}}, "cob.valor.original"),
    "cash back": ({"valor": {"original": "0.00", "retirada": {}}}, "cob.valor.retirada"),
    "no time left": ({"calendario": {"expiracao": 0}}, "cob.calendario.expiracao"),
    "too long a time": ({"calendario": {"expiracao": 2**31}}, "cob.calendario.expiracao"),
    "another's key": ({"chave": "fabio@fora.example"}, "cob.chave"),
    "nobody's key": ({"chave": "nobody@example.com"}, "cob.chave"),
    "a debtor with both": ({"devedor": DEBTOR | {"cnpj": "99999040000156"}}, "cob.devedor"),
    "a debtor with neither": ({"devedor": {"nome": "Ana"}}, "cob.devedor"),
    "a debtor without a name": ({"devedor": {"cpf": "12345678909"}}, "cob.devedor.nome"),
    "a null": ({"solicitacaoPagador": None}, "cob.solicitacaoPagador"),
    "too long a text": ({"solicitacaoPagador": "x" * 141}, "cob.solicitacaoPagador"),
    "no such location": ({"loc": {"id": 999}}, "cob.loc.id"),
}


@in_one_test("change", WRONG.values(), ids=WRONG)
async def test_wrong_terms_are_named(bank: Desk, change: tuple[dict[str, Any], str]) -> None:
    answered = await bank.ask("PUT", f"/cob/{new_tx_id()}", terms() | change[0])
    assert kind(answered) == (400, "CobOperacaoInvalida")
    assert change[1] in {one["propriedade"] for one in answered.json()["violacoes"]}


async def test_every_violation_is_told_at_once(bank: Desk) -> None:
    wrong = {"calendario": {"expiracao": -1}, "valor": {"original": "1"}, "chave": 7}
    answered = await bank.ask("PUT", f"/cob/{'a' * 25}", wrong)
    named = {one["propriedade"] for one in answered.json()["violacoes"]}
    assert named == {"cob.txid", "cob.calendario.expiracao", "cob.valor.original", "cob.chave"}


async def test_charges_are_listed_by_creation_and_filtered(bank: Desk) -> None:
    made = [await bank.charge(), await bank.charge(devedor=DEBTOR), await bank.charge()]
    await bank.done("PATCH", f"/cob/{made[2]['txid']}", {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"})
    names = [one["txid"] for one in made]

    async def found(**query: Any) -> list[str]:
        return [one["txid"] for one in (await bank.listed("/cob", **query))["cobs"]]

    assert await found() == names
    assert await found(cpf=DEBTOR["cpf"]) == names[1:2]
    assert await found(status="ATIVA") == names[:2]
    assert await found(inicio=bank.at(1), fim=bank.at(2)) == []
    assert await found(**{"paginacao.itensPorPagina": 2, "paginacao.paginaAtual": 1}) == names[2:]
    paging = (await bank.listed("/cob", **{"paginacao.itensPorPagina": 2}))["parametros"]["paginacao"]
    assert paging == {"paginaAtual": 0, "itensPorPagina": 2, "quantidadeDePaginas": 2, "quantidadeTotalDeItens": 3}


async def test_periods_that_make_no_sense_are_refused(bank: Desk) -> None:
    good = {"inicio": bank.at(-1), "fim": bank.at()}
    for path, name in (("/cob", "CobConsultaInvalida"), ("/pix", "PixConsultaInvalida")):
        for change in (
            {"fim": bank.at(-2)}, {"inicio": "yesterday"}, {"inicio": "2026-01-01"}, {"cpf": "1", "cnpj": "2"},
            {"cpf": "1" * 11, "cnpj": "1" * 14}, {"paginacao.paginaAtual": "-1"}, {"paginacao.itensPorPagina": "1001"},
        ):  # fmt: skip
            assert kind(await bank.ask("GET", path, **(good | change))) == (400, name), change
        assert kind(await bank.ask("GET", path, fim=bank.at())) == (400, name)


async def test_a_payment_ends_the_charge_and_is_listed(bank: Desk) -> None:
    tx_id, end_to_end_id = await bank.paid("12.34")
    charge = await bank.done("GET", f"/cob/{tx_id}")
    pix = await bank.done("GET", f"/pix/{end_to_end_id}")
    assert charge["status"] == "CONCLUIDA"
    assert charge["pix"] == [pix]
    assert (pix["txid"], pix["valor"], pix["chave"]) == (tx_id, "12.34", KEY)
    assert pix["componentesValor"] == {"original": {"valor": "12.34"}}
    assert "pagador" not in pix
    assert [one["endToEndId"] for one in (await bank.listed())["pix"]] == [end_to_end_id]
    assert (await bank.pay(txid=tx_id))["status"] == "REJECTED"
    assert kind(await bank.ask("PATCH", f"/cob/{tx_id}", {"valor": {"original": "1.00"}})) == (400, "CobOperacaoInvalida")


async def test_money_to_a_key_ends_no_charge_even_with_its_txid(bank: Desk) -> None:
    tx_id = (await bank.charge())["txid"]
    foreign = (await bank.pay(key=KEY, amount="10.00"))["endToEndId"]
    static = (await bank.pay(key=KEY, amount="5.00", txid="LOJA123"))["endToEndId"]
    named = (await bank.pay(key=KEY, amount="10.00", txid=tx_id))["endToEndId"]
    assert (await bank.done("GET", f"/cob/{tx_id}"))["status"] == "ATIVA"

    async def found(**query: Any) -> list[str]:
        return [one["endToEndId"] for one in (await bank.listed(**query))["pix"]]

    assert await found() == [foreign, static, named]
    assert await found(txIdPresente="false") == [foreign]
    assert await found(txIdPresente="true") == [static, named]
    assert await found(txid="LOJA123") == [static]
    assert await found(cpf="12345678909") == [foreign, static, named]
    assert await found(cnpj="99999020000185") == []


async def test_a_return_is_made_once_under_its_id(bank: Desk) -> None:
    _, name = await bank.paid("10.00")
    path = f"/pix/{name}/devolucao"
    answered = await bank.ask("PUT", f"{path}/r1", {"valor": "4.00", "descricao": "Troca"})
    made = answered.json()
    assert (answered.status_code, made["id"], made["status"], made["natureza"]) == (201, "r1", "DEVOLVIDO", "ORIGINAL")
    assert {"solicitacao", "liquidacao"} == made["horario"].keys()
    again = await bank.ask("PUT", f"{path}/r1", {"valor": "4.00", "descricao": "Troca"})
    assert (again.status_code, again.json()) == (200, made)
    assert await bank.done("GET", f"{path}/r1") == made
    for body, other in (({"valor": "5.00"}, "r1"), ({"valor": "6.01"}, "r2"), ({"valor": "0.00"}, "r2"), ({}, "r2")):
        assert kind(await bank.ask("PUT", f"{path}/{other}", body)) == (400, "PixDevolucaoInvalida")
    assert (await bank.done("PUT", f"{path}/r2", {"valor": "6.00"}))["status"] == "DEVOLVIDO"
    assert [one["id"] for one in (await bank.done("GET", f"/pix/{name}"))["devolucoes"]] == ["r1", "r2"]
    assert [one["endToEndId"] for one in (await bank.listed(devolucaoPresente="true"))["pix"]] == [name]
    # The payer has it.
    returned = (await bank.sim.payment(name))["returns"]
    assert [(one["amount"], one["status"]) for one in returned] == [("4.00", "SETTLED"), ("6.00", "SETTLED")]


async def test_a_return_has_its_window_and_its_pix(bank: Desk) -> None:
    _, name = await bank.paid()
    assert kind(await bank.ask("GET", f"/pix/{name}/devolucao/r1")) == (404, "PixDevolucaoNaoEncontrada")
    assert kind(await bank.ask("PUT", f"/pix/E{'1' * 31}/devolucao/r1", {"valor": "1.00"})) == (404, "PixNaoEncontrado")
    await bank.pass_time(91 * 86_400)
    answered = await bank.ask("PUT", f"/pix/{name}/devolucao/r1", {"valor": "1.00"})
    assert kind(answered) == (400, "PixDevolucaoInvalida")


async def test_a_slow_return_ends_and_a_rejected_one_frees_its_money(bank: Desk) -> None:
    _, name = await bank.paid("10.00")
    await bank.fault("slow", "bank_return", delay=60)
    path = f"/pix/{name}/devolucao"
    assert (await bank.done("PUT", f"{path}/r1", {"valor": "4.00"}))["status"] == "EM_PROCESSAMENTO"
    assert kind(await bank.ask("PUT", f"{path}/r2", {"valor": "7.00"})) == (400, "PixDevolucaoInvalida")
    await bank.pass_time(61)
    await until(lambda: bank.sim.network.store.get("bank_return", id="r1")["status"] == "DEVOLVIDO")
    assert (await bank.done("GET", f"{path}/r1"))["horario"].keys() == {"solicitacao", "liquidacao"}
    await bank.fault("reject", "bank_return", code="Conta encerrada")
    failed = await bank.done("PUT", f"{path}/r2", {"valor": "6.00"})
    assert (failed["status"], failed["motivo"]) == ("NAO_REALIZADO", "Conta encerrada")
    assert (await bank.done("PUT", f"{path}/r3", {"valor": "6.00"}))["status"] == "DEVOLVIDO"


async def test_the_console_and_the_med_give_back_unasked(bank: Desk) -> None:
    _, name = await bank.paid("10.00")
    act = f"/bank/company/pix/{name}/return"
    assert (await bank.sim.act(act, {"amount": "1.00"}))["natureza"] == "ORIGINAL"
    assert (await bank.sim.act(act, {"nature": "MED_FRAUDE"}))["valor"] == "9.00"
    told = (await bank.done("GET", f"/pix/{name}"))["devolucoes"]
    assert [(one["natureza"], one["status"]) for one in told] == [("ORIGINAL", "DEVOLVIDO"), ("MED_FRAUDE", "DEVOLVIDO")]
    assert (await bank.sim.http.post(act, json={})).status_code == 409


async def test_the_console_changes_and_removes_charges(bank: Desk) -> None:
    one, other = (await bank.charge())["txid"], (await bank.charge())["txid"]
    await bank.sim.act(f"/bank/company/charges/{one}/amount", {"amount": "7.00"})
    changed = await bank.done("GET", f"/cob/{one}")
    assert (changed["valor"]["original"], changed["revisao"]) == ("7.00", 1)
    await bank.sim.act(f"/bank/company/charges/{one}/remove", {})
    await bank.sim.act(f"/bank/company/charges/{other}/remove", {"byBank": True})
    statuses = [(await bank.done("GET", f"/cob/{tx_id}"))["status"] for tx_id in (one, other)]
    assert statuses == ["REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"]


async def test_a_webhook_is_registered_for_a_key_of_ones_own(bank: Desk) -> None:
    path, url = f"/webhook/{KEY}", "https://shop.example/pix-hook"
    assert kind(await bank.ask("GET", path)) == (404, "WebhookNaoEncontrado")
    answered = await bank.ask("PUT", path, {"webhookUrl": url})
    assert (answered.status_code, answered.content) == (200, b"")
    told = await bank.done("GET", path)
    assert (told["webhookUrl"], told["chave"]) == (url, KEY)
    assert (await bank.done("GET", "/webhook"))["webhooks"] == [told]
    for wrong, body in ((path, {"webhookUrl": "http://shop.example"}), ("/webhook/fabio@fora.example", {"webhookUrl": url})):
        assert kind(await bank.ask("PUT", wrong, body)) == (400, "WebhookOperacaoInvalida")
    assert (await bank.ask("DELETE", path)).status_code == 204
    assert kind(await bank.ask("DELETE", path)) == (404, "WebhookNaoEncontrado")


async def test_a_location_shows_one_charge_until_it_is_taken_off(bank: Desk) -> None:
    place = await bank.done("POST", "/loc", {"tipoCob": "cob"})
    other = await bank.done("POST", "/loc", {"tipoCob": "cobv"})
    made = await bank.charge(loc={"id": place["id"]})
    assert made["location"] == place["location"]
    assert (await bank.done("GET", f"/loc/{place['id']}"))["txid"] == made["txid"]
    for number in (place["id"], other["id"]):
        answered = await bank.ask("PUT", f"/cob/{new_tx_id()}", terms(loc={"id": number}))
        assert kind(answered) == (400, "CobOperacaoInvalida")
    assert "txid" not in await bank.done("DELETE", f"/loc/{place['id']}/txid")
    bare = await bank.done("GET", f"/cob/{made['txid']}")
    assert not {"loc", "location", "pixCopiaECola"} & bare.keys()
    assert bare["status"] == "ATIVA"
    listed = await bank.listed("/loc", tipoCob="cob")
    assert [one["id"] for one in listed["loc"]] == [place["id"]]
    assert kind(await bank.ask("GET", "/loc/999")) == (404, "PayloadLocationNaoEncontrado")


async def test_another_customer_sees_nothing_of_this_one(bank: Desk) -> None:
    body = {"clientId": "other", "document": "99999030000110", "keys": ["other@example.com"]}
    await bank.sim.act("/bank/company/customers", body)
    tx_id, name = await bank.paid()
    async with desk(bank.sim, "other") as other:
        assert kind(await other.ask("GET", f"/cob/{tx_id}")) == (404, "CobNaoEncontrado")
        assert kind(await other.ask("GET", f"/pix/{name}")) == (404, "PixNaoEncontrado")
        assert (await other.listed())["pix"] == []
        assert (await other.listed("/cob"))["cobs"] == []
        assert kind(await other.ask("PUT", f"/cob/{new_tx_id()}", terms())) == (400, "CobOperacaoInvalida")
        assert (await other.ask("PUT", f"/cob/{tx_id}", terms(key="other@example.com"))).status_code == 201


async def test_two_customers_of_one_company_share_what_it_received(bank: Desk) -> None:
    await bank.sim.act("/bank/company/customers", {"clientId": "second", "keys": ["second@example.com"]})
    tx_id, name = await bank.paid()
    async with desk(bank.sim, "second") as second:
        assert (await second.done("GET", f"/pix/{name}"))["txid"] == tx_id
        answered = await second.ask("PUT", f"/cob/{tx_id}", terms("1.00", key="second@example.com"))
        assert kind(answered) == (400, "CobOperacaoInvalida")


async def _styles(bank: Desk) -> list[httpx.Response]:
    grant = {"grant_type": "client_credentials", "scope": "cob.read cobv.read"}
    own = {"client_id": bank.client_id, "client_secret": bank.secret}
    basic = (bank.client_id, bank.secret)
    return [
        await bank.http.post("/oauth/token", data=grant, auth=basic),
        await bank.http.post("/oauth/token", json=grant, auth=basic),
        await bank.http.post("/oauth/token", data=grant | own),
        await bank.http.post("/oauth/token", data=grant | {"client_id": bank.client_id}),
    ]


async def test_tokens_in_each_style_have_the_scopes_that_are_granted(bank: Desk) -> None:
    *good, secretless = await _styles(bank)
    for answered in good:
        said = answered.json()
        assert (answered.status_code, said["token_type"], said["expires_in"]) == (200, "Bearer", 3600)
        assert said["scope"] == "cob.read"
        assert answered.headers["cache-control"] == "no-store"
    # No socket has shown a certificate.
    assert secretless.status_code == 401


async def test_wrong_credentials_are_401_and_say_how(bank: Desk) -> None:
    for auth in (("nobody", bank.secret), (bank.client_id, "wrong")):
        answered = await bank.http.post("/oauth/token", data={"grant_type": "client_credentials"}, auth=auth)
        assert (answered.status_code, answered.json()["error"]) == (401, "invalid_client")
        assert answered.headers["www-authenticate"].startswith("Basic")
    other = await bank.http.post("/oauth/token", data={"grant_type": "password"}, auth=(bank.client_id, bank.secret))
    assert (other.status_code, other.json()["error"]) == (400, "unsupported_grant_type")
    assert (await bank.token("cobv.read")).json()["error"] == "invalid_scope"


async def test_a_call_needs_a_token_and_its_scope(bank: Desk) -> None:
    bank.headers.clear()
    answered = await bank.ask("GET", f"/cob/{new_tx_id()}")
    assert kind(answered) == (401, "AcessoNegado")
    assert answered.headers["www-authenticate"].startswith("Bearer")
    await bank.enter("cob.read")
    assert kind(await bank.ask("GET", f"/cob/{new_tx_id()}")) == (404, "CobNaoEncontrado")
    assert kind(await bank.ask("PUT", f"/cob/{new_tx_id()}", terms())) == (403, "AcessoNegado")
    assert kind(await bank.ask("GET", f"/pix/E{'1' * 31}")) == (403, "AcessoNegado")


async def test_what_is_no_operation_is_told(bank: Desk) -> None:
    assert kind(await bank.ask("GET", "/nothing")) == (404, "NaoEncontrado")
    answered = await bank.ask("DELETE", f"/cob/{new_tx_id()}")
    assert (answered.status_code, answered.headers["allow"]) == (405, "GET, PATCH, PUT")
    large = await bank.http.put(f"/v2/cob/{new_tx_id()}", content=b" " * 1_048_577, headers=bank.headers)
    assert large.status_code == 413
    for raw in (b"", b"[]", b"{", b'"x"', b"\xff"):
        answered = await bank.http.put(f"/v2/cob/{new_tx_id()}", content=raw, headers=bank.headers)
        assert kind(answered) == (400, "CobOperacaoInvalida")
