"""Finds the payments at a bank: polling with a cursor is the truth, a webhook is a bell.

Every payment of the account is listed there, those of the merchant's other systems too. A payment of an instrument of ours
goes into the inbox; any other is foreign: it is kept in a list and moves nothing. The cursor moves only once both are
stored, and each poll overlaps the one before, for banks that list late; a second copy is dropped where it is stored.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote

import structlog

from lastro.core.errors import DatabaseAway
from lastro.core.failpoints import failpoint
from lastro.rails import port
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.errors import Meaning, alarmed, judge
from lastro.rails.api_pix.lists import TIMEOUT_SECONDS
from lastro.rails.messages import Malformed, unread
from lastro.rails.port.foreign import OTHER_KEY, ForeignPayment
from lastro.rails.pulling import pull_until, unless_stopped
from lastro.standards.pix_ids import is_txid_dynamic
from lastro.standards.pix_keys import names_key
from lastro.standards.recurrence_ids import is_recurrence_id

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lastro.rails.api_pix.exchange import Line
    from lastro.rails.api_pix.lists import Lists, ListTerms
    from lastro.rails.api_pix.recurring import Recurring
    from lastro.rails.api_pix.wire import BankPayment
    from lastro.rails.cursors import RailCursor, StreamPosition
    from lastro.rails.port import Keep, NetworkMessage
    from lastro.rails.port.foreign import Foreign, KnownInstruments

# A bank lists a Pix some time after its horario (bacen/pix-api #321): 15 minutes are the delay that it is given. What comes
# later still is found by its webhook, at the end of its order, or by the day's statement.
OVERLAP = timedelta(minutes=15)
_A_SECOND = timedelta(seconds=1)
BEHIND = timedelta(seconds=2)  # the bank lists what has just come
HINTS_AT_ONCE = 5  # in each look: forged ones leave most of the bank's limit, and the time, to polls and to orders
_AUTHORIZED_SECONDS = 5.0  # that a page of payments may wait for what they have authorized
_LATE = timedelta(seconds=60)  # a poll may take so long, before nobody is taken to read
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PollingTerms:
    """The terms of polling a connection. poll_seconds: between two polls. hint_seconds: between two looks at hints.

    take_over_seconds: between two looks whether the process that polls has given up.
    """

    rail: str
    poll_seconds: float
    hint_seconds: float = 1.0
    take_over_seconds: float = 2.0


class PaymentRouter:
    """Stores a bank's payments: ours in the inbox, all others in the list of foreign ones.

    recurring: is asked whether a payment has authorized its subscription, which it waits for.
    """

    def __init__(self, terms: ListTerms, instruments: KnownInstruments, foreign: Foreign, recurring: Recurring) -> None:
        self._recurring = recurring
        self._rail = terms.rail
        self._clock = terms.clock
        self._instruments = instruments
        self._foreign = foreign

    async def knows(self, txid: str) -> bool:
        """Tells whether a txid is an instrument of ours. DatabaseAway: try again later."""
        return txid in await self._instruments.asked(self._rail, [txid])

    async def store(self, rows: tuple[bytes, ...], keep: Keep) -> None:
        """Stores the payments of a page, as the bank has written them. An unreadable one is kept for people."""
        payments: list[BankPayment] = []
        messages: list[NetworkMessage] = []
        for raw in rows:
            try:
                payments.append(wire.payment(raw, self._clock))
            except Malformed:
                messages.append(unread(raw))
        asked = await asked_for(self._rail, payments, self._instruments)
        messages += [settled(one, one.txid or "") for one in payments if one.payment_id in asked.ours]
        foreign = [asked.foreign(self._rail, one) for one in payments if one.payment_id not in asked.ours]
        if foreign:
            await self._foreign.keep(foreign)
        await keep(messages)
        if asked.recurrences:
            with suppress(port.Transient, TimeoutError):  # they are asked about again, each by itself
                async with asyncio.timeout(_AUTHORIZED_SECONDS):
                    for name in sorted(asked.recurrences):
                        await keep(list(await self._recurring.told(name)))


@dataclass(frozen=True, slots=True)
class AskedFor:
    """Payments by their ids. ours: an order asked for them. at_other_keys: an order has their txid, and another key.

    recurrences: the idRecs that ours authorize.
    """

    ours: frozenset[str]
    at_other_keys: frozenset[str]
    recurrences: frozenset[str] = frozenset()

    def foreign(self, rail: str, one: BankPayment) -> ForeignPayment:
        """Returns a bank's payment as the list of foreign ones keeps it."""
        reason = OTHER_KEY if one.payment_id in self.at_other_keys else None
        return ForeignPayment(rail, one.payment_id, one.amount, one.at, one.txid, one.key, reason)


async def asked_for(rail: str, payments: Sequence[BankPayment], instruments: KnownInstruments) -> AskedFor:
    """Finds the payments that an order of ours asked for: under its txid, and at its key."""
    txids = {one.txid for one in payments if one.txid is not None and is_txid_dynamic(one.txid)}
    asked = await instruments.asked(rail, txids) if txids else {}
    ours: set[str] = set()
    others: set[str] = set()
    recurrences: set[str] = set()
    for one in payments:
        if one.txid is None or one.txid not in asked:
            continue
        if is_at_key(one, asked[one.txid].key):
            ours.add(one.payment_id)
            if (name := asked[one.txid].recurrence_id) is not None:
                recurrences.add(name)
        else:
            _log.critical("bank.key_differs", rail=rail, network_id=one.payment_id)
            others.add(one.payment_id)
    return AskedFor(frozenset(ours), frozenset(others), frozenset(recurrences))


def is_at_key(one: BankPayment, key: str | None) -> bool:
    """Tells whether a payment came to a Pix key. One whose key the bank does not tell is taken for it; key None: any."""
    return one.key is None or key is None or names_key(one.key, key)


def settled(one: BankPayment, txid: str) -> NetworkMessage:
    """Returns the message of a payment of ours. The bank has it, so that it is settled.

    Its txid lets an order see that money for it is in the inbox, while nobody has booked it.
    """
    told = port.Collected(one.payment_id, txid, one.amount, paid_at=one.at, settled_at=one.at)
    name = f"pix:{one.payment_id}"
    return port.NetworkMessage(port.COLLECTION_SETTLED, name, one.payment_id, port.encode(told), txid=txid, instrument=txid)


class Polling:
    """The stream of one connection. line, recurring: for what a webhook names."""

    def __init__(
        self, polling: PollingTerms, terms: ListTerms, line: Line, lists: Lists, cursor: RailCursor, router: PaymentRouter,
        recurring: Recurring,
    ) -> None:  # fmt: skip
        self._polling = polling
        self._terms = terms
        self._line = line
        self._lists = lists
        self._cursor = cursor
        self._router = router
        self._recurring = recurring
        self._seen_at: datetime | None = None  # the place of the process that polls, when this one does not

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Polls until stop. A webhook makes the payment that it names be looked at within a second."""
        await pull_until(stop, lambda: self.turn(keep, stop))
        await self._cursor.give_up()

    async def catch_up(self, keep: Keep) -> None:
        """Stores everything from the cursor to now, whoever polls; the cursor stays. Transient: some may be missing."""
        place = await self._cursor.read()
        until = place.now + _A_SECOND  # a question has whole seconds
        await self._lists.payments(place.until - OVERLAP, until, lambda rows: self._router.store(rows, keep))

    async def poll(self, keep: Keep) -> bool:
        """Stores what came since the cursor, and moves it; False: another process polls. Transient: ask again later.

        After a failure the lease is given up: the bank may answer another process, which has another route to it.
        """
        place = await self._cursor.take()
        if place is None:
            if self._is_read(await self._cursor.read()):
                await keep([])
            return False
        try:
            await self._read_on(place, keep)
        except Exception:
            with suppress(DatabaseAway):
                await self._cursor.give_up()
            raise
        await keep([])
        return True

    async def _read_on(self, place: StreamPosition, keep: Keep) -> None:
        goal = place.now - BEHIND
        since = min(place.until, goal) - OVERLAP

        async def take(rows: tuple[bytes, ...]) -> None:
            await self._router.store(rows, keep)
            if await self._cursor.take() is None:
                raise port.Transient("another process has begun to poll")

        while True:
            until = min(since + self._terms.window, goal)
            await self._lists.payments(since, until, take)
            failpoint("inbox.stored")
            await self._cursor.move(until)
            if until >= goal:
                return
            since = until - OVERLAP

    def _is_read(self, place: StreamPosition) -> bool:
        """Tells whether the other process reads: its place is near the present, or has moved since the last look."""
        has_moved = self._seen_at is not None and place.until > self._seen_at
        self._seen_at = place.until
        return has_moved or place.now - place.until <= timedelta(seconds=self._polling.poll_seconds) + _LATE

    async def turn(self, keep: Keep, stop: asyncio.Event) -> bool:
        """Polls once, then waits for the next turn; looks at hints meanwhile. False when stopping."""
        clock = asyncio.get_running_loop().time
        if (has_polled := await unless_stopped(stop, self.poll(keep))) is None:
            return False
        ends_at = clock() + (self._polling.poll_seconds if has_polled else self._polling.take_over_seconds)
        may_look = has_polled
        while (left := ends_at - clock()) > 0:
            if may_look and (looked := await unless_stopped(stop, self._hinted(keep, left))) is not None:
                may_look = looked
            if has_polled:
                await keep([])  # the poll before was answered, however long the next one is away
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), min(left, self._polling.hint_seconds))
            if stop.is_set():
                return False
        return True

    async def _hinted(self, keep: Keep, seconds: float) -> bool:
        """Looks at a few hints, until the next poll at most. False: the bank did not answer about one.

        Transient: the bank asks for a pause.
        """
        clock = asyncio.get_running_loop().time
        ends_at = clock() + seconds
        for name in await self._cursor.hints(HINTS_AT_ONCE):
            if clock() >= ends_at:
                break
            try:
                await self.look(name, keep)
            except port.Transient as away:
                await self._cursor.looked_at(name, is_seen=False)
                _log.info("bank.hint_unread", rail=self._terms.rail, network_id=name, reason=away.reason)
                if away.retry_after_seconds is not None:
                    raise
                return False
            await self._cursor.looked_at(name, is_seen=True)
        return True

    async def look(self, name: str, keep: Keep) -> None:
        """Stores what a webhook has named: what the bank has of it, and nothing that the webhook said.

        name: a payment's endToEndId; or RECURRING_HINT, and behind it a recurrence's idRec or the txid of its charge.
        Transient: the bank does not answer now.
        """
        if not name.startswith(port.RECURRING_HINT):
            await self._look_at_payment(name, keep)
            return
        named = name.removeprefix(port.RECURRING_HINT)
        if is_recurrence_id(named) or await self._router.knows(named):  # other systems' charges ring too
            await keep(list(await self._recurring.told(named)))

    async def _look_at_payment(self, payment_id: str, keep: Keep) -> None:
        answer = await self._line.ask("GET", f"/pix/{quote(payment_id, safe='')}", None, TIMEOUT_SECONDS)
        verdict = alarmed(judge(answer, "GET pix"), self._terms.rail, "GET pix", payment_id)
        if verdict.meaning is Meaning.DONE and wire.is_json(answer.body):
            await self._store_seen(payment_id, answer.body, keep)
        elif verdict.meaning is Meaning.UNKNOWN:
            _log.warning("bank.hint_unknown", rail=self._terms.rail, network_id=payment_id)
            await self._cursor.count_unknown_hint()
        elif verdict.meaning is Meaning.TRANSIENT:
            raise verdict.transient
        else:  # polling finds it
            _log.info("bank.hint_unread", rail=self._terms.rail, network_id=payment_id, reason=verdict.reason)

    async def _store_seen(self, payment_id: str, body: bytes, keep: Keep) -> None:
        """Stores the answer about one payment. An answer about another payment is not used."""
        try:
            seen = wire.payment(body, self._terms.clock).payment_id
        except Malformed:  # it is kept for people
            seen = payment_id
        if seen == payment_id:
            await self._router.store((body,), keep)
        else:
            _log.critical("bank.answer_invalid", rail=self._terms.rail, network_id=payment_id, code="endToEndId")
