"""Reads the charge that a dynamic QR leads to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lastro.core.concurrency_slot import without_slot
from lastro.rails.locations.fetching import Unfit
from lastro.rails.locations.judging import DUE_DATE, NOT_OURS, OVER, has_due_date, judged, our_token, unfit, url_of
from lastro.rails.port import Transient
from lastro.standards import jws

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection
    from datetime import datetime

    from lastro.rails.locations.fetching import Fetcher
    from lastro.rails.locations.trust import Trust
    from lastro.rails.port import Charge, NoCharge

SECONDS = 3.0  # for everything that one QR takes (contract.md §10)


class Locations:
    """Reads charges at our locations and at others'.

    hosts: under which ours are served; own: the charge behind a token of ours as its location would say it, None where
    nothing can be paid there. It is never asked for over HTTP. machine: real time, by which certificates hold.
    """

    def __init__(
        self, fetcher: Fetcher, trust: Trust, hosts: Collection[str], own: Callable[[str], Awaitable[bytes | None]],
        machine: Callable[[], datetime], *, sandbox: bool,
    ) -> None:  # fmt: skip
        self._fetcher = fetcher
        self._machine = machine
        self._trust = trust
        self._hosts = hosts
        self._own = own
        self._sandbox = sandbox

    async def read(self, location: str, now: datetime) -> Charge | NoCharge:
        """Returns the charge at a location. Transient: the location, its keys or the directory were silent for 3 s."""
        token = our_token(location, self._hosts)
        if token is not None:
            return await self._read_own(token, now)
        if has_due_date(location):
            return DUE_DATE
        try:
            async with without_slot(), asyncio.timeout(SECONDS):
                url = url_of(location, sandbox=self._sandbox)
                answer = await self._fetcher.get(url, gone=OVER)
                return judged(await self._verified(url, answer.body), now)
        except Unfit as unfit_:
            return unfit_.charge
        except TimeoutError as late:
            raise Transient(f"the charge of the QR could not be read within {SECONDS:g} s") from late

    async def _read_own(self, token: str, now: datetime) -> Charge | NoCharge:
        if not token:
            return NOT_OURS
        body = await self._own(token)
        return OVER if body is None else judged(body, now)

    async def _verified(self, url: str, body: bytes) -> bytes:
        """Returns the signed bytes of a JWS from a trusted host.

        Its keys are on a host of the participant that has the URL (contract.md §10).
        """
        try:
            compact = body.decode("ascii").strip()
            jku = jws.header(compact).get("jku")
        except (UnicodeDecodeError, jws.JwsError) as unsigned:
            raise Unfit(unfit("leads to a charge that is not signed as it must be")) from unsigned
        if not isinstance(jku, str) or not await self._trust.signers(jku):
            raise Unfit(unfit("leads to a charge whose signer is no participant of Pix"))
        if not await self._trust.signers(jku, url):
            raise Unfit(unfit("leads to an address that is not its signer's"))
        try:
            return jws.verify(compact, await self._trust.keys(jku), self._machine())
        except jws.JwsError:
            pass  # its signer may have new keys
        try:
            return jws.verify(compact, await self._trust.keys(jku, fresh=True), self._machine())
        except jws.JwsError as forged:
            raise Unfit(unfit("leads to a charge whose signature is not that of its signer")) from forged
