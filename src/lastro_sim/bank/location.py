"""Fetching the location of a dynamic QR code.

Only locations of registered participants are asked, so that nobody can send the simulator to an address of his choice;
only bodies that their keys signed are accepted.
"""

import asyncio
from dataclasses import dataclass

import msgspec

from lastro.standards import jws, payload, recurrence_payload
from lastro_sim import faults
from lastro_sim.clock import SECOND, moment
from lastro_sim.network import Network

from .fetching import Fetcher

LARGEST_ANSWER = 65_536
# The faults that strike here; the server of the location plays the others.
AT_THE_READER = frozenset({"reject", "slow", "down"})
OUTCOMES = {404: "LOCATION_NOT_FOUND", 410: "LOCATION_GONE"}


@dataclass(frozen=True)
class UnreadableError(Exception):
    """A location without a trusted answer; `problem` names the reason."""

    problem: str


class Locations:
    """The payer's bank's client for locations, with a cache of keys."""

    def __init__(self, network: Network, fetcher: Fetcher) -> None:
        self._network = network
        self._fetcher = fetcher
        self._keys: dict[str, tuple[int, dict[str, object]]] = {}

    async def charge(self, location: str) -> payload.ChargePayload:
        """Returns the verified charge at a location."""
        try:
            return payload.decode((await self._signed(location))[1])
        except payload.WithdrawalError:
            raise UnreadableError("WITHDRAWAL") from None
        except payload.PayloadError:
            raise UnreadableError("PAYLOAD_INVALID") from None

    async def recurrence(self, location: str) -> recurrence_payload.RecurrencePayload:
        """Returns the verified recurrence at a location; it must be its server's."""
        ispb, body = await self._signed(location)
        try:
            found = recurrence_payload.decode(body)
        except payload.PayloadError:
            raise UnreadableError("PAYLOAD_INVALID") from None
        if found.receiver.ispb != ispb:
            raise UnreadableError("LOCATION_NOT_TRUSTED")
        return found

    async def _signed(self, location: str) -> tuple[str, bytes]:
        """Fetches a location and returns its participant's ISPB and the verified body."""
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
        row = self._network.store.find("participant", host=host)
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
        """Verifies with cached keys and returns the signed bytes. Should they fail, fresh keys decide."""
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
        try:
            status, body = await self._fetcher.get(url, LARGEST_ANSWER, self._network.settings.fetch_seconds)
        except (OSError, TimeoutError, ValueError):
            raise UnreadableError("LOCATION_UNAVAILABLE") from None
        if status != 200:
            raise UnreadableError(OUTCOMES.get(status, "LOCATION_UNAVAILABLE"))
        if len(body) > LARGEST_ANSWER:
            raise UnreadableError("LOCATION_UNAVAILABLE")
        return body
