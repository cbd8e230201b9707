"""A person sends deliveries again, from the list with its filter, at a desk and on a phone."""

import pytest
from playwright.async_api import expect
from tests.browser.conftest import SIZES, Street
from tests.databases import Database
from tests.rooms.console.test_resending import lost, statuses, url_of

from lastro.people import Role


@pytest.mark.parametrize("has_script", [True, False])
@pytest.mark.parametrize("size", SIZES)
async def test_deliveries_are_counted_and_sent_again(
    street: Street, database: Database, size: str, *, has_script: bool
) -> None:
    person, url = await street.person(Role.OPERATE), url_of("shop")
    await lost(street.house, database, url, 2)
    async with street.window(size, locale="pt-BR", java_script_enabled=has_script) as window:
        page = window.page
        await window.sign_in(person)
        await window.choose(street.house.ana)
        await window.go(f"/console/events?status=FAILED&url={url}")
        await page.click("#table a[href^='/console/resend']")
        await expect(page.locator("h2#fits")).to_have_text("2 entregas seriam reenviadas agora")
        await expect(page.locator("ul.details")).to_contain_text(url)
        if has_script:
            await window.is_clean_everywhere()
        await page.click("section[aria-labelledby=fits] button.main")
        await expect(page.locator("p.done")).to_contain_text("2 entregas na fila")
        await page.wait_for_load_state()  # its style sheet, too
        if has_script:
            await window.is_clean()
    assert await statuses(street.house, url) == ["PENDING"] * 2
