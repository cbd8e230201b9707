"""The rate of a crypto partner, asked while a client waits for its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.rails.crypto import wire
from lastro.rails.crypto.client import quote_path
from lastro.rails.messages import Malformed, problem, told_code
from lastro.rails.port import QUOTE_SECONDS, Permanent, Transient

if TYPE_CHECKING:
    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Quote, QuoteWish


class CryptoQuotes:
    """A Quotes. line: to the partner, with our token there."""

    def __init__(self, line: NetworkClient) -> None:
        self._line = line

    async def quote(self, wish: QuoteWish) -> Quote:
        """The rate for a wish. 422 is the partner's no; whatever else is no rate may be one when it is asked again."""
        answer = await self._line.ask("PUT", quote_path(wish.reference), wire.wished(wish), QUOTE_SECONDS)
        if answer.status not in (200, 201):
            code, reason = problem(answer.status, answer.body)
            if answer.status == 422:
                raise Permanent(told_code(code, f"HTTP{answer.status}"), reason)
            raise Transient(f"{code}: {reason}")
        try:
            return wire.quoted(wish, answer.body)
        except Malformed as malformed:
            raise Transient(f"the rate cannot be read: {malformed}") from malformed

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()
