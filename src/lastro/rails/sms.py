"""Text messages, by the HTTP gateway of docs/guides/pix-keys.md: `POST /sms/v1/messages {id, to, text}`."""

from __future__ import annotations

import msgspec

from lastro.rails.messages import problem
from lastro.rails.network_client import Adapter
from lastro.rails.port import Permanent, Transient

TIMEOUT_SECONDS = 8.0
_FOR_GOOD = frozenset({400, 404, 422})  # of this message; a token that is refused is ours to mend


class Sms(Adapter):
    """Carries text messages by the gateway."""

    async def carry(self, *, message_id: str, to: str, subject: str, text: str) -> None:
        """Sends one message. The gateway knows it again by its id. Permanent: nobody is reached there."""
        del subject  # a text message has none
        body = msgspec.json.encode({"id": message_id, "to": to, "text": text})
        answer = await self._line.ask("POST", "/sms/v1/messages", body, TIMEOUT_SECONDS)
        if 200 <= answer.status < 300:
            return
        code, _ = problem(answer.status, answer.body)
        if answer.status in _FOR_GOOD:
            raise Permanent(code, "the gateway refuses the message")
        raise Transient(f"{code} of the gateway")
