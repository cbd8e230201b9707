"""The phone and the first minute at night: nothing on them is bright but what has to be, and all of it can be read."""

import io

from PIL import Image
from playwright.async_api import Browser, Locator
from tests.browser.conftest import PATIENCE_MS, Window, opened
from tests.journeys.play import Play
from tests.journeys.stage import Stage
from tests.journeys.test_authorizing import JOURNEY_2, make

from lastro_sim.bank.payers import DEFAULT

_DARKEST = 64  # of 255: a ground may be so light at night
# What has a ground of its own that is brighter than that. The ground of a page is what a picture of it shows.
_BRIGHT = """
[...document.querySelectorAll("body, main, .card, pre, video, textarea, select, input:not([type=hidden])")].filter((one) => {
  const [red, green, blue, seen = 1] = getComputedStyle(one).backgroundColor.match(/[\\d.]+/g).map(Number);
  return seen > 0 && .2126 * red + .7152 * green + .0722 * blue > LIMIT;
}).map((one) => one.outerHTML.slice(0, 90))
""".replace("LIMIT", str(_DARKEST))
# The doors, the counter, what the merchant was told, and codes that say no.
_PLACES = (
    "/", "/receiver", "/merchant", "/phone?qrcodeData=nonsense", f"/phone/result/E{'0' * 31}?code=INSUFFICIENT_FUNDS",
)  # fmt: skip


async def seen(place: Window | Locator) -> Image.Image:
    """In grey."""
    shot = await (place.page if isinstance(place, Window) else place).screenshot()
    return Image.open(io.BytesIO(shot)).convert("L")


async def is_dark(window: Window) -> None:
    """The page can be read by axe's measure, most of it is dark, and a browser knows before any style has come."""
    await window.is_clean()
    assert not (bright := await window.page.evaluate(_BRIGHT)), f"{window.page.url}: {bright}"
    picture = await seen(window)
    dark = sum(picture.histogram()[:_DARKEST]) / (picture.width * picture.height)
    assert dark > 0.7, f"{window.page.url}: {dark:.0%} is dark"
    assert await window.page.get_attribute("meta[name=color-scheme]", "content") == "light dark"


async def test_the_phone_is_dark_at_night(stage: Stage, play: Play, chromium: Browser) -> None:
    order, made = await play.order("66.10"), await make(play, JOURNEY_2)
    async with opened(chromium, stage.simulator_url, "phone", color_scheme="dark") as phone:
        page = phone.page
        page.set_default_timeout(PATIENCE_MS)

        async def reads(code: str) -> None:
            await phone.go(f"/phone?payer={DEFAULT.document}")
            await page.fill("#qrcodeData", code)
            await page.click("#read button")
            await page.wait_for_selector("#asks")
            await is_dark(phone)

        await reads(order["pix"]["qrcodeData"])
        await page.click("button[value=pay]")
        await page.wait_for_selector("section.result.SETTLED")
        await page.click("summary")
        await is_dark(phone)
        await page.click("button[value=contest]")
        await page.wait_for_selector("#dispute")
        await is_dark(phone)
        await page.click("button[value=withdraw]")
        await page.wait_for_selector(".pill.dispute-CANCELLED")
        await reads(made["qrcodeData"])
        await page.click("button[value=authorize]")
        await page.wait_for_selector("section.result.AUTHORIZED")
        await is_dark(phone)
        await page.click("section.result form button")
        await page.wait_for_selector("section.result.CANCELED")
        await is_dark(phone)
        for place in (f"/phone?payer={DEFAULT.document}", *_PLACES):
            await phone.go(place)
            await is_dark(phone)


async def test_a_qr_code_keeps_its_white_ground(stage: Stage, chromium: Browser) -> None:
    async with opened(chromium, stage.base_url, color_scheme="dark") as window:
        window.page.set_default_timeout(PATIENCE_MS)
        await window.go("/start")
        await is_dark(window)
        await window.page.click("form.asks button.main")
        await window.page.wait_for_url("**/start/orders/*")
        picture = await seen(window.page.locator("p.picture img"))
        edges = [picture.getpixel((picture.width // 2, 3)), picture.getpixel((3, picture.height // 2))]
        assert (edges, picture.getextrema()) == ([255, 255], (0, 255)), "a reader needs light around what is dark"
        await window.is_clean()
