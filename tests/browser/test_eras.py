"""The page of what waits after a restore, with something of each kind on it, as people see it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser
from tests.browser.conftest import Street, built
from tests.rooms.console.test_eras import HERE, restored, something_of_each
from tests.rooms.payouts.office import FABIO

from lastro.people import Role


@pytest.fixture
async def street(own_database: Any, chromium: Browser) -> AsyncIterator[Street]:
    """On a database of its own, since an era is of all of it."""
    async with built(own_database, chromium) as made:
        yield made


async def test_what_waits_is_clean_on_a_desk_and_on_a_phone(street: Street, own_database: Any) -> None:
    await something_of_each(street.house.cast, street.house.ana)
    await restored(own_database)
    async with street.window() as window:
        await window.sign_in(await street.person(Role.READ))
        await window.choose(street.house.ana)
        await window.page.click(f"ul.waits a[href='{HERE}']")
        await window.page.wait_for_url(f"**{HERE}")
        assert await window.page.get_by_text(FABIO.name).count() >= 2
        await window.picture("console-eras-desktop")
        await window.is_clean_everywhere()
        await window.picture("console-eras-phone")
