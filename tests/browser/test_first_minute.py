"""The first minute as a newcomer sees it, with the phone beside it; and the sandbox's own pages. All of it is real but the money."""

from playwright.async_api import Browser, Page, expect
from tests.browser.conftest import PATIENCE_MS, SIZES, opened
from tests.journeys.stage import Stage

PAID = "#way .state.good"


async def paid_on(phone: Page) -> None:
    """What the phone has read is paid there."""
    phone.set_default_timeout(PATIENCE_MS)
    await phone.click("#pay button[value=pay]")
    await expect(phone.locator("section.result.SETTLED")).to_be_visible(timeout=PATIENCE_MS)


async def test_a_newcomer_asks_pays_and_sees_it_arrive(stage: Stage, chromium: Browser) -> None:
    further = (f"{stage.simulator_url}/",)
    async with opened(chromium, stage.base_url, further=further, locale="en-US") as window:
        window.page.set_default_timeout(PATIENCE_MS)
        await window.go("/start")
        await window.is_clean()
        await window.page.fill("#amount", "12.34")
        await window.page.click("form.asks button.main")
        await window.page.wait_for_url("**/start/orders/*")
        await window.is_clean_everywhere()
        await window.back_to_the_desk()
        async with window.context.expect_page() as beside:
            await window.page.click("a[target=lastro-phone]")
        phone = await beside.value
        await phone.wait_for_load_state()
        await phone.set_viewport_size(SIZES["phone"])
        assert "12" in await phone.inner_text("p.amount")
        await window.picture("phone", whole=False, page=phone)
        await paid_on(phone)
        # Nobody touches the first window: it has seen it by itself.
        await expect(window.page.locator(PAID)).to_be_visible(timeout=PATIENCE_MS)
        await expect(window.page.locator("#webhook .turn.done-turn")).to_be_visible(timeout=PATIENCE_MS)
        await expect(window.page.locator("#ledger .turn.done-turn")).to_be_visible(timeout=PATIENCE_MS)
        assert "ORDER-PAYIN.PAID" in await window.page.inner_text("#travel")
        await window.picture("start-desktop")
        await window.is_clean_everywhere()
        await phone.goto(f"{stage.simulator_url}/phone")
        await expect(phone.locator("ul.payments strong").first).to_contain_text("12")


async def test_a_code_that_is_none_says_so_on_the_phone(stage: Stage, chromium: Browser) -> None:
    async with opened(chromium, stage.simulator_url, "phone") as window:
        await window.go("/phone")
        holders = await window.page.locator("nav.phones a").count()
        await window.page.click("nav.phones a >> nth=1")
        await window.page.wait_for_url("**payer=*")
        await window.page.fill("#qrcodeData", "000201 this pays nobody")
        await window.page.press("#qrcodeData", "Tab")
        await window.page.keyboard.press("Enter")
        await expect(window.page.locator(".notice.bad")).to_be_visible()
        assert holders == 3


async def test_the_sandbox_is_steered_from_the_console(stage: Stage, chromium: Browser) -> None:
    async with opened(chromium, stage.base_url, locale="en-US") as window:
        page = window.page
        await window.at_the_console(stage)
        await window.go("/console/sandbox")
        await window.is_clean()
        await page.select_option("#kind", "payin:timeout")
        await page.click("form[action='/console/sandbox/faults'] button.main")
        await expect(page.locator("table", has_text="timeout")).to_be_visible()
        await page.click("form[action='/console/sandbox/faults/off'] button")
        await expect(page.locator("form[action='/console/sandbox/faults/off']")).to_have_count(0)
        for path in (
            "/console/sandbox/magic",
            "/console/sandbox/try",
            "/console/developers/clients",
            "/console/developers/webhooks",
        ):
            await window.go(path)
            await window.is_clean()
        await window.go("/console/sandbox/try/create_order")
        await window.is_clean()
        await page.click("main form button.main")
        await expect(page.locator("#answer")).to_contain_text("200")
        await window.is_clean()
        await window.go("/console/developers")
        await window.is_clean()
        await page.click("table.list a")
        await window.is_clean()
        await window.go("/console/developers/feed")
        await expect(page.locator("#feed tbody tr").first).to_be_visible(timeout=PATIENCE_MS)
        await window.is_clean()
