"""Two windows tell the whole story: somebody with the phone authorizes, pays, takes back and contests; the console beside it says so."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, expect
from tests.browser.conftest import PATIENCE_MS, Window, opened
from tests.journeys.play import Play
from tests.journeys.stage import Stage
from tests.journeys.test_authorizing import JOURNEY_2, JOURNEY_3, brl, make

FIRM = "99999020000185"


@asynccontextmanager
async def both(stage: Stage, chromium: Browser, *, has_script: bool = True) -> AsyncIterator[tuple[Window, Window]]:
    """The phone, and the console signed in."""
    async with (
        opened(chromium, stage.simulator_url, "phone", locale="en-US", java_script_enabled=has_script) as phone,
        opened(chromium, stage.base_url, locale="en-US") as console,
    ):
        phone.page.set_default_timeout(PATIENCE_MS)
        await console.at_the_console(stage)
        yield phone, console


async def read_by(phone: Window, code: str, holder: str = "") -> None:
    """The code is typed in at somebody's phone, which shows what it asks."""
    await phone.go(f"/phone?payer={holder}")
    await phone.page.fill("#qrcodeData", code)
    await phone.page.click("#read button[type=submit]")
    await phone.page.wait_for_selector("#asks")


async def ends(phone: Window, status: str) -> None:
    """The phone says how it ended; without a script somebody loads the page again."""
    done = phone.page.locator(f"section.result.{status}")
    for _ in range(200):
        if await done.count() or await phone.page.locator("script[src]").count():
            break
        await phone.page.reload()
    await expect(done).to_be_visible(timeout=PATIENCE_MS)


async def console_says(console: Window, made: dict[str, Any], state: str) -> None:
    await console.comes_to_say(f"/console/subscriptions/{made['id']}", state, "section[aria-labelledby=facts]")
    assert state in await console.page.inner_text("section[aria-labelledby=timeline]"), "and its timeline tells of it"


@pytest.mark.parametrize("has_script", [True, False])
async def test_a_subscription_is_authorized_and_taken_back(
    stage: Stage, play: Play, chromium: Browser, *, has_script: bool
) -> None:
    made = await make(play, JOURNEY_2, maxAmountFloor=brl("10.00"))
    async with both(stage, chromium, has_script=has_script) as (phone, console):
        await console_says(console, made, "Awaiting authorization")
        await read_by(phone, made["qrcodeData"], FIRM)
        assert "at least R$ 10.00" in await phone.page.inner_text("#pay")
        if has_script:
            await phone.is_clean()
        await phone.page.fill("#maximum", "50,00")
        await phone.page.click("button[value=authorize]")
        await ends(phone, "AUTHORIZED")
        assert "R$ 50.00" in await phone.page.inner_text("section.result")
        if has_script:
            await phone.is_clean()
        await console_says(console, made, "Accepted")
        await console.is_clean()
        await phone.page.click("section.result form button")
        await ends(phone, "CANCELED")
        await console_says(console, made, "Canceled")
        await phone.go(f"/phone?payer={FIRM}")
        assert made["providerId"] in await phone.page.inner_text("main")
        await phone.go("/phone")
        assert made["providerId"] not in await phone.page.inner_text("main"), "it is another's phone"


async def test_a_first_charge_is_paid_and_authorizes(stage: Stage, play: Play, chromium: Browser) -> None:
    made = await make(play, JOURNEY_3)
    async with both(stage, chromium) as (phone, console):
        await read_by(phone, made["qrcodeData"])
        assert "29.90" in await phone.page.inner_text("#asks")
        await phone.is_clean()
        await phone.page.click("button[value=pay]")
        await ends(phone, "SETTLED")
        await console_says(console, made, "Accepted")
        await phone.is_clean()
        await phone.page.click(f"a[href='/phone/recurrence/{made['providerId']}']")
        await ends(phone, "AUTHORIZED")
        await console.comes_to_say("/console/orders?status=PAID", "29.90")


async def test_a_subscription_is_declined(stage: Stage, play: Play, chromium: Browser) -> None:
    made = await make(play, JOURNEY_2)
    async with both(stage, chromium) as (phone, console):
        await read_by(phone, made["qrcodeData"])
        await phone.page.click("button[value=decline]")
        await ends(phone, "DECLINED")
        await console_says(console, made, "Rejected")


async def test_what_was_paid_is_contested_and_that_taken_back(stage: Stage, play: Play, chromium: Browser) -> None:
    order = await play.order("77.31")
    async with both(stage, chromium) as (phone, console):
        await read_by(phone, order["pix"]["qrcodeData"])
        await phone.page.click("button[value=pay]")
        await ends(phone, "SETTLED")
        name = phone.page.url.rpartition("/")[2].partition("?")[0]
        await console.comes_to_say(f"/console/orders/{order['id']}", "Paid", "section[aria-labelledby=facts]")
        await phone.page.click("details summary")
        await phone.page.check("input[value=UNAUTHORIZED_TRANSACTION]")
        await phone.is_clean()
        await phone.page.click("button[value=contest]")
        await expect(phone.page.locator("#dispute")).to_be_visible()
        await phone.is_clean()
        await console.comes_to_say(f"/console/disputes?endToEndId={name}", "Received")
        await console.page.click("table a")
        await console.page.wait_for_selector("#timeline")
        assert "77.31" in await console.page.inner_text("section[aria-labelledby=facts]")
        await console.is_clean()
        await phone.page.click("button[value=withdraw]")
        await expect(phone.page.locator("button[value=withdraw]")).to_have_count(0)
        await console.comes_to_say(f"/console/disputes?endToEndId={name}", "Cancelled")
