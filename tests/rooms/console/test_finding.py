"""Whom something is about: accounts by name and number in place of ids, names in lists, and people found by their names."""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from tests.cast import ANA, Cast
from tests.rooms.console.visiting import Building, Visit
from tests.rooms.orders.shop import Shop
from tests.rooms.payouts.office import FABIO, Office, entry_of

from lastro.console import choosing
from lastro.people import Role


async def at(house: Building) -> Visit:
    visit, _ = await house.inside(Role.READ)
    return visit


async def another(house: Building, name: str) -> dict[str, Any]:
    """Another account of Ana's company: its id and number."""
    made = await house.cast.open_account(house.ana.company_id, replace(ANA, full_name=name))
    async with house.cast.database.session(house.ana.company_id) as session:
        own = UUID(made["id"])
        number = await session.value("SELECT number FROM accounts WHERE company_id = tenant() AND id = $1", own)
    return {"id": made["id"], "accountNumber": number}


async def test_a_filter_offers_the_accounts_by_name_and_number(house: Building) -> None:
    visit, other = await at(house), await another(house, "João d'Ávila")
    number = other["accountNumber"]
    for name in ("orders", "payouts", "subscriptions", "disputes", "keys", "claims"):
        page = (await visit.get(f"/console/{name}?accountId={other['id']}")).text
        assert re.search(rf'<option value="{other["id"]}" selected>João d&#39;Ávila · {number}</option>', page), name
        assert f'<option value="{house.ana.account_id}">Ana Flores Ltda · ' in page, name
    assert "Escolha uma conta." in (await visit.get("/console/keys", accept_language="pt")).text


async def test_of_many_accounts_one_is_looked_for(house: Building, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MOST", 1)
    visit, joao, joana = await at(house), await another(house, "João d'Ávila"), await another(house, "Joana Dias")
    order = await Shop(house.cast, house.ana).order()

    async def found(text: str, page: str = "orders") -> str:
        asked = urlencode({"account": text, "status": "INITIAL"} if page == "orders" else {"account": text})
        return (await visit.get(f"/console/{page}?{asked}", accept_language="pt")).text

    assert '<select id="f-accountId"' not in (await visit.get("/console/orders")).text
    for text in ("joao", "JOÃO D'", "d'avila", joao["accountNumber"], joao["id"]):
        assert "Nada aqui com esses filtros." in await found(text), text
    assert str(order) in await found("ana flores")
    both = await found("joa")
    assert f'href="/console/orders?status=INITIAL&amp;accountId={joao["id"]}"' in both
    assert f'accountId={joana["id"]}"' in both
    assert str(order) not in both, "nothing is shown for an account that is not chosen yet"
    chosen = (await visit.get(f"/console/orders?accountId={joao['id']}")).text
    assert f'<option value="{joao["id"]}" selected>' in chosen
    assert "Outra conta" in chosen
    assert "Nenhuma conta com “ninguém” no nome ou como número." in await found("ninguém", "keys")


async def test_another_companys_accounts_are_not_found(house: Building, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MOST", 0)
    dora, visit = await house.cast.dora(), await at(house)
    for text in ("Dora", dora.account_number, str(dora.account_id)):
        page = await visit.get(f"/console/orders?{urlencode({'account': text})}", accept_language="en")
        assert "No account named or numbered" in page.text, text
        assert "Dora Dias" not in page.text, text


async def test_orders_name_their_customer_and_people_are_found(house: Building, cast: Cast) -> None:
    visit, shop = await at(house), Shop(cast, house.ana)
    order = await shop.paid()
    assert "Bento Braga" in (await visit.get("/console/orders")).text
    for text in ("bento", "BRAGA", "Bento Braga"):
        page = await visit.get(f"/console/search?all=1&{urlencode({'q': text})}", accept_language="pt")
        assert f'href="/console/orders/{order}"' in page.text, text
        assert ">nome</td>" in page.text, text
    (day,) = await shop.column(
        "SELECT to_char(created_at AT TIME ZONE 'America/Sao_Paulo', 'DD/MM/YYYY') FROM orders WHERE id = $1", order
    )
    for when, is_found in ((day, True), ("01/02/2001", False)):
        page = await visit.get(f"/console/search?all=1&{urlencode({'q': f'bento {when}'})}")
        assert (f"/console/orders/{order}" in page.text) is is_found, when
    account = await visit.get(f"/console/search?all=1&{urlencode({'q': 'ana flores'})}")
    assert f'href="/console/accounts/{house.ana.account_id}"' in account.text


async def test_payouts_are_found_by_receiver_and_key(house: Building, cast: Cast) -> None:
    visit, office = await at(house), await Office.open(cast, house.ana)
    office.outside.entries["fabio@fora.example"] = entry_of("fabio@fora.example")
    made = await office.make(key="fabio@fora.example")
    assert FABIO.name in (await visit.get("/console/payouts")).text
    for text in ("fabio@fora.example", "fabio de fora"):
        page = await visit.get(f"/console/search?all=1&{urlencode({'q': text})}")
        assert f'href="/console/payouts/{made["id"]}"' in page.text, text
