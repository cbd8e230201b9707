"""The console's pages as people see them: on a desk in light, on a phone in dark, and without a script. All hold to WCAG.

`make screenshots` runs the first of them with LASTRO_PICTURES, a folder in which it leaves what it saw.
"""

from datetime import datetime, timedelta
from uuid import UUID

from tests.browser.conftest import Street
from tests.rooms.orders.shop import Shop

from lastro.people import Role

# The main pages, each with the name of its picture; {order}: of one that is paid.
SEEN = {
    "/console": "overview", "/console/orders?status=PAID": "orders", "/console/orders/{order}": "order",
    "/console/ledger": "ledger", "/console/orders/{order}/refund": "", "/console/search?q=Flores&all=1": "",
    "/console/search": "", "/console/events": "", "/console/verify": "", "/console/reconciliation": "", "/console/connections": "", "/console/eras": "",
    "/console/accounts/{account}": "", "/console/ledger/accounts/{account}": "", "/console?period=7d": "",
}  # fmt: skip


# Of which there are pictures.
_TAKEN = {"desktop": ("overview", "orders", "order", "ledger"), "phone": ("overview", "order")}


async def traded(street: Street) -> UUID:
    """A morning in the shop; an order of it that was paid and given back in part."""
    shop = Shop(street.house.cast, street.house.ana)
    orders = [await shop.paid(cents, description="Flores") for cents in (1990, 45_000, 8_950, 123_456)]
    await shop.order(3300)
    await shop.back(orders[-1], 23_456)
    await shop.cast.paid_at_a_bank(street.house.ana)
    return orders[-1]


async def test_every_page_is_clean(street: Street) -> None:
    order, person = await traded(street), await street.person(Role.OPERATE, Role.APPROVE)
    async with street.window() as window:
        await window.sign_in(person)
        await window.choose(street.house.ana)
        for path, picture in SEEN.items():
            await window.go(path.format(order=order, account=street.house.ana.account_id))
            if picture in _TAKEN["desktop"]:
                await window.picture(f"console-{picture}-desktop", whole=picture != "orders")
            await window.is_clean_everywhere()
            if picture in _TAKEN["phone"]:
                await window.picture(f"console-{picture}-phone")
            await window.back_to_the_desk()


async def test_a_list_is_filtered_in_place_and_without_a_script_by_the_page(street: Street) -> None:
    order, person = await traded(street), await street.person(Role.OPERATE)
    for has_script, language in ((True, "en-US"), (False, "pt-BR")):
        async with street.window(java_script_enabled=has_script, locale=language) as window:
            await window.sign_in(person)
            await window.choose(street.house.ana)
            await window.go("/console/orders")
            assert await window.page.get_attribute("html", "lang") == language.removesuffix("-US")
            await window.page.select_option("#f-status", "INITIAL")
            await window.page.click("form.filters button")
            await window.page.wait_for_url("**status=INITIAL**")
            await window.page.wait_for_selector("td .state.waiting")
            heads = await window.page.locator("table.list th").evaluate_all(
                "some => some.map((one) => one.getBoundingClientRect().x)"
            )
            row = window.page.locator("table.list tbody tr").first.locator("td")
            assert await row.evaluate_all("some => some.map((one) => one.getBoundingClientRect().x)") == heads
            assert await window.page.locator(f"a[href='/console/orders/{order}']").count() == 0
            await window.page.fill("#find", str(order))
            await window.page.press("#find", "Enter")
            await window.page.wait_for_url(f"**/console/orders/{order}")


async def test_a_phone_folds_the_menu_and_the_filters_and_shows_rows_as_cards(street: Street) -> None:
    order, person = await traded(street), await street.person(Role.READ)
    for has_script in (True, False):
        async with street.window("phone", java_script_enabled=has_script) as window:
            page = window.page
            await window.sign_in(person)
            await window.choose(street.house.ana)
            await window.go("/console/orders?status=PAID")
            assert not await page.locator("nav.menu a").first.is_visible()
            assert not await page.locator("#f-status").is_visible()
            if has_script:
                await window.is_clean()
            await page.click("nav.menu summary")
            await page.locator("nav.menu a[href='/console/payouts']").wait_for()
            await page.click("main details.fold summary")
            await page.select_option("#f-status", "INITIAL")
            if has_script:
                await window.is_clean()
            await page.click("form.filters button")
            await page.wait_for_url("**status=INITIAL**")
            await window.go("/console/orders?status=PAID")
            row = page.locator(f"tr:has(a[href='/console/orders/{order}'])")
            box = await row.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
            assert "Valor final" in await row.locator("td[data-label='Valor final']").evaluate(
                "cell => getComputedStyle(cell, '::before').content"
            )
            await row.locator("a").first.click()
            await page.wait_for_url(f"**/console/orders/{order}")


async def test_an_unknown_address_has_a_page_that_leads_on(street: Street) -> None:
    person = await street.person(Role.READ)
    async with street.window() as window:
        await window.sign_in(person)
        await window.choose(street.house.ana)
        answer = await window.page.goto(f"{street.site}/console/nothing/here")
        assert answer is not None
        assert answer.status == 404
        window.failed.clear()  # a browser notes each answer that is a refusal; this one was wanted
        await window.is_clean_everywhere()
        await window.page.click("main a[href='/console']")
        await window.page.wait_for_url("**/console")


async def test_a_statement_and_a_list_are_downloaded(street: Street) -> None:
    order, person = await traded(street), await street.person(Role.READ)
    account = street.house.ana.account_id
    for size in ("desktop", "phone"):
        async with street.window(size) as window:
            page = window.page
            await window.sign_in(person)
            await window.choose(street.house.ana)
            await window.go(f"/console/accounts/{account}")
            await page.click(f"a[href='/console/accounts/{account}/statement']")
            day = await page.locator("td time").first.get_attribute("datetime")
            assert day is not None
            await page.fill("#startDate", (datetime.fromisoformat(day) - timedelta(days=1)).date().isoformat())
            await page.click("form.filters button")
            await page.wait_for_url("**startDate=**")
            await window.is_clean()
            for name in ("csv", "ofx", "cnab240", "camt053"):
                async with page.expect_download() as coming:
                    await page.click(f"a[href$='format={name}']")
                file = await (await coming.value).path()
                assert file.stat().st_size > 100, name
            await window.go("/console/orders?status=PAID")
            async with page.expect_download() as coming:
                await page.click("a[href='/console/orders/csv?status=PAID']")
            assert str(order) in (await (await coming.value).path()).read_text(encoding="utf-8-sig")
