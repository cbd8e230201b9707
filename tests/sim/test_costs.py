"""The statements that one paid order costs the network, which runs on every developer's machine."""

from .stage import Institution, Sim, Till

MOST = 14


async def test_a_paid_order_costs_few_statements(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    said: list[str] = []
    code, _ = shop.charge(key)
    sim.network.store.watch(said.append)
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    sim.network.store.watch(None)
    assert paid["status"] == "SETTLED"
    # Streams and the timer ask as often as they wake up, which is no matter of this order; so are transactions, and their parts.
    others = ("stream", "due_at <=", "min(due_at)", "BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    of_order = [one for one in said if not any(word in one for word in others)]
    assert len(of_order) <= MOST, "\n".join(of_order)
