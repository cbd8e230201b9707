"""The registration of a recurrence at the simulated network.

A sandbox asks the network; elsewhere the institution registers by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from lastro.rails.messages import code_or, problem
from lastro.rails.port import REGISTER_SECONDS, Transient

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient


class Registering:
    """A Registrar. line: to the network, with our token there."""

    def __init__(self, line: NetworkClient) -> None:
        self._line = line

    async def refusal(self, recurrence_id: str, debtor_document: str) -> str | None:
        """Returns the code of a refusal, which is 422. Any other answer, or none, is no refusal."""
        asked = msgspec.json.encode({"debtorDocument": debtor_document})
        try:
            answer = await self._line.ask("PUT", f"/spi/v1/recurrences/{recurrence_id}", asked, REGISTER_SECONDS)
        except Transient:
            return None
        if answer.status != 422:
            return None
        return code_or(problem(answer.status, answer.body)[0], f"HTTP{answer.status}")

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()
