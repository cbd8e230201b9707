"""list, show and resend: one question to the API, or a few."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from lastro.core.declined import CommandFailed
from lastro.terminal.asking import agreed
from lastro.terminal.printing import as_json, as_text
from lastro_tools.events import printing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro_tools.events.service import Service

EVENTS = "/order/v1/webhook/events"
FILTERS = {"status": "status", "event": "event", "reference": "referenceId", "url": "url", "since": "from", "until": "to"}
_LARGEST_PAGE = 500
_A_MINUTE = 600  # the API's default


async def listed(service: Service, given: argparse.Namespace, say: Callable[[str], object]) -> int:
    """Runs `list`: as many events as wanted, over as many pages as needed."""
    found: list[dict[str, Any]] = []
    query = filters(given) | {"sort": given.sort}
    cursor, has_next = None, True
    while has_next and len(found) < given.limit:
        limit = min(given.limit - len(found), _LARGEST_PAGE)
        page = msgspec.json.decode(await service.ask("GET", EVENTS, {**query, "limit": limit, "cursor": cursor}))
        found += page["data"]
        cursor, has_next = page.get("nextCursor"), page["hasNext"]
    say(as_json(found) if given.json else printing.table(found))
    if has_next and not given.json:
        sys.stderr.write("There are more: --limit shows them.\n")
    return 0


async def shown(service: Service, given: argparse.Namespace, say: Callable[[str], object]) -> int:
    """Runs `show`: one event with its body and every attempt."""
    event = msgspec.json.decode(await service.ask("GET", f"{EVENTS}/{_word(given.id)}"))
    say(as_json(event) if given.json else printing.whole(event))
    return 0


async def resent(service: Service, given: argparse.Namespace, say: Callable[[str], object]) -> int:
    """Runs `resend`: these events, or all that fit a filter. 1: one of them was refused."""
    return await (_these if given.ids else _all_that_fit)(service, given, say)


def filters(given: argparse.Namespace) -> dict[str, str]:
    """Returns the given filters, by the API's names."""
    return {theirs: value for ours, theirs in FILTERS.items() if (value := getattr(given, ours)) is not None}


async def _these(service: Service, given: argparse.Namespace, say: Callable[[str], object]) -> int:
    rows, status = [], 0
    for event_id in given.ids:
        try:
            answer = msgspec.json.decode(await service.ask("POST", f"{EVENTS}/{_word(event_id)}/resend", body={}))
            rows.append({"id": answer["id"], "status": answer["status"]})
        except CommandFailed as declined:
            rows.append({"id": event_id, "status": "REFUSED"})
            sys.stderr.write(f"{event_id}: {declined}\n")
            status = 1
    say(as_json(rows) if given.json else as_text(rows))
    return status


async def _all_that_fit(service: Service, given: argparse.Namespace, say: Callable[[str], object]) -> int:
    """Counts first; nothing is sent before somebody has said yes to the number."""
    wanted = {"filter": filters(given), "perMinute": given.per_minute}
    counted = msgspec.json.decode(await service.ask("POST", f"{EVENTS}/resend", body=wanted | {"dryRun": True}))
    if not given.json:
        say(_counted(counted["count"], given.per_minute or _A_MINUTE))
    if not counted["count"] or not (given.yes or (not given.json and agreed("Send again?"))):
        if given.json:
            say(as_json(counted))
        elif counted["count"]:
            say("Nothing was sent: --yes sends them.")
        return 0
    # Under a key, so that a second try after a lost answer does not begin a second plan.
    done = msgspec.json.decode(await service.ask("POST", f"{EVENTS}/resend", body=wanted, key=str(uuid4())))
    if given.json:
        say(as_json(done))
        return 0
    say(f"{done['count']} queued.")
    if done["hasMore"]:
        say(f"There are more: go on with --from {done['nextFrom']} once these are through.")
    return 0


def _counted(count: int, a_minute: int) -> str:
    if not count:
        return "No event fits."
    return f"{count} {'event fits' if count == 1 else 'events fit'}, to be sent oldest first, {a_minute} a minute at most."


def _word(text: str) -> str:
    """Checks an id as part of a path. Declined: it could be none, and would lead elsewhere."""
    if not text or not text.isascii() or not all(c.isalnum() or c == "-" for c in text):
        raise CommandFailed(f"{text[:60]!r} is no id of an event: lastro events list shows them.")
    return text.lower()
