"""The tutorial's calls as the demo company, to API and simulated network."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import aiohttp
import msgspec

from lastro.core.money import Money
from lastro_sandbox.calls import Call, CallAnswer, make, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from lastro_sandbox.calls import CallShown

ORDERS: Final = "/order/v2/transparent"
CODE: Final = re.compile(r"START-[0-9a-f]{16}\Z")  # the externalId of whatever this guide makes, and of nothing else
_JSON: Final = "application/json"
_RENEWED_BEFORE_SECONDS: Final = 60.0
_OK, _UNAUTHORIZED = 200, 401
_CUSTOMER: Final = {
    "name": "Bento", "entityType": "INDIVIDUAL", "email": "bento@example.com",
    "document": {"type": "CPF", "number": "12345678909"},
}  # fmt: skip


class Away(Exception):  # noqa: N818
    """The error that the tutorial cannot act now: the sandbox is not laid yet, or a part of it does not answer."""


@dataclass(frozen=True)
class Made:
    """A call that was made. call: as it went out. base_url: of the server that answered."""

    call: Call
    told: CallAnswer
    base_url: str

    @property
    def is_good(self) -> bool:
        """True where the answer was 200."""
        return self.told.status == _OK

    @property
    def json(self) -> Any:
        """The answer's body; None where it is no JSON."""
        try:
            return msgspec.json.decode(self.told.body)
        except msgspec.MsgspecError:
            return None

    @property
    def shown(self) -> CallShown:
        """Returns the call for a page, without its token."""
        return shown(self.call, self.told, self.base_url)


@dataclass(frozen=True)
class Token:
    """A token. until: by `TutorialHandlers.clock`, in seconds. made: the call that it came from."""

    text: str
    until: float
    made: Made


@dataclass
class TutorialHandlers:
    """Acts as the client of sandbox.json. home: where that file is. clock: seconds, for the age of the token alone.

    The token is all that is kept between requests, for everybody together: whatever a page shows is asked anew.
    """

    home: Path
    clock: Callable[[], float] = time.monotonic
    _token: Token | None = field(default=None, init=False)
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def sandbox(self) -> Mapping[str, Any]:
        """Reads sandbox.json. Away: the demo data is not laid yet, so that nobody can act."""
        try:
            found: dict[str, Any] = json.loads((self.home / "sandbox.json").read_bytes())
        except (OSError, ValueError) as missing:
            raise Away("the sandbox is still being laid out: it has no sandbox.json") from missing
        return found

    async def token(self) -> Token:
        """Returns the present token, or a new one near its end. Away: none is given at the moment."""
        async with self._taking:
            if self._token is None or self.clock() > self._token.until:
                self._token = await self._take()
            return self._token

    async def _take(self) -> Token:
        sandbox = self.sandbox()
        login = {name: sandbox[name] for name in ("clientId", "clientSecret")}
        call = Call("POST", "/auth/v1/token", {"content-type": _JSON}, json.dumps(login).encode())
        made = await self._made(call, sandbox["baseUrl"])
        answer = made.json
        if not made.is_good or not isinstance(answer, dict):
            raise Away(f"a token was refused with {made.told.status}")
        lasts = float(answer.get("expiresIn", 0)) - _RENEWED_BEFORE_SECONDS
        return Token(answer["token"], self.clock() + lasts, made)

    async def api(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Made:
        """Calls the API with the token; once more with another after a 401."""
        made = await self._with_token(method, path, body, headers or {})
        if made.told.status == _UNAUTHORIZED:
            self._token = None
            made = await self._with_token(method, path, body, headers or {})
        return made

    async def network(self, method: str, path: str, body: Any = None) -> Made:
        """Calls the simulated network, which needs no token."""
        sent = None if body is None else json.dumps(body).encode()
        call = Call(method, path, {} if sent is None else {"content-type": _JSON}, sent)
        return await self._made(call, self.sandbox()["simulatorUrl"])

    async def _with_token(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Made:
        token = await self.token()
        of_body = {} if body is None else {"content-type": _JSON}
        call = Call(method, path, {"authorization": f"Bearer {token.text}", **of_body, **headers}, body)
        return await self._made(call, self.sandbox()["baseUrl"])

    async def _made(self, call: Call, base_url: str) -> Made:
        try:
            return Made(call, await make(call, base_url), base_url)
        except (aiohttp.ClientError, TimeoutError) as silent:
            raise Away(f"{base_url} does not answer") from silent

    def creating(self, code: str, amount: str, description: str) -> Call:
        """Returns the call that creates an order, without its token. amount: as the API is to have it."""
        body = {
            "customer": _CUSTOMER,
            "order": {
                "externalId": code, "paymentMethod": "PIX", "description": description,
                "amount": {"currency": "BRL", "value": amount},
                "notificationUrl": f"{self.sandbox()['simulatorUrl']}/merchant/webhooks/{code}",
            },
        }  # fmt: skip
        headers = {"authorization": "", "content-type": _JSON, "idempotency-key": code}
        return Call("PUT", ORDERS, headers, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))

    async def create(self, code: str, amount: str, description: str) -> Made:
        """Makes an order; the same code with the same words again makes no second one (its idempotency key is the code)."""
        call = self.creating(code, amount, description)
        return await self.api(call.method, call.path, call.body, {"idempotency-key": code})

    async def order(self, order_id: str) -> tuple[Made, Mapping[str, Any]] | None:
        """Returns an order by Pix of this tutorial, and its call. None for every other, of any company."""
        made = await self.api("GET", f"{ORDERS}/{quote(order_id, safe='')}")
        found = made.json
        if not made.is_good or CODE.match(str(found.get("externalId"))) is None or "pix" not in found:
            return None
        return made, found

    async def by_code(self, code: str) -> str | None:
        """Returns the id of an order that somebody made by curl. None: there is none of this code yet."""
        made = await self.api("GET", f"{ORDERS}?externalId={quote(code, safe='')}")
        data = made.json.get("data") if made.is_good else None
        return str(data[0]["id"]) if data else None

    def paying(self, text: str) -> Call:
        """Returns the call by which the simulated payer's bank pays a code."""
        return Call("POST", "/phone/pay", {"content-type": _JSON}, json.dumps({"qrcodeData": text}).encode())

    async def pay(self, text: str) -> str | None:
        """Pays a code as the first person of the phone. None: it settled or is on its way; else the reason's word."""
        said = (await self.network("POST", "/phone/pay", {"qrcodeData": text})).json
        if isinstance(said, dict) and said.get("status") in ("SETTLED", "PENDING"):
            return None
        return str(said.get("code", "")) if isinstance(said, dict) else ""


def typed_amount(text: str) -> str:
    """Normalises an amount for the API: `1.234,5` and `1234.5` become `1234.50`.

    Other text stays as it is: the API says why.
    """
    text = text.strip()
    plain = text.replace(".", "").replace(",", ".") if "," in text else text
    try:
        return str(Money.parse(plain, "BRL"))
    except ValueError:
        return text
