"""A new charge by a person: the order that it makes, what its page shows to pay, and forms that make nothing."""

import base64
import io
import re
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from PIL import Image
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building, Visit, hidden

from lastro.people import Role

HERE = "/console/charge"
MADE = re.compile(r"/console/orders/([0-9a-f-]{36})\?done=charge")
ORDERS = (
    "SELECT amount_minor, expires_at - created_at AS lasts, account_id FROM orders WHERE company_id = $1 ORDER BY created_at"
)
ACTS = "SELECT operation, status, detail FROM console_acts WHERE company_id = $1 AND operation = 'create_order' ORDER BY created_at"


def form(ana: Seller, **other: str) -> dict[str, str]:
    return {
        "accountId": str(ana.account_id), "amount": "1.234,56", "description": "Bolo", "name": "Bento", "expiration": "",
        "document": "529.982.247-25", "email": "bento@example.com", "notificationUrl": "https://shop.example.com/hook", **other,
    }  # fmt: skip


async def made_of(visit: Visit, given: dict[str, str]) -> UUID:
    answer = await visit.send(HERE, HERE, **given)
    found = MADE.search(answer.headers.get("location", ""))
    assert found is not None, answer.text
    return UUID(found[1])


async def rows(cast: Cast, ana: Seller, sql: str) -> list[Any]:
    async with cast.database.session(ana.company_id) as session:
        return await session.fetch(sql, ana.company_id)


async def test_a_charge_is_made_shown_and_recorded(house: Building, cast: Cast, ana: Seller) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    order = await made_of(visit, form(ana, expiration="3600"))
    (row,) = await rows(cast, ana, ORDERS)
    assert (row["amount_minor"], row["lasts"].total_seconds(), row["account_id"]) == (123_456, 3600, ana.account_id)
    page = (await visit.get(f"/console/orders/{order}?done=charge")).text
    picture = re.search(r"data:image/png;base64,([A-Za-z0-9+/=]+)", page)
    assert picture is not None
    Image.open(io.BytesIO(base64.b64decode(picture[1]))).verify()
    assert "br.gov.bcb.pix" in page
    assert re.search(r"/checkout/[0-9A-Za-z]{22}", page)
    (act,) = await rows(cast, ana, ACTS)
    assert act["status"] == 200
    assert "Bento" not in str(act["detail"]), "no text that a person wrote is in the audit"


async def test_a_form_that_is_sent_twice_makes_one_charge(house: Building, cast: Cast, ana: Seller) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    filled = {**hidden((await visit.get(HERE)).text), **form(ana)}
    answers = [await visit.post(HERE, filled) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 409]
    assert len(await rows(cast, ana, ORDERS)) == 1


async def test_the_payer_chooses_the_amount_where_the_person_says_so(house: Building, cast: Cast, ana: Seller) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    await made_of(visit, form(ana, amount="", isOpen="yes", document="11.222.333/0001-81"))
    (row,) = await rows(cast, ana, ORDERS)
    assert row["amount_minor"] is None


BAD: dict[str, tuple[str, ...]] = {
    "amount": ("", "0", "-1", "1,234", "dez", "1" * 30, "\u0661\u0660"), "description": ("", "x" * 200), "name": ("", "x" * 300),
    "document": ("", "529.982.247-26", "12", "x" * 60), "email": ("", "bento", "x" * 300 + "@example.com"),
    "notificationUrl": ("", "ftp://shop.example.com", "http://169.254.169.254/", "x" * 3000),
    "accountId": ("", "01a205d8-e0e4-70bd-937f-8e181f3693f8", "nobody"),
}  # fmt: skip


@pytest.mark.parametrize("field", BAD)
async def test_a_wrong_form_makes_nothing_and_keeps_what_was_typed(
    house: Building, cast: Cast, ana: Seller, field: str
) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    for value in BAD[field]:
        answer = await visit.send(HERE, HERE, **form(ana, **{field: value}))
        assert 400 <= answer.status_code < 500, (field, value, answer.status_code)
        assert 'role="alert"' in answer.text
        assert "Bento" in unescape(answer.text) or field == "name"
    assert not await rows(cast, ana, ORDERS)


async def test_all_that_lacks_is_said_at_once(house: Building) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    answer = await visit.send(HERE, HERE)
    assert answer.status_code == 400
    assert answer.text.count('<li><a href="#') == 7


async def test_a_waiting_order_asks_for_news_and_is_told_of_the_end(house: Building, cast: Cast, ana: Seller) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    order = await made_of(visit, form(ana))
    page = (await visit.get(f"/console/orders/{order}")).text
    asked = re.search(r'hx-get="([^"]+)"', page)
    assert asked is not None
    path = unescape(asked[1])
    assert (await visit.get(path, hx_request="true")).status_code == 204
    await visit.send(f"/console/orders/{order}/cancel", f"/console/orders/{order}/cancel")
    after = await visit.get(path, hx_request="true")
    assert after.status_code == 200
    assert "hx-trigger" not in after.text, "a page whose order has ended asks no more"
    assert "data:image/png" not in after.text
