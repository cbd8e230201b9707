"""Fetching what a dynamic QR points to.

Only locations of registered participants are asked, so nobody can send the simulator to an address of his choice; and
only what their keys signed is believed.
"""

import asyncio
from dataclasses import dataclass

import aiohttp
import msgspec

from lastro.standards import jws, payload, recurrence_payload
from lastro_sim import faults
from lastro_sim.clock import SECOND, moment
from lastro_sim.network import Network

LARGEST_ANSWER = 65_536
# What strikes here; the rest of a location's faults is played by who serves it.
AT_THE_READER = frozenset({"reject", "slow", "down"})
OUTCOMES = {404: "LOCATION_NOT_FOUND", 410: "LOCATION_GONE"}


@dataclass(frozen=True)
class UnreadableError(Exception):
    """The location gives nothing to be believed; `problem` says why."""

    problem: str


class Locations:
    """The payer's bank's way to locations: one HTTP client, and the keys it fetched lately."""

    def __init__(self, network: Network, client: aiohttp.ClientSession) -> None:
        self._network = network
        self._client = client
        self._keys: dict[str, tuple[int, dict[str, object]]] = {}

    async def charge(self, location: str) -> payload.ChargePayload:
        """The charge at a location, verified."""
        try:
            return payload.decode((await self._signed(location))[1])
        except payload.WithdrawalError:
            raise UnreadableError("WITHDRAWAL") from None
        except payload.PayloadError:
            raise UnreadableError("PAYLOAD_INVALID") from None

    async def recurrence(self, location: str) -> recurrence_payload.RecurrencePayload:
        """The recurrence at a location, verified; it must be of the institution that serves it."""
        ispb, body = await self._signed(location)
        try:
            found = recurrence_payload.decode(body)
        except recurrence_payload.RecurrencePayloadError:
            raise UnreadableError("PAYLOAD_INVALID") from None
        if found.receiver.ispb != ispb:
            raise UnreadableError("LOCATION_NOT_TRUSTED")
        return found

    async def _signed(self, location: str) -> tuple[str, bytes]:
        """What a location serves inside its signature, and the ISPB of the participant whose it is."""
        ispb, jku = self._trusted(location)
        await self._misbehave(location)
        scheme = jku.partition("://")[0]
        compact = (await self._fetch(f"{scheme}://{location}")).decode("ascii", "replace").strip()
        try:
            head = jws.header(compact)
        except jws.JwsError:
            raise UnreadableError("SIGNATURE_INVALID") from None
        if head.get("jku") != jku:
            raise UnreadableError("LOCATION_NOT_TRUSTED")
        return ispb, await self._verified(compact, jku)

    def _trusted(self, location: str) -> tuple[str, str]:
        host = location.partition("/")[0].lower()
        row = self._network.store.row("SELECT ispb, jku FROM participant WHERE host = ?", host)
        if row is None:
            raise UnreadableError("LOCATION_NOT_TRUSTED")
        return str(row["ispb"]), str(row["jku"])

    async def _misbehave(self, location: str) -> None:
        fault = faults.strike(self._network, "location", {"location": location}, AT_THE_READER)
        if fault is None:
            return
        if fault.behaviour == "slow":
            await asyncio.sleep(fault.delay / SECOND)
        else:
            raise UnreadableError("LOCATION_UNAVAILABLE" if fault.behaviour == "down" else "SIGNATURE_INVALID")

    async def _verified(self, compact: str, jku: str) -> bytes:
        """The signed bytes. Keys from the cache are tried first; should they fail, fresh ones decide."""
        fetched_at, keys = self._keys.get(jku, (0, {}))
        now = self._network.clock.machine()
        if now - fetched_at < self._network.settings.keys_seconds * SECOND:
            try:
                return jws.verify(compact, keys, moment(now))
            except jws.JwsError:
                pass
        self._keys[jku] = (now, await self._fetch_keys(jku))
        try:
            return jws.verify(compact, self._keys[jku][1], moment(now))
        except jws.JwsError:
            raise UnreadableError("SIGNATURE_INVALID") from None

    async def _fetch_keys(self, jku: str) -> dict[str, object]:
        try:
            return msgspec.json.decode(await self._fetch(jku), type=dict[str, object])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise UnreadableError("SIGNATURE_INVALID") from None

    async def _fetch(self, url: str) -> bytes:
        seconds = aiohttp.ClientTimeout(total=self._network.settings.fetch_seconds)
        try:
            async with self._client.get(url, allow_redirects=False, timeout=seconds) as answered:
                if answered.status != 200:
                    raise UnreadableError(OUTCOMES.get(answered.status, "LOCATION_UNAVAILABLE"))
                body = await answered.content.read(LARGEST_ANSWER + 1)
                while len(body) <= LARGEST_ANSWER and (more := await answered.content.read(LARGEST_ANSWER)):
                    body += more
        except (aiohttp.ClientError, TimeoutError, ValueError):
            raise UnreadableError("LOCATION_UNAVAILABLE") from None
        if len(body) > LARGEST_ANSWER:
            raise UnreadableError("LOCATION_UNAVAILABLE")
        return body
