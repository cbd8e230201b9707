"""Disputes at the DICT over HTTP: a Rail, whose events are pulled by long polling, and a client's own requests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lastro.rails.event_stream import TIMEOUT_SECONDS, Movements, accepted
from lastro.rails.med import wire
from lastro.rails.messages import Malformed
from lastro.rails.network_client import Adapter
from lastro.rails.port import Permanent, Transient, Unknown
from lastro.rails.port.med import MED_ACKNOWLEDGE, MED_ANSWER, MED_ORDER, MED_VERDICT, OPEN_SECONDS, med_task

if TYPE_CHECKING:
    import asyncio
    from uuid import UUID

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Keep, NetworkMessage, Pending
    from lastro.rails.port.med import MedContest, MedNews

_RECOVERIES, _REPORTS, _REFUNDS = "/dict/v2/funds-recoveries", "/dict/v2/infraction-reports", "/dict/v2/refunds"
_NOT_NOW = "InfractionReportOperationInvalid"
_EVENTS = ("FUNDS_RECOVERY", "INFRACTION_REPORT", "REFUND")


class Med(Adapter):
    """A Rail, and a Disputes. line: to the directory, with our token there. ispb: ours."""

    def __init__(self, line: NetworkClient, ispb: str) -> None:
        super().__init__(line)
        self._ispb = ispb
        reader = partial(_read, ispb)
        self._events = Movements(line, "/dict/v2/med-events", dict.fromkeys(_EVENTS, reader))

    async def contest(self, wish: MedContest) -> MedNews:
        """Opens a recovery. Transient: silence for OPEN_SECONDS. Permanent: the directory opens none."""
        return await self._asked(_RECOVERIES, wire.contested(wish))

    async def cancel(self, recovery_id: UUID) -> MedNews:
        """Cancels the recovery."""
        return await self._asked(f"{_RECOVERIES}/{recovery_id}/cancel", b"{}")

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Tells the directory the end of one of its objects; the same again changes nothing there.

        Permanent: the directory itself refuses. Transient: any other refusal. ValueError for a kind that it has not.
        """
        del network_id, company_id  # the one is made of the object's id, the other concerns us alone
        task = med_task(body)
        name = task.directory_id or task.reference_id
        if kind == MED_ACKNOWLEDGE:
            await self._tell(f"{_REPORTS}/{name}/acknowledge", b"{}")
        elif kind == MED_VERDICT:
            await self._decide(f"{_REPORTS}/{name}", wire.verdict(task))
        elif kind == MED_ORDER:
            await self._tell(f"{_RECOVERIES}/{name}/refund", b"{}")
        elif kind == MED_ANSWER:
            await self._tell(f"{_REFUNDS}/{name}/close", wire.answer(task))
        else:
            raise ValueError(f"the directory has no message for {kind}")

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns Unknown: nothing told here is an order with an end. It can be told again."""
        del kind, network_id
        return Unknown()

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop.

        A dispute that has us on both sides is stored for both before the directory hears that we have it.
        """

        async def each_side(messages: list[NetworkMessage], /) -> None:
            await keep([side for one in messages for side in wire.sides(one)])

        await self._events.listen(each_side, stop)

    async def _decide(self, report: str, verdict: bytes) -> None:
        """Closes a report, which must be ACKNOWLEDGED by then: where our word on that was lost it is said again, first."""
        try:
            await self._tell(f"{report}/close", verdict)
        except Permanent as no:
            if no.code != _NOT_NOW:
                raise
            try:
                await self._tell(f"{report}/acknowledge", b"{}")
            except Permanent:
                raise no from None
            await self._tell(f"{report}/close", verdict)

    async def _tell(self, path: str, body: bytes) -> None:
        accepted(await self._line.ask("POST", path, body, TIMEOUT_SECONDS))

    async def _asked(self, path: str, body: bytes) -> MedNews:
        answer = await self._line.ask("POST", path, body, OPEN_SECONDS)
        accepted(answer)
        try:
            return wire.recovery(answer.body, self._ispb)
        except Malformed as malformed:
            raise Transient(f"the recovery cannot be read: {malformed}") from malformed


def _read(ispb: str, movement_id: str, raw: bytes) -> NetworkMessage:
    return wire.message_of(movement_id, raw, ispb)
