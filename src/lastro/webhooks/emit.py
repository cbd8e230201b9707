"""The events that rooms above have for clients. An event is among the changes of a room's Write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.write import Event

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.api_kit.routes import Answer
    from lastro.core.runner import RequestContext


def event_of(
    context: RequestContext, event_type: str, reference_id: UUID, url: str | None, body: Mapping[str, Any] | Answer
) -> Event:
    """Returns an event of an object. Its body is encoded here, once for all sends.

    url: the object's own; None: where the company has events of this type sent, or the feed alone (contract.md §7), which is
    decided when it gets its number. body: plain JSON, money and times as their texts already.
    """
    return Event(context.chance.uuid(context.now), event_type, reference_id, url, msgspec.json.encode(body), context.now)
