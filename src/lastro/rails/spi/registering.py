"""The registration of a recurrence at the simulated network.

A sandbox asks the network; elsewhere the institution registers by itself.
"""

from __future__ import annotations

import msgspec

from lastro.rails.messages import code_or, problem
from lastro.rails.network_client import Adapter
from lastro.rails.port import REGISTER_SECONDS, Transient


class Registering(Adapter):
    """A Registrar, the network's."""

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
