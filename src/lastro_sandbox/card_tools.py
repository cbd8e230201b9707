"""The answers of a card's payer to his bank, as simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENCE_SECONDS = 10.0
# The payer's answers on the page of his bank, by the status that the order comes to.
ANSWERS: Mapping[str, str] = {"PAID": "pass", "ERROR": "fail"}
# From which statuses an order by card can be led on, and where to; its card decides what follows from INITIAL.
REACHABLE: Mapping[str, tuple[str, ...]] = {
    "INITIAL": ("PAID", "ERROR", "AUTHENTICATING", "CANCELED"), "AUTHENTICATING": ("PAID", "ERROR", "CANCELED"),
}  # fmt: skip


async def answer_bank(simulator_url: str, reference: str, outcome: str) -> None:
    """Answers the bank as the payer: pass or fail. A second answer does nothing.

    reference: of the order's payment at the acquirer; two companies may have orders of one code.
    """
    timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
    async with (
        aiohttp.ClientSession(simulator_url, timeout=timeout, trust_env=False) as client,
        client.post(f"/cards/{reference}/challenge", json={"outcome": outcome}) as answered,
    ):
        await answered.read()
