"""The phone sees: through its camera, and in a picture that somebody kept of a code."""

import io
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, async_playwright, expect
from tests.browser.conftest import FLAGS, PATIENCE_MS, chromium_program, opened
from tests.journeys.stage import Stage

_WIDTH, _HEIGHT = 640, 480


async def code_on_the_page(stage: Stage, chromium: Browser, amount: str) -> bytes:
    """A new order's QR code, as a screenshot of the page that shows it."""
    async with opened(chromium, stage.base_url, locale="en-US") as window:
        window.page.set_default_timeout(PATIENCE_MS)
        await window.go("/start")
        await window.page.fill("#amount", amount)
        await window.page.click("form.asks button.main")
        await window.page.wait_for_url("**/start/orders/*")
        return await window.page.locator("p.picture img").screenshot()


def filmed(picture: bytes, film: Path) -> None:
    """What a camera sees that is held before the code: a film of one frame (YUV4MPEG2), which Chromium plays for ever."""
    frame = Image.new("L", (_WIDTH, _HEIGHT), 200)
    code = Image.open(io.BytesIO(picture)).convert("L").resize((360, 360))
    frame.paste(code, ((_WIDTH - 360) // 2, (_HEIGHT - 360) // 2))
    colours = b"\x80" * (_WIDTH * _HEIGHT // 2)
    head = f"YUV4MPEG2 W{_WIDTH} H{_HEIGHT} F10:1 Ip A1:1 C420jpeg\n".encode()
    film.write_bytes(head + (b"FRAME\n" + frame.tobytes() + colours) * 2)


async def test_a_picture_of_a_code_is_read(stage: Stage, chromium: Browser) -> None:
    code = await code_on_the_page(stage, chromium, "21.43")
    async with opened(chromium, stage.simulator_url, "phone", locale="en-US") as window:
        window.page.set_default_timeout(PATIENCE_MS)
        await window.go("/phone")
        await window.is_clean()
        for name, picture in (("cat.png", b"a cat"), ("code.png", code)):
            # With a script the page goes on as soon as a picture is chosen.
            await window.page.set_input_files("#picture", {"name": name, "mimeType": "image/png", "buffer": picture})
            seen = window.page.locator(".notice.bad" if name == "cat.png" else "p.amount")
            await expect(seen).to_contain_text("No code was found" if name == "cat.png" else "21.43")
            # A browser notes each answer that is a refusal; this one was wanted.
            window.failed.clear()


async def test_the_camera_reads_a_code(stage: Stage, chromium: Browser, tmp_path: Path) -> None:
    film = tmp_path / "code.y4m"
    filmed(await code_on_the_page(stage, chromium, "32.10"), film)
    eyes = (
        *FLAGS,
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=await chromium_program(), args=list(eyes))
        async with opened(browser, stage.simulator_url, "phone", locale="en-US", permissions=["camera"]) as window:
            window.page.set_default_timeout(PATIENCE_MS)
            await window.go("/phone")
            await window.page.click("#look")
            await expect(window.page.locator("p.amount")).to_contain_text("32.10")
            await window.is_clean()
        await browser.close()


async def test_where_there_is_no_camera_the_page_says_so(stage: Stage, chromium: Browser) -> None:
    async with opened(chromium, stage.simulator_url, "phone", locale="en-US") as window:
        await window.go("/phone")
        await window.page.click("#look")
        await expect(window.page.locator("#blind")).to_be_visible()
        await window.is_clean()
