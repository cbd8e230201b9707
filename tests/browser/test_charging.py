"""A person makes a charge at a desk and on a phone, and sees without loading the page that it was paid."""

import re
import secrets
from datetime import UTC, datetime
from uuid import UUID

import pytest
from playwright.async_api import expect
from tests.browser.conftest import SIZES, Street, at_ana_s
from tests.rooms.orders.shop import Shop

from lastro.people import Role


@pytest.mark.parametrize("size", SIZES)
async def test_a_charge_is_made_and_ends_before_ones_eyes(street: Street, size: str) -> None:
    shop = Shop(street.house.cast, street.house.ana)
    async with street.window(size, locale="pt-BR") as window:
        page = window.page
        await at_ana_s(street, window)
        await window.go("/console/orders")
        await page.click("nav.actions a.button")
        await page.wait_for_url("**/console/charge")
        await window.is_clean()
        await page.select_option("#f-accountId", str(street.house.ana.account_id))
        filled = {
            "amount": "45,00", "description": "Buquê", "name": "Bento Braga", "document": "529.982.247-25",
            "email": "bento@example.com", "externalId": f"buque-{secrets.token_hex(6)}",
            "notificationUrl": "https://shop.example.com/hook",
        }  # fmt: skip
        for name, text in filled.items():
            await page.fill(f"#c-{name}", text)
        await page.click("main button.main")
        await page.wait_for_url("**/console/orders/*?done=charge")
        await expect(page.locator(".picture img")).to_be_visible()
        await window.is_clean_everywhere()
        found = re.search(r"orders/([0-9a-f-]{36})", page.url)
        assert found is not None
        await shop.settles(UUID(found[1]), 4_500, datetime.now(UTC))
        await expect(page.locator(".picture img")).to_have_count(0, timeout=20_000)
        await expect(page.locator("#told")).to_contain_text("Pag")
        await window.is_clean()


@pytest.mark.parametrize("size", SIZES)
async def test_a_payout_is_asked_for_and_waits_for_approval(street: Street, size: str) -> None:
    async with street.window(size, locale="pt-BR") as window:
        page = window.page
        await at_ana_s(street, window)
        await window.go("/console/payouts")
        await page.click("nav.actions a.button")
        await page.wait_for_url("**/console/pay")
        await window.is_clean_everywhere()
        await page.select_option("#f-accountId", str(street.house.ana.account_id))
        await page.check("input[name=paymentMethod][value=PIX]")
        for name, text in {"amount": "12,00", "description": "Aluguel", "pixKey": "fabio@fora.example"}.items():
            await page.fill(f"#p-{name}", text)
        await page.click("main button.main")
        await page.wait_for_url("**/console/plans/*?done=payout")
        await expect(page.locator("p.done")).to_be_visible()
        await window.is_clean_everywhere()


async def test_a_problem_is_beside_its_field_which_has_the_focus(street: Street) -> None:
    async with street.window(locale="pt-BR") as window:
        page = window.page
        await at_ana_s(street, window)
        await window.go("/console/charge")
        await page.select_option("#f-accountId", str(street.house.ana.account_id))
        filled = {
            "amount": "45,00", "description": "Buquê", "name": "Bento Braga", "document": "529.982.247-26",
            "email": "bento@example.com", "notificationUrl": "ftp://shop.example.com/hook",
        }  # fmt: skip
        for name, text in filled.items():
            await page.fill(f"#c-{name}", text)
        await page.click("main button.main")
        await expect(page.locator("#c-document-wrong")).to_be_visible()
        await expect(page.locator("#c-document")).to_be_focused()
        await expect(page.locator("#c-document")).to_have_accessible_description(re.compile("CPF"))
        window.failed.clear()  # a browser notes each answer that is a refusal; this one was wanted
        await window.is_clean_everywhere()
        await page.click("a[href='#c-notificationUrl']")
        await expect(page.locator("#c-notificationUrl")).to_be_focused()
        assert {name: await page.input_value(f"#c-{name}") for name in filled} == filled
        await page.fill("#c-document", "529.982.247-25")
        await page.fill("#c-notificationUrl", "https://shop.example.com/hook")
        await page.click("main button.main")
        await page.wait_for_url("**/console/orders/*?done=charge")


@pytest.mark.parametrize("path", ["/console/pay", "/console/plan", "/console/developers/clients", "/console/people"])
async def test_a_form_of_which_nothing_is_filled_in_is_clean_with_its_problems(street: Street, path: str) -> None:
    async with street.window() as window:
        await window.sign_in(await street.person(Role.OPERATE, Role.ADMINISTER))
        await window.choose(street.house.ana)
        await window.go(path)
        form = window.page.locator("main form[method=post]").last
        await form.evaluate("one => { one.noValidate = true; }")
        await form.evaluate("one => one.requestSubmit()")
        await expect(window.page.locator("main [role=alert] a").first).to_be_visible()
        window.failed.clear()  # this refusal was wanted
        await window.is_clean_everywhere()


async def test_the_price_is_said_while_one_types_and_a_code_is_copied(street: Street) -> None:
    await street.house.cast.set_fees(street.house.ana.company_id, 125, direction="IN")
    async with street.window(locale="pt-BR", permissions=["clipboard-read", "clipboard-write"]) as window:
        page = window.page
        await at_ana_s(street, window)
        await window.go("/console/charge")
        await expect(page.locator("#c-price")).to_contain_text("1,25")
        await page.fill("#c-amount", "10,00")
        await expect(page.locator("#c-price")).to_contain_text("a conta recebe R$\N{NO-BREAK SPACE}8,75")
        await window.is_clean_everywhere()
        await window.back_to_the_desk()
        await page.select_option("#f-accountId", str(street.house.ana.account_id))
        filled = {
            "description": "Buquê", "name": "Bento Braga", "document": "529.982.247-25", "email": "bento@example.com",
            "notificationUrl": "https://shop.example.com/hook",
        }  # fmt: skip
        for name, text in filled.items():
            await page.fill(f"#c-{name}", text)
        await page.click("main button.main")
        await page.wait_for_url("**/console/orders/*?done=charge")
        await page.locator(".copied button").first.click()
        await expect(page.locator(".copied button").first).to_have_text("Copiado")
        assert "br.gov.bcb.pix" in await page.evaluate("navigator.clipboard.readText()")
        await expect(page.get_by_label("Pix Copia e Cola")).not_to_be_editable()
    await street.house.cast.set_fees(street.house.ana.company_id, 0, direction="IN")


async def test_a_receipt_is_clean_and_black_on_white_on_paper(street: Street) -> None:
    order = await Shop(street.house.cast, street.house.ana).paid(4_500)
    async with street.window(locale="pt-BR", color_scheme="dark") as window:
        page = window.page
        await at_ana_s(street, window)
        await window.go(f"/console/orders/{order}")
        await page.click("a[href$='/receipt']")
        await page.wait_for_url("**/receipt")
        await expect(page.get_by_role("button", name="Imprimir")).to_be_visible()
        await window.is_clean_everywhere()
        await page.emulate_media(media="print", color_scheme="dark")
        await expect(page.locator("nav.menu")).to_be_hidden()
        await expect(page.get_by_role("button", name="Imprimir")).to_be_hidden()
        await expect(page.locator("article")).to_have_css("color", "rgb(0, 0, 0)")
        assert (await page.pdf()).startswith(b"%PDF")
