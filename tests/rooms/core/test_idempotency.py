"""A no that counts: it is written, it is kept under its key, and it counts once."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.core.verbs import Refuse, born_order, count, ended, move_of

from lastro.core.commit import commit
from lastro.core.errors import Kind, Refused
from lastro.core.write import Event, Write
from lastro.orders import ORDERS


@pytest.fixture
async def counted(cast: Cast, ana: Seller) -> Write:
    """What is written with it."""
    at, order_id = datetime.now(UTC), cast.id()
    await commit(cast.database, Write(ana.company_id, rows=born_order(ana, order_id, at)))
    expired = Event(cast.id(), "ORDER-PAYIN.EXPIRED", order_id, None, ended(order_id, "EXPIRED"), at)
    return Write(ana.company_id, moves=(move_of(ORDERS, order_id, "INITIAL", 1, "expire", at),), events=(expired,))


async def kept(cast: Cast, ana: Seller) -> tuple[int, ...]:
    return tuple([await count(cast, ana, table) for table in ("history", "events", "answers")])


@pytest.mark.parametrize(("key", "answers"), [(None, 0), ("k", 1)])
async def test_it_is_written(cast: Cast, ana: Seller, counted: Write, key: str | None, answers: int) -> None:
    before = await kept(cast, ana)
    refused = await cast.run(ana.client, Refuse(counts=counted), key=key)
    assert isinstance(refused, Refused)
    assert await kept(cast, ana) == (before[0] + 1, before[1] + 1, answers)


async def test_under_its_key_it_counts_once(cast: Cast, ana: Seller, counted: Write) -> None:
    """A line that breaks behind a wrong code must not cost its holder another try."""
    first = await cast.run(ana.client, Refuse(counts=counted), key="k")
    before, again = await kept(cast, ana), Refuse(counts=counted)
    assert isinstance(first, Refused)
    assert await cast.run(ana.client, again, key="k") == replace(first, write=None)
    assert not again.decided
    assert await kept(cast, ana) == before


async def test_another_request_under_its_key_is_a_conflict(cast: Cast, ana: Seller, counted: Write) -> None:
    call: dict[str, Any] = {"key": "k"}
    await cast.run(ana.client, Refuse(counts=counted), **call)
    refused = await cast.run(ana.client, Refuse(counts=counted), **call, request=b"another")
    assert isinstance(refused, Refused)
    assert (refused.kind, refused.problems[0].field) == (Kind.CONFLICT, "idempotency-key")
