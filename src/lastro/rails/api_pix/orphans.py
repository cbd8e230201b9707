"""The nightly sweep of orphans: charges at a bank that were made for an order that was never written.

Nobody has the code of an orphan, so that it does no harm until its time is over. Another lastro whose company has the same
number makes txids of the same form. So charges are removed only where the connection says that no other lastro uses its bank
account; elsewhere they are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

import structlog

from lastro.rails.api_pix import wire
from lastro.rails.messages import Malformed
from lastro.rails.port import Permanent, Transient, Unknown
from lastro.standards.pix_ids import base62

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from lastro.rails.api_pix.charges import Charges, ChargeState
    from lastro.rails.api_pix.dialects import Clock
    from lastro.rails.api_pix.lists import Lists

_IN_HAND = timedelta(minutes=15)  # far longer than an order waits for its bank and its commit: it is written by then
_OVERLAP = timedelta(hours=1)  # a bank lists a charge late
_RETRIED_FOR = timedelta(days=7)  # a charge that could not be removed; most are over by then
_LENGTH = 32
_MADE_UP = re.compile(r"(?=.*[a-z])(?=.*[A-Z])[a-zA-Z0-9]{27}")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OrphanTerms:
    """The terms of a connection's sweep. company_number: of its company. is_removing: orphans are removed, not counted."""

    rail: str
    clock: Clock
    company_number: int
    is_removing: bool


@dataclass(frozen=True, slots=True)
class OrphansFound:
    """The charges without an order that a sweep has found. removed: their txids. left: how many it has not removed."""

    removed: tuple[str, ...]
    left: int


class OrderedCharges(Protocol):
    """Tells which charges have an order."""

    async def known_at_connections(self, txids: Collection[str]) -> frozenset[str]:
        """Returns the txids of instruments of any connection: several may share a bank account. DatabaseAway: try later."""


def is_orphan(charge: wire.BankCharge, company_number: int, clock: Clock, now: datetime) -> bool:
    """Tells whether a charge may be one of ours without an order; a row of `instruments` says that it has one.

    Its txid is made as ours are, under this company's number: behind it stand letters of both cases, which no padded number
    and no UUID has. It can still be paid, and is old enough for its order to be written.
    """
    txid = charge.txid
    if charge.status != wire.ACTIVE or txid is None or len(txid) != _LENGTH or _MADE_UP.fullmatch(txid[5:]) is None:
        return False
    if not txid.startswith(base62(company_number, 5)) or charge.pix or charge.calendario is None:
        return False
    seconds = wire.number(charge.calendario.expiracao)
    try:
        made_at = wire.instant(charge.calendario.criacao, clock, "calendario.criacao")
    except Malformed:
        return False
    return seconds is not None and made_at + _IN_HAND <= now <= made_at + timedelta(seconds=seconds)


async def sweep_orphans(
    terms: OrphanTerms, lists: Lists, charges: Charges, ordered: OrderedCharges, since: datetime, now: datetime
) -> OrphansFound:
    """Removes charges that have no order, or counts them. Transient: not all were read.

    Looks at those made since then, and again at those of the last seven days: what could not be removed is tried each night.
    """
    orphans: set[str] = set()

    async def take(rows: tuple[bytes, ...]) -> None:
        found = {charge.txid for charge in map(_read, rows) if charge is not None and charge.txid is not None
                 and is_orphan(charge, terms.company_number, terms.clock, now)}  # fmt: skip
        orphans.update(found - (await ordered.known_at_connections(found) if found else frozenset()))

    await lists.charges(min(since - _OVERLAP, now - _RETRIED_FOR), now, take, status=wire.ACTIVE)
    if not terms.is_removing:
        if orphans:
            _log.warning("bank.orphans_left", rail=terms.rail, count=len(orphans))
        return OrphansFound((), len(orphans))
    removed = tuple([txid for txid in sorted(orphans) if await _is_removed(terms.rail, charges, txid)])
    return OrphansFound(removed, len(orphans) - len(removed))


def _read(raw: bytes) -> wire.BankCharge | None:
    try:
        return wire.charge(raw)
    except Malformed:
        return None  # nothing is done to what cannot be read


async def _is_removed(rail: str, charges: Charges, txid: str) -> bool:
    """Removes one charge, and tells what the bank has of it then. False: it was not removed."""
    try:
        found = await charges.remove(txid)
    except (Permanent, Transient) as left:
        _log.error("bank.charge_not_removed", rail=rail, network_id=txid, reason=str(left))
        return False
    return _told(rail, txid, found)


def _told(rail: str, txid: str, found: ChargeState | Unknown) -> bool:
    if isinstance(found, Unknown):
        _log.error("bank.charge_unknown", rail=rail, network_id=txid)
    elif found.payments or found.status == wire.CONCLUDED:
        _log.error("bank.orphan_paid", rail=rail, network_id=txid)
    elif found.status == wire.ACTIVE:
        _log.error("bank.charge_not_removed", rail=rail, network_id=txid, reason="the bank keeps it open")
    else:
        _log.warning("bank.orphan_removed", rail=rail, network_id=txid)
        return True
    return False
