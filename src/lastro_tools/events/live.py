"""tail and forward: show or post the feed as it grows, until somebody ends it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lastro.core.declined import CommandFailed
from lastro.http_client import OutgoingClient, is_loopback, url_problem
from lastro.webhooks import new_webhook_secret, sign
from lastro_tools.events import printing
from lastro_tools.events.access import WEBHOOK_SECRET, read_secret
from lastro_tools.events.following import CursorFile, Feed, last_number
from lastro_tools.events.forwarding import Forwarder

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.core.secrets import Secret
    from lastro_tools.events.access import Access
    from lastro_tools.events.following import FeedEvent
    from lastro_tools.events.forwarding import Posted
    from lastro_tools.events.service import Service


@dataclass
class _Kept:
    """The last finished number, and the file that keeps it, if any."""

    place: CursorFile | None
    number: int | None = None

    def reach(self, number: int) -> None:
        """Records that everything up to this number is done."""
        if number == self.number:
            return
        self.number = number
        if self.place is not None:
            self.place.write(number)


async def tailed(service: Service, given: argparse.Namespace, say: Callable[[str], object]) -> int:
    """Runs `tail`: each event as it comes."""
    feed, kept = await _begun(service, given)
    try:
        async for told, raw in feed.events():
            if _is_wanted(told, given):
                say(raw.decode() if given.json else printing.line(told))
            kept.reach(told.sequence)
    finally:
        _ended(kept)
    return 0


async def forwarded(service: Service, given: argparse.Namespace, access: Access, say: Callable[[str], object]) -> int:
    """Runs `forward`: posts each event to a URL of this machine."""
    problem = url_problem(given.to, sandbox=True)
    if problem is not None:
        raise CommandFailed(problem)
    secret = _secret(given, access)
    is_sandbox = await service.is_sandbox()
    feed, kept = await _begun(service, given)
    _note(f"Posting to {given.to}. Ctrl-C ends it.")

    def hear(one: Posted) -> None:
        say(printing.posted_as_json(one) if given.json else printing.posted(one))

    async with OutgoingClient(sandbox=True, own_ports=_ports(access.url)) as client:
        forwarder = Forwarder(client, given.to, secret, is_sandbox, time.time, hear, kept.reach)
        try:
            async for told, _ in feed.events():
                if _is_wanted(told, given):
                    await forwarder.take(told)
                else:
                    forwarder.skip(told)
        finally:
            try:
                await forwarder.rest()
            finally:
                _ended(kept)
    return 0


async def _begun(service: Service, given: argparse.Namespace) -> tuple[Feed, _Kept]:
    """Opens the feed at the file's, the given or the last number."""
    place = None if given.state is None else CursorFile(given.state)
    after = None if place is None else place.read()
    if after is None:
        after = await last_number(service) if given.after is None else given.after
    kept = _Kept(place)
    if after is not None:
        kept.reach(after)
    _note("From the first event that comes on." if after is None else f"From number {after + 1} on.")
    return Feed(service, after, _note, follows=not given.no_follow), kept


def _ended(kept: _Kept) -> None:
    if kept.number is not None:
        with suppress(OSError):
            _note(f"The last was number {kept.number}: --after {kept.number} goes on behind it.")


def _is_wanted(told: FeedEvent, given: argparse.Namespace) -> bool:
    return (not given.event or told.event in given.event) and (not given.reference or told.reference_id in given.reference)


def _secret(given: argparse.Namespace, access: Access) -> Secret:
    """Returns the signing secret, and notes one that was not given. Without it the receiver could not verify."""
    if given.secret_file is not None:
        secret = read_secret(given.secret_file, "The webhook secret")
    elif access.told_secret is not None:
        secret = access.told_secret
        _note(f"Signed with the secret in {WEBHOOK_SECRET}.")
    else:
        secret = access.webhook_secret or new_webhook_secret(os.urandom)
        whose = "the sandbox's own secret" if access.webhook_secret else "a secret made for this run"
        _note(f"Signed with {whose}: {secret.reveal()}")
    try:
        sign([secret.reveal()], "", 0, b"")
    except ValueError:
        raise CommandFailed("That is no webhook secret: one is whsec_ and base64.") from None
    return secret


def _ports(url: str) -> frozenset[int]:
    """Returns the API's own ports, where it is on this machine. An event posted there would reach no receiver."""
    parts = urlsplit(url)
    here = parts.hostname == "localhost" or is_loopback(parts.hostname or "")
    return frozenset({parts.port or (443 if parts.scheme == "https" else 80)} if here else ())


def _note(text: str) -> None:
    """Writes a note to standard error; standard output has the result alone."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


async def until_ended(act: asyncio.Task[int]) -> int:
    """Awaits the command's status; 0 when somebody ended it."""
    try:
        return await act
    except asyncio.CancelledError:
        return 0
