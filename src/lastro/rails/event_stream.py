"""The movements of partners that collect, pulled by long polling.

They are confirmed once they are stored. A movement has a sequence number, by which it is confirmed, and an id, by which a
second copy is known.
"""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from lastro.core.failpoints import failpoint
from lastro.core.money import Money, MoneyError
from lastro.rails import port
from lastro.rails.messages import Malformed, Party, code_or, decoded, is_its_own, is_worded, problem, unread
from lastro.rails.port import Permanent, Transient
from lastro.rails.pulling import WAIT_SECONDS, pull_until, unless_stopped

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Container, Mapping

    from lastro.rails.network_client import NetworkAnswer, NetworkClient
    from lastro.rails.pace import Pace
    from lastro.rails.port import Keep

    # By the type that a movement names; takes the movement's id and its bytes. Malformed, MoneyError: it is not understood.
    Readers = Mapping[str, Callable[[str, bytes], port.NetworkMessage]]

TIMEOUT_SECONDS = 10.0
_LIMIT = 100
_MANY, _FEW = 100, 10  # answers; movements of one
# Answers that say no to what was asked; any other refusal may be a fault of the way there, which passes.
FOR_GOOD = frozenset({400, 409, 413, 422})
# The directory's no may be these, too, where it has its own body: a wrong address answers so as well.
_DIRECTORYS_NO = FOR_GOOD | {403, 404}
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")


class Movements:
    """The stream of one partner. path: where its movements are; readers: by the type of a movement; pace: of the pulls."""

    def __init__(self, line: NetworkClient, path: str, readers: Readers, pace: Pace | None = None) -> None:
        self._line = line
        self._path = path
        self._readers = readers
        self._pace = pace
        self._place: int | None = None  # behind which the next pull goes on

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop. The partner knows which movements we confirmed, so that a new process begins behind them."""
        await pull_until(stop, lambda: self._pull(keep, stop))
        if self._place is not None:
            with suppress(Transient):
                await self._line.ask("GET", self._after(self._place, 0), None, 1.0)

    async def catch_up(self, keep: Keep) -> None:
        """Stores every movement that the partner tells until an answer is empty. Transient: some of them may be missing.

        An answer with fewer than were asked for is no end: a partner may have a limit of its own. After many answers a small
        one is, since it holds what came while they were read.
        """
        place: int | None = None
        for answers in itertools.count(1):
            answer = await self._line.ask("GET", self._after(place, 0), None, TIMEOUT_SECONDS)
            told, last = self._messages(answer)
            await keep(told)
            if last is None or (answers > _MANY and len(told) < _FEW):
                return
            place = last

    async def _pull(self, keep: Keep, stop: asyncio.Event) -> bool:
        """Pulls once, stores the movements, and moves the place; False when stopping. It confirms the pull before."""
        # What a failed pull has confirmed is confirmed there: the partner says itself where it goes on.
        place, self._place = self._place, None
        if self._pace is not None:
            await self._pace.turn(stop)
        asking = self._line.ask("GET", self._after(place, WAIT_SECONDS), None, WAIT_SECONDS + TIMEOUT_SECONDS)
        answer = await unless_stopped(stop, asking)
        if answer is None:
            self._place = place
            return False
        told, last = self._messages(answer)
        await keep(told)
        if last is None:
            self._place = place
            return True
        failpoint("inbox.stored")
        self._place = last
        return True

    def _messages(self, answer: NetworkAnswer) -> tuple[list[port.NetworkMessage], int | None]:
        """The movements of an answer, and the sequence number of the last. Transient: it is no batch."""
        if answer.status != 200:
            raise Transient(f"the movements answered with HTTP status {answer.status}")
        try:
            return read_batch(answer.body, self._readers)
        except Malformed as malformed:
            raise Transient(f"the movements cannot be read: {malformed}") from malformed

    def _after(self, place: int | None, wait: int) -> str:
        after = "" if place is None else f"&after={place}"
        return f"{self._path}?wait={wait}&limit={_LIMIT}{after}"


async def order(
    line: NetworkClient, method: str, path: str, body: bytes | None, for_good: frozenset[int] = FOR_GOOD
) -> bytes:
    """Asks a partner to do something. Permanent: it refuses for good; Transient: whether it took effect is not known.

    for_good: the HTTP statuses that are this partner's no.
    """
    answer = await line.ask(method, path, body, TIMEOUT_SECONDS)
    if 200 <= answer.status < 300:
        return answer.body
    code, reason = problem(answer.status, answer.body)
    if answer.status in for_good:
        raise Permanent(code, reason)
    raise Transient(f"{code}: {reason}", is_on_its_way=not is_worded(answer.body))


def accepted(answer: NetworkAnswer, passing: Container[str] = ()) -> None:
    """Raises for an answer that refuses.

    Permanent: the directory itself refuses it for good. Transient: it is not known if it was taken. passing: the words of
    a refusal that passes by itself.
    """
    if 200 <= answer.status < 300:
        return
    code, reason = problem(answer.status, answer.body)
    if answer.status in _DIRECTORYS_NO and is_its_own(answer.body) and code not in passing:
        raise Permanent(code_or(code, f"HTTP{answer.status}"), reason)
    raise Transient(f"{code}: {reason}")


class Registered(msgspec.Struct):
    """A partner's record under a reference, as its movements repeat it. number: ours. A missing field is not said."""

    amount: str | None = None
    number: str | None = None
    beneficiary: Party = Party()

    def facts(self, currency: str) -> port.Facts:
        """Returns the facts as rooms see them. MoneyError: the amount is none."""
        amount = None if self.amount is None else Money.parse(self.amount, currency)
        return port.Facts(amount, creditor=self.beneficiary.side, number=self.number)


def facts_of(registered: Registered | None, currency: str = "BRL") -> port.Facts | None:
    """Returns the facts that a movement repeats; None where it repeats nothing."""
    return None if registered is None else registered.facts(currency)


def returned_amount(text: str | None, currency: str = "BRL") -> Money | None:
    """Returns the amount that a return gives back, None if not told. Malformed: it is no amount."""
    try:
        return None if text is None else Money.parse(text, currency)
    except MoneyError as error:
        raise Malformed("amount") from error


class _Place(msgspec.Struct):
    sequence: int


class _Head(msgspec.Struct):
    id: str
    type: str


class _Batch(msgspec.Struct):
    movements: list[msgspec.Raw]


def read_batch(body: bytes, readers: Readers) -> tuple[list[port.NetworkMessage], int | None]:
    """Returns the movements of an answer, and the last one's sequence number.

    They are in the answer's order; the number is None where there is none. A movement that cannot be read is kept as it
    came (UNKNOWN). Malformed: nothing that could be confirmed.
    """
    movements = [bytes(raw) for raw in decoded(body, _Batch).movements]
    places = [decoded(raw, _Place).sequence for raw in movements]
    if places != sorted(set(places)):
        raise Malformed("sequence")
    return [read(raw, readers) for raw in movements], places[-1] if places else None


def read(raw: bytes, readers: Readers) -> port.NetworkMessage:
    """Reads one movement for the rooms.

    A movement that we do not understand has kind UNKNOWN, with the bytes as they came.
    """
    try:
        head = decoded(raw, _Head)
    except Malformed:
        return unread(raw)
    if _ID.fullmatch(head.id) is None:
        return unread(raw)
    reader = readers.get(head.type)
    if reader is not None:
        try:
            return reader(head.id, raw)
        except (Malformed, MoneyError):
            pass
    return port.NetworkMessage(port.UNKNOWN, head.id, head.id, raw)


def partner_id(text: str) -> str:
    """Returns a partner's id of a payment. Malformed: it has another form."""
    if _ID.fullmatch(text) is None:
        raise Malformed("paymentId")
    return text
