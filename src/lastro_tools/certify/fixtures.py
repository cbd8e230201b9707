"""The notifications of a certification: real in form, signed like real ones, and about nothing that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from lastro.webhooks import new_webhook_secret, sign
from lastro_tools.certify.model import Event, Must, Pace, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lastro.core.secrets import Secret
    from lastro.webhooks import EventType

PAID = "ORDER-PAYIN.PAID"
EXPIRED = "ORDER-PAYIN.EXPIRED"
ENVIRONMENT = "certification"
DESCRIPTION = "Certification of a receiver: no real order"
# Our ids are UUIDs of version 7 that begin with the time. Version 8 at the beginning of time is a UUID to every reader
# (RFC 9562 §5.8), and none that we could have given.
_NO_ID = 0x8 << 76 | 0b10 << 62
# A day before there was Pix, at an institution that there is not.
_NO_PAYMENT = "E99999999200001010000"
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Author:
    """Makes events and the requests that tell them.

    secret: the receiver's, None when nobody said it; then nothing is signed. now: Unix seconds of the machine. random: count
    of bytes → so many unpredictable ones. failures: events that no attempt of this run got acknowledged, as the runner sees
    them.
    """

    def __init__(
        self,
        secret: Secret | None,
        now: Callable[[], float],
        random: Callable[[int], bytes],
        event_types: Sequence[EventType],
    ) -> None:
        self._secret = secret
        self._now = now
        self._random = random
        self.event_types = {notice.name: notice for notice in event_types}
        self._sequence = 0
        self.failures: list[Event] = []

    @property
    def has_secret(self) -> bool:
        """True where requests are signed."""
        return self._secret is not None

    @property
    def secret(self) -> str:
        """The receiver's secret as printed. ValueError: there is none."""
        if self._secret is None:
            raise ValueError("this duty needs a secret")
        return self._secret.reveal()

    def other_secret(self) -> str:
        """Returns a secret that the receiver cannot know."""
        return new_webhook_secret(self._random).reveal()

    def now(self) -> int:
        """Returns the machine's time in Unix seconds."""
        return int(self._now())

    def contents(self, event_type: str = PAID, order_id: str | None = None) -> dict[str, Any]:
        """Returns the body of an event of an order, as plain JSON.

        By default of a new order. It is our documentation's example with other ids.
        """
        body = dict(self.event_types[event_type].example)
        if "id" in body:
            body["id"] = order_id or self.new_id()
        if "code" in body:
            body["code"] = f"CERTIFICATION-{self._random(4).hex()}"
        if "description" in body:
            body["description"] = DESCRIPTION
        if body.get("endToEndId"):
            body["endToEndId"] = _NO_PAYMENT + "".join(_BASE62[byte % 62] for byte in self._random(11))
        return body

    def event(self, contents: Mapping[str, Any] | None = None, event_type: str = PAID) -> Event:
        """Returns a new event with the next number. The default says that a new order was paid."""
        return self.written(msgspec.json.encode(self.contents(event_type) if contents is None else contents), event_type)

    def written(self, body: bytes, event_type: str = PAID) -> Event:
        """Returns a new event whose bytes are given."""
        self._sequence += 1
        return Event(self.new_id(), event_type, self._sequence, body)

    def new_id(self) -> str:
        """Returns an id that no object has."""
        return str(UUID(int=_NO_ID | int.from_bytes(self._random(6), "big")))

    def send(
        self,
        event: Event,
        label: str = "",
        *,
        must: Must = Must.ACKNOWLEDGE,
        attempt: int = 1,
        secrets: Sequence[str] | None = None,
        signed_at: int | None = None,
        changed: bytes | None = None,
        spoil: Callable[[dict[str, str]], dict[str, str]] = dict,
        pace: Pace = Pace.WHOLE,
    ) -> Request:
        """Returns an attempt at an event, by default a good one.

        secrets: what signs it, by default the receiver's secret. signed_at: Unix seconds, by default now. changed: the body
        that goes out in place of the signed one. spoil: makes of the signature's headers those that are sent.
        """
        signed: dict[str, str] = {}
        if self.has_secret:
            moment = self.now() if signed_at is None else signed_at
            signed = spoil(sign(secrets or [self.secret], event.id, moment, event.body))
        headers = {
            "content-type": "application/json",
            "x-event-id": event.id,
            "x-event-type": event.type,
            "x-event-sequence": str(event.sequence),
            "x-delivery-attempt": str(attempt),
            **signed,
            "x-lastro-environment": ENVIRONMENT,
        }
        return Request(event, headers, event.body if changed is None else changed, must, label, pace)
