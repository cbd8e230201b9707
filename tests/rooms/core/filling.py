"""Puts rows into every table that a company has."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

from msgspec import structs
from tests.cast import Cast, Seller
from tests.rooms.accounts.openings import born_opening
from tests.rooms.core.verbs import born_order, born_payout, born_statement, erased, make_slip, settle_pesos, take_back_a_card
from tests.rooms.keys.proof import asked_claim, asked_proof
from tests.rooms.ledger.test_entries import earn_long_ago
from tests.rooms.med.recovery import disputed

from lastro import ledger
from lastro.api_kit.routes import render, stamp
from lastro.closing import CLOSE_REQUESTS
from lastro.core.commit import commit
from lastro.core.money import Money
from lastro.core.runner import RequestContext
from lastro.core.write import Event, Finished, Row, Stored, Touch, Write
from lastro.orders import ORDERS, PIX_PAYMENTS
from lastro.orders.actions.give_back import ReturnId, give_back
from lastro.plans import PLANS
from lastro.rails.port import PIX_SETTLED, ChargeInstruction, Collector, charge_message
from lastro.standards.pix_ids import base62, dynamic_txid, static_txid
from lastro.standards.recurrence_ids import recurrence_id
from lastro.subscriptions import ATTEMPTS, CANCELLATIONS, PAYMENTS, SUBSCRIPTIONS

LEAVE_OUT = """WITH c AS (UPDATE event_cursors SET last_sequence = last_sequence + 2 WHERE company_id = $1 RETURNING last_sequence AS n)
INSERT INTO event_eras SELECT $1, $2, began_at, n - 2, n + 1, business_now() FROM c, eras RETURNING 1"""


def _subscription(seller: Seller, subscription: UUID, cancellation: UUID, debtor: UUID, at: datetime) -> tuple[Row, ...]:
    """One that nobody has authorized, and a cancellation that was refused, as if there could be one already."""
    values = {
        "id": subscription, "account_id": seller.account_id, "external_id": "s",
        "provider_id": recurrence_id("12345678", at.date(), seller.number, 1, retries=False), "type": "AUTHORIZATION_QRCODE",
        "frequency": "MONTHLY", "starts_on": at.date(), "currency": "BRL", "charges_after_due": False, "adjusts": False,
        "auto_schedule": False, "webhook_url": "https://ana.example", "debtor_id": debtor,
        "location_token": f"{base62(seller.number, 5)}{subscription.hex[:17]}", "lapses_at": at, "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    of_cancellation = {
        "id": cancellation, "subscription_id": subscription, "idempotency_key": "k", "reason": "OTHER", "created_at": at,
        "updated_at": at,
    }  # fmt: skip
    return (
        *SUBSCRIPTIONS.born(values, at, ("create", "register")),
        *CANCELLATIONS.born(of_cancellation, at, ("ask", "refuse")),
    )


def _payment(cast: Cast, seller: Seller, subscription: UUID, debtor: UUID, at: datetime) -> Write:
    """A charge of it that was called off, as if there could have been one already."""
    payment, order, attempt, day = cast.id(), cast.id(), cast.id(), at.date()
    times = {"created_at": at, "updated_at": at}
    txid, name = dynamic_txid(seller.number, payment.bytes + order.bytes), f"M{payment.hex[1:]}"
    of_order = {
        "id": order, "account_id": seller.account_id, "external_id": "p", "origin": "SUBSCRIPTION", "payment_method": "PIX",
        "currency": "BRL", "amount_minor": 1, "final_amount_minor": 1, "description": "x", "txid": txid,
        "notification_url": "https://ana.example", "customer_id": debtor, "subscription_id": subscription,
        "subscription_code": "s", "scheduled_payment_id": payment, **times,
    }  # fmt: skip
    of_payment = {
        "id": payment, "subscription_id": subscription, "external_id": "p", "order_id": order, "currency": "BRL",
        "amount_minor": 1, "due_on": day, "settles_on": day, "cycle": 0, "cycle_starts_on": day,
        "next_cycle_starts_on": day + timedelta(days=28), "auto_retry": True, "code": "SLCR", **times,
    }  # fmt: skip
    of_attempt = {
        "id": attempt, "payment_id": payment, "number": 1, "kind": "AGND", "collects_on": day, "message_id": name, **times,
    }  # fmt: skip
    rows = (
        *ORDERS.born(of_order, at, ("create", "cancel")),
        *PAYMENTS.born(of_payment, at, ("schedule", "send", "cancel")),
        *ATTEMPTS.born(of_attempt, at, ("request", "cancel")),
    )
    told = {
        "id": str(payment), "externalId": "p", "orderId": str(order), "subscription": {"id": str(subscription), "code": "s"},
        "dueDate": day.isoformat(), "adjustedDueDate": day.isoformat(), "amount": {"currency": "BRL", "value": "0.01"},
    }  # fmt: skip
    events = tuple(
        Event(cast.id(), f"SUBSCRIPTION-PAYMENT.{status}", payment, None,
             render({"event": f"SUBSCRIPTION-PAYMENT.{status}", "occurredAt": stamp(at), "data": {**told, "status": status}}), at)
        for status in ("SCHEDULED", "CANCELED")
    )  # fmt: skip
    instruction = ChargeInstruction(
        name, recurrence_id("12345678", day, seller.number, 1, retries=False), txid, "AGND", Money(1, "BRL"), day, day,
        "99999020", "11144477735", Collector("Ana", "1", "1", "1"),
    )  # fmt: skip
    return Write(
        seller.company_id, rows=rows, events=events, messages=(charge_message(instruction, attempt, cast.id(), at),)
    )


def _plan(seller: Seller, plan: UUID, line: UUID, at: datetime) -> tuple[Row, ...]:
    """A plan that is being checked, one of its two lines so far; and an approval, as if there could be one already."""
    digest = sha256(b"").digest()
    hashed = sha256(digest).hexdigest()
    values = {
        "id": plan, "format": "JSON", "lines": 2, "approvals_needed": 2, "created_by": "another", "due_at": at, "created_at": at, "updated_at": at,
    }  # fmt: skip
    return (
        *PLANS.born(values, at),
        Row("payout_plan_bodies", {"id": plan}),
        Row(
            "payout_plan_lines",
            {"id": line, "plan_id": plan, "number": 1, "line": 1, "request": b"", "digest": digest, "created_at": at},
        ),
        Row(
            "payout_plan_approvals", {"plan_id": plan, "approver": seller.client.client_id, "hash": hashed, "created_at": at}
        ),
    )


async def fill(cast: Cast, seller: Seller) -> None:
    """At least one row in each of a company's tables."""
    at = datetime.now(UTC)
    order, payment, event, inbox, lease = (cast.id() for _ in range(5))
    company, end_to_end_id, one = seller.company_id, f"E{payment.hex[1:]}", Money(1, "BRL")
    unfit = {
        "id": payment, "end_to_end_id": end_to_end_id, "amount_minor": 1, "accepted_at": at, "settled_at": at,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    back = give_back(
        payment, end_to_end_id, one, PIX_PAYMENTS.born(unfit, at, ("give_back",)), ReturnId("12345678", seller.number, 1),
        RequestContext(company, at, cast.chance),
    )  # fmt: skip
    payout, receiver, subscription = cast.id(), cast.id(), cast.id()
    rows = (
        *born_order(seller, order, at),
        Row("parties", {"id": receiver, "name": "Bento"}),
        *born_payout(seller, payout, receiver, at),
        Row("payout_returns", {"id": cast.id(), "payout_id": payout, "return_id": f"D{payout.hex[1:]}", "amount_minor": 1, "reason_code": "MD06", "is_unfit": True, "settled_at": at, "created_at": at}),
        *born_statement(cast, at),
        Row("account_limits", {"account_id": seller.account_id, "payment_method": "PIX", "transaction_minor": 1}),
        *_plan(seller, cast.id(), cast.id(), at),
        *_subscription(seller, subscription, cast.id(), receiver, at),
        Row("pix_static_qrcodes", {"id": cast.id(), "account_id": seller.account_id, "pix_key": "k", "txid": static_txid(seller.number, payout.bytes + order.bytes), "qrcode_data": "x", "created_at": at}),
        Row("quotas", {"owner_id": seller.account_id, "kind": "PIX.day", "period": "2026-01-01", "used_minor": 0}),
        Row("company_fees", {"id": cast.id(), "payment_method": "PIX", "payer": "RECEIVER", "valid_from": at, "created_at": at}),
        *CLOSE_REQUESTS.born({"id": cast.id(), "account_id": seller.account_id, "reason_code": "x", "obstacles": '[{"type":"HELD"}]', "created_at": at, "updated_at": at}, at, ("request", "refuse")),
        *born_opening(cast, receiver, at),
        Row("webhook_settings", {"event": "TEST", "active": True, "is_extra": False, "updated_at": at}),
        Row("webhook_circuits", {"endpoint": 1, "origin": "https://a.example", "state": "CLOSED", "opened_at": at, "failure": "TIMEOUT"}),
        Row("inbox", {"id": inbox, "rail": "pix", "kind": PIX_SETTLED, "network_id": str(inbox), "subject": end_to_end_id, "body": render({"amount": {"minor": 1}}), "received_at": at, "due_at": at, "lease_token": lease}),
    )  # fmt: skip
    write = Write(
        company, rows=rows, transfers=(structs.replace(cast.transfer(seller.pix, ledger.suspense(company, "BRL"), 1), type="PIX_RETURN_UNFIT", reference_id=payout),),
        events=(Event(event, "TEST", order, "https://ana.example", b"{}", at),),
        stored=(Stored("act", "k", b"", 200, b"", order, "week", at),),
    )  # fmt: skip
    await commit(cast.database, Write(company, events=(Event(cast.id(), "TEST", order, None, b"{}", at),)))
    charge = _payment(cast, seller, subscription, receiver, at + timedelta(microseconds=1))
    others = disputed(cast, seller, at) + asked_proof(cast, seller, at) + asked_claim(cast, seller, at)
    await commit(cast.database, write + back + charge + others)
    await make_slip(cast, seller, at + timedelta(microseconds=2))
    await settle_pesos(cast, seller, at)
    await take_back_a_card(cast, seller)
    await earn_long_ago(cast, seller)
    async with cast.database.session(company) as session:
        left = await session.value("SELECT count(*) FROM events")
        while left:
            left -= await session.value("SELECT greatest(n, -1 - n) FROM number_events($1, 100) n", company)
        assert await session.value("SELECT forget_events($1, '0', 1)", company) == 1
        assert await session.value(LEAVE_OUT, company, cast.id()) == 1
    attempt = {"event_id": event, "number": 1, "status_code": 0, "message": "", "requested_at": at, "duration_ms": 0}
    failed = Touch("deliveries", event, 1, {"status": "RETRYING", "attempts": 1, "plan_attempts": 1})
    finished = Finished("inbox", inbox, lease, "handled", at)
    behind = Row(
        "entries_behind", {"id": cast.id(), "decided_at": at - timedelta(days=2), "watermark": at}
    )  # of no transfer
    rows = (Row("delivery_attempts", attempt), *erased(cast, event, at), behind)
    ended = Write(company, rows=rows, touches=(failed,), finished=(finished,))
    await commit(cast.database, ended)
