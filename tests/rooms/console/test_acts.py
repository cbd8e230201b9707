"""The API's verbs in a person's name: the act and the line that tells of it, both or neither, and once."""

import os
from dataclasses import replace
from decimal import Decimal
from typing import Any, NoReturn
from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import building

from lastro.app import wiring
from lastro.console.serving import Console
from lastro.console.shell import User
from lastro.core.errors import NotYet, Stale, Wait
from lastro.core.runner import Runner
from lastro.people import Presence, Role, Stage

ORDERS = "/order/v2/transparent"
LINES = "SELECT * FROM console_acts WHERE company_id = $1 ORDER BY created_at, id"
MOVES = "SELECT request_id FROM history WHERE company_id = $1 AND reference_id = $2"


@pytest.fixture
async def viewer(cast: Cast, ana: Seller) -> User:
    """Somebody of Ana's company who looks at a page."""
    house = building(cast, ana)
    person = await house.person(Role.OPERATE, company=ana.company_id)
    console_context = Console(house.house, wiring.routes(house.house)).console_context
    presence = Presence(person, b"", Stage.WHOLE, ana.company_id, is_proved=False)
    return User(
        person.id, "Rita", ana.company_id, person.roles, "pt", "auto", "", presence, console_context, "test", "request-1"
    )


def in_act(viewer: User, cast: Cast) -> User:
    """The same person who sends another form."""
    return replace(viewer, act_id=cast.id())


def order(ana: Seller, external_id: str = "") -> dict[str, Any]:
    return {
        "order": {
            "externalId": external_id or os.urandom(8).hex(), "paymentMethod": "PIX", "description": "Bread",
            "accountId": str(ana.account_id), "notificationUrl": "https://shop.example.com/hook",
            "amount": {"currency": "BRL", "value": "10.50"},
        },
        "customer": {
            "name": "Bento", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "52998224725"},
            "email": "bento@example.com",
        },
    }  # fmt: skip


async def told(cast: Cast, ana: Seller, sql: str = LINES, *more: UUID) -> list[Any]:
    async with cast.database.session(ana.company_id) as session:
        return await session.fetch(sql, ana.company_id, *more)


async def test_an_act_and_its_line_happen_together(viewer: User, cast: Cast, ana: Seller) -> None:
    acting = in_act(viewer, cast)
    status, made = await acting.call("PUT", ORDERS, body=order(ana))
    assert status == 200, made
    (line,) = await told(cast, ana)
    assert (line["id"], line["person_id"], line["request_id"]) == (acting.act_id, viewer.person_id, "request-1")
    assert (line["operation"], line["path"], line["status"]) == ("create_order", ORDERS, 200)
    (move,) = await told(cast, ana, MOVES, UUID(made["id"]))
    assert move["request_id"] == "request-1", "an object's history leads to the act"
    status, seen = await viewer.call("GET", f"{ORDERS}/{made['id']}")
    assert status == 200
    assert Decimal(seen["amount"]["value"]) == Decimal("10.50")
    assert len(await told(cast, ana)) == 1, "who looks leaves no line"


async def test_a_form_that_is_sent_twice_acts_once(viewer: User, cast: Cast, ana: Seller) -> None:
    acting = in_act(viewer, cast)
    first = await acting.call("PUT", ORDERS, body=order(ana))
    again = await acting.call("PUT", ORDERS, body=order(ana))
    assert (first[0], again[0]) == (200, 409)
    assert again[1]["details"][0]["issue"] == "DUPLICATE"
    assert len(await told(cast, ana)) == 1
    assert len((await viewer.call("GET", ORDERS))[1]["data"]) == 1


async def test_what_is_refused_is_told_too(viewer: User, cast: Cast, ana: Seller) -> None:
    assert (await in_act(viewer, cast).call("PUT", ORDERS, body=order(ana, "one")))[0] == 200
    dora = await cast.dora()
    hers, _ = await in_act(replace(viewer, company_id=dora.company_id), cast).call("PUT", ORDERS, body=order(dora, "hers"))
    assert hers == 200
    async with cast.database.session(dora.company_id) as session:
        others = await session.value("SELECT id FROM orders WHERE company_id = $1", dora.company_id)
    for method, path, body, status, issues in (
        ("PUT", ORDERS, {"order": {}}, 400, ["REQUIRED"]),
        ("PUT", ORDERS, order(ana, "one"), 409, ["DUPLICATE"]),
        ("POST", f"{ORDERS}/{cast.id()}/cancel", None, 404, []),
        ("POST", f"{ORDERS}/{others}/cancel", None, 404, []),
    ):
        assert (await in_act(viewer, cast).call(method, path, body=body))[0] == status, path
        line = (await told(cast, ana))[-1]
        assert (line["path"], line["status"], list(line["issues"])) == (path, status, issues)


async def test_a_page_changes_nothing_and_asks_for_what_there_is(viewer: User, cast: Cast, ana: Seller) -> None:
    with pytest.raises(ValueError, match="an act alone"):
        await viewer.call("PUT", ORDERS, body=order(ana))
    with pytest.raises(LookupError):
        await viewer.call("GET", "/nothing/of/ours")
    status, no = await viewer.call("GET", ORDERS, {"colour": "red"})
    assert (status, no["details"][0]["field"]) == (400, "colour")
    assert await told(cast, ana) == []


@pytest.mark.parametrize("early", [lambda: NotYet(0), lambda: Wait(at_once)])
async def test_what_is_not_there_yet_is_asked_for_again(
    viewer: User, cast: Cast, ana: Seller, monkeypatch: pytest.MonkeyPatch, early: Any
) -> None:
    acts, asked = Runner.act, 0

    async def late(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked % 3:
            raise early()
        return await acts(*given)

    monkeypatch.setattr(Runner, "act", late)
    assert (await viewer.call("GET", ORDERS, {"sort": "asc"}))[0] == 200
    assert (await in_act(viewer, cast).call("PUT", ORDERS, body=order(ana)))[0] == 200
    assert (asked, len(await told(cast, ana))) == (6, 1)


async def at_once() -> None:
    """No pause."""


async def test_what_never_comes_is_told_as_overtaken(viewer: User, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: Any) -> NoReturn:
        raise NotYet(0)

    monkeypatch.setattr(Runner, "act", never)
    with pytest.raises(Stale):
        await viewer.call("GET", ORDERS)


async def test_a_refused_form_that_is_corrected_is_told_that_it_was_refused(viewer: User, cast: Cast, ana: Seller) -> None:
    acting = in_act(viewer, cast)
    assert (await acting.call("PUT", ORDERS, body={"order": {}}))[0] == 400
    status, said = await acting.call("PUT", ORDERS, body=order(ana))
    assert status == 409
    assert "it was refused" in said["details"][0]["description"]
    assert (await in_act(viewer, cast).call("PUT", ORDERS, body=order(ana)))[0] == 200
    assert [line["status"] for line in await told(cast, ana)] == [400, 200]
