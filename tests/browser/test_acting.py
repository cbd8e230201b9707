"""Acts of the console: with the keyboard alone, without a script, and by two people at once."""

import secrets
from uuid import UUID

from playwright.async_api import Page, expect
from tests.browser.conftest import Street, at_ana_s
from tests.rooms.console.visiting import PASSWORD
from tests.rooms.orders.shop import Shop

from lastro.people import Role

# What has the focus, and whether one sees that it has.
_FOCUS = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  return [one.matches(arguments_), style.outlineStyle !== "none" && style.outlineWidth !== "0px" || style.boxShadow !== "none",
          one.outerHTML.slice(0, 120)];
}"""
# The form of the page as a browser sends it, and sent once more.
_FORM = 'new URLSearchParams(new FormData(document.querySelector("main form"), document.querySelector("[name=sure]"))).toString()'
_SENT_AGAIN = """([path, body]) => fetch(path, {
  method: "POST", body, headers: {"content-type": "application/x-www-form-urlencoded"},
}).then((answer) => answer.status)"""
_FARTHEST = 120  # presses of Tab: more than any page has places to go


async def tab_to(page: Page, what: str) -> None:
    """Presses Tab until what is looked for has the focus; every place on the way shows that it has it."""
    for _ in range(_FARTHEST):
        await page.keyboard.press("Tab")
        is_there, is_seen, html = await page.evaluate(_FOCUS.replace("arguments_", repr(what)))
        assert is_seen or "<body" in html, f"nobody sees that this has the focus: {html}"
        if is_there:
            return
    raise AssertionError(f"Tab never comes to {what} on {page.url}")


async def refunds(street: Street, order: UUID) -> list[int]:
    """The amounts that were given back of an order, in cents."""
    sql = "SELECT amount_minor FROM refunds WHERE order_id = $1 ORDER BY created_at"
    async with street.house.cast.database.session(street.house.ana.company_id) as session:
        return [int(row["amount_minor"]) for row in await session.fetch(sql, order)]


async def test_with_the_keyboard_alone(street: Street) -> None:
    bouquet = f"bouquet-{secrets.token_hex(6)}"
    order = await Shop(street.house.cast, street.house.ana).paid(4_500, external_id=bouquet)
    person = await street.person(Role.OPERATE)
    async with street.window(color_scheme="dark", locale="en-US") as window:
        page = window.page
        await window.go("/console/sign-in")
        await page.wait_for_function("document.activeElement.id === 'email'")  # it gets the focus with the first frame
        await page.keyboard.type(person.email)
        await page.keyboard.press("Tab")
        await page.keyboard.type(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/console/company**")
        await window.go(f"/console/company?after={street.house.ana.number - 1}")
        await tab_to(page, f"button[value='{street.house.ana.company_id}']")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#find")
        await tab_to(page, "#find")
        await page.keyboard.type(bouquet)
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**/console/orders/{order}")
        await tab_to(page, "a.skip")
        await page.keyboard.press("Enter")
        await tab_to(page, f"a[href='/console/orders/{order}/refund']")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/refund")
        await tab_to(page, "#b-amount")
        await page.keyboard.press("Control+A")
        await page.keyboard.type("12.34")
        await tab_to(page, "input[name=refundCode]")
        await page.keyboard.press("Space")
        await tab_to(page, "button.main")
        await page.keyboard.press("Enter")
        await expect(page.locator("main h1")).to_contain_text("12.34")
        await window.is_clean()
        await tab_to(page, "button.main")
        await page.keyboard.press("Enter")
        await expect(page.locator("p.done")).to_be_visible()
        await window.is_clean()
        assert await refunds(street, order) == [1_234]
        await tab_to(page, "details.raw summary")
        await page.keyboard.press("Enter")
        assert str(order) in await page.inner_text("details.raw pre")


async def test_without_a_script(street: Street) -> None:
    shop = Shop(street.house.cast, street.house.ana)
    paid, unpaid = await shop.paid(4_500), await shop.order(700)
    async with street.window("phone", java_script_enabled=False, locale="en-US") as window:
        page = window.page
        await at_ana_s(street, window)
        await window.go(f"/console/orders/{paid}")
        assert await page.locator("ol.timeline > li").count() >= 2
        await page.click("details.raw summary")
        assert str(paid) in await page.inner_text("details.raw pre")
        await page.click(f"a[href='/console/orders/{paid}/refund']")
        await page.fill("#b-amount", "45.01")
        await page.check("input[name=refundCode][value=MD06]")
        await page.click("main form button.main")
        await expect(page.locator("[role=alert]")).to_be_visible()
        await page.fill("#b-amount", "45.00")
        await page.click("main form button.main")
        await page.click("main form button[name=change]")
        assert await page.input_value("#b-amount") == "45.00"
        await page.click("main form button.main")
        await page.click("main form button[name=sure]")
        await expect(page.locator("p.done")).to_be_visible()
        await page.click("ol.timeline a[href^='/console/messages/in/']")
        await expect(page.locator("main pre").first).to_contain_text("E12345678")
        await window.go(f"/console/orders/{paid}")
        await page.click("ol.timeline a[href^='/console/events/'] >> nth=0")
        await page.click("nav.actions a[href$='/resend']")
        await page.click("main form button.main")
        await expect(page.locator("p.done")).to_be_visible()
        await window.go(f"/console/orders/{unpaid}")
        await page.click(f"a[href='/console/orders/{unpaid}/cancel']")
        await page.click("main form button.main")
        await expect(page.locator("section[aria-labelledby=facts] .state")).to_contain_text("Canceled")
    assert await refunds(street, paid) == [4_500]


async def test_two_people_give_the_same_money_back(street: Street) -> None:
    order = await Shop(street.house.cast, street.house.ana).paid(4_500)
    async with street.window(locale="en-US") as one, street.window(locale="en-US") as other:
        for window in (one, other):
            await at_ana_s(street, window)
            await window.go(f"/console/orders/{order}/refund")
            await window.page.fill("#b-amount", "45.00")
            await window.page.check("input[name=refundCode][value=MD06]")
            await window.page.click("main form button.main")
            await window.page.wait_for_selector("button[name=sure]")
        form = await one.page.evaluate(_FORM)
        await one.page.click("main form button.main")
        await expect(one.page.locator("p.done")).to_be_visible()
        await other.page.click("main form button.main")
        await expect(other.page.locator("[role=alert]")).to_be_visible()
        assert await refunds(street, order) == [4_500]
        # What has acted acts no second time, however it is sent again.
        assert await one.page.evaluate(_SENT_AGAIN, [f"/console/orders/{order}/refund", form]) == 409
        one.failed.clear()  # this refusal was wanted
        assert await refunds(street, order) == [4_500]
