"""Each operation as a method. Made by `make clients`: change the document, not this file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Literal

from lastro_client import models
from lastro_client.calls import Call, File, new_key, segment


class AsyncOperations(ABC):
    """Every operation, by its name in the document."""

    @abstractmethod
    async def _sent(self, call: Call) -> Any:
        """Sends a call and returns its answer."""

    @abstractmethod
    def _items(self, page: Callable[[str | None], Awaitable[Any]]) -> AsyncIterator[Any]:
        """Yields the items of every page."""

    async def create_order(self, body: models.CreateOrder, *, idempotency_key: str | None = None) -> models.CreatedOrder:
        """Create an order: `PUT /order/v2/transparent`."""
        found: models.CreatedOrder = await self._sent(
            Call("create_order", "PUT", "/order/v2/transparent", body=body, key=new_key(idempotency_key))
        )
        return found

    async def list_orders(
        self,
        *,
        status: models.OrderStatus | None = None,
        external_id: str | None = None,
        account_id: str | None = None,
        payment_method: str | None = None,
        static_qrcode_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Orders:
        """List orders: `GET /order/v2/transparent`."""
        found: models.Orders = await self._sent(
            Call(
                "list_orders",
                "GET",
                "/order/v2/transparent",
                query={
                    "status": status,
                    "externalId": external_id,
                    "accountId": account_id,
                    "paymentMethod": payment_method,
                    "staticQrcodeId": static_qrcode_id,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_orders(
        self,
        *,
        status: models.OrderStatus | None = None,
        external_id: str | None = None,
        account_id: str | None = None,
        payment_method: str | None = None,
        static_qrcode_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.ListedOrder]:
        """List orders: each of every page, by `list_orders`."""
        return self._items(
            lambda cursor: self.list_orders(
                status=status,
                external_id=external_id,
                account_id=account_id,
                payment_method=payment_method,
                static_qrcode_id=static_qrcode_id,
                limit=limit,
                sort=sort,
                from_=from_,
                to=to,
                cursor=cursor,
            )
        )

    async def read_order(self, id: str) -> models.Order:
        """Read an order: `GET /order/v2/transparent/{id}`."""
        found: models.Order = await self._sent(Call("read_order", "GET", f"/order/v2/transparent/{segment(id)}"))
        return found

    async def cancel_order(self, id: str, *, idempotency_key: str | None = None) -> models.Order:
        """Cancel an order: `POST /order/v2/transparent/{id}/cancel`."""
        found: models.Order = await self._sent(
            Call("cancel_order", "POST", f"/order/v2/transparent/{segment(id)}/cancel", key=new_key(idempotency_key))
        )
        return found

    async def create_card_token(self, body: models.CardForm, *, idempotency_key: str | None = None) -> models.TokenOfCard:
        """Make a token of a card: `POST /order/v1/client-token-3ds/card-token`."""
        found: models.TokenOfCard = await self._sent(
            Call(
                "create_card_token", "POST", "/order/v1/client-token-3ds/card-token", body=body, key=new_key(idempotency_key)
            )
        )
        return found

    async def list_foreign_payments(
        self,
        *,
        status: models.ForeignPaymentStatus | None = None,
        connection: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.ForeignPayments:
        """List foreign payments: `GET /order/v1/banking/foreign-payments`."""
        found: models.ForeignPayments = await self._sent(
            Call(
                "list_foreign_payments",
                "GET",
                "/order/v1/banking/foreign-payments",
                query={
                    "status": status,
                    "connection": connection,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_foreign_payments(
        self,
        *,
        status: models.ForeignPaymentStatus | None = None,
        connection: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.ForeignPayment]:
        """List foreign payments: each of every page, by `list_foreign_payments`."""
        return self._items(
            lambda cursor: self.list_foreign_payments(
                status=status, connection=connection, limit=limit, sort=sort, from_=from_, to=to, cursor=cursor
            )
        )

    async def read_foreign_payment(self, id: str) -> models.ForeignPayment:
        """Read a foreign payment: `GET /order/v1/banking/foreign-payments/{id}`."""
        found: models.ForeignPayment = await self._sent(
            Call("read_foreign_payment", "GET", f"/order/v1/banking/foreign-payments/{segment(id)}")
        )
        return found

    async def create_order_payin(
        self, body: models.CreatePayIn, *, idempotency_key: str | None = None
    ) -> models.CreatedPayIn:
        """Create a pay-in: `POST /order/v1/banking/order-payins`."""
        found: models.CreatedPayIn = await self._sent(
            Call("create_order_payin", "POST", "/order/v1/banking/order-payins", body=body, key=new_key(idempotency_key))
        )
        return found

    async def find_order_payin(self, *, external_id: str) -> models.PayIn:
        """Find a pay-in by your code: `GET /order/v1/banking/order-payins`."""
        found: models.PayIn = await self._sent(
            Call("find_order_payin", "GET", "/order/v1/banking/order-payins", query={"externalId": external_id})
        )
        return found

    async def read_order_payin(self, id: str, *, external_id: str | None = None) -> models.PayIn:
        """Read a pay-in: `GET /order/v1/banking/order-payins/{id}`."""
        found: models.PayIn = await self._sent(
            Call(
                "read_order_payin", "GET", f"/order/v1/banking/order-payins/{segment(id)}", query={"externalId": external_id}
            )
        )
        return found

    async def create_static_qrcode(
        self, body: models.CreateStaticCode, *, idempotency_key: str | None = None
    ) -> models.StaticQrcode:
        """Print a static QR code: `POST /order/v1/banking/pix-static-qrcodes`."""
        found: models.StaticQrcode = await self._sent(
            Call(
                "create_static_qrcode",
                "POST",
                "/order/v1/banking/pix-static-qrcodes",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_static_qrcodes(
        self,
        *,
        account_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.StaticQrcodes:
        """List static QR codes: `GET /order/v1/banking/pix-static-qrcodes`."""
        found: models.StaticQrcodes = await self._sent(
            Call(
                "list_static_qrcodes",
                "GET",
                "/order/v1/banking/pix-static-qrcodes",
                query={"accountId": account_id, "limit": limit, "sort": sort, "cursor": cursor, "from": from_, "to": to},
            )
        )
        return found

    def iterate_static_qrcodes(
        self,
        *,
        account_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.ListedStaticCode]:
        """List static QR codes: each of every page, by `list_static_qrcodes`."""
        return self._items(
            lambda cursor: self.list_static_qrcodes(
                account_id=account_id, limit=limit, sort=sort, from_=from_, to=to, cursor=cursor
            )
        )

    async def read_static_qrcode(self, id: str) -> models.StaticQrcode:
        """Read a static QR code: `GET /order/v1/banking/pix-static-qrcodes/{id}`."""
        found: models.StaticQrcode = await self._sent(
            Call("read_static_qrcode", "GET", f"/order/v1/banking/pix-static-qrcodes/{segment(id)}")
        )
        return found

    async def create_refund(self, body: models.CreateRefund, *, idempotency_key: str | None = None) -> models.Refund:
        """Give money of an order back: `POST /order/v1/banking/order-refunds`."""
        found: models.Refund = await self._sent(
            Call("create_refund", "POST", "/order/v1/banking/order-refunds", body=body, key=new_key(idempotency_key))
        )
        return found

    async def list_refunds(
        self,
        *,
        order_id: str | None = None,
        external_id: str | None = None,
        status: models.RefundStatus | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Refunds:
        """List refunds: `GET /order/v1/banking/order-refunds`."""
        found: models.Refunds = await self._sent(
            Call(
                "list_refunds",
                "GET",
                "/order/v1/banking/order-refunds",
                query={
                    "orderId": order_id,
                    "externalId": external_id,
                    "status": status,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_refunds(
        self,
        *,
        order_id: str | None = None,
        external_id: str | None = None,
        status: models.RefundStatus | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.Refund]:
        """List refunds: each of every page, by `list_refunds`."""
        return self._items(
            lambda cursor: self.list_refunds(
                order_id=order_id,
                external_id=external_id,
                status=status,
                limit=limit,
                sort=sort,
                from_=from_,
                to=to,
                cursor=cursor,
            )
        )

    async def read_refund(self, id: str) -> models.Refund:
        """Read a refund: `GET /order/v1/banking/order-refunds/{id}`."""
        found: models.Refund = await self._sent(Call("read_refund", "GET", f"/order/v1/banking/order-refunds/{segment(id)}"))
        return found

    async def list_deposit_banks(self) -> models.DepositBanks:
        """List the banks for deposits: `GET /v1/orders/deposit/banks`."""
        found: models.DepositBanks = await self._sent(Call("list_deposit_banks", "GET", "/v1/orders/deposit/banks"))
        return found

    async def create_payout(self, body: models.CreatePayout, *, idempotency_key: str | None = None) -> models.CreatedPayout:
        """Create a payout: `POST /order/v1/banking/order-payouts`."""
        found: models.CreatedPayout = await self._sent(
            Call("create_payout", "POST", "/order/v1/banking/order-payouts", body=body, key=new_key(idempotency_key))
        )
        return found

    async def list_payouts(
        self,
        *,
        status: models.PayoutStatus | None = None,
        external_id: str | None = None,
        account_id: str | None = None,
        end_to_end_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Payouts:
        """List payouts: `GET /order/v1/banking/order-payouts`."""
        found: models.Payouts = await self._sent(
            Call(
                "list_payouts",
                "GET",
                "/order/v1/banking/order-payouts",
                query={
                    "status": status,
                    "externalId": external_id,
                    "accountId": account_id,
                    "endToEndId": end_to_end_id,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_payouts(
        self,
        *,
        status: models.PayoutStatus | None = None,
        external_id: str | None = None,
        account_id: str | None = None,
        end_to_end_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.FullPayout]:
        """List payouts: each of every page, by `list_payouts`."""
        return self._items(
            lambda cursor: self.list_payouts(
                status=status,
                external_id=external_id,
                account_id=account_id,
                end_to_end_id=end_to_end_id,
                limit=limit,
                sort=sort,
                from_=from_,
                to=to,
                cursor=cursor,
            )
        )

    async def read_payout(self, id: str) -> models.FullPayout:
        """Read a payout: `GET /order/v1/banking/order-payouts/{id}`."""
        found: models.FullPayout = await self._sent(
            Call("read_payout", "GET", f"/order/v1/banking/order-payouts/{segment(id)}")
        )
        return found

    async def read_payout_receipt(self, id: str) -> models.PayoutReceipt:
        """Read a payout's receipt: `GET /order/v1/banking/order-payouts/{id}/receipt`."""
        found: models.PayoutReceipt = await self._sent(
            Call("read_payout_receipt", "GET", f"/order/v1/banking/order-payouts/{segment(id)}/receipt")
        )
        return found

    async def read_payout_receipt_as_pdf(self, id: str) -> bytes:
        """Read a payout's receipt: `GET /order/v1/banking/order-payouts/{id}/receipt`."""
        found: bytes = await self._sent(
            Call(
                "read_payout_receipt",
                "GET",
                f"/order/v1/banking/order-payouts/{segment(id)}/receipt",
                accept="application/pdf",
            )
        )
        return found

    async def cancel_payout(self, id: str, *, idempotency_key: str | None = None) -> models.FullPayout:
        """Cancel a payout: `POST /order/v1/banking/order-payouts/{id}/cancel`."""
        found: models.FullPayout = await self._sent(
            Call(
                "cancel_payout",
                "POST",
                f"/order/v1/banking/order-payouts/{segment(id)}/cancel",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def look_up_key(self, id: str, *, key: str) -> models.LookedUpKey:
        """Look a key up: `GET /order/v1/banking/accounts/{id}/keys/lookup`."""
        found: models.LookedUpKey = await self._sent(
            Call("look_up_key", "GET", f"/order/v1/banking/accounts/{segment(id)}/keys/lookup", query={"key": key})
        )
        return found

    async def read_account_limits(self, id: str) -> models.AccountLimits:
        """Read an account's limits: `GET /order/v1/banking/accounts/{id}/limits`."""
        found: models.AccountLimits = await self._sent(
            Call("read_account_limits", "GET", f"/order/v1/banking/accounts/{segment(id)}/limits")
        )
        return found

    async def create_payout_plan(self, body: models.CreatePlan, *, idempotency_key: str | None = None) -> models.FullPlan:
        """Create a plan of payouts: `POST /order/v1/banking/payout-plans`."""
        found: models.FullPlan = await self._sent(
            Call("create_payout_plan", "POST", "/order/v1/banking/payout-plans", body=body, key=new_key(idempotency_key))
        )
        return found

    async def create_payout_plan_as_csv(self, body: bytes, *, idempotency_key: str | None = None) -> models.FullPlan:
        """Create a plan of payouts: `POST /order/v1/banking/payout-plans`."""
        found: models.FullPlan = await self._sent(
            Call(
                "create_payout_plan",
                "POST",
                "/order/v1/banking/payout-plans",
                body=body,
                media="text/csv",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_payout_plans(
        self,
        *,
        status: models.PlanStatus | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Plans:
        """List plans: `GET /order/v1/banking/payout-plans`."""
        found: models.Plans = await self._sent(
            Call(
                "list_payout_plans",
                "GET",
                "/order/v1/banking/payout-plans",
                query={"status": status, "limit": limit, "sort": sort, "cursor": cursor, "from": from_, "to": to},
            )
        )
        return found

    def iterate_payout_plans(
        self,
        *,
        status: models.PlanStatus | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.PlanRow]:
        """List plans: each of every page, by `list_payout_plans`."""
        return self._items(
            lambda cursor: self.list_payout_plans(status=status, limit=limit, sort=sort, from_=from_, to=to, cursor=cursor)
        )

    async def read_payout_plan(self, id: str) -> models.FullPlan:
        """Read a plan: `GET /order/v1/banking/payout-plans/{id}`."""
        found: models.FullPlan = await self._sent(
            Call("read_payout_plan", "GET", f"/order/v1/banking/payout-plans/{segment(id)}")
        )
        return found

    async def list_payout_plan_lines(
        self, id: str, *, limit: int | None = None, cursor: str | None = None, status: models.PlanLineStatus | None = None
    ) -> models.Lines:
        """List the lines of a plan: `GET /order/v1/banking/payout-plans/{id}/lines`."""
        found: models.Lines = await self._sent(
            Call(
                "list_payout_plan_lines",
                "GET",
                f"/order/v1/banking/payout-plans/{segment(id)}/lines",
                query={"limit": limit, "cursor": cursor, "status": status},
            )
        )
        return found

    def iterate_payout_plan_lines(
        self, id: str, *, limit: int | None = None, status: models.PlanLineStatus | None = None
    ) -> AsyncIterator[models.PlanLine]:
        """List the lines of a plan: each of every page, by `list_payout_plan_lines`."""
        return self._items(lambda cursor: self.list_payout_plan_lines(id, limit=limit, status=status, cursor=cursor))

    async def read_payout_plan_result(self, id: str) -> bytes:
        """Download the result of a plan: `GET /order/v1/banking/payout-plans/{id}/result`."""
        found: bytes = await self._sent(
            Call("read_payout_plan_result", "GET", f"/order/v1/banking/payout-plans/{segment(id)}/result", accept="text/csv")
        )
        return found

    async def approve_payout_plan(
        self, id: str, body: models.ApprovePlan, *, idempotency_key: str | None = None
    ) -> models.FullPlan:
        """Approve a plan: `POST /order/v1/banking/payout-plans/{id}/approvals`."""
        found: models.FullPlan = await self._sent(
            Call(
                "approve_payout_plan",
                "POST",
                f"/order/v1/banking/payout-plans/{segment(id)}/approvals",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def apply_payout_plan(self, id: str, *, idempotency_key: str | None = None) -> models.FullPlan:
        """Apply a plan: `POST /order/v1/banking/payout-plans/{id}/apply`."""
        found: models.FullPlan = await self._sent(
            Call(
                "apply_payout_plan",
                "POST",
                f"/order/v1/banking/payout-plans/{segment(id)}/apply",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def cancel_payout_plan(self, id: str, *, idempotency_key: str | None = None) -> models.FullPlan:
        """Cancel a plan: `POST /order/v1/banking/payout-plans/{id}/cancel`."""
        found: models.FullPlan = await self._sent(
            Call(
                "cancel_payout_plan",
                "POST",
                f"/order/v1/banking/payout-plans/{segment(id)}/cancel",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def create_subscription(
        self, body: models.CreateSubscription, *, idempotency_key: str | None = None
    ) -> models.CreatedSubscription:
        """Create a subscription: `POST /order/v1/banking/subscriptions`."""
        found: models.CreatedSubscription = await self._sent(
            Call("create_subscription", "POST", "/order/v1/banking/subscriptions", body=body, key=new_key(idempotency_key))
        )
        return found

    async def list_subscriptions(
        self,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        status: models.SubscriptionStatus | None = None,
        external_id: str | None = None,
        account_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Subscriptions:
        """List subscriptions: `GET /order/v1/banking/subscriptions`."""
        found: models.Subscriptions = await self._sent(
            Call(
                "list_subscriptions",
                "GET",
                "/order/v1/banking/subscriptions",
                query={
                    "startDate": start_date,
                    "endDate": end_date,
                    "status": status,
                    "externalId": external_id,
                    "accountId": account_id,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_subscriptions(
        self,
        *,
        start_date: str | None = None,
        end_date: str | None = None,
        status: models.SubscriptionStatus | None = None,
        external_id: str | None = None,
        account_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.Subscription]:
        """List subscriptions: each of every page, by `list_subscriptions`."""
        return self._items(
            lambda cursor: self.list_subscriptions(
                start_date=start_date,
                end_date=end_date,
                status=status,
                external_id=external_id,
                account_id=account_id,
                limit=limit,
                sort=sort,
                from_=from_,
                to=to,
                cursor=cursor,
            )
        )

    async def read_subscription(self, id: str) -> models.FullSubscription:
        """Read a subscription: `GET /order/v1/banking/subscriptions/{id}`."""
        found: models.FullSubscription = await self._sent(
            Call("read_subscription", "GET", f"/order/v1/banking/subscriptions/{segment(id)}")
        )
        return found

    async def cancel_subscription(
        self, id: str, body: models.CancelSubscription | None = None, *, idempotency_key: str | None = None
    ) -> models.Cancellation:
        """Cancel a subscription: `POST /order/v1/banking/subscriptions/{id}/cancellations`."""
        found: models.Cancellation = await self._sent(
            Call(
                "cancel_subscription",
                "POST",
                f"/order/v1/banking/subscriptions/{segment(id)}/cancellations",
                body=body or {},
                key=new_key(idempotency_key),
            )
        )
        return found

    async def create_subscription_payment(
        self, id: str, body: models.SchedulePayment, *, idempotency_key: str | None = None
    ) -> models.SubscriptionPayment:
        """Charge a cycle: `PUT /public/v1/banking/subscriptions/{id}/payments`."""
        found: models.SubscriptionPayment = await self._sent(
            Call(
                "create_subscription_payment",
                "PUT",
                f"/public/v1/banking/subscriptions/{segment(id)}/payments",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_subscription_payments(
        self,
        id: str,
        *,
        status: models.ScheduledPaymentStatus | None = None,
        external_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.SubscriptionPayments:
        """List scheduled payments: `GET /public/v1/banking/subscriptions/{id}/payments`."""
        found: models.SubscriptionPayments = await self._sent(
            Call(
                "list_subscription_payments",
                "GET",
                f"/public/v1/banking/subscriptions/{segment(id)}/payments",
                query={
                    "status": status,
                    "externalId": external_id,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_subscription_payments(
        self,
        id: str,
        *,
        status: models.ScheduledPaymentStatus | None = None,
        external_id: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.SubscriptionPayment]:
        """List scheduled payments: each of every page, by `list_subscription_payments`."""
        return self._items(
            lambda cursor: self.list_subscription_payments(
                id, status=status, external_id=external_id, limit=limit, sort=sort, from_=from_, to=to, cursor=cursor
            )
        )

    async def read_subscription_payment(self, id: str, payment_id: str) -> models.SubscriptionPayment:
        """Read a scheduled payment: `GET /public/v1/banking/subscriptions/{id}/payments/{paymentId}`."""
        found: models.SubscriptionPayment = await self._sent(
            Call(
                "read_subscription_payment",
                "GET",
                f"/public/v1/banking/subscriptions/{segment(id)}/payments/{segment(payment_id)}",
            )
        )
        return found

    async def cancel_subscription_payment(
        self, id: str, payment_id: str, *, idempotency_key: str | None = None
    ) -> models.SubscriptionPayment:
        """Cancel a scheduled payment: `POST /public/v1/banking/subscriptions/{id}/payments/{paymentId}/cancel`."""
        found: models.SubscriptionPayment = await self._sent(
            Call(
                "cancel_subscription_payment",
                "POST",
                f"/public/v1/banking/subscriptions/{segment(id)}/payments/{segment(payment_id)}/cancel",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def retry_subscription_payment(
        self, id: str, payment_id: str, body: models.RetryPayment, *, idempotency_key: str | None = None
    ) -> models.SubscriptionPayment:
        """Try an unpaid payment again: `POST /public/v1/banking/subscriptions/{id}/payments/{paymentId}/retry`."""
        found: models.SubscriptionPayment = await self._sent(
            Call(
                "retry_subscription_payment",
                "POST",
                f"/public/v1/banking/subscriptions/{segment(id)}/payments/{segment(payment_id)}/retry",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_accounts(
        self,
        *,
        status: models.AccountStatus | None = None,
        document: str | None = None,
        email: str | None = None,
        full_name: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
    ) -> models.Accounts:
        """List accounts: `GET /order/v1/banking/accounts`."""
        found: models.Accounts = await self._sent(
            Call(
                "list_accounts",
                "GET",
                "/order/v1/banking/accounts",
                query={
                    "status": status,
                    "document": document,
                    "email": email,
                    "fullName": full_name,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                },
            )
        )
        return found

    def iterate_accounts(
        self,
        *,
        status: models.AccountStatus | None = None,
        document: str | None = None,
        email: str | None = None,
        full_name: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
    ) -> AsyncIterator[models.Account]:
        """List accounts: each of every page, by `list_accounts`."""
        return self._items(
            lambda cursor: self.list_accounts(
                status=status, document=document, email=email, full_name=full_name, limit=limit, sort=sort, cursor=cursor
            )
        )

    async def open_account(self, body: models.OpeningForm, *, idempotency_key: str | None = None) -> models.OpeningTaken:
        """Request an account: `POST /order/v1/banking/accounts`."""
        found: models.OpeningTaken = await self._sent(
            Call("open_account", "POST", "/order/v1/banking/accounts", body=body, key=new_key(idempotency_key))
        )
        return found

    async def read_account(self, id: str) -> models.Account:
        """Read an account: `GET /order/v1/banking/accounts/{id}`."""
        found: models.Account = await self._sent(Call("read_account", "GET", f"/order/v1/banking/accounts/{segment(id)}"))
        return found

    async def read_balance(
        self, *, account_id: str | None = None, currency: models.BalanceCurrency | None = None, as_of: str | None = None
    ) -> models.Balance:
        """Read balances: `GET /order/v2/account/balance`."""
        found: models.Balance = await self._sent(
            Call(
                "read_balance",
                "GET",
                "/order/v2/account/balance",
                query={"accountId": account_id, "currency": currency, "asOf": as_of},
            )
        )
        return found

    async def read_company_balance(self, *, account_type: models.CompanyAccountType | None = None) -> models.CompanyBalance:
        """Read the company's balance: `GET /account/v1/holder/company/balance`."""
        found: models.CompanyBalance = await self._sent(
            Call("read_company_balance", "GET", "/account/v1/holder/company/balance", query={"accountType": account_type})
        )
        return found

    async def read_statement(
        self,
        id: str,
        *,
        currency: models.AmountCurrency | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        start_date: str | None = None,
        end_date: str | None = None,
        operation: models.Direction | None = None,
        end_to_end_id: str | None = None,
        merge_batch: models.Flag | None = None,
        format: models.ReadStatementFormat | None = None,
        excel: Literal["pt"] | None = None,
    ) -> models.Entries:
        """Read an account's statement: `GET /order/v1/banking/accounts/{id}/statements`."""
        found: models.Entries = await self._sent(
            Call(
                "read_statement",
                "GET",
                f"/order/v1/banking/accounts/{segment(id)}/statements",
                query={
                    "currency": currency,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "startDate": start_date,
                    "endDate": end_date,
                    "operation": operation,
                    "endToEndId": end_to_end_id,
                    "mergeBatch": merge_batch,
                    "format": format,
                    "excel": excel,
                },
            )
        )
        return found

    async def read_statement_as_csv(
        self,
        id: str,
        *,
        currency: models.AmountCurrency | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        start_date: str | None = None,
        end_date: str | None = None,
        operation: models.Direction | None = None,
        end_to_end_id: str | None = None,
        merge_batch: models.Flag | None = None,
        excel: Literal["pt"] | None = None,
    ) -> bytes:
        """Read an account's statement: `GET /order/v1/banking/accounts/{id}/statements`."""
        found: bytes = await self._sent(
            Call(
                "read_statement",
                "GET",
                f"/order/v1/banking/accounts/{segment(id)}/statements",
                query={
                    "currency": currency,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "startDate": start_date,
                    "endDate": end_date,
                    "operation": operation,
                    "endToEndId": end_to_end_id,
                    "mergeBatch": merge_batch,
                    "excel": excel,
                },
                accept="text/csv",
            )
        )
        return found

    async def read_statement_as_ofx(
        self,
        id: str,
        *,
        currency: models.AmountCurrency | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        start_date: str | None = None,
        end_date: str | None = None,
        operation: models.Direction | None = None,
        end_to_end_id: str | None = None,
        merge_batch: models.Flag | None = None,
        excel: Literal["pt"] | None = None,
    ) -> bytes:
        """Read an account's statement: `GET /order/v1/banking/accounts/{id}/statements`."""
        found: bytes = await self._sent(
            Call(
                "read_statement",
                "GET",
                f"/order/v1/banking/accounts/{segment(id)}/statements",
                query={
                    "currency": currency,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "startDate": start_date,
                    "endDate": end_date,
                    "operation": operation,
                    "endToEndId": end_to_end_id,
                    "mergeBatch": merge_batch,
                    "excel": excel,
                },
                accept="application/x-ofx",
            )
        )
        return found

    async def read_statement_as_text(
        self,
        id: str,
        *,
        currency: models.AmountCurrency | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        start_date: str | None = None,
        end_date: str | None = None,
        operation: models.Direction | None = None,
        end_to_end_id: str | None = None,
        merge_batch: models.Flag | None = None,
        excel: Literal["pt"] | None = None,
    ) -> bytes:
        """Read an account's statement: `GET /order/v1/banking/accounts/{id}/statements`."""
        found: bytes = await self._sent(
            Call(
                "read_statement",
                "GET",
                f"/order/v1/banking/accounts/{segment(id)}/statements",
                query={
                    "currency": currency,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "startDate": start_date,
                    "endDate": end_date,
                    "operation": operation,
                    "endToEndId": end_to_end_id,
                    "mergeBatch": merge_batch,
                    "excel": excel,
                },
                accept="text/plain",
            )
        )
        return found

    async def read_statement_as_xml(
        self,
        id: str,
        *,
        currency: models.AmountCurrency | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        start_date: str | None = None,
        end_date: str | None = None,
        operation: models.Direction | None = None,
        end_to_end_id: str | None = None,
        merge_batch: models.Flag | None = None,
        excel: Literal["pt"] | None = None,
    ) -> bytes:
        """Read an account's statement: `GET /order/v1/banking/accounts/{id}/statements`."""
        found: bytes = await self._sent(
            Call(
                "read_statement",
                "GET",
                f"/order/v1/banking/accounts/{segment(id)}/statements",
                query={
                    "currency": currency,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "startDate": start_date,
                    "endDate": end_date,
                    "operation": operation,
                    "endToEndId": end_to_end_id,
                    "mergeBatch": merge_batch,
                    "excel": excel,
                },
                accept="application/xml",
            )
        )
        return found

    def iterate_statement(
        self,
        id: str,
        *,
        currency: models.AmountCurrency | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        start_date: str | None = None,
        end_date: str | None = None,
        operation: models.Direction | None = None,
        end_to_end_id: str | None = None,
        merge_batch: models.Flag | None = None,
        excel: Literal["pt"] | None = None,
    ) -> AsyncIterator[models.Entry]:
        """Read an account's statement: each of every page, by `read_statement`."""
        return self._items(
            lambda cursor: self.read_statement(
                id,
                currency=currency,
                limit=limit,
                sort=sort,
                start_date=start_date,
                end_date=end_date,
                operation=operation,
                end_to_end_id=end_to_end_id,
                merge_batch=merge_batch,
                excel=excel,
                cursor=cursor,
            )
        )

    async def read_account_terms(self, *, holder_type: models.HolderType) -> models.OpeningTerms:
        """Read the terms of an account: `GET /order/v1/banking/accounts/terms`."""
        found: models.OpeningTerms = await self._sent(
            Call("read_account_terms", "GET", "/order/v1/banking/accounts/terms", query={"holderType": holder_type})
        )
        return found

    async def read_account_request(self, id: str) -> models.OpeningRequest:
        """Read a request for an account: `GET /order/v1/banking/accounts/requests/{id}`."""
        found: models.OpeningRequest = await self._sent(
            Call("read_account_request", "GET", f"/order/v1/banking/accounts/requests/{segment(id)}")
        )
        return found

    async def upload_account_document(
        self,
        *,
        file: File,
        document_type: models.OpeningDocument,
        account_request_id: str,
        append: models.Flag | None = None,
        idempotency_key: str | None = None,
    ) -> models.DocumentTaken:
        """Upload a document of a request: `POST /order/v1/banking/accounts/documents`."""
        found: models.DocumentTaken = await self._sent(
            Call(
                "upload_account_document",
                "POST",
                "/order/v1/banking/accounts/documents",
                fields={
                    "file": file,
                    "documentType": document_type,
                    "accountRequestId": account_request_id,
                    "append": append,
                },
                key=new_key(idempotency_key),
            )
        )
        return found

    async def request_account_close(
        self, id: str, body: models.RequestClose, *, idempotency_key: str | None = None
    ) -> models.Closing:
        """Close an account: `POST /order/v1/banking/accounts/{id}/close-request`."""
        found: models.Closing = await self._sent(
            Call(
                "request_account_close",
                "POST",
                f"/order/v1/banking/accounts/{segment(id)}/close-request",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_account_closes(
        self, body: models.ListCloses | None = None, *, idempotency_key: str | None = None
    ) -> models.Closings:
        """List requests to close accounts: `POST /order/v1/banking/accounts/close-requests/paged/list`."""
        found: models.Closings = await self._sent(
            Call(
                "list_account_closes",
                "POST",
                "/order/v1/banking/accounts/close-requests/paged/list",
                body=body or {},
                key=new_key(idempotency_key),
            )
        )
        return found

    async def read_account_close(self, id: str) -> models.Closing:
        """Read a request to close an account: `GET /order/v1/banking/accounts/close-requests/{id}`."""
        found: models.Closing = await self._sent(
            Call("read_account_close", "GET", f"/order/v1/banking/accounts/close-requests/{segment(id)}")
        )
        return found

    async def list_webhook_events(
        self,
        *,
        status: models.ListWebhookEventsStatus | None = None,
        event: models.FeedEventType | None = None,
        reference_id: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.Events:
        """List webhook events that failed delivery: `GET /order/v1/webhook/events`."""
        found: models.Events = await self._sent(
            Call(
                "list_webhook_events",
                "GET",
                "/order/v1/webhook/events",
                query={
                    "status": status,
                    "event": event,
                    "referenceId": reference_id,
                    "url": url,
                    "limit": limit,
                    "sort": sort,
                    "cursor": cursor,
                    "from": from_,
                    "to": to,
                },
            )
        )
        return found

    def iterate_webhook_events(
        self,
        *,
        status: models.ListWebhookEventsStatus | None = None,
        event: models.FeedEventType | None = None,
        reference_id: str | None = None,
        url: str | None = None,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.Event]:
        """List webhook events that failed delivery: each of every page, by `list_webhook_events`."""
        return self._items(
            lambda cursor: self.list_webhook_events(
                status=status,
                event=event,
                reference_id=reference_id,
                url=url,
                limit=limit,
                sort=sort,
                from_=from_,
                to=to,
                cursor=cursor,
            )
        )

    async def resend_webhook_events(
        self, body: models.ResendEvents, *, idempotency_key: str | None = None
    ) -> models.Resending:
        """Send webhook events again: `POST /order/v1/webhook/events/resend`."""
        found: models.Resending = await self._sent(
            Call("resend_webhook_events", "POST", "/order/v1/webhook/events/resend", body=body, key=new_key(idempotency_key))
        )
        return found

    async def read_webhook_event(self, id: str) -> models.OneEvent:
        """Read a webhook event: `GET /order/v1/webhook/events/{id}`."""
        found: models.OneEvent = await self._sent(
            Call("read_webhook_event", "GET", f"/order/v1/webhook/events/{segment(id)}")
        )
        return found

    async def resend_webhook_event(self, id: str, *, idempotency_key: str | None = None) -> models.Resent:
        """Send a webhook event again: `POST /order/v1/webhook/events/{id}/resend`."""
        found: models.Resent = await self._sent(
            Call(
                "resend_webhook_event",
                "POST",
                f"/order/v1/webhook/events/{segment(id)}/resend",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def read_feed(self, *, after: int | None = None, limit: int | None = None, wait: int | None = None) -> models.Feed:
        """Read the feed: `GET /order/v1/events`."""
        found: models.Feed = await self._sent(
            Call("read_feed", "GET", "/order/v1/events", query={"after": after, "limit": limit, "wait": wait})
        )
        return found

    async def read_webhook(self) -> models.WebhookNow:
        """Read where events are sent: `GET /order/v1/webhook`."""
        found: models.WebhookNow = await self._sent(Call("read_webhook", "GET", "/order/v1/webhook"))
        return found

    async def set_webhook(self, body: models.SetWebhook, *, idempotency_key: str | None = None) -> models.SetWebhooks:
        """Set where events are sent: `PUT /order/v1/webhook`."""
        found: models.SetWebhooks = await self._sent(
            Call("set_webhook", "PUT", "/order/v1/webhook", body=body, key=new_key(idempotency_key))
        )
        return found

    async def rotate_webhook_secret(self, *, idempotency_key: str | None = None) -> models.NewSecret:
        """Rotate the webhook secret: `POST /order/v1/webhook/rotate-secret`."""
        found: models.NewSecret = await self._sent(
            Call("rotate_webhook_secret", "POST", "/order/v1/webhook/rotate-secret", key=new_key(idempotency_key))
        )
        return found

    async def test_webhook(self, body: models.SendTest, *, idempotency_key: str | None = None) -> models.Resent:
        """Send a test event: `POST /order/v1/webhook/test`."""
        found: models.Resent = await self._sent(
            Call("test_webhook", "POST", "/order/v1/webhook/test", body=body, key=new_key(idempotency_key))
        )
        return found

    async def list_med(
        self,
        *,
        page: int | None = None,
        limit: int | None = None,
        account_id: str | None = None,
        only_pending: models.Flag | None = None,
        role: models.MedRole | None = None,
    ) -> models.MedList:
        """List objects of disputes: `GET /order/v1/banking/med`."""
        found: models.MedList = await self._sent(
            Call(
                "list_med",
                "GET",
                "/order/v1/banking/med",
                query={"page": page, "limit": limit, "accountId": account_id, "onlyPending": only_pending, "role": role},
            )
        )
        return found

    async def contest_med(
        self, account_id: str, body: models.ContestForm, *, idempotency_key: str | None = None
    ) -> models.MedCase:
        """Contest a Pix that an account has sent: `POST /order/v1/banking/med/accounts/{accountId}`."""
        found: models.MedCase = await self._sent(
            Call(
                "contest_med",
                "POST",
                f"/order/v1/banking/med/accounts/{segment(account_id)}",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def read_med(self, reference_id: str) -> models.MedCase:
        """Read an object of a dispute: `GET /order/v1/banking/med/{referenceId}`."""
        found: models.MedCase = await self._sent(Call("read_med", "GET", f"/order/v1/banking/med/{segment(reference_id)}"))
        return found

    async def defend_med(
        self, reference_id: str, body: models.DefenseForm, *, idempotency_key: str | None = None
    ) -> models.MedCase:
        """Give a defense to a notification: `POST /order/v1/banking/med/{referenceId}/defense`."""
        found: models.MedCase = await self._sent(
            Call(
                "defend_med",
                "POST",
                f"/order/v1/banking/med/{segment(reference_id)}/defense",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def attach_med_document(
        self, reference_id: str, *, file: File, idempotency_key: str | None = None
    ) -> models.MedDocument:
        """Give a document with a defense: `POST /order/v1/banking/med/{referenceId}/defense/documents`."""
        found: models.MedDocument = await self._sent(
            Call(
                "attach_med_document",
                "POST",
                f"/order/v1/banking/med/{segment(reference_id)}/defense/documents",
                fields={"file": file},
                key=new_key(idempotency_key),
            )
        )
        return found

    async def read_med_document(self, reference_id: str, document_id: str) -> bytes:
        """Read a document of a defense: `GET /order/v1/banking/med/{referenceId}/defense/documents/{documentId}`."""
        found: bytes = await self._sent(
            Call(
                "read_med_document",
                "GET",
                f"/order/v1/banking/med/{segment(reference_id)}/defense/documents/{segment(document_id)}",
                accept="application/octet-stream",
            )
        )
        return found

    async def cancel_med(self, reference_id: str, *, idempotency_key: str | None = None) -> models.MedCase:
        """Give a contest up: `POST /order/v1/banking/med/{referenceId}/cancel`."""
        found: models.MedCase = await self._sent(
            Call("cancel_med", "POST", f"/order/v1/banking/med/{segment(reference_id)}/cancel", key=new_key(idempotency_key))
        )
        return found

    async def read_order_story(self, id: str) -> models.Timeline:
        """Read an order's story: `GET /order/v2/transparent/{id}/story`."""
        found: models.Timeline = await self._sent(
            Call("read_order_story", "GET", f"/order/v2/transparent/{segment(id)}/story")
        )
        return found

    async def read_payout_story(self, id: str) -> models.Timeline:
        """Read a payout's story: `GET /order/v1/banking/order-payouts/{id}/story`."""
        found: models.Timeline = await self._sent(
            Call("read_payout_story", "GET", f"/order/v1/banking/order-payouts/{segment(id)}/story")
        )
        return found

    async def read_subscription_story(self, id: str) -> models.Timeline:
        """Read a subscription's story: `GET /order/v1/banking/subscriptions/{id}/story`."""
        found: models.Timeline = await self._sent(
            Call("read_subscription_story", "GET", f"/order/v1/banking/subscriptions/{segment(id)}/story")
        )
        return found

    async def read_account_story(self, id: str) -> models.Timeline:
        """Read an account's story: `GET /order/v1/banking/accounts/{id}/story`."""
        found: models.Timeline = await self._sent(
            Call("read_account_story", "GET", f"/order/v1/banking/accounts/{segment(id)}/story")
        )
        return found

    async def list_banks(
        self,
        *,
        ispb: str | None = None,
        bank_number: str | None = None,
        name: str | None = None,
        method: models.BankMethod | None = None,
    ) -> models.BanksListed:
        """List banks: `GET /order/v1/banks`."""
        found: models.BanksListed = await self._sent(
            Call(
                "list_banks",
                "GET",
                "/order/v1/banks",
                query={"ispb": ispb, "bankNumber": bank_number, "name": name, "method": method},
            )
        )
        return found

    async def list_fees(self) -> models.FeesOfCompany:
        """List fees: `GET /order/v1/banking/fees`."""
        found: models.FeesOfCompany = await self._sent(Call("list_fees", "GET", "/order/v1/banking/fees"))
        return found

    async def create_key(
        self, account_id: str, body: models.CreateKey, *, idempotency_key: str | None = None
    ) -> models.CreatedKey:
        """Create a Pix key: `POST /order/v1/banking/accounts/{accountId}/keys`."""
        found: models.CreatedKey = await self._sent(
            Call(
                "create_key",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_keys(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> models.AccountKeys:
        """List the Pix keys of an account: `GET /order/v1/banking/accounts/{accountId}/keys`."""
        found: models.AccountKeys = await self._sent(
            Call(
                "list_keys",
                "GET",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys",
                query={"limit": limit, "sort": sort, "cursor": cursor, "from": from_, "to": to},
            )
        )
        return found

    def iterate_keys(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> AsyncIterator[models.AccountKey]:
        """List the Pix keys of an account: each of every page, by `list_keys`."""
        return self._items(
            lambda cursor: self.list_keys(account_id, limit=limit, sort=sort, from_=from_, to=to, cursor=cursor)
        )

    async def confirm_key(
        self, account_id: str, body: models.ConfirmKey, *, idempotency_key: str | None = None
    ) -> models.AccountKey:
        """Confirm a Pix key: `POST /order/v1/banking/accounts/{accountId}/keys/confirm`."""
        found: models.AccountKey = await self._sent(
            Call(
                "confirm_key",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/confirm",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def resend_key_code(
        self, account_id: str, body: models.ResendCode, *, idempotency_key: str | None = None
    ) -> models.CodeSent:
        """Send another code: `POST /order/v1/banking/accounts/{accountId}/keys/resend`."""
        found: models.CodeSent = await self._sent(
            Call(
                "resend_key_code",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/resend",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def create_key_claim(
        self, account_id: str, body: models.OpenClaim, *, idempotency_key: str | None = None
    ) -> models.ClaimOrCode:
        """Claim a Pix key: `POST /order/v1/banking/accounts/{accountId}/keys/claims`."""
        found: models.ClaimOrCode = await self._sent(
            Call(
                "create_key_claim",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def list_key_claims(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        sort: models.Sort | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        status: models.ClaimStatus | None = None,
    ) -> models.ClaimList:
        """List the claims of an account: `GET /order/v1/banking/accounts/{accountId}/keys/claims`."""
        found: models.ClaimList = await self._sent(
            Call(
                "list_key_claims",
                "GET",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims",
                query={"limit": limit, "sort": sort, "cursor": cursor, "from": from_, "to": to, "status": status},
            )
        )
        return found

    def iterate_key_claims(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        sort: models.Sort | None = None,
        from_: str | None = None,
        to: str | None = None,
        status: models.ClaimStatus | None = None,
    ) -> AsyncIterator[models.Claim]:
        """List the claims of an account: each of every page, by `list_key_claims`."""
        return self._items(
            lambda cursor: self.list_key_claims(
                account_id, limit=limit, sort=sort, from_=from_, to=to, status=status, cursor=cursor
            )
        )

    async def confirm_key_claim(
        self, account_id: str, body: models.ConfirmKey, *, idempotency_key: str | None = None
    ) -> models.Claim:
        """Confirm possession of a key that is claimed: `POST /order/v1/banking/accounts/{accountId}/keys/claims/confirm`."""
        found: models.Claim = await self._sent(
            Call(
                "confirm_key_claim",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/confirm",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def resend_key_claim_code(
        self, account_id: str, body: models.ResendCode, *, idempotency_key: str | None = None
    ) -> models.CodeSent:
        """Send another code for a claim: `POST /order/v1/banking/accounts/{accountId}/keys/claims/resend`."""
        found: models.CodeSent = await self._sent(
            Call(
                "resend_key_claim_code",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/resend",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def read_key_claim(self, account_id: str, claim_id: str) -> models.Claim:
        """Read a claim: `GET /order/v1/banking/accounts/{accountId}/keys/claims/{claimId}`."""
        found: models.Claim = await self._sent(
            Call(
                "read_key_claim", "GET", f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/{segment(claim_id)}"
            )
        )
        return found

    async def cancel_key_claim(self, account_id: str, claim_id: str, *, idempotency_key: str | None = None) -> models.Claim:
        """Cancel a claim of yours: `POST /order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/cancel`."""
        found: models.Claim = await self._sent(
            Call(
                "cancel_key_claim",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/{segment(claim_id)}/cancel",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def request_key_claim_code(
        self, account_id: str, claim_id: str, *, idempotency_key: str | None = None
    ) -> models.CodeSent:
        """Ask for a code to decide about a claim: `POST /order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm-request`."""
        found: models.CodeSent = await self._sent(
            Call(
                "request_key_claim_code",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/{segment(claim_id)}/confirm-request",
                key=new_key(idempotency_key),
            )
        )
        return found

    async def resend_key_claim_answer_code(
        self, account_id: str, claim_id: str, body: models.ResendCode, *, idempotency_key: str | None = None
    ) -> models.CodeSent:
        """Send another code to decide about a claim: `POST /order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm-resend`."""
        found: models.CodeSent = await self._sent(
            Call(
                "resend_key_claim_answer_code",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/{segment(claim_id)}/confirm-resend",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def answer_key_claim(
        self, account_id: str, claim_id: str, body: models.AnswerClaim, *, idempotency_key: str | None = None
    ) -> models.Claim:
        """Decide about a claim: `POST /order/v1/banking/accounts/{accountId}/keys/claims/{claimId}/confirm`."""
        found: models.Claim = await self._sent(
            Call(
                "answer_key_claim",
                "POST",
                f"/order/v1/banking/accounts/{segment(account_id)}/keys/claims/{segment(claim_id)}/confirm",
                body=body,
                key=new_key(idempotency_key),
            )
        )
        return found

    async def delete_key(self, account_id: str, key_id: str) -> None:
        """Delete a Pix key: `DELETE /order/v1/banking/accounts/{accountId}/keys/{keyId}`."""
        await self._sent(
            Call("delete_key", "DELETE", f"/order/v1/banking/accounts/{segment(account_id)}/keys/{segment(key_id)}")
        )
