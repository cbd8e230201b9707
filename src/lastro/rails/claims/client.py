"""Claims at the DICT over HTTP: a Rail, whose claims are pulled by long polling, and what a client waits for."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from lastro.rails.claims import wire
from lastro.rails.messages import Malformed
from lastro.rails.movements import TIMEOUT_SECONDS, Movements, accepted
from lastro.rails.pace import Pace
from lastro.rails.port import Permanent, Transient, Unknown
from lastro.rails.port.claims import (
    CLAIM_ACKNOWLEDGE,
    CLAIM_CANCEL,
    CLAIM_COMPLETE,
    CLAIM_CONFIRM,
    CLAIM_NEWS,
    CLAIM_SECONDS,
    claim_task,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.rails.line import Line
    from lastro.rails.port import Keep, Pending, Told
    from lastro.rails.port.claims import ClaimAct, ClaimNews, ClaimTask, ClaimWish

_CLAIMS = "/dict/v2/claims"
_ACTS: Mapping[str, str] = {
    CLAIM_ACKNOWLEDGE: "acknowledge", CLAIM_CONFIRM: "confirm", CLAIM_CANCEL: "cancel", CLAIM_COMPLETE: "complete",
}  # fmt: skip
_LISTS_A_MINUTE = 40  # what the directory allows of lists of claims (DICT API 2.12.1, limits of requests)
# A period that ends there a moment later than here passes.
_EARLY = frozenset({"ClaimResolutionPeriodNotEnded", "ClaimCompletionPeriodNotEnded"})


class Claims:
    """A Rail, and a Claims of the port. line: to the directory, with our token there. ispb: ours."""

    def __init__(self, line: Line, ispb: str) -> None:
        self._line = line
        self._ispb = ispb
        readers = {"CLAIM": partial(_read, ispb)}
        self._events = Movements(line, "/dict/v2/claim-events", readers, Pace(_LISTS_A_MINUTE))

    async def open_claim(self, wish: ClaimWish) -> ClaimNews:
        """The claim. Transient: silence for CLAIM_SECONDS. Permanent: the directory opens none."""
        return await self._asked(_CLAIMS, wire.wished(wish, self._ispb), CLAIM_SECONDS)

    async def tell_claim(self, act: ClaimAct, task: ClaimTask) -> ClaimNews:
        """The claim after the act."""
        return await self._asked(f"{_CLAIMS}/{task.claim_id}/{_ACTS[act]}", wire.told_task(task), CLAIM_SECONDS)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Tells the directory about one of its claims; the same again changes nothing there.

        Permanent: the directory itself says no. Transient: whatever else says so. ValueError for a kind that it has not.
        """
        del network_id, company_id  # the one is made of the claim's id, the other concerns us alone
        if kind not in _ACTS:
            raise ValueError(f"the directory has no message for {kind}")
        task = claim_task(body)
        await self._asked(f"{_CLAIMS}/{task.claim_id}/{_ACTS[kind]}", wire.told_task(task), TIMEOUT_SECONDS)

    async def became(self, kind: str, network_id: str) -> Told | Pending | Unknown:
        """How a claim stands now. Of what is told here nothing is an order whose end is asked for: it can be told again."""
        if kind != CLAIM_NEWS:
            return Unknown()
        answer = await self._line.ask("GET", f"{_CLAIMS}/{network_id}", None, TIMEOUT_SECONDS)
        try:
            accepted(answer)
            told = wire.asked(answer.body, self._ispb)
        except Permanent as refused:
            if answer.status == HTTPStatus.NOT_FOUND:
                return Unknown()
            raise Transient(str(refused)) from refused
        except Malformed as malformed:
            raise Transient(f"the claim cannot be read: {malformed}") from malformed
        if told.subject != network_id:
            raise Transient("the answer is about another claim")
        return told

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        await self._events.listen(keep, stop)

    async def close(self) -> None:
        """Ends its connections."""
        await self._line.close()

    async def _asked(self, path: str, body: bytes, seconds: float) -> ClaimNews:
        answer = await self._line.ask("POST", path, body, seconds)
        accepted(answer, _EARLY)
        try:
            return wire.claim(answer.body, self._ispb)
        except Malformed as malformed:
            raise Transient(f"the claim cannot be read: {malformed}") from malformed


def _read(ispb: str, movement_id: str, raw: bytes) -> Told:
    return wire.told(movement_id, raw, ispb)
