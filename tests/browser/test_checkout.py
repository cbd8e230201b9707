"""The page of an order as its customer sees it: in each language and at each end it holds to WCAG, in light and dark."""

from urllib.parse import urlsplit

from playwright.async_api import Browser
from tests.browser.conftest import PATIENCE_MS, opened
from tests.journeys.play import Play
from tests.journeys.stage import Stage


async def test_the_page_of_an_order_is_clean_until_its_end(stage: Stage, play: Play, chromium: Browser) -> None:
    waiting, paid, canceled, opened_amount = (
        await play.order("66.20", returnUrl="https://shop.example.com/thanks"),
        await play.order("66.21", returnUrl="https://shop.example.com/thanks"),
        await play.order("66.22"),
        await play.order(None),
    )
    await play.pay(paid)
    await play.tool(canceled, "CANCELED")
    await play.rest()
    async with opened(chromium, stage.base_url) as window:
        window.page.set_default_timeout(PATIENCE_MS)
        for order in (waiting, paid, canceled, opened_amount):
            for language in ("pt", "es", "en"):
                await window.go(f"{urlsplit(order['checkoutUrl']).path}?lang={language}")
                assert str(await window.page.get_attribute("html", "lang")).startswith(language)
                await window.is_clean_everywhere()
                await window.back_to_the_desk()


async def test_a_page_of_no_order_is_clean(stage: Stage, chromium: Browser) -> None:
    async with opened(chromium, stage.base_url) as window:
        answer = await window.page.goto(f"{stage.base_url}/checkout/{'x' * 22}")
        assert answer is not None
        assert answer.status == 404
        window.failed.clear()  # the browser tells of the 404 itself
        await window.is_clean_everywhere()
