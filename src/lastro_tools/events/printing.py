"""The output of events: columns for people, the API's JSON for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lastro.terminal.printing import as_text, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lastro_tools.events.following import FeedEvent
    from lastro_tools.events.forwarding import Posted

_TYPE_COLUMNS = 26
_ANSWER_CHARACTERS = 60


def table(events: Sequence[Mapping[str, Any]]) -> str:
    """Formats the rows of the list."""
    return as_text([
        {
            "createdAt": _time(event["createdAt"]), "status": event["status"], "attempts": len(event["history"]),
            "lastAnswer": _answer(event["history"][-1]) if event["history"] else None,
            "referenceId": event.get("referenceId"), "webhookUrl": event["webhookUrl"], "id": event["id"],
        }
        for event in events
    ])  # fmt: skip


def whole(event: Mapping[str, Any]) -> str:
    """Formats one event with its body and its attempts."""
    plain = {name: value for name, value in event.items() if name not in ("payload", "history")}
    parts = [as_text(plain)]
    if "payload" in event:
        pretty = msgspec.json.format(msgspec.json.encode(event["payload"]), indent=2).decode()
        parts.append("\n".join(printable(line) for line in pretty.split("\n")))
    if event["history"]:
        parts.append(as_text([
            {"attempt": a["number"], "at": _time(a["requestTime"]), "tookMs": a["durationMs"], "answer": _answer(a)}
            for a in event["history"]
        ]))  # fmt: skip
    return "\n\n".join(parts)


def line(event: FeedEvent) -> str:
    """Formats an event of the feed: number, time, type, object and id."""
    first = f"{event.sequence:>8}  {_time(event.created_at)}  {event.event:<{_TYPE_COLUMNS}}"
    return printable(f"{first}  {event.reference_id}  {event.id}")


def posted(one: Posted) -> str:
    """Formats the receiver's answer to an event."""
    event, took = one.event, f"in {one.duration_ms} ms"
    said = "acknowledged" if one.is_acknowledged else f"NOT ACKNOWLEDGED: {_shortened(one.message)}"
    status = f"{one.status} " if one.status else ""
    return printable(f"{event.sequence:>8}  {event.event:<{_TYPE_COLUMNS}}  {event.reference_id}  {status}{said} {took}")


def posted_as_json(one: Posted) -> str:
    """Formats the receiver's answer to an event as one line of JSON."""
    event = one.event
    return msgspec.json.encode({
        "sequence": event.sequence, "id": event.id, "event": event.event, "referenceId": event.reference_id,
        "acknowledged": one.is_acknowledged, "statusCode": one.status, "message": one.message,
        "durationMs": one.duration_ms,
    }).decode()  # fmt: skip


def _answer(attempt: Mapping[str, Any]) -> str:
    return f"{attempt['statusCode'] or ''} {_shortened(attempt['message'])}".strip()


def _shortened(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _ANSWER_CHARACTERS else f"{one_line[: _ANSWER_CHARACTERS - 1]}…"


def _time(text: str) -> str:
    """Formats an ISO 8601 time for print, to the second."""
    return f"{text[:10]} {text[11:19]}Z"
