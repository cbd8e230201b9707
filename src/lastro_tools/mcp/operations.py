"""The operations of the API that tools may call: no other request can leave this server.

None of them sends money. Payouts are made by applying a plan and refunds by creating one, and neither stands here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of /openapi.json. permission: of a client; None where the API asks for none."""

    method: str
    path: str
    permission: str | None


_ORDERS, _BANKING, _EVENTS = "/order/v2/transparent", "/order/v1/banking", "/order/v1/webhook/events"

# By operationId.
OPERATIONS: Mapping[str, Operation] = {
    "read_order": Operation("GET", f"{_ORDERS}/{{id}}", "orders:read"),
    "list_orders": Operation("GET", _ORDERS, "orders:read"),
    "read_order_story": Operation("GET", f"{_ORDERS}/{{id}}/story", "orders:read"),
    "create_order_payin": Operation("POST", f"{_BANKING}/order-payins", "orders:write"),
    "read_static_qrcode": Operation("GET", f"{_BANKING}/pix-static-qrcodes/{{id}}", "orders:read"),
    "read_foreign_payment": Operation("GET", f"{_BANKING}/foreign-payments/{{id}}", "orders:read"),
    "read_refund": Operation("GET", f"{_BANKING}/order-refunds/{{id}}", "orders:read"),
    "list_refunds": Operation("GET", f"{_BANKING}/order-refunds", "orders:read"),
    "read_payout": Operation("GET", f"{_BANKING}/order-payouts/{{id}}", "payouts:read"),
    "list_payouts": Operation("GET", f"{_BANKING}/order-payouts", "payouts:read"),
    "read_payout_story": Operation("GET", f"{_BANKING}/order-payouts/{{id}}/story", "payouts:read"),
    "create_payout_plan": Operation("POST", f"{_BANKING}/payout-plans", "payouts:write"),
    "read_payout_plan": Operation("GET", f"{_BANKING}/payout-plans/{{id}}", "payouts:read"),
    "list_payout_plans": Operation("GET", f"{_BANKING}/payout-plans", "payouts:read"),
    "list_payout_plan_lines": Operation("GET", f"{_BANKING}/payout-plans/{{id}}/lines", "payouts:read"),
    "create_subscription": Operation("POST", f"{_BANKING}/subscriptions", "subscriptions:write"),
    "read_subscription": Operation("GET", f"{_BANKING}/subscriptions/{{id}}", "subscriptions:read"),
    "list_subscriptions": Operation("GET", f"{_BANKING}/subscriptions", "subscriptions:read"),
    "read_subscription_story": Operation("GET", f"{_BANKING}/subscriptions/{{id}}/story", "subscriptions:read"),
    "read_account": Operation("GET", f"{_BANKING}/accounts/{{id}}", "accounts:read"),
    "list_accounts": Operation("GET", f"{_BANKING}/accounts", "accounts:read"),
    "read_account_story": Operation("GET", f"{_BANKING}/accounts/{{id}}/story", "accounts:read"),
    "read_account_request": Operation("GET", f"{_BANKING}/accounts/requests/{{id}}", "accounts:read"),
    "read_account_close": Operation("GET", f"{_BANKING}/accounts/close-requests/{{id}}", "accounts:read"),
    "read_balance": Operation("GET", "/order/v2/account/balance", "accounts:read"),
    "read_statement": Operation("GET", f"{_BANKING}/accounts/{{id}}/statements", "accounts:read"),
    "read_webhook": Operation("GET", "/order/v1/webhook", "webhooks:read"),
    "read_webhook_event": Operation("GET", f"{_EVENTS}/{{id}}", "webhooks:read"),
    "list_webhook_events": Operation("GET", _EVENTS, "webhooks:read"),
    "resend_webhook_events": Operation("POST", f"{_EVENTS}/resend", "webhooks:write"),
    "read_med": Operation("GET", f"{_BANKING}/med/{{referenceId}}", "med:read"),
    "list_med": Operation("GET", f"{_BANKING}/med", "med:read"),
    "read_clock": Operation("GET", "/sandbox/clock", None),
    "step_clock": Operation("PUT", "/sandbox/clock", None),
    "play_order": Operation("PUT", "/order-tools/v1/order/status", None),
}
