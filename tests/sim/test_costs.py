"""The statements that a paid order and a payout cost the network, which runs on every developer's machine."""

from .orders import ended, payout
from .stage import Institution, Sim, Till

MOST_OF_AN_ORDER = 14
MOST_OF_A_PAYOUT = 9


async def test_a_paid_order_costs_few_statements(sim: Sim, lastro: Institution, shop: Till, key: str) -> None:
    said: list[str] = []
    code, _ = shop.charge(key)
    sim.network.store.watch(said.append)
    paid = await sim.act("/phone/pay", {"qrcodeData": code})
    sim.network.store.watch(None)
    assert paid["status"] == "SETTLED"
    _few(said, MOST_OF_AN_ORDER)


async def test_a_payout_costs_few_statements(sim: Sim, lastro: Institution) -> None:
    said: list[str] = []
    sim.network.store.watch(said.append)
    assert (await ended(lastro, payout(lastro)))["status"] == "ACSC"
    sim.network.store.watch(None)
    _few(said, MOST_OF_A_PAYOUT)


def _few(said: list[str], most: int) -> None:
    """Streams and the timer ask as often as they wake up, which is no matter of this order; so are transactions."""
    others = ("stream", "due_at <=", "min(due_at)", "BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    own = [one for one in said if not any(word in one for word in others)]
    assert len(own) <= most, "\n".join(own)
