"""A statement that forgets its WHERE changes rows of its own company, and of those only what may ever change."""

import asyncpg
import pytest
from tests.cast import Cast
from tests.rooms.core.filling import fill

from lastro.core.errors import Stale

_COMPANIES = 9  # more than shards: two of them are in one


async def test_a_change_that_forgets_its_where_is_of_one_company(cast: Cast) -> None:
    sellers = [await cast.found(f"Seller {number}") for number in range(_COMPANIES)]
    for seller in sellers:
        async with cast.database.session(seller.company_id) as session:
            await session.fetch("UPDATE companies SET name = $1", f"Changed {seller.number}")
            await session.fetch("DELETE FROM answers")
    for seller in sellers:
        async with cast.database.session(seller.company_id) as session:
            assert await session.value("SELECT name FROM companies") == f"Changed {seller.number}"


async def test_nothing_is_written_for_a_neighbour(cast: Cast) -> None:
    sellers = [await cast.found(f"Seller {number}") for number in range(_COMPANIES)]
    settings = (
        "INSERT INTO webhook_settings (company_id, event, active, is_extra, updated_at) VALUES ($1, 'x', true, true, now())"
    )
    for seller in sellers:
        for other in sellers:
            if other is not seller:
                async with cast.database.session(seller.company_id) as session:
                    with pytest.raises((asyncpg.InsufficientPrivilegeError, Stale)):
                        await session.fetch(settings, other.company_id)


async def test_of_what_was_told_nothing_is_changed_but_that_it_is_forgotten(cast: Cast) -> None:
    ana = await cast.ana()
    await fill(cast, ana)
    async with cast.database.session(ana.company_id) as session:
        assert await session.value("SELECT count(*) FROM events") > 0
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await session.fetch("UPDATE events SET body = 'another'")
        with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
            await session.fetch("UPDATE delivery_attempts SET message = 'another'")
