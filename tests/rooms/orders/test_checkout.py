"""The hosted page of an order over HTTP, on real rows: whose it is, what it costs to look, and what strangers see."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import httpx
import pytest
from tests.cast import PLACE, Cast, Seller
from tests.http_contract import contract
from tests.in_one import in_one_test
from tests.rooms.lists import answered
from tests.rooms.orders.test_arrivals import arrives, claimed
from tests.rooms.orders.test_list import create
from tests.rules.orders.checkout.hosted import Page

from lastro.core.db import Database, Lent
from lastro.core.runner import Done
from lastro.orders import CancelOrder, CheckoutPages, Expire, Settled
from lastro.standards.pix_ids import base62
from lastro.web.application import application
from lastro.web.checkout import Checkout
from lastro.web.middleware import Gate
from lastro.web.public_tokens import OrdersByToken

HOST = "lastro.test"
NOBODYS = "0" * 22


class Counted(Database):
    """A database that knows how often a session was lent, and of which company."""

    lendings: list[UUID | None]

    def session(self, company_id: UUID | None = None) -> Lent:
        self.lendings.append(company_id)
        return super().session(company_id)


@dataclass
class Street:
    """Somebody with a browser, and nothing else."""

    http: httpx.AsyncClient
    database: Counted

    async def get(self, path: str, method: str = "GET", **headers: str) -> httpx.Response:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = await self.http.request(method, path, headers=given)
        contract().holds(method, path, answer.status_code, answer.headers, answer.content)
        return answer

    async def page(self, order: dict[str, Any], language: str = "en") -> Page:
        answer = await self.get(order["checkoutUrl"].removeprefix(f"http://{HOST}"), accept_language=language)
        assert answer.status_code == 200
        return Page(answer.content)

    async def state(self, order: dict[str, Any], **headers: str) -> httpx.Response:
        return await self.get(f"/checkout/{order['orderToken']}/state", **headers)


@pytest.fixture
async def street(database: Any, cast: Cast) -> AsyncIterator[Street]:
    counted = Counted(database.app, size=2)
    counted.lendings = []
    paths = Checkout(OrdersByToken(counted, cast.chance), CheckoutPages(PLACE)).paths()
    app = application(Gate(frozenset({HOST}), os.urandom), Mock(), (), paths)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{HOST}") as http:  # type: ignore[arg-type]
        yield Street(http, counted)
    await counted.close()


async def asked(cast: Cast, ana: Seller, **order: Any) -> dict[str, Any]:
    given = {"amount": {"currency": "BRL", "value": "10.50"}, "returnUrl": "https://shop.example.com/?cart=1", **order}
    return await create(cast, ana.client, os.urandom(4).hex(), datetime.now(UTC), **given)


async def test_an_order_is_shown_with_its_page_wherever_it_is_shown(cast: Cast, ana: Seller, street: Street) -> None:
    made = await asked(cast, ana)
    assert made["checkoutUrl"] == f"{PLACE.public_url}/checkout/{made['orderToken']}"
    assert made["orderToken"].startswith(base62(ana.number, 5))
    assert made["orderToken"] not in made["pix"]["qrcodeImageUrl"], "who has the code does not have the page"
    (listed,) = (await answered(cast, ana.client, "list_orders"))["data"]
    by_id = await answered(cast, ana.client, "read_order", id=made["id"])
    for shown in (listed, by_id):
        assert (shown["checkoutUrl"], shown["orderToken"]) == (made["checkoutUrl"], made["orderToken"])
    page = await street.page(made)
    assert made["pix"]["qrcodeData"] in page.text["code"]
    assert ana.holder.full_name in page.title


async def test_money_that_came_unasked_and_orders_older_than_pages_have_none(
    cast: Cast, ana: Seller, inside: Any, street: Street
) -> None:
    old = await asked(cast, ana)
    await inside.execute("UPDATE orders SET order_token = NULL")
    told = await arrives(cast, ana, settled_at=datetime.now(UTC), instrument="MANU")
    assert isinstance(await cast.runner.act(ana.company_id, Settled(told, await claimed(cast, ana, told), PLACE)), Done)
    shown = (await answered(cast, ana.client, "list_orders"))["data"]
    assert len(shown) == 2
    assert not [one for one in shown if one.keys() & {"checkoutUrl", "orderToken"}]
    assert (await street.state(old)).status_code == 404


@pytest.mark.parametrize("end", ["CANCELED", "EXPIRED"])
async def test_a_page_that_waits_is_told_of_the_end(cast: Cast, ana: Seller, street: Street, end: str) -> None:
    made = await asked(cast, ana)
    first = await street.state(made)
    assert (first.status_code, first.json()) == (200, {"status": "INITIAL", "late": False, "keyLeft": False, "over": False})
    tag = first.headers["etag"]
    (waits,) = [a["data-waits"] for _, a in (await street.page(made)).attributes if "data-waits" in a]
    assert waits == tag
    again = await street.state(made, if_none_match=tag)
    assert (again.status_code, again.content) == (304, b"")
    order_id = UUID(made["id"])
    verb = CancelOrder(order_id, PLACE) if end == "CANCELED" else Expire(order_id, PLACE, before_its_time=True)
    assert isinstance(await cast.runner.act(ana.company_id, verb), Done)
    told = await street.state(made, if_none_match=tag)
    assert (told.status_code, told.json()) == (200, {"status": end, "late": False, "keyLeft": False, "over": True})
    page = await street.page(made)
    assert page.ways == [f"https://shop.example.com/?cart=1&orderToken={made['orderToken']}"]
    assert page.refresh is None
    assert "code" not in page.tags


async def test_after_its_last_instant_nobody_is_asked_to_pay(cast: Cast, ana: Seller, street: Street, inside: Any) -> None:
    made = await asked(cast, ana)
    await inside.execute("UPDATE orders SET expires_at = $1", datetime.now(UTC) - timedelta(seconds=1))
    assert (await street.state(made)).json() == {"status": "INITIAL", "late": True, "keyLeft": False, "over": False}
    page = await street.page(made)
    assert page.title.startswith("Time is up")
    assert "code" not in page.tags
    assert page.refresh is not None
    await inside.execute("UPDATE orders SET expires_at = $1", datetime.now(UTC) + timedelta(hours=1))


async def test_to_look_costs_one_statement_by_an_index(cast: Cast, ana: Seller, street: Street, inside: Any) -> None:
    made = await asked(cast, ana)
    await street.state(made)
    street.database.lendings.clear()
    for _ in range(3):
        await street.state(made)
    await street.page(made)
    assert street.database.lendings == [ana.company_id] * 4, "whose a token is is looked up once"
    sql = "SELECT indexdef FROM pg_indexes WHERE indexname = 'orders_token_key'"
    assert "UNIQUE INDEX orders_token_key ON public.orders USING btree (company_id, order_token)" in await inside.fetchval(
        sql
    )


async def test_a_token_leads_to_its_own_company(cast: Cast, ana: Seller, street: Street) -> None:
    """Whichever companies' tokens were asked for before."""
    made = [await asked(cast, ana), await asked(cast, await cast.dora()), await asked(cast, ana)]
    assert [(await street.state(one)).status_code for one in made] == [200, 200, 200]


async def test_an_address_that_leads_nowhere_has_one_page(cast: Cast, ana: Seller, street: Street) -> None:
    dora = await cast.dora()
    token = (await asked(cast, ana))["orderToken"]
    others = [
        NOBODYS, "zzzzz" + "0" * 17, "x", token[:-1], token + "0", token.swapcase(), base62(dora.number, 5) + token[5:],
        token[:5] + "0" * 17, "%00" * 22, "%C3%A7" * 22, "..%2e", "' OR 1=1", "😀" * 22, "0" * 2000,
    ]  # fmt: skip
    for language in ("pt", "en"):
        found = [await street.get(f"/checkout/{one}", accept_language=language) for one in others]
        assert {one.status_code for one in found} == {404}
        assert len({one.content for one in found}) == 1
        told = [{k: v for k, v in one.headers.items() if k != "x-request-id"} for one in found]
        assert all(one == told[0] for one in told)
        Page(found[0].content)
    states = [await street.get(f"/checkout/{one}/state") for one in others]
    assert {(one.status_code, one.content) for one in states} == {(404, states[0].content)}


async def test_a_page_is_kept_nowhere_and_asks_nobody(cast: Cast, ana: Seller, street: Street) -> None:
    made = await asked(cast, ana)
    for path, status in ((f"/checkout/{made['orderToken']}", 200), (f"/checkout/{NOBODYS}", 404)):
        answer = await street.get(path, accept_language="es", cookie="a=b")
        assert answer.status_code == status
        headers = answer.headers
        assert headers["content-language"] == "es"
        assert (headers["cache-control"], headers["referrer-policy"]) == ("no-store", "no-referrer")
        assert (headers["x-robots-tag"], headers["x-content-type-options"]) == ("noindex, nofollow", "nosniff")
        assert "set-cookie" not in headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy == {
            "default-src": "'none'", "style-src": "'self'", "script-src": "'self'", "img-src": "data:", "connect-src": "'self'",
            "base-uri": "'none'", "form-action": "'none'", "frame-ancestors": "'none'",
        }  # fmt: skip
    assert "set-cookie" not in (await street.state(made)).headers


async def test_the_address_chooses_the_language(cast: Cast, ana: Seller, street: Street) -> None:
    path = f"/checkout/{(await asked(cast, ana))['orderToken']}"
    for query, accepted, language in (
        ("", "", "pt-BR"), ("", "en-GB,en;q=0.9", "en"), ("?lang=es", "en", "es"), ("?lang=xx", "en", "en"), ("?lang=", "es", "es"),
        ("?utm_source=a&lang=en&x", "es", "en"), ("?lang=en&lang=es", "pt", "es"), ("?" + "a" * 5000, "en", "en"),
        ("?%ff=%00&lang=%E2%80%AE", "en", "en"),
    ):  # fmt: skip
        answer = await street.get(path + query, accept_language=accepted)
        assert answer.headers["content-language"] == Page(answer.content).language == language, query


@in_one_test("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
async def test_it_is_read_and_nothing_else(cast: Cast, ana: Seller, street: Street, method: str) -> None:
    made = await asked(cast, ana)
    for path in (
        f"/checkout/{made['orderToken']}",
        f"/checkout/{made['orderToken']}/state",
        "/checkout.js",
        "/checkout.css",
    ):
        answer = await street.get(path, method)
        assert answer.status_code == (200 if method == "HEAD" else 405)
        if method == "HEAD":
            whole = await street.get(path)
            assert (answer.content, answer.headers["content-length"]) == (b"", str(len(whole.content)))


@pytest.mark.parametrize(("path", "kind"), [("/checkout.js", "text/javascript"), ("/checkout.css", "text/css")])
async def test_what_belongs_to_every_page_is_sent_once(street: Street, path: str, kind: str) -> None:
    first = await street.get(path)
    assert first.headers["content-type"] == f"{kind}; charset=utf-8"
    again = await street.get(path, if_none_match=f'"x", W/{first.headers["etag"]}')
    assert (again.status_code, again.content) == (304, b"")
