"""Somebody enters with a password and a second factor, on a desk and on a phone, and sees pages that hold to WCAG."""

from datetime import UTC, datetime

from tests.browser.conftest import Street
from tests.rooms.console.visiting import PASSWORD

from lastro.people import Role
from lastro.standards import totp


async def test_a_person_enters_with_two_factors(street: Street) -> None:
    person = await street.person(Role.OPERATE, Role.ADMINISTER)
    async with street.window() as window:
        page = window.page
        await window.go("/console")
        await window.is_clean_everywhere()
        await window.sign_in(person)
        await window.choose(street.house.ana)
        await window.go("/console/me/factor")
        await window.is_clean()
        secret = totp.secret_of(await page.locator("code.secret").inner_text())
        await page.fill("#password", PASSWORD)
        await page.fill("#code", totp.code_at(secret, totp.step_of(datetime.now(UTC).timestamp()) - 1))
        await page.click("main button")
        assert await page.locator(".codes li").count() == 10
        await page.locator("header button").click()
        await window.sign_in(person)
        await window.is_clean()
        await page.fill("#code", totp.code_at(secret, totp.step_of(datetime.now(UTC).timestamp())))
        await page.click("main button")
        for path in (
            "/console/me",
            "/console/people",
            f"/console/people/{person.id}",
            "/console/audit?of=people",
            "/console/company",
        ):
            await window.back_to_the_desk()
            await window.go(path)
            await window.is_clean_everywhere()
