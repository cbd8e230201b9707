"""A person checks a plan from a CSV file, sees its wrong lines without loading the page, and sends the sample file."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import expect
from tests.browser.conftest import SIZES, Street
from tests.rooms.console.test_planning import table
from tests.rooms.plans.bureau import Bureau

from lastro.people import Role


@pytest.mark.parametrize("size", SIZES)
async def test_a_plan_is_checked_before_ones_eyes(street: Street, size: str, tmp_path: Path) -> None:
    person, bureau = await street.person(Role.OPERATE), await Bureau.open(street.house.cast, street.house.ana)
    file = tmp_path / "plan.csv"
    content = table(bureau, "one,{account},PIX,10.50,Salary,fabio@fora.example", "two,{account},PIX,-2,Salary,x@y.example")
    await asyncio.to_thread(file.write_bytes, content)
    async with street.window(size, locale="pt-BR") as window:
        page = window.page
        await window.sign_in(person)
        await window.choose(street.house.ana)
        await window.go("/console/plans")
        await page.click("nav.actions a.button")
        await page.wait_for_url("**/console/plan")
        await window.is_clean()
        async with page.expect_download() as download:
            await page.click("a[download]")
        assert (await download.value).suggested_filename == "plan.csv"
        await page.set_input_files("#p-file", file)
        await page.click("main button.main")
        await page.wait_for_url("**/console/plans/*")
        await expect(page.locator("#plan-now")).to_contain_text("Nada se moveu")
        await bureau.work()
        await expect(page.locator("h2#plan-problems")).to_be_visible(timeout=20_000)
        await window.is_clean()
        await page.click("a[href$='/problems']")
        await expect(page.locator("main table")).to_contain_text("amount")
        await window.is_clean_everywhere()
