"""The wiring of bank accounts that are reached by API Pix: a line to each, and its figures."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lastro.observability.bank_figures import BankFigures
from lastro.rails.api_pix import Ambient, BankLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.config.settings import Settings
    from lastro.core.ids import Chance


def lines_of(settings: Settings, chance: Chance) -> dict[str, BankLine]:
    """Returns a line to each bank account, by its connection's name."""
    ambient = Ambient(time.monotonic, machine_now, lambda: str(chance.uuid(machine_now())))
    return {connection.name: BankLine(connection, ambient) for connection in settings.connections}


def figures_of(lines: Iterable[BankLine], now: datetime) -> tuple[BankFigures, ...]:
    """Returns the figures of lines, for /metrics. Files of certificates that have changed are read."""
    return tuple(
        BankFigures(
            line.connection.name,
            None if (until := line.certificate_until) is None else (until - now).total_seconds(),
            line.tokens.age_seconds,
            line.troubles,
        )
        for line in lines
    )


def machine_now() -> datetime:
    """Returns the machine's time: banks and certificates know no other."""
    return datetime.now(UTC)
