"""What is around every page: the menu in groups, filters and tables that fold on a phone, and the page of what is not there."""

import re

from tests.cast import Cast
from tests.rooms.console.visiting import Building
from tests.rooms.orders.shop import Shop

from lastro.console.menu import grouped
from lastro.console.pages import NAVIGATION
from lastro.people import Role

_NOWHERE = "01a205d8-e0e4-70bd-937f-8e181f3693f8"
_MADE_ANEW = re.compile(r'value="[^"]+"')  # what a page's forms carry


def test_every_page_of_the_menu_stands_in_a_group() -> None:
    groups = grouped((path, word) for path, word, _ in NAVIGATION)
    assert [one.name for one in groups] == [
        "", "menu.in", "menu.out", "menu.accounts", "menu.developers", "menu.institution"
    ]  # fmt: skip
    assert sum(len(one.pages) for one in groups) == len(NAVIGATION)


def test_a_page_below_another_stands_with_it_and_an_unknown_one_last() -> None:
    groups = grouped([("/console/orders/new", "a"), ("/console/sandbox/try", "b"), ("/console/strange", "c")])
    assert [(one.name, [word for _, word in one.pages]) for one in groups] == [
        ("menu.in", ["a"]), ("menu.sandbox", ["b"]), ("menu.more", ["c"])
    ]  # fmt: skip


async def test_what_is_not_there_and_what_is_anothers_get_one_page(house: Building, cast: Cast) -> None:
    dora = await cast.dora()
    foreign = await Shop(cast, dora).order()
    visit, _ = await house.inside(*Role)
    paths = [
        f"/console/orders/{foreign}", f"/console/orders/{_NOWHERE}", "/console/orders/nothing", "/console/nothing",
        "/console/orders/nothing/at/all", f"/console/payouts/{_NOWHERE}/cancel", f"/console/people/{_NOWHERE}",
        f"/console/ledger/transfers/{_NOWHERE}", f"/console/messages/in/{_NOWHERE}", f"/console/keys/{_NOWHERE}",
    ]  # fmt: skip
    answers = [await visit.get(path, accept_language="pt") for path in paths]
    assert [(path, one.status_code) for path, one in zip(paths, answers, strict=True)] == [(path, 404) for path in paths]
    assert len({_MADE_ANEW.sub("", one.text) for one in answers}) == 1
    page = answers[0].text
    for said in (
        "Este endereço não existe, ou não é desta empresa.",
        'href="/console/search"',
        'class="menu"',
        'href="/console/company"',
    ):
        assert said in page, said
    assert str(foreign) not in page


async def test_what_is_not_there_is_told_to_nobody_who_has_not_come_in(house: Building) -> None:
    for path in ("/console/nothing", "/console/nothing/at/all", f"/console/orders/{_NOWHERE}"):
        answer = await house.visit().get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, f"/console/sign-in?next={path}")


async def test_a_method_that_a_page_does_not_take_is_still_refused_as_before(house: Building) -> None:
    visit, _ = await house.inside()
    assert (await visit.post("/console/nothing")).status_code == 404
    assert (await visit.post("/console/search")).status_code == 405


async def test_a_lists_filters_are_folded_and_say_how_many_are_chosen(house: Building) -> None:
    visit, _ = await house.inside()
    assert "<summary>Filtros</summary>" in (await visit.get("/console/orders", accept_language="pt")).text
    chosen = await visit.get("/console/orders?status=PAID&externalId=a&cursor=", accept_language="pt")
    assert "<summary>Filtros (2)</summary>" in chosen.text


async def test_each_value_of_a_list_names_its_column(house: Building, cast: Cast) -> None:
    await Shop(cast, house.ana).paid()
    visit, _ = await house.inside()
    page = (await visit.get("/console/orders", accept_language="pt")).text
    assert re.search(r'<td role="cell" data-label="Valor final" class="number">R\$', page)
    assert '<td role="cell" data-label="Cliente">Bento Braga</td>' in page
