"""PUT /order-tools/v1/order/status: plays the simulated act that leads an order to a status."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import aiohttp
import msgspec

from lastro import orders
from lastro.base import forms
from lastro.base.api import as_id
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Call, Reply
from lastro.doors.http import Response, refusal, unauthorized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import HTTPScope

    from lastro.companies import Claims
    from lastro.doors.operations import Operations
    from lastro.doors.wiring import House

_REACHABLE = ("PAID", "EXPIRED", "CANCELED", "ERROR")
_STATUSES = (*_REACHABLE, "INITIAL", "PENDING", "AUTHENTICATING", "REFUNDED", "PARTIAL_REFUNDED")
_OPEN_AMOUNT = "1.00"  # what the simulated payer types where the amount is open
_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class OrderTools:
    """Every status of an order is reachable by a call; what takes days in the network waits for the clock."""

    house: House
    operations: Operations
    simulator_url: str

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers the order as it then is; a status it cannot go to is a conflict."""
        claims = await self.operations.claims(headers)
        if claims is None:
            return unauthorized()
        try:
            body = forms.parsed(raw)
        except forms.NotJson as error:
            return refusal(Refused(Kind.INVALID, (Problem("body", "INVALID", str(error)),)))
        shown = await self._show(claims, as_id(body["id"]) if isinstance(body.get("id"), str) else None)
        if isinstance(shown, Refused):
            return refusal(shown)
        wanted = body.get("status")
        if wanted not in _STATUSES:
            text = f"must be one of {', '.join(_STATUSES)}"
            return refusal(Refused(Kind.INVALID, (Problem("status", "INVALID", text),)))
        order = msgspec.json.decode(shown.body)
        # The first charge of a subscription is paid, and ends, together with it; a scheduled one as its bank collects it.
        if wanted not in _REACHABLE or order["status"] != "INITIAL" or "subscription" in order:
            return refusal(_conflict(order["status"]))
        refused = await self._play(claims, order, wanted)
        if refused is not None:
            return refusal(refused)
        after = await self._until(claims, UUID(order["id"]), wanted)
        return refusal(after) if isinstance(after, Refused) else Response(200, after.body)

    async def _play(self, claims: Claims, order: dict[str, Any], wanted: str) -> Refused | None:
        company_id, order_id, place = UUID(claims.company_id), UUID(order["id"]), self.house.place
        if wanted == "PAID":
            return await self._pay(order)
        if wanted == "CANCELED":
            outcome = await self.house.runner.act(company_id, orders.Cancel(order_id, place))
        elif wanted == "ERROR":
            error = "SANDBOX: refused by the partner"
            outcome = await self.house.runner.act(company_id, orders.Fail(order_id, error, place))
        else:
            outcome = await self.house.runner.act(company_id, orders.Expire(order_id, place, before_its_time=True))
        return outcome if isinstance(outcome, Refused) else None

    async def _pay(self, order: dict[str, Any]) -> Refused | None:
        act: dict[str, Any] = {"qrcodeData": order["pix"]["qrcodeData"]}
        if "amount" not in order:
            act["amount"] = _OPEN_AMOUNT
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_SECONDS + 5)
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=False) as client,
            client.post(f"{self.simulator_url}/phone/pay", json=act) as answer,
        ):
            said = await answer.json()
        return None if said.get("status") in ("SETTLED", "PENDING") else _conflict(str(said.get("code")))

    async def _until(self, claims: Claims, order_id: UUID, wanted: str) -> Reply | Refused:
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            shown = await self._show(claims, order_id)
            if isinstance(shown, Refused):
                return shown
            status = msgspec.json.decode(shown.body)["status"]
            if status in (wanted, *_REACHABLE) or asyncio.get_running_loop().time() > deadline:
                return shown  # where it wanted to go, or where it ended instead
            await asyncio.sleep(0.02)

    async def _show(self, claims: Claims, order_id: UUID | None) -> Reply | Refused:
        call = Call(
            UUID(claims.company_id), claims.client_id, claims.issued_at, "orders:write", "order_tools", None, b"", 200
        )
        return await self.house.runner.run(call, orders.Read(order_id, self.house.place))


def _conflict(what: str) -> Refused:
    return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", f"the order cannot go there: {what}"),))
