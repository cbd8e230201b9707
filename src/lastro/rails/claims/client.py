"""Claims at the DICT over HTTP: a Rail, whose claims are pulled by long polling, and a client's own requests."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from lastro.rails.claims import wire
from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, accepted
from lastro.rails.messages import Malformed, instant
from lastro.rails.network_client import Adapter
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

    from lastro.rails.network_client import NetworkAnswer, NetworkClient
    from lastro.rails.port import Keep, NetworkMessage, Pending
    from lastro.rails.port.claims import ClaimAct, ClaimNews, ClaimTask, ClaimWish

_CLAIMS = "/dict/v2/claims"
_ACTS: Mapping[ClaimAct, str] = {
    CLAIM_ACKNOWLEDGE: "acknowledge", CLAIM_CONFIRM: "confirm", CLAIM_CANCEL: "cancel", CLAIM_COMPLETE: "complete",
}  # fmt: skip
_ACT: Mapping[str, ClaimAct] = {act: act for act in _ACTS}
_LISTS_A_MINUTE = 40  # the directory's rate limit for lists of claims (DICT API 2.12.1, limits of requests)
# A period that ends there a moment later than here passes.
_EARLY = frozenset({"ClaimResolutionPeriodNotEnded", "ClaimCompletionPeriodNotEnded"})
# The state after each act, and those after it: there the directory answers a repeated act with ClaimOperationInvalid.
_REACHED: Mapping[str, tuple[str, ...]] = {
    CLAIM_ACKNOWLEDGE: ("WAITING_RESOLUTION", "CONFIRMED", "COMPLETED", "CANCELLED"),
    CLAIM_CONFIRM: ("CONFIRMED", "COMPLETED"), CLAIM_CANCEL: ("CANCELLED",), CLAIM_COMPLETE: ("COMPLETED",),
}  # fmt: skip
_OPEN = "Status=OPEN&Status=WAITING_RESOLUTION&Status=CONFIRMED"
_LARGEST_PAGE = 200


class Claims(Adapter):
    """A Rail, and a Claims of the port. line: to the directory, with our token there. ispb: ours."""

    def __init__(self, line: NetworkClient, ispb: str) -> None:
        super().__init__(line)
        self._ispb = ispb
        self._asking = {"PI-RequestingParticipant": ispb}  # getClaim requires it
        readers = {"CLAIM": partial(_read, ispb)}
        self._events = Movements(line, "/dict/v2/claim-events", readers, Pace(_LISTS_A_MINUTE))

    async def open_claim(self, wish: ClaimWish) -> ClaimNews:
        """Opens a claim. Transient: silence for CLAIM_SECONDS. Permanent: the directory opens none.

        Asked again, the directory names the open claim of the key as what is in the way (createClaim has no RequestId):
        that is the same claim where the list of ours has it.
        """
        try:
            return await self._asked(_CLAIMS, wire.wished(wish, self._ispb), CLAIM_SECONDS)
        except Permanent as no:
            opened = await self._opened(wish) if no.code == "ClaimAlreadyExistsForKey" else None
            if opened is None:
                raise
            return opened

    async def tell_claim(self, act: ClaimAct, task: ClaimTask) -> ClaimNews:
        """Returns the claim after the act, or a later state of it."""
        return await self._told(act, task, CLAIM_SECONDS)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Tells the directory about one of its claims; the same again changes nothing there.

        Permanent: the directory itself refuses. Transient: any other refusal. ValueError for a kind that it has not.
        """
        del network_id, company_id  # the one is made of the claim's id, the other concerns us alone
        act = _ACT.get(kind)
        if act is None:
            raise ValueError(f"the directory has no message for {kind}")
        await self._told(act, claim_task(body), TIMEOUT_SECONDS)

    async def _told(self, act: ClaimAct, task: ClaimTask, seconds: float) -> ClaimNews:
        path = f"{_CLAIMS}/{task.claim_id}"
        try:
            return await self._asked(f"{path}/{_ACTS[act]}", wire.told_task(act, task, self._ispb), seconds)
        except Permanent as no:
            if no.code != "ClaimOperationInvalid":
                raise
            answer = await self._line.ask("GET", path, None, seconds, self._asking)
            stands = _claim(answer, self._ispb)
            if stands.status not in _REACHED[act]:
                raise
            return stands

    async def _opened(self, wish: ClaimWish) -> ClaimNews | None:
        """Returns the open claim of ours that this wish has opened before; None: the open one is another's."""
        since = ""
        while True:
            query = f"Participant={self._ispb}&IsClaimer=true&{_OPEN}&Limit={_LARGEST_PAGE}{since}"
            answer = await self._line.ask("GET", f"{_CLAIMS}?{query}", None, CLAIM_SECONDS)
            accepted(answer)
            try:
                found, more = wire.among(answer.body, wish, self._ispb)
            except Malformed as malformed:
                raise Transient(f"the list of claims cannot be read: {malformed}") from malformed
            asked_since, since = since, "" if more is None else f"&ModifiedAfter={quote(instant(more))}"
            if found is not None or since in ("", asked_since):
                return found

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the present status of a claim.

        Nothing told here is an order whose end is asked for: it can be told again.
        """
        if kind != CLAIM_NEWS:
            return Unknown()
        answer = await self._line.ask("GET", f"{_CLAIMS}/{network_id}", None, TIMEOUT_SECONDS, self._asking)
        try:
            accepted(answer)
            message_of = wire.asked(answer.body, self._ispb)
        except Permanent as refused:
            if answer.status == HTTPStatus.NOT_FOUND:
                return Unknown()
            raise Transient(str(refused)) from refused
        except Malformed as malformed:
            raise Transient(f"the claim cannot be read: {malformed}") from malformed
        if message_of.subject != network_id:
            raise Transient("the answer is about another claim")
        return message_of

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        await self._events.listen(keep, stop)

    async def _asked(self, path: str, body: bytes, seconds: float) -> ClaimNews:
        return _claim(await self._line.ask("POST", path, body, seconds), self._ispb)


def _claim(answer: NetworkAnswer, ispb: str) -> ClaimNews:
    """Returns the claim of an answer. Permanent and Transient: there is none."""
    accepted(answer, _EARLY)
    try:
        return wire.claim(answer.body, ispb)
    except Malformed as malformed:
        raise Transient(f"the claim cannot be read: {malformed}") from malformed


def _read(ispb: str, movement_id: str, raw: bytes) -> NetworkMessage:
    return wire.message_of(movement_id, raw, ispb)
