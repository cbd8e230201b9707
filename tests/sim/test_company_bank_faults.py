"""The faults of the companies' bank: each happens when it was ordered, as often as ordered, and has its effect or none."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from lastro_sim.api_pix.server import CutError

from .company_bank import KEY, Desk, desk, kind, new_tx_id, terms
from .stage import Sim


@pytest.fixture
async def bank(sim: Sim) -> AsyncIterator[Desk]:
    async with desk(sim) as made:
        yield made


async def put(bank: Desk, tx_id: str) -> httpx.Response:
    return await bank.ask("PUT", f"/cob/{tx_id}", terms())


async def is_there(bank: Desk, tx_id: str) -> bool:
    return (await bank.ask("GET", f"/cob/{tx_id}")).status_code == 200


async def test_an_answer_gets_lost_before_or_after_its_effect(bank: Desk) -> None:
    for behaviour, has_effect in (("lost-before-effect", False), ("lost-after-effect", True)):
        tx_id = new_tx_id()
        await bank.fault(behaviour, match={"txId": tx_id})
        with pytest.raises(CutError):
            await put(bank, tx_id)
        assert await is_there(bank, tx_id) == has_effect
        assert (await put(bank, tx_id)).is_success


FAILURES = {
    "soap-500": (500, "text/xml"), "html-502": (502, "text/html"), "gateway-404": (404, "text/html"),
    "not-json": (200, "text/plain"), "unavailable": (503, "application/problem+json"),
    "expired-token": (401, "application/problem+json"), "limited": (429, ""),
}  # fmt: skip


async def test_a_bank_fails_in_many_words_with_and_without_effect(bank: Desk) -> None:
    for behaviour, (status, media) in FAILURES.items():
        for code, has_effect in ((None, False), ("after", True)):
            tx_id = new_tx_id()
            await bank.fault(behaviour, match={"route": "PUT /cob/{txid}"}, **({"code": code} if code else {}))
            answered = await put(bank, tx_id)
            assert (answered.status_code, answered.headers.get("content-type", "")) == (status, media), behaviour
            assert await is_there(bank, tx_id) == has_effect, behaviour


async def test_a_limit_says_when_to_come_back_or_does_not(bank: Desk) -> None:
    await bank.fault("limited", code="7")
    await bank.fault("limited")
    first, second = await put(bank, new_tx_id()), await put(bank, new_tx_id())
    assert (first.headers["retry-after"], second.headers.get("retry-after")) == ("7", None)


async def test_a_fault_strikes_one_customer_and_one_route(bank: Desk) -> None:
    await bank.fault("html-502", match={"route": "GET /pix", "clientId": "another"})
    await bank.fault("html-502", match={"route": "GET /pix", "clientId": bank.client_id})
    assert (await put(bank, new_tx_id())).status_code == 201
    query = {"inicio": bank.at(-1), "fim": bank.at()}
    assert [(await bank.ask("GET", "/pix", **query)).status_code for _ in range(2)] == [502, 200]


async def test_a_slow_answer_comes_after_its_effect(bank: Desk) -> None:
    tx_id = new_tx_id()
    await bank.fault("slow", delay=0.01)
    assert (await put(bank, tx_id)).status_code == 201


async def test_tokens_die_early_or_have_fewer_scopes(bank: Desk) -> None:
    await bank.fault("dies-early", "bank_token")
    await bank.enter()
    assert kind(await put(bank, new_tx_id())) == (401, "AcessoNegado")
    await bank.fault("fewer-scopes", "bank_token", code="cob.read pix.read")
    answered = await bank.token()
    assert (answered.status_code, answered.json()["scope"]) == (200, "cob.read pix.read")
    await bank.fault("html-502", "bank_token")
    assert [(await bank.token()).status_code for _ in range(2)] == [502, 200]


async def test_a_charge_is_concluded_before_its_pix_is_shown(bank: Desk) -> None:
    await bank.fault("concluded-early", "bank_pix", delay=60)
    tx_id, name = await bank.paid()
    charge = await bank.done("GET", f"/cob/{tx_id}")
    assert (charge["status"], charge.get("pix")) == ("CONCLUIDA", None)
    assert kind(await bank.ask("GET", f"/pix/{name}")) == (404, "PixNaoEncontrado")
    assert (await bank.listed())["pix"] == []
    await bank.pass_time(61)
    assert (await bank.done("GET", f"/cob/{tx_id}"))["pix"][0]["endToEndId"] == name
    assert len((await bank.listed())["pix"]) == 1


async def test_a_pix_is_listed_an_hour_late(bank: Desk) -> None:
    await bank.fault("listed-late", "bank_pix", delay=3600)
    _, name = await bank.paid()
    assert (await bank.done("GET", f"/pix/{name}"))["endToEndId"] == name
    assert (await bank.listed())["pix"] == []
    await bank.pass_time(3601)
    listed = (await bank.listed())["pix"]
    assert [one["endToEndId"] for one in listed] == [name]
    # Its time is that of the payment: a cursor has passed it by then.
    assert listed[0]["horario"] < bank.at(-3599 / 86_400)


async def test_a_pix_lacks_what_is_optional(bank: Desk) -> None:
    for behaviour, field in (("no-txid", "txid"), ("no-chave", "chave")):
        await bank.fault(behaviour, "bank_pix")
        tx_id, name = await bank.paid()
        assert field not in await bank.done("GET", f"/pix/{name}")
        ends = "ATIVA" if behaviour == "no-txid" else "CONCLUIDA"
        assert (await bank.done("GET", f"/cob/{tx_id}"))["status"] == ends
    # Of the answer alone: the bank knows it all the same.
    tx_id, name = await bank.paid()
    await bank.fault("no-txid")
    assert [("txid" in await bank.done("GET", f"/pix/{name}")) for _ in range(2)] == [False, True]


async def test_one_charge_is_paid_twice(bank: Desk) -> None:
    tx_id, first = await bank.paid("10.00")
    second = (await bank.pay(txid=tx_id, amount="9.00", force=True))["endToEndId"]
    charge = await bank.done("GET", f"/cob/{tx_id}")
    assert [(one["endToEndId"], one["valor"]) for one in charge["pix"]] == [(first, "10.00"), (second, "9.00")]


async def test_items_move_between_pages_while_they_are_read(bank: Desk) -> None:
    names = [(await bank.pay(key=KEY, amount=f"{count}.00"))["endToEndId"] for count in range(1, 6)]

    async def page(number: int) -> list[str]:
        query: dict[str, Any] = {"paginacao.itensPorPagina": 2, "paginacao.paginaAtual": number}
        return [one["endToEndId"] for one in (await bank.listed(**query))["pix"]]

    assert [await page(0), await page(1), await page(2)] == [names[:2], names[2:4], names[4:]]
    await bank.fault("page-changes", times=2)
    # The third one is on no page now.
    assert [await page(0), await page(1), await page(2)] == [names[:2], names[3:], names[4:]]
