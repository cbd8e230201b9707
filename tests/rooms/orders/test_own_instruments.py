"""Which references of a rail are instruments of ours: a row decides, never what a txid decodes to."""

from typing import Any

from lastro.core.db import Database
from lastro.rails.instruments import Instruments
from lastro.rails.port.foreign import AskedOf

from .collecting import make, rail_of, reference
from .shop import Shop


async def test_a_reference_is_ours_where_its_own_rail_has_the_instrument(shop: Shop, database: Any) -> None:
    made = await make(shop, "BOLETO")
    ours, decodable = reference(made), "00001" + "a" * 27  # in the form of a txid of company 1
    work, app = Database(database.work, size=1), Database(database.app, size=1)
    instruments = Instruments(work, app)
    try:
        (order,) = await shop.rows("SELECT pix_key FROM orders")
        assert await instruments.asked(rail_of(made), [decodable, ours]) == {ours: AskedOf(order["pix_key"])}
        assert await instruments.asked("oxxo", [ours]) == {}
        assert await instruments.asked(rail_of(made), []) == {}
        assert await instruments.known_at_connections([ours]) == frozenset(), "a partner is no connection"
        assert await instruments.known_at_connections([]) == frozenset()
    finally:
        await work.close()
        await app.close()
