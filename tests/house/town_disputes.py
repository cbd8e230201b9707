"""The directory of the town, as far as disputes are opened and given up there."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

import msgspec
from tests.house.town_claims import claimed

from lastro.core.secrets import Secret
from lastro.rails.network_client import NetworkAnswer, NetworkClient
from lastro.rails.spi import Spi


class TownLine(NetworkClient):
    """To a directory that opens and cancels every recovery it is asked for."""

    async def ask(
        self, method: str, path: str, body: bytes | None, seconds: float, more: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> NetworkAnswer:  # fmt: skip
        if path.startswith("/dict/v2/claims"):
            return claimed(path, body)
        if not path.startswith("/dict/v2/funds-recoveries"):
            return await super().ask(method, path, body, seconds, more, query)
        wish = msgspec.json.decode(body or b"{}")
        *_, name, act = path.split("/")
        said = {
            "Id": name if act == "cancel" else str(UUID(bytes=os.urandom(16), version=4)),
            "Status": "CANCELLED" if act == "cancel" else "CREATED", "SituationType": "SCAM",
            "RootTransactionId": wish.get("RootTransactionId", "E00000000202601311200aaaaaaaaaaa"),
            "LastModified": datetime.now(UTC), "ReporterParticipant": "00000000",
        }  # fmt: skip
        return NetworkAnswer(201, {}, msgspec.json.encode(said))


class TownRail(Spi):
    """The network of the town, which nobody reaches but for its disputes."""

    @property
    def line(self) -> NetworkClient:
        return TownLine("http://127.0.0.1:9", Secret("none"))
