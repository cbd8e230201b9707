"""The receipt of an order: whoever may read sees it of what was paid, and of nothing else."""

import re

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building
from tests.rooms.orders.shop import Shop

from lastro.people import Role

_TAGS = re.compile(r"<[^>]*>")


def read_of(page: str) -> str:
    """The text of the receipt alone."""
    return " ".join(_TAGS.sub(" ", page[page.index("<article") : page.index("</article>")]).split())


async def test_a_receipt_says_who_paid_whom_how_much_and_when(house: Building, cast: Cast, ana: Seller) -> None:
    order = await Shop(cast, ana).paid(123_456, description="Flores & frutas", external_id="pedido-7")
    visit, _ = await house.inside(Role.READ)
    page = f"/console/orders/{order}"
    assert f'href="{page}/receipt"' in (await visit.get(page)).text
    read = read_of((await visit.get(f"{page}/receipt", accept_language="pt-BR")).text)
    for words in (
        "Comprovante de recebimento", "R$ 1.234,56", "Paga", "Bento Braga", "111.444.777-35", "Ana Flores Ltda",
        "11.222.333/0001-81", f"Conta {ana.account_number}", "Flores &amp; frutas", "pedido-7", "E12345678", str(order),
        "Emitido por Lastro (ISPB 00000000)", "Pix",
    ):  # fmt: skip
        assert words in read, (words, read)
    assert "Valor devolvido" not in read
    english = read_of((await visit.get(f"{page}/receipt", accept_language="en")).text)
    assert all(words in english for words in ("Receipt of a payment", "R$ 1,234.56", "Issued by Lastro")), english


async def test_a_receipt_says_what_went_back(house: Building, cast: Cast, ana: Seller) -> None:
    shop = Shop(cast, ana)
    order = await shop.paid(10_000)
    await shop.ends(await shop.back(order, 2_500))
    visit, _ = await house.inside(Role.READ)
    assert "R$ 25,00" in read_of((await visit.get(f"/console/orders/{order}/receipt", accept_language="pt-BR")).text)


@pytest.mark.parametrize("kind", ["unpaid", "another's", "none", "no id"])
async def test_what_was_not_paid_or_is_not_ones_own_has_none(house: Building, cast: Cast, ana: Seller, kind: str) -> None:
    shop = Shop(cast, ana)
    own = {"unpaid": str(await shop.order()), "another's": str(await shop.paid()), "none": str(cast.id()), "no id": "x"}[
        kind
    ]
    dora = await cast.dora()
    visit, _ = await house.inside(Role.READ, company=dora.company_id if kind == "another's" else None)
    page = await visit.get(f"/console/orders/{own}/receipt")
    assert page.status_code == 404
    assert "<article" not in page.text
