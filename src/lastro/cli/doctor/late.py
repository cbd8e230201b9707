"""Judges the backlog: what is late, which law is broken, and who is away. Pure: the gauges are read elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lastro.cli.doctor.model import failed, passed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lastro.cli.doctor.model import Finding
    from lastro.observability.gauges import Gauges

_LATE = timedelta(minutes=5)
_UNNUMBERED = timedelta(minutes=1)
_UNREAD = timedelta(hours=36)  # laws are read once a night
_UNPOLLED = timedelta(minutes=10)


def of_backlog(gauges: Gauges, now: datetime, *, reads_laws: bool) -> Iterator[Finding]:
    """Yields what is late. now: machine time. reads_laws: a worker reads them at night."""
    found = [*_late(gauges), *_laws(gauges, now, reads_laws=reads_laws), *_partners(gauges)]
    yield from found or [passed("due work", "nothing is late, no law is broken, no partner is away")]


def _late(gauges: Gauges) -> Iterator[Finding]:
    for lane, (count, seconds) in gauges.due.items():
        if count and seconds > _LATE.total_seconds():
            cure = "start a worker; if one works, look for its word: journalctl -u lastro-worker"
            yield failed("due work", f"{count} of {lane} are due, the oldest for {_said(seconds)}", cure)
    count, seconds = gauges.waiting.get("unnumbered", (0, 0.0))
    if count and seconds > _UNNUMBERED.total_seconds():
        cure = "end the transaction that is left open: docs/operations.md#the-horizon"
        yield failed("due work", f"{count} events wait for their number, the oldest for {_said(seconds)}", cure)


def _laws(gauges: Gauges, now: datetime, *, reads_laws: bool) -> Iterator[Finding]:
    for law, breaches, at in gauges.laws:
        if breaches:
            yield failed("laws", f"{law} is broken {breaches} times", "docs/runbooks.md#lastrolawbroken, at once")
        elif reads_laws and now - datetime.fromtimestamp(at, UTC) > _UNREAD:
            yield failed("laws", f"{law} was not read last night", "see that a worker runs at LASTRO_LAW_HOURS")
            return  # one line for all of them


def _partners(gauges: Gauges) -> Iterator[Finding]:
    for rail, is_down in gauges.partners:
        if is_down:
            yield failed("partners", f"{rail} takes nothing now", "ask them; docs/runbooks.md#lastropartnerdown")
    for bank in gauges.banks:
        if bank.polled_seconds > _UNPOLLED.total_seconds():
            yield failed(
                "banks", f"{bank.rail} was last polled {_said(bank.polled_seconds)} ago", f"lastro bank check {bank.rail}"
            )


def _said(seconds: float) -> str:
    minutes, hours = seconds / 60, seconds / 3600
    return f"{minutes:.0f} minutes" if hours < 2 else f"{hours:.0f} hours"
