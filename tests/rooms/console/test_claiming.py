"""The page of a claim: it offers the open orders of the amount, says whose each is, and presumes no answer."""

from dataclasses import replace

from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building, Visit
from tests.rooms.orders.test_connections import Connected
from tests.rooms.orders.test_foreign import found, typed

from lastro import console
from lastro.app import wiring
from lastro.people import Role
from lastro.web.application import application

from .test_connections import at_bank

__all__ = ["at_bank"]


async def visiting(house: Building, at_bank: Connected) -> Visit:
    """A person who may claim, at a console whose process reaches the bank."""
    app = replace(house.house, issuers=at_bank.issuers)
    routes, operations = wiring.routes(app), wiring.operations(app)
    paths = wiring.public(app) | console.paths(app, routes)
    asgi = application(wiring.gate(app, operations), operations, routes, paths)
    visit, _ = await replace(house, house=app, asgi=asgi).inside(Role.APPROVE)
    return visit


async def test_the_open_orders_of_the_amount_are_offered_newest_first(at_bank: Connected, house: Building) -> None:
    first, second = await at_bank.make(), await at_bank.make(externalId="order-2", description="Rosas")
    await at_bank.make(externalId="order-3", amount={"currency": "BRL", "value": "10.51"})
    await at_bank.paid(await at_bank.make(externalId="order-4"))
    visit = await visiting(house, at_bank)
    page = (await visit.get(f"/console/foreign/{await found(at_bank, typed(at_bank))}/claim", accept_language="pt-BR")).text
    offered = page.partition("Qual cobrança este Pix paga?")[2].partition("</fieldset>")[0]
    assert [one["id"] in offered for one in (first, second)] == [True, True]
    assert offered.index(second["id"]) < offered.index(first["id"])
    assert "order-3" not in page
    assert "order-4" not in page
    for said in ("Rosas", "Bento", "529.982.247-25", "R$\N{NO-BREAK SPACE}10,50"):
        assert said in offered, said
    assert " checked" not in offered, "no answer is presumed"


async def test_another_order_is_found_by_its_code_and_shown_before_the_act(at_bank: Connected, house: Building) -> None:
    made = await at_bank.make(externalId="Pedido 77", amount={"currency": "BRL", "value": "44.00"})
    visit = await visiting(house, at_bank)
    path = f"/console/foreign/{await found(at_bank, typed(at_bank))}/claim"
    assert "Nenhuma cobrança em aberto" in (await visit.get(path, accept_language="pt-BR")).text
    missing = (await visit.get(f"{path}?order=Pedido 78", accept_language="pt-BR")).text
    assert "A empresa não tem essa cobrança." in missing
    for name in ("Pedido 77", made["id"]):
        page = (await visit.get(f"{path}?order={name}", accept_language="pt-BR")).text
        assert f'value="{made["id"]}" required>' in page
        assert "44,00" in page
    answer = await visit.send(path, path, orderId=made["id"])
    assert answer.status_code == 409
    assert "é 10,50, e a cobrança pede 44,00" in answer.text
    assert await at_bank.status() == ["INITIAL"]


async def test_the_order_that_is_chosen_is_paid(at_bank: Connected, house: Building) -> None:
    made = await at_bank.make()
    visit = await visiting(house, at_bank)
    path = f"/console/foreign/{await found(at_bank, typed(at_bank))}/claim"
    assert (await visit.send(path, path)).status_code == 400, "none is presumed"
    assert (await visit.send(path, path, orderId=made["id"])).status_code == 303
    assert await at_bank.status() == ["PAID"]


async def test_what_was_given_back_at_the_bank_is_said_in_portuguese(at_bank: Connected, house: Building) -> None:
    made, payment = await at_bank.make(), typed(at_bank)
    visit = await visiting(house, at_bank)
    own = await found(at_bank, payment)
    at_bank.bank.shows(payment, devolucoes=[{"id": "m1", "valor": "10.50", "status": "EM_PROCESSAMENTO"}])
    path = f"/console/foreign/{own}/claim"
    answer = await visit.send(path, path, orderId=made["id"])
    assert "foi devolvido no banco" in answer.text
    assert "Devolvido no banco" in (await visit.get(f"/console/foreign/{own}", accept_language="pt-BR")).text


async def test_the_orders_of_another_company_are_not_found(at_bank: Connected, house: Building, cast: Cast) -> None:
    dora: Seller = await cast.dora()
    own = await found(at_bank, typed(at_bank))
    visit = await visiting(house, at_bank)
    page = (await visit.get(f"/console/foreign/{own}/claim?order={dora.account_id}", accept_language="pt-BR")).text
    assert "A empresa não tem essa cobrança." in page
