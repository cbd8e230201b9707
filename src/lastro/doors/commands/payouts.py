"""lastro payout."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from lastro import payouts
from lastro.doors import wiring
from lastro.doors.commands.desk import Declined
from lastro.standards.ted_ids import company_of_control_number

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from lastro.doors.commands.desk import Desk


def declare(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Adds its commands."""
    prove = command(_prove, "prove", "Book a TED as sent that was taken for failed, and that the STR's statement has.")
    prove.add_argument("control_number", help="ours, as the statement repeats it (NumCtrlIF)")
    prove.add_argument("--settled-at", required=True, help="when the statement says, such as 2026-11-23T10:15:00-03:00")


async def _prove(desk: Desk, given: argparse.Namespace) -> dict[str, Any]:
    number = company_of_control_number(given.control_number)
    if number is None:
        raise Declined(f"{given.control_number[:40]!r} is no control number of ours: 20 characters that begin with L.")
    try:
        settled_at = datetime.fromisoformat(given.settled_at)
    except ValueError:
        settled_at = None
    if settled_at is None or settled_at.tzinfo is None:
        raise Declined("--settled-at must be a time with its offset, such as 2026-11-23T10:15:00-03:00.")
    company = await desk.company(str(number))
    institution = wiring.place_of(desk.settings).institution
    return await desk.act(company.id, payouts.Proved(given.control_number, settled_at, institution))
