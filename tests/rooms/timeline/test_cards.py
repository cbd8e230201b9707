"""The story of an order by card: how its payment has moved, and what its acquirer was told and has said."""

from uuid import UUID

from tests.cast import Cast, Seller
from tests.rooms.orders.cards import Acquirer, captured, make, result
from tests.rooms.orders.shop import Shop

from lastro.timeline import reading
from lastro.timeline.shapes import MessageEntry, StateEntry


async def test_a_challenge_that_is_passed_is_told_whole(cast: Cast, ana: Seller) -> None:
    shop = Shop(cast, ana)
    made = await make(shop, Acquirer())
    for status in ("C", "Y"):
        assert await result(shop, made, status) == "handled"
    assert await captured(shop, made) == "handled"
    async with cast.database.session(ana.company_id) as session:
        whole = await reading.tell(session, ana.company_id, reading.Root("order", UUID(made["id"])))
    assert whole is not None
    told = [
        (entry.object, entry.trigger, entry.to) if isinstance(entry, StateEntry)
        else (entry.direction, entry.message) if isinstance(entry, MessageEntry) else None
        for entry in whole.entries
    ]  # fmt: skip
    assert [one for one in told if one is not None] == [
        ("order", "create", "INITIAL"), ("cardPayment", "create", "CREATED"), ("out", "collection.send"),
        ("in", "card.authenticated"), ("cardPayment", "challenge", "CHALLENGE_REQUIRED"),
        ("order", "challenge", "AUTHENTICATING"),
        ("in", "card.authenticated"), ("cardPayment", "authorize", "AUTHENTICATED"), ("order", "reserve", "AUTHENTICATING"),
        ("out", "card.authorize"),
        ("in", "collection.settled"), ("cardPayment", "capture", "CAPTURED"), ("payment", "settle", "SETTLED"),
        ("order", "pay", "PAID"),
    ]  # fmt: skip
