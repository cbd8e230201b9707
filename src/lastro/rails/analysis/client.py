"""The partner who looks at requests for accounts, over HTTP: requests and documents go out, verdicts are pulled."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import UUID

from lastro.core.media import JSON
from lastro.rails import port
from lastro.rails.analysis import wire
from lastro.rails.event_stream import FOR_GOOD, TIMEOUT_SECONDS, Movements
from lastro.rails.messages import problem, understood
from lastro.rails.network_client import Adapter
from lastro.rails.port import NetworkMessage, Pending, Permanent, Transient, Unknown

if TYPE_CHECKING:
    import asyncio

    from lastro.rails.network_client import NetworkClient
    from lastro.rails.port import Documents, Keep


class Analysis(Adapter):
    """The adapter: a Rail. line: to the partner, with our token there. documents: their store."""

    def __init__(self, line: NetworkClient, documents: Documents) -> None:
        super().__init__(line)
        self._documents = documents
        self._movements = Movements(line, "/analysis/v1/movements", wire.READERS)

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Hands over a request, and each document that the partner lacks.

        Idempotent: a document that arrived stays there, so that an interrupted upload goes on where it ended. ValueError
        for another kind.
        """
        del network_id  # it stands in the body
        if kind != port.ANALYSIS_SEND:
            raise ValueError(f"the analysis has no message for {kind}")
        order = port.analysis_order(body)
        answer = await self._told("PUT", _at(order.reference), wire.written(order), JSON)
        missing = understood(wire.missing, order.reference, answer)
        for document in order.documents:
            if document.id in missing:
                await self._upload(order.reference, document, company_id)

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns the status of a request; one that lacks documents there is Unknown: it has not arrived."""
        del kind
        answer = await self._line.found(_at(network_id), TIMEOUT_SECONDS)
        return Unknown() if answer is None else understood(wire.status, network_id, answer)

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Pulls until stop."""
        await self._movements.listen(keep, stop)

    async def _upload(self, reference: str, document: port.DocumentRef, company_id: UUID) -> None:
        content = await self._documents.content(company_id, UUID(document.id))
        if content is None:
            # Uploads are not taken while a request is looked at: what it was handed over with is there.
            raise Transient("a document of the request is not kept any more")
        form, media = wire.upload(document, content)
        await self._told("PUT", f"{_at(reference)}/documents/{document.id}", form, media)

    async def _told(self, method: str, path: str, body: bytes, media: str) -> bytes:
        answer = await self._line.ask(method, path, body, TIMEOUT_SECONDS, {"Content-Type": media})
        if 200 <= answer.status < 300:
            return answer.body
        code, reason = problem(answer.status, answer.body)
        if answer.status in FOR_GOOD:
            raise Permanent(code, reason)
        raise Transient(f"{code}: {reason}")


def _at(reference: str) -> str:
    return f"/analysis/v1/requests/{quote(reference, safe='')}"
