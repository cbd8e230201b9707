"""GET /sandbox/postman-environment.json: the environment with which the collection is played against this sandbox."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from lastro.api_kit.http import Response, refusal, unexpected
from lastro.core.errors import Kind, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from litestar.types import HTTPScope

_ID: Final = "7a6f2a52-2f4e-5f0c-9a55-3c0d7f0e5b12"
_JSON: Final = b"application/json"
_FROM_ELSEWHERE: Final = (b"cross-site", b"same-site")
_KEPT_NOWHERE: Final = ((b"cache-control", b"no-store"),)


@dataclass(frozen=True)
class Environment:
    """The path. home: where sandbox.json is, of which a caller from this machine alone may see the secret."""

    home: Path

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers the environment; 403 from elsewhere, 503 while the demo data is not laid."""
        address = scope["state"]["peer"].address
        is_near = address is not None and address.is_loopback
        if not is_near or headers.get(b"sec-fetch-site", b"") in _FROM_ELSEWHERE:
            return refusal(Refused(Kind.FORBIDDEN))
        try:
            sandbox = json.loads((self.home / "sandbox.json").read_bytes())
        except (OSError, ValueError):
            return unexpected(503)
        return Response(200, msgspec.json.encode(environment(sandbox)), _JSON, _KEPT_NOWHERE)


def environment(sandbox: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the environment for Postman. sandbox: what sandbox.json says."""
    account = sandbox["accounts"][0]
    values = {
        "baseUrl": sandbox["baseUrl"], "simulatorUrl": sandbox["simulatorUrl"], "clientId": sandbox["clientId"],
        "clientSecret": sandbox["clientSecret"], "accountId": account["id"], "accountNumber": account["number"],
        "pixKey": account["pixKey"],
    }  # fmt: skip
    return {
        "id": _ID,
        "name": "lastro sandbox",
        "values": [
            {"key": key, "value": value, "type": "secret" if key == "clientSecret" else "default", "enabled": True}
            for key, value in values.items()
        ],
        "_postman_variable_scope": "environment",
    }
