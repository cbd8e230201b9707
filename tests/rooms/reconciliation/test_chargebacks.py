"""What an issuer took back is looked for in the statement of its day."""

from tests.rooms.orders.cards import Acquirer, paid, reference
from tests.rooms.orders.shop import Shop

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.port import CARD, CardChargeback

from .desk import Desk


async def test_a_chargeback_that_no_statement_has_is_missing(desk: Desk) -> None:
    shop = Shop(desk.cast, desk.world.ana)
    made = await paid(shop, Acquirer())
    for name, at in (("of the day", desk.at()), ("of another", desk.at(5))):
        news = CardChargeback(f"{made['id']}:{name}", f"{made['id']}:P1", await reference(shop, made), Money(5, "MXN"), at)
        assert await shop.told(port.CARD_CHARGEBACK, news, news.reference, CARD) == "handled"
    await desk.take([], rail=CARD)
    items = await shop.rows("SELECT kind, network_id, difference, state FROM statement_items WHERE rail = 'card'")
    assert [tuple(item) for item in items] == [(port.CHARGEBACK, f"{made['id']}:of the day", "MISSING", "OPEN")]
