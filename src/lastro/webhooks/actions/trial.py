"""A test event, sent because a client asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render, stamp
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.webhooks import store
from lastro.webhooks.catalogue import TEST
from lastro.webhooks.emit import event_of
from lastro.webhooks.problems import URL_REQUIRED
from lastro.webhooks.rendering import Resent, TestData, TestNotification

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext


@dataclass(frozen=True)
class TryWebhook(Act["str | None"]):
    """Sends an event of type WEBHOOK.TEST with another type's example.

    url None: the company's URL for that type. It is an event like any other, with an object of its own: numbered, signed,
    retried, listed. Its type says that nothing has happened, so that no receiver takes it for money.
    """

    event: str
    url: str | None
    example: Mapping[str, Any] | None

    async def read(self, session: Session, context: RequestContext) -> str | None:
        """Reads the URL. A URL that is switched off may be tried before it is switched on."""
        if self.url is not None:
            return self.url
        setting = (await store.settings_of(session, context.company_id)).get(self.event)
        return None if setting is None else setting.url

    def decide(self, known: str | None, context: RequestContext) -> Done | Refused:
        """Returns the event, to be sent at once."""
        if known is None:
            problem = URL_REQUIRED.problem()
            return Refused(Kind.INVALID, (problem,))
        data = TestData(event=self.event, payload=None if self.example is None else dict(self.example))
        body = TestNotification(event="WEBHOOK.TEST", occurred_at=stamp(context.now), data=data)
        event = event_of(context, TEST, context.chance.uuid(context.now), known, body)
        answer = render(Resent(id=str(event.id), status="PENDING"))
        return Done(Write(context.company_id, events=(event,)), answer, object_id=event.id)
