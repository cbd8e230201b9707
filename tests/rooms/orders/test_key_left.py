"""An order whose Pix key has left offers no code to pay, wherever it is shown, until the key comes back."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
from tests.cast import ANA, PLACE, Cast
from tests.http_contract import contract
from tests.rooms.keys.test_claims import Desk as Keys
from tests.rooms.keys.test_keys import company
from tests.rooms.subscriptions.desk import JOURNEY_2, JOURNEY_3, Desk, brl
from tests.rules.orders.checkout.hosted import Page

from lastro.orders import CheckoutPages, image, shown_by_location
from lastro.web.application import application
from lastro.web.checkout import Checkout
from lastro.web.middleware import Gate
from lastro.web.public_tokens import OrdersByToken

HOST = "lastro.test"
NO_CODE = (None, False)
_BENTO = {
    "name": "Bento", "entityType": "INDIVIDUAL", "email": "bento@example.com",
    "document": {"type": "CPF", "number": "11144477735"},
}  # fmt: skip


@pytest.fixture
async def keys(cast: Cast) -> Keys:
    return Keys(cast, await cast.found("Ana", replace(ANA, document_number=company())))


@pytest.fixture
async def street(cast: Cast) -> AsyncIterator[httpx.AsyncClient]:
    paths = Checkout(OrdersByToken(cast.database, cast.chance), CheckoutPages(PLACE)).paths()
    app = application(Gate(frozenset({HOST}), os.urandom), Mock(), (), paths)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=f"http://{HOST}") as http:  # type: ignore[arg-type]
        yield http


class Shop:
    """What of one order is shown, and where."""

    def __init__(self, desk: Desk, street: httpx.AsyncClient, made: dict[str, Any]) -> None:
        self.desk, self.street, self.made = desk, street, made

    async def codes(self) -> list[tuple[Any, bool | None]]:
        """At each place the code, or None, and whether the key is said to lead here."""
        read = await self.desk.done("read_order", id=self.made["id"])
        listed = await self.desk.done("list_orders", query={"externalId": self.made["externalId"]})
        pay_in = await self.desk.done("read_order_payin", id=self.made["id"])
        found = [(one.get("pix", {}).get("qrcodeData"), one["leadsHere"]) for one in (read, *listed["data"])]
        return [*found, (pay_in.get("qrcodeData"), pay_in["leadsHere"])]

    async def page(self) -> tuple[Page, dict[str, Any], str]:
        """The hosted page, and what it is told while it waits."""
        path = f"/checkout/{self.made['orderToken']}"
        page, state = [await self.street.get(one, headers={"accept-language": "en"}) for one in (path, f"{path}/state")]
        contract().holds("GET", f"{path}/state", state.status_code, state.headers, state.content)
        return Page(page.content), state.json(), state.headers["etag"]

    async def picture(self) -> bool:
        """Whether the picture is drawn."""
        token = self.made["pix"]["qrcodeImageUrl"].rpartition("/")[2].removesuffix(".png")
        glance = shown_by_location(token)
        async with self.desk.cast.database.session(self.desk.ana.company_id) as session:
            shown = glance.known(await session.fetch(glance.sql, self.desk.ana.company_id, token))
        assert shown is not None
        return image(shown, PLACE) is not None


async def test_no_code_is_offered_of_a_key_that_has_left(keys: Keys, street: httpx.AsyncClient) -> None:
    await keys.key()
    desk = Desk.open(keys.cast, keys.ana)
    wish = {"externalId": os.urandom(4).hex(), "pixKey": keys.phone, "amount": brl("10.50"), "paymentMethod": "PIX",
            "description": "Flores", "notificationUrl": "https://shop.example.com/hook"}  # fmt: skip
    made = await desk.done("create_order", {"order": wish, "customer": _BENTO}, key=os.urandom(8).hex())
    shop = Shop(desk, street, made)
    first = {"pixKey": keys.phone, "amount": brl("29.90")}
    paying, open_one = await desk.make(JOURNEY_3, initialCharge=first), await desk.make(JOURNEY_2)
    code = made["pix"]["qrcodeData"]
    assert await shop.codes() == [(code, True)] * 3
    assert (await desk.read(paying["id"]))["initialCharge"]["leadsHere"] is True
    page, state, before = await shop.page()
    assert (state["keyLeft"], "img" in page.tags, await shop.picture()) == (False, True, True)

    news = await keys.claimed("PORTABILITY")
    assert await keys.says(news, status="CONFIRMED") == "handled"
    assert await shop.codes() == [NO_CODE] * 3
    page, state, tag = await shop.page()
    assert page.title.startswith("Code not available")
    assert ("img" in page.tags, "code" in page.tags, state["keyLeft"], state["over"]) == (False, False, True, False)
    assert (tag != before, page.refresh is not None, await shop.picture()) == (True, True, False)
    left = await desk.read(paying["id"])
    assert ("qrcode" in left, left["initialCharge"]["leadsHere"]) == (False, False)
    assert "qrcode" in await desk.read(open_one["id"]), "it names no key"

    del keys.registry.keys[keys.phone]
    await keys.key()
    assert await shop.codes() == [(code, True)] * 3
    page, state, tag = await shop.page()
    assert (state["keyLeft"], "img" in page.tags, tag, await shop.picture()) == (False, True, before, True)
    assert "qrcode" in await desk.read(paying["id"])
