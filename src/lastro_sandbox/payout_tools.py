"""PUT /order-tools/v1/order/status of a payout: waits for its end, cancels it, or has its receiver give it back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import aiohttp
import msgspec

from lastro import payouts
from lastro.api_kit.http import Response, refusal
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Call, Reply

if TYPE_CHECKING:
    from lastro.app.wiring import AppContext
    from lastro.companies import Claims

_ON_ITS_WAY = ("INITIAL", "PENDING", "ANALYSIS")
_GIVEN_BACK = ("REFUNDED", "PARTIAL_REFUNDED")
_REACHABLE = ("PAID", "ERROR", "CANCELED", *_GIVEN_BACK)
_PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = 0.02
_REFUSED_AMOUNT = "the network takes it: a payout of 7001.01 is one that it refuses"


@dataclass(frozen=True)
class PayoutTools:
    """Leads a payout to a status. The network decides about a payment at once, so that a refusal has to be asked for by its
    amount.
    """

    app_context: AppContext
    simulator_url: str

    async def answer(self, claims: Claims, payout_id: UUID | None, wanted: str) -> Response:
        """Answers the payout in its new status; an unreachable status is a conflict."""
        shown = await self._show(claims, payout_id)
        if isinstance(shown, Refused):
            return refusal(shown)
        payout = msgspec.json.decode(shown.body)
        if wanted not in _REACHABLE:
            return refusal(_conflict(payout["status"]))
        if wanted == "CANCELED":
            verb = payouts.CancelPayout(payout_id, self.app_context.place.institution)
            outcome = await self.app_context.runner.act(UUID(claims.company_id), verb)
            if isinstance(outcome, Refused):
                return refusal(outcome)
        elif wanted in _GIVEN_BACK:
            refused = await self._give_back(payout, wanted)
            if refused is not None:
                return refusal(refused)
        return await self._until(claims, payout_id, wanted)

    async def _give_back(self, payout: dict[str, Any], wanted: str) -> Refused | None:
        if payout["status"] not in ("PAID", "PARTIAL_REFUNDED") or "endToEndId" not in payout:
            return _conflict(payout["status"])
        whole = Money.parse(payout["amount"], payout["currency"])
        act: dict[str, Any] = {"endToEndId": payout["endToEndId"]}
        if wanted == "PARTIAL_REFUNDED":
            act["amount"] = str(Money(max(whole.minor // 2, 1), whole.currency))
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_SECONDS + 5)
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=False) as client,
            client.post(f"{self.simulator_url}/phone/return", json=act) as answer,
        ):
            said: dict[str, Any] = await answer.json()
        return None if "returnId" in said and "code" not in said else _conflict(str(said.get("code")))

    async def _until(self, claims: Claims, payout_id: UUID | None, wanted: str) -> Response:
        """Waits for the wanted status, or another end."""
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        waits_for = _ON_ITS_WAY if wanted not in _GIVEN_BACK else (*_ON_ITS_WAY, "PAID")
        while True:
            shown = await self._show(claims, payout_id)
            if isinstance(shown, Refused):
                return refusal(shown)
            status = msgspec.json.decode(shown.body)["status"]
            if status == wanted:
                return Response(200, shown.body)
            if status not in waits_for or asyncio.get_running_loop().time() > deadline:
                return refusal(_conflict(_REFUSED_AMOUNT if (wanted, status) == ("ERROR", "PAID") else status))
            await asyncio.sleep(_LOOK_SECONDS)

    async def _show(self, claims: Claims, payout_id: UUID | None) -> Reply | Refused:
        call = Call(
            UUID(claims.company_id), claims.client_id, claims.issued_at, "payouts:write", "order_tools", None, b"", 200
        )
        return await self.app_context.runner.run(call, payouts.ReadPayout(payout_id))


def _conflict(what: str) -> Refused:
    return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", f"the payout cannot go there: {what}"),))
