"""PUT /order-tools/v1/order/status: plays the simulated act that leads an order to a status."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import aiohttp
import msgspec

from lastro import orders
from lastro.api_kit import forms
from lastro.api_kit.http import Response, refusal, unauthorized, unexpected
from lastro.api_kit.routes import as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Call, Reply
from lastro_sandbox import card_tools
from lastro_sandbox.docs import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.types import HTTPScope

    from lastro.app.wiring import AppContext
    from lastro.companies import Claims
    from lastro.core.runner import Verb
    from lastro.web.operations import Operations
    from lastro_sandbox.payout_tools import PayoutTools

_REACHABLE = ("PAID", "EXPIRED", "CANCELED", "ERROR")
_GIVEN_BACK = ("REFUNDED", "PARTIAL_REFUNDED")
# By the block of an order, what a payer types of it.
_TYPED = {"pix": "qrcodeData", "boleto": "digitableLine", "crypto": "qrcodeData", "cash": "reference", "spei": "clabe"}
_OPEN_AMOUNT = "1.00"  # the simulated payer's amount where it is open
_SETTLES_IN_SECONDS = 86_400  # the money of what is to be PENDING comes a day later
_PATIENCE_SECONDS = 10.0
_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class OrderTools:
    """The path that leads an order to any status; what takes days in the network waits for the clock."""

    app_context: AppContext
    operations: Operations
    simulator_url: str
    payout_tools: PayoutTools

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers the order in its new status; an unreachable status is a conflict. 503 while the simulator is away."""
        try:
            return await self._answer(scope, raw, headers)
        except (aiohttp.ClientError, TimeoutError):
            return unexpected(503)

    async def _answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        claims = await self.operations.claims(scope, headers)
        if claims is None:
            return unauthorized()
        try:
            body = forms.parsed(raw)
        except forms.NotJson as error:
            return refusal(Refused(Kind.INVALID, (Problem("body", "INVALID", str(error)),)))
        named = as_id(body["id"]) if isinstance(body.get("id"), str) else None
        shown = await self._show(claims, named)
        if isinstance(shown, Refused) and shown.kind not in (Kind.NOT_FOUND, Kind.FORBIDDEN):
            return refusal(shown)
        wanted = "ERROR" if body.get("status") == "REJECTED" else body.get("status")
        if wanted not in STATUSES:
            text = f"must be one of {', '.join(STATUSES)}"
            return refusal(Refused(Kind.INVALID, (Problem("status", "INVALID", text),)))
        if isinstance(shown, Refused):
            return await self.payout_tools.answer(claims, named, wanted)
        order = msgspec.json.decode(shown.body)
        if wanted in _GIVEN_BACK:
            return await self._give_back(claims, order, wanted)
        if "threeDs" in order and wanted != "CANCELED":
            return await self._by_card(claims, order, wanted)
        # The first charge of a subscription is paid, and ends, together with it; a scheduled one as its bank collects it.
        reachable = _REACHABLE if "pix" in order else (*_REACHABLE, "PENDING")
        begins = ("INITIAL", "AUTHENTICATING") if wanted == "CANCELED" else ("INITIAL",)
        if wanted not in reachable or order["status"] not in begins or "subscription" in order:
            return refusal(_conflict(order["status"]))
        refused = await self._play(claims, order, wanted)
        if refused is not None:
            return refusal(refused)
        after = await self._until(claims, UUID(order["id"]), wanted)
        return refusal(after) if isinstance(after, Refused) else Response(200, after.body)

    async def _by_card(self, claims: Claims, order: dict[str, Any], wanted: str) -> Response:
        """Answers an order by card; the payer gives the suitable answer.

        He gives it where the card's bank asks him, so that it leads to the status.
        """
        if wanted not in card_tools.REACHABLE.get(order["status"], ()):
            return refusal(_conflict(order["status"]))
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            shown = await self._show(claims, UUID(order["id"]))
            if isinstance(shown, Refused):
                return refusal(shown)
            status = msgspec.json.decode(shown.body)["status"]
            if status == wanted:
                return Response(200, shown.body)
            if status not in card_tools.REACHABLE or asyncio.get_running_loop().time() > deadline:
                return refusal(_conflict(status))
            if status == "AUTHENTICATING":
                reference = await self._reference(UUID(claims.company_id), UUID(order["id"]))
                await card_tools.answer_bank(self.simulator_url, reference, card_tools.ANSWERS[wanted])
            await asyncio.sleep(_LOOK_SECONDS)

    async def _reference(self, company_id: UUID, order_id: UUID) -> str:
        """Returns the reference by which the partner knows an order's payment."""
        async with self.app_context.database.session(company_id) as session:
            found = await orders.order_by_id(session, company_id, order_id)
        assert found is not None, "it was shown a moment ago"
        assert found.instrument is not None, "an order by card is registered at its acquirer"
        return found.instrument.reference

    async def _play(self, claims: Claims, order: dict[str, Any], wanted: str) -> Refused | None:
        company_id, order_id, place = UUID(claims.company_id), UUID(order["id"]), self.app_context.place
        issuers = self.app_context.issuers
        if wanted in ("PAID", "PENDING"):
            return await self._pay(order, in_part=wanted == "PENDING")
        if wanted == "CANCELED":
            outcome = await self.app_context.runner.act(company_id, orders.CancelOrder(order_id, place, issuers))
        elif wanted == "ERROR":
            error = "SANDBOX: refused by the partner"
            outcome = await self.app_context.runner.act(company_id, orders.Fail(order_id, error, place))
        else:
            expire = orders.Expire(order_id, place, before_its_time=True, issuers=issuers)
            outcome = await self.app_context.runner.act(company_id, expire)
        return outcome if isinstance(outcome, Refused) else None

    async def _pay(self, order: dict[str, Any], *, in_part: bool) -> Refused | None:
        """Pays an order. in_part: so that it stays PENDING, as `_in_part` has it."""
        act: dict[str, Any] = {"qrcodeData": self._typed(order)}
        if "amount" not in order:
            act["amount"] = _OPEN_AMOUNT
        if in_part:
            part = _in_part(order)
            if isinstance(part, Refused):
                return part
            act |= part
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            said = await self._at_the_phone(act)
            # The worker registers an order with its partner in the moment after it was made; before that nobody can read the
            # code.
            is_known = "status" in said and said.get("code") != "SLIP_NOT_FOUND"
            if is_known or asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(_LOOK_SECONDS)
        return None if said.get("status") in ("SETTLED", "PENDING") else _conflict(str(said.get("code")))

    def _typed(self, order: dict[str, Any]) -> str:
        """Returns the code of an order that a payer types or scans."""
        if "deposit" in order:
            own = order["deposit"]
            bank = self.app_context.place.transfers.bank(own["bank"])
            assert bank is not None, "an account is at a bank that is configured"
            return f"{bank.code} {own['branchNumber']} {own['accountNumber']}"
        code: str = next(order[block][shown] for block, shown in _TYPED.items() if block in order)
        return code

    async def _give_back(self, claims: Claims, order: dict[str, Any], wanted: str) -> Response:
        """Refunds a paid order's rest or half, and waits for the end."""
        if order["status"] not in ("PAID", "PARTIAL_REFUNDED"):
            return refusal(_conflict(order["status"]))
        asked, given = order.get("amount") or order["paidAmount"], order.get("refundedAmount")
        left = Money.parse(asked["value"], asked["currency"])
        if given is not None:
            left -= Money.parse(given["value"], given["currency"])
        part = left if wanted == "REFUNDED" else Money(left.minor // 2, left.currency)
        if not part.minor:
            return refusal(_conflict("0.01 is all that is left of it"))
        wish = orders.RefundWish(UUID(order["id"]), f"order-tools-{self.app_context.chance.bytes(8).hex()}", part, "MD06")
        made = await self.app_context.runner.act(UUID(claims.company_id), orders.GiveBack(wish, self.app_context.place))
        if isinstance(made, Refused):
            # An amount was not asked here but a status: what stands in the refund's way stands in the way to that.
            why = "; ".join(f"{p.field} {p.description}" for p in made.problems)
            return refusal(_conflict(why) if made.kind is Kind.INVALID else made)
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            refund = await self._ask(claims, orders.ReadRefund(UUID(msgspec.json.decode(made.body)["id"])))
            if isinstance(refund, Refused) or msgspec.json.decode(refund.body)["status"] != "PENDING":
                break
            await asyncio.sleep(_LOOK_SECONDS)
        after = await self._show(claims, UUID(order["id"]))
        return refusal(after) if isinstance(after, Refused) else Response(200, after.body)

    async def _at_the_phone(self, act: dict[str, Any]) -> dict[str, Any]:
        timeout = aiohttp.ClientTimeout(total=_PATIENCE_SECONDS + 5)
        async with (
            aiohttp.ClientSession(timeout=timeout, trust_env=False) as client,
            client.post(f"{self.simulator_url}/phone/pay", json=act) as answer,
        ):
            said: dict[str, Any] = await answer.json()
        return said

    async def _until(self, claims: Claims, order_id: UUID, wanted: str) -> Reply | Refused:
        deadline = asyncio.get_running_loop().time() + _PATIENCE_SECONDS
        while True:
            shown = await self._show(claims, order_id)
            if isinstance(shown, Refused):
                return shown
            status = msgspec.json.decode(shown.body)["status"]
            # A slip that was paid is PENDING until its money settles, on the next business day of the clock.
            if (
                status in (wanted, *_REACHABLE)
                or (wanted == "PAID" and status == "PENDING")
                or asyncio.get_running_loop().time() > deadline
            ):
                return shown  # where it wanted to go, or where it ended instead
            await asyncio.sleep(_LOOK_SECONDS)

    async def _show(self, claims: Claims, order_id: UUID | None) -> Reply | Refused:
        return await self._ask(claims, orders.ReadOrder(order_id, self.app_context.place))

    async def _ask(self, claims: Claims, verb: Verb[Any]) -> Reply | Refused:
        call = Call(
            UUID(claims.company_id), claims.client_id, claims.issued_at, "orders:write", "order_tools", None, b"", 200
        )
        return await self.app_context.runner.run(call, verb)


def _in_part(order: dict[str, Any]) -> dict[str, Any] | Refused:
    """Returns the payment that leaves an order PENDING.

    Less than half of it, where the payer types the amount, or all of it later. Less than half, so that not even a payment
    that comes twice pays the order.
    """
    if "boleto" in order:
        return {}  # of a slip the money never comes before the next business day
    if "spei" not in order and "deposit" not in order:
        return {"settlesIn": _SETTLES_IN_SECONDS}
    final = Money.parse(order["finalAmount"]["value"], order["finalAmount"]["currency"])
    part = Money((final.minor - 1) // 2, final.currency)
    return {"amount": str(part)} if part.minor else _conflict(f"{final} has no part that is less than half of it")


def _conflict(what: str) -> Refused:
    return Refused(Kind.CONFLICT, (Problem("status", "CONFLICT", f"the order cannot go there: {what}"),))
