"""The phone by itself, on the narrowest screens, in both languages and without a script: what its holder agrees to, is
refused and contests, each on his own phone. What lastro made of it stands in the console.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, expect
from tests.browser.conftest import PATIENCE_MS, SIZES, Window, opened
from tests.journeys.play import Play
from tests.journeys.stage import Stage
from tests.journeys.test_authorizing import JOURNEY_2, JOURNEY_3, brl, make
from tests.journeys.test_charging import accepted, charged, is_at_the_bank, shown

from lastro_sim.bank.payers import COMPANY, DEFAULT, PhoneOwner
from lastro_sim.texts import Speech, spoken

NARROWEST = 320  # pixels of a style sheet: what WCAG 1.4.10 asks a page to fit in
_FACTS = "section[aria-labelledby=facts]"


@asynccontextmanager
async def in_hand(
    stage: Stage, chromium: Browser, locale: str, width: int, *, has_script: bool = True
) -> AsyncIterator[tuple[Window, Speech]]:
    """The phone, and what it says in that language."""
    async with opened(chromium, stage.simulator_url, "phone", locale=locale, java_script_enabled=has_script) as phone:
        phone.page.set_default_timeout(PATIENCE_MS)
        await phone.page.set_viewport_size({"width": width, "height": SIZES["phone"]["height"]})
        yield phone, spoken(locale)


async def pasted(phone: Window, code: str, holder: PhoneOwner) -> None:
    """The code comes from the clipboard, and the page goes on by itself."""
    await phone.go(f"/phone?payer={holder.document}")
    await phone.page.fill("#qrcodeData", code)
    for keys in ("Control+A", "Control+X", "Control+V"):
        await phone.page.press("#qrcodeData", keys)
    await phone.page.wait_for_selector("#asks")


async def typed(phone: Window, code: str, holder: PhoneOwner) -> None:
    """The same by hand."""
    await phone.go(f"/phone?payer={holder.document}")
    await phone.page.fill("#qrcodeData", code)
    await phone.page.click("#read button")
    await phone.page.wait_for_selector("#asks")


async def ended(phone: Window, status: str) -> None:
    """The page that says so has come."""
    await expect(phone.page.locator(f"section.result.{status}")).to_be_visible(timeout=PATIENCE_MS)


async def home(phone: Window, say: Speech, holder: PhoneOwner) -> None:
    """Back from a result one holds the same phone."""
    await phone.page.get_by_role("link", name=say("back")).click()
    await expect(phone.page.locator("h1")).to_have_text(holder.name)


async def test_what_is_refused_can_be_mended_and_agreed_to_and_taken_back(
    stage: Stage, play: Play, chromium: Browser
) -> None:
    holder = COMPANY
    made = await make(play, JOURNEY_2, maxAmountFloor=brl("10.00"), description="Clube do livro")
    async with in_hand(stage, chromium, "pt-BR", NARROWEST) as (phone, say):
        page = phone.page
        await pasted(phone, made["qrcodeData"], holder)
        asked = await page.inner_text("section.card")
        assert all(told in asked for told in ("Bento Braga", say("MONTHLY"), "10/01/2099", say("any-amount")))
        await phone.is_clean()
        for amount, answer in (("ten", "wrong"), ("9,99", "BELOW_FLOOR")):
            await page.fill("#maximum", amount)
            await page.press("#maximum", "Enter")
            await expect(page.locator("[role=alert]")).to_have_text(say(answer))
            # A browser notes each answer that is a refusal; this one was wanted.
            phone.failed.clear()
            await phone.is_clean()
        await home(phone, say, holder)
        await pasted(phone, made["qrcodeData"], holder)
        await page.fill("#maximum", "1.050,00")
        await page.click("button[value=authorize]")
        await ended(phone, "AUTHORIZED")
        told = await page.inner_text("section.result")
        assert all(one in told for one in (holder.name, say.money("1050.00")))
        await home(phone, say, holder)
        await phone.is_clean()
        await page.click(f"a[href='/phone/recurrence/{made['providerId']}']:has(.pill.AUTHORIZED)")
        await page.click("section.result form button")
        await ended(phone, "CANCELED")
        await phone.is_clean()
        await pasted(phone, made["qrcodeData"], holder)
        await expect(page.locator("section.card [role=alert]")).to_be_visible()
        await expect(page.locator("button[value=authorize]")).to_have_count(0)
    async with opened(chromium, stage.base_url, locale="en-US") as console:
        await console.at_the_console(stage)
        await console.comes_to_say(f"/console/subscriptions/{made['id']}", "Canceled", _FACTS)
        timeline = await console.page.inner_text("section[aria-labelledby=timeline]")
        assert all(state in timeline for state in ("Awaiting authorization", "Accepted", "Canceled")), timeline
        assert "Asked for by the payer" in await console.page.inner_text("main"), "who ended it"
        await console.is_clean()


async def test_the_next_charges_are_agreed_to_by_paying_the_first(stage: Stage, play: Play, chromium: Browser) -> None:
    made = await make(play, JOURNEY_3)
    async with in_hand(stage, chromium, "pt-BR", NARROWEST) as (phone, say):
        await pasted(phone, made["qrcodeData"], COMPANY)
        await expect(phone.page.get_by_text(say("authorizes-by-paying"))).to_be_visible()
        await phone.is_clean()
        await phone.page.fill("#maximum", "80,00")
        await phone.page.click("button[value=pay]")
        await ended(phone, "SETTLED")
        await phone.is_clean()
        await home(phone, say, COMPANY)
        await expect(phone.page.locator("ul.payments strong.out").first).to_contain_text(say.money("29.90"))
        await phone.is_clean()
        await phone.page.click(f"a[href='/phone/recurrence/{made['providerId']}']")
        await expect(phone.page.locator("section.result")).to_contain_text(say.money("80.00"))
    async with opened(chromium, stage.base_url, locale="en-US") as console:
        await console.at_the_console(stage)
        await console.comes_to_say(f"/console/subscriptions/{made['id']}", "Accepted", _FACTS)
        await console.go(f"/console/orders/{made['initialCharge']['orderId']}")
        facts = await console.page.inner_text(_FACTS)
        assert all(one in facts for one in ("Paid", "29.90", COMPANY.name)), facts


async def test_a_dispute_is_on_the_phone_of_who_paid_alone(stage: Stage, play: Play, chromium: Browser) -> None:
    order = await play.order("88.42")
    async with in_hand(stage, chromium, "pt-BR", NARROWEST, has_script=False) as (phone, say):
        page = phone.page
        await typed(phone, order["pix"]["qrcodeData"], COMPANY)
        await page.click("button[value=pay]")
        await ended(phone, "SETTLED")
        name = page.url.rpartition("/")[2].partition("?")[0]
        await page.click("summary")
        await page.get_by_label(say("situation-CRIME_OF_COERCION")).check()
        await page.click("button[value=contest]")
        await expect(page.locator("h2#dispute")).to_be_visible()
        await home(phone, say, COMPANY)
        listed = page.locator(f"a[href='/phone/result/{name}']:has(.pill[class*=dispute-])")
        await expect(listed).to_contain_text(say.money("88.42"))
        await page.click(f"nav.phones a[href*='{DEFAULT.document}']")
        await expect(page.locator("h1")).to_have_text(DEFAULT.name)
        await expect(listed).to_have_count(0)
        async with opened(chromium, stage.base_url, locale="en-US") as console:
            await console.at_the_console(stage)
            await console.comes_to_say(f"/console/disputes?endToEndId={name}", "88.42")
            await console.page.click("table.list a")
            await console.page.wait_for_selector(_FACTS)
            dispute = console.page.url.removeprefix(stage.base_url)
            blocked = console.page.locator("dt:text-is('Blocked amount') + dd")
            await expect(blocked).to_contain_text("88.42")
            await phone.go(f"/phone/result/{name}")
            await page.click("button[value=withdraw]")
            await expect(page.locator(".pill.dispute-CANCELLED")).to_be_visible()
            await expect(page.locator("button[value=withdraw]")).to_have_count(0)
            await console.comes_to_say(dispute, "Cancelled", _FACTS)
            await expect(blocked).to_contain_text("0.00")


async def test_one_charge_to_come_is_called_off_and_the_authorization_stays(
    stage: Stage, play: Play, chromium: Browser
) -> None:
    subscription = await accepted(play)
    payment = await charged(play, subscription, 4, amount=brl("31.90"))
    await is_at_the_bank(play, payment)
    async with in_hand(stage, chromium, "pt-BR", NARROWEST) as (phone, say):
        page, stale = phone.page, await phone.context.new_page()
        for window in (page, stale):
            await window.goto(f"{stage.simulator_url}/phone?payer={DEFAULT.document}")
        listed = f"ul.payments li:has(a[href='/phone/recurrence/{subscription['providerId']}']):has(form)"
        await expect(page.locator(listed)).to_contain_text(say.money("31.90"))
        await expect(page.locator(f"{listed} .pill")).to_have_text(say("charge-SCHEDULED"))
        await phone.is_clean()
        await page.click(f"{listed} button")
        await ended(phone, "AUTHORIZED")
        await expect(page.locator("ul.payments .pill.CANCELED")).to_have_text(say("charge-CANCELED"))
        await expect(page.locator("ul.payments button")).to_have_count(0)
        await phone.is_clean()
        # What another window still offers is over: it says so, and nothing happens once more.
        await stale.click(f"{listed} button")
        await expect(stale.locator("[role=alert]")).to_have_text(say("NOT_SCHEDULED"))
        await home(phone, say, DEFAULT)
        await expect(page.locator(listed)).to_have_count(0)
    async with opened(chromium, stage.base_url, locale="en-US") as console:
        await console.at_the_console(stage)
        where = f"/console/subscriptions/{subscription['id']}"
        await console.comes_to_say(where, "Canceled", "table tr:has-text('31.90')")
        assert "Accepted" in await console.page.inner_text(_FACTS), "only the one charge is called off"
    assert (await shown(play, payment))["status"] == "CANCELED"
    await play.act("/phone/cancel-subscription", {"idRec": subscription["providerId"]})
