"""The acquirer's tokenizer: the one place to which the number of a card is sent, while its client waits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from lastro.rails.messages import Malformed, code_or, decoded, problem
from lastro.rails.network_client import Adapter
from lastro.rails.port import CardToken, Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.standards.cards import CardNumber, Expiry, SecurityCode

_TOKEN = re.compile(r"[!-~]{1,256}")
TIMEOUT_SECONDS = 5.0  # a client waits for it
# Refusals of what was sent; any other may be a fault of the way there, which passes.
_FOR_GOOD = frozenset({400, 422})


class CardTokenizer(Adapter):
    """A Tokenizer, the acquirer's."""

    async def tokenize(self, number: CardNumber, code: SecurityCode, expiry: Expiry, holder: Mapping[str, str]) -> CardToken:
        """Returns a token of this card. Neither an error nor a log line has any of it."""
        body = msgspec.json.encode(
            {
                "number": number.reveal(), "cvv": code.reveal(), "expiry": f"{expiry.month:02d}/{expiry.year % 100:02d}",
                "holderName": holder["name"], "holderDocument": holder["document"],
            }
        )  # fmt: skip
        answer = await self._line.ask("POST", "/card/v1/tokens", body, TIMEOUT_SECONDS)
        if answer.status in _FOR_GOOD:
            word = code_or(problem(answer.status, answer.body)[0], f"HTTP{answer.status}")
            raise Permanent(word, "the acquirer takes no such card")
        if answer.status not in (200, 201):
            raise Transient(f"the tokenizer answered with HTTP status {answer.status}")
        try:
            made = decoded(answer.body, CardToken)
        except Malformed:
            raise Transient("the tokenizer's answer cannot be read") from None
        if _TOKEN.fullmatch(made.token) is None:
            raise Transient("the tokenizer's answer has no token")
        return made
