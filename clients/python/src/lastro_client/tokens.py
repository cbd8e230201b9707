"""The token of a client: fetched once, kept, and renewed before it ends."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro_client.errors import LastroError, refused

if TYPE_CHECKING:
    import httpx

OPERATION = "create_oauth_token"
_CURE = "Look at the client's id and secret; a secret is shown once, a new one can be made."
_EARLY = 0.1  # of its life, but a minute at most
_MOST_EARLY_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Token:
    """A token. until: when to renew it, by the clock that it was fetched by."""

    text: str
    until: float


@dataclass(frozen=True, slots=True)
class Login:
    """A client's id and secret. The secret is not in its representation."""

    client_id: str
    client_secret: str

    def __repr__(self) -> str:
        return f"Login({self.client_id!r})"

    def request(self, http: httpx.Client | httpx.AsyncClient, base_url: str) -> httpx.Request:
        """Returns the request for a token: OAuth 2.0, client credentials."""
        basic = base64.b64encode(f"{self.client_id}:{self.client_secret}".encode()).decode()
        return http.build_request(
            "POST",
            base_url + "/oauth2/token",
            data={"grant_type": "client_credentials"},
            headers={"authorization": f"Basic {basic}"},
        )


def token_of(answer: httpx.Response, now: float) -> Token:
    """Reads a token. LastroError: there is none."""
    request_id = answer.headers.get("x-request-id", "")
    if answer.status_code != 200:
        cure = _CURE if answer.status_code in (400, 401) else ""
        raise refused(OPERATION, answer.status_code, _in_our_words(answer), request_id=request_id, cure=cure)
    try:
        said = json.loads(answer.content)
        text, seconds = str(said["access_token"]), float(said["expires_in"])
    except (ValueError, KeyError, TypeError):
        raise LastroError("The answer is no token: is this the address of a lastro?", request_id=request_id) from None
    return Token(text, now + seconds - min(seconds * _EARLY, _MOST_EARLY_SECONDS))


def _in_our_words(answer: httpx.Response) -> bytes:
    """OAuth's errors are one word; the interface's have a message too."""
    try:
        said = json.loads(answer.content)
    except ValueError:
        return b""
    if not isinstance(said, dict) or "message" in said:
        return answer.content
    return json.dumps({"error": said.get("error", "UNKNOWN"), "message": "No token"}).encode()
