"""A refund is looked at before it is sent: who gets how much, what it costs, and what is left on both sides."""

import re

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.test_form_problems import said_beside
from tests.rooms.console.visiting import Building, hidden
from tests.rooms.orders.shop import Shop

from lastro.people import Role

_TAGS = re.compile(r"<[^>]*>")
REFUNDS = "SELECT count(*) FROM refunds WHERE company_id = $1"


async def made(cast: Cast, ana: Seller) -> int:
    async with cast.database.session(ana.company_id) as session:
        return int(await session.value(REFUNDS, ana.company_id))


async def test_a_refund_is_said_in_full_and_made_once_one_is_sure(house: Building, cast: Cast, ana: Seller) -> None:
    shop = Shop(cast, ana)
    order = await shop.paid(10_000, fee_fixed_minor=150)
    available, _ = await shop.money()
    visit, _ = await house.inside(Role.OPERATE)
    path = f"/console/orders/{order}/refund"
    facts = _TAGS.sub(" ", (await visit.get(f"/console/orders/{order}")).text)
    assert re.search(r"Tarifa\s+R\$\s1,50", facts)
    page = await visit.send(path, path, amount="30,00", refundCode="MD06", refundReason="Pedido <b>trocado</b>")
    assert page.status_code == 200
    assert await made(cast, ana) == 0, "nothing has moved yet"
    read = " ".join(_TAGS.sub(" ", page.text).split())
    after = f"{(available - 3_000) / 100:.2f}".replace(".", ",")
    for words in (
        "Devolver: R$ 30,00", "Bento Braga", "111.444.777-35", "Tarifa da devolução Nenhuma",
        "Tarifa da cobrança, que não volta R$ 1,50", "Ainda pode ser devolvido depois R$ 70,00",
        f"Saldo disponível depois R$ {after}", "Pedido &lt;b&gt;trocado&lt;/b&gt;",
    ):  # fmt: skip
        assert words in read, read
    form = hidden(page.text)
    changed = await visit.post(path, {**form, "change": "yes"})
    assert (changed.status_code, 'value="30,00"' in changed.text) == (200, True)
    assert await made(cast, ana) == 0
    sent = await visit.post(path, {**form, "sure": "yes"})
    assert sent.status_code == 303, sent.text
    assert (await visit.post(path, {**form, "sure": "yes"})).status_code == 409
    assert await made(cast, ana) == 1


@pytest.mark.parametrize("amount", ["100,01", "0", "0,00", "-1", "1e3", "ten", "1,234", "\u0661", "9" * 30])
async def test_an_amount_that_cannot_be_given_back_is_said_beside_it(
    house: Building, cast: Cast, ana: Seller, amount: str
) -> None:
    order = await Shop(cast, ana).paid(10_000)
    visit, _ = await house.inside(Role.OPERATE)
    path = f"/console/orders/{order}/refund"
    answer = await visit.send(path, path, amount=amount, refundCode="MD06")
    assert answer.status_code == 400
    said_beside(answer.text, "b-amount")
    assert await made(cast, ana) == 0
