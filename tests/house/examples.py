"""An example of every operation behind a token, and what of every other path somebody may ask who knows nothing."""

import io
import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from PIL import Image
from stdnum.br import cnpj
from tests.house.asking import Ask, Example
from tests.house.examples_of_keys import KEY_EXAMPLES

from lastro.accounts.opening.docs import CREATE
from lastro.orders.cards.tokens import CREATE as CARD_TOKEN


def everywhere(text: str) -> Mapping[str, str]:
    """The same for whatever a path may name."""
    return dict.fromkeys(("id", "paymentId", "accountId", "keyId", "referenceId", "claimId", "documentId"), text)


def _order(account_id: str) -> Ask:
    order = {
        "externalId": os.urandom(8).hex(), "paymentMethod": "PIX", "description": "Bread", "accountId": account_id,
        "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": "BRL", "value": "10.50"},
    }  # fmt: skip
    document = {"type": "CPF", "number": "52998224725"}
    customer = {"name": "Bento", "entityType": "INDIVIDUAL", "document": document, "email": "bento@example.com"}
    return Ask(body={"order": order, "customer": customer})


# The code of each order of the towns.
CODES: dict[str, str] = {}


def _payin(account_id: str) -> Ask:
    body = {
        "externalId": os.urandom(8).hex(), "accountId": account_id, "paymentMethod": "PIX",
        "amount": {"currency": "BRL", "value": "10.50"},
        "payer": {"name": "Bento", "document": {"type": "CPF", "number": "52998224725"}},
    }  # fmt: skip
    return Ask(body=body)


def _static_qrcode(account_id: str) -> Ask:
    return Ask(body={"accountId": account_id, "pixKey": KEYS.get(account_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20")})


def refund(order_id: str) -> Ask:
    """Of a cent, as often as there is one."""
    amount = {"currency": "BRL", "value": "0.01"}
    return Ask(body={"orderId": order_id, "externalId": os.urandom(8).hex(), "amount": amount, "refundCode": "MD06"})


def _payout(account_id: str) -> Ask:
    """For tomorrow, so that no network is spoken to."""
    receiver = {"name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"}}
    bank = {"accountType": "CHECKING_ACCOUNT", "branchNumber": "0001", "accountNumber": "300003", "ispb": "99999030"}
    body = {
        "externalId": os.urandom(8).hex(), "accountId": account_id, "paymentMethod": "PIX", "receiver": receiver,
        "paymentData": {"bankAccount": bank}, "amount": {"currency": "BRL", "value": "10.50"}, "description": "Bread",
        "scheduledDate": (datetime.now(UTC) + timedelta(days=1)).date().isoformat(),
    }  # fmt: skip
    return Ask(body=body)


# The key of each account of the towns, which their own tables know: no directory is spoken to.
KEYS: dict[str, str] = {}


def _look_up(account_id: str) -> Ask:
    key = KEYS.get(account_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20")
    return Ask(path={"id": account_id}, query={"key": key})


def _subscription(account_id: str) -> Ask:
    """Of journey 3, from tomorrow on."""
    brl = {"currency": "BRL", "value": "29.90"}
    body = {
        "accountId": account_id, "type": "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT", "allowChargeAfterDueDate": True,
        "allowAdjustToBusinessDay": False, "frequencyType": "MONTHLY",
        "startDate": (datetime.now(UTC) + timedelta(days=1)).date().isoformat(), "fixedAmount": brl,
        "debtor": {"name": "Bento", "document": {"type": "CPF", "number": "52998224725"}},
        "webhookUrl": "https://shop.example.com/hook", "externalId": os.urandom(8).hex(),
        "initialCharge": {"pixKey": KEYS.get(account_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"), "amount": brl},
    }  # fmt: skip
    return Ask(body=body)


def weekly(account_id: str) -> Ask:
    """Of journey 2 and any amount, from tomorrow on, with a cycle each week."""
    body = {**(_subscription(account_id).body or {}), "type": "AUTHORIZATION_QRCODE", "frequencyType": "WEEKLY"}
    return Ask(body={name: value for name, value in body.items() if name not in ("initialCharge", "fixedAmount")})


# Whose each payment of the towns is.
SUBSCRIPTION_OF: dict[str, str] = {}
# More of its kind beside an accepted subscription of the towns: each has but one charge a week.
BESIDE: dict[str, tuple[str, ...]] = {}
_weeks = count()
_CYCLES = 48


def schedule(subscription_id: str) -> Ask:
    """Of one of the cycles of the next year, each time another, as long as there are any."""
    turn, week = divmod(next(_weeks), _CYCLES)
    alike = (subscription_id, *BESIDE.get(subscription_id, ()))
    due = (datetime.now(UTC) + timedelta(days=1 + 7 * (2 + week))).date()
    amount = {"currency": "BRL", "value": "29.90"}
    body = {"externalId": os.urandom(8).hex(), "dueDate": due.isoformat(), "amount": amount}
    return Ask(path={"id": alike[turn % len(alike)]}, body=body)


def _of_payment(payment_id: str) -> Mapping[str, str]:
    return {"id": SUBSCRIPTION_OF.get(payment_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20"), "paymentId": payment_id}


def _retry(payment_id: str) -> Ask:
    """On the first day that it may be on."""
    return Ask(path=_of_payment(payment_id), body={"date": RETRY_DAYS.get(payment_id, "2027-01-13")})


# The notice of each document of the towns.
NOTICE_OF: dict[str, str] = {}
# The next day of a try, of each payment of the towns that waits for one.
RETRY_DAYS: dict[str, str] = {}
# The hash of each plan of the towns.
HASHES: dict[str, str] = {}


def plan(account_id: str) -> Ask:
    return Ask(body={"payouts": [_payout(account_id).body]})


def approval(plan_id: str) -> Ask:
    return Ask(path={"id": plan_id}, body={"hash": HASHES.get(plan_id, "0f" * 32)})


# A payout of the towns that has gone and was not contested.
SENT: dict[str, str] = {}


def contest(account_id: str) -> Ask:
    body = {
        "endToEndId": SENT.get("sent", "E9999901020260131120000001aBcDeF"),
        "situationType": "SCAM",
        "details": "Nothing came",
    }
    return Ask(path={"accountId": account_id}, body=body)


def close(account_id: str) -> Ask:
    return Ask(path={"id": account_id}, body={"closeRequestReason": "We are moving"})


def _opening(_: str) -> Ask:
    """For an organization, with everything that can be said of one."""
    representative = {
        "name": "Rui Reis", "document": {"type": "CPF", "number": "52998224725"}, "email": "rui@example.com",
        "phone": "+5511999990000", "birthDate": "1980-01-01", "country": "BR",
    }  # fmt: skip
    body = {
        **(CREATE.request or {}), "externalId": os.urandom(8).hex(), "holderType": "ORGANIZATION", "tradeName": "Flores",
        "document": {"type": "CNPJ", "number": _organization()}, "representatives": [representative],
    }  # fmt: skip
    body["termsAccepted"] = {**body["termsAccepted"], "acceptedAt": "2026-01-01T00:00:00Z"}
    body["address"] = {**body["address"], "complement": "loja 2"}
    file_name = "termos-organization-2026-01.pdf"
    body |= {
        "country": "BR", "alias": "Loja",
        "acceptance": {"fileName": file_name, "acceptedAt": "2026-01-01T00:00:00Z", "ip": "203.0.113.7"},
    }  # fmt: skip
    return Ask(body=body)


def _organization() -> str:
    """The CNPJ of none in particular."""
    base = f"{int.from_bytes(os.urandom(4), 'big') % 10**8:08d}0001"
    return base + cnpj.calc_check_digits(base)


def upload(request_id: str, content: bytes = b"", *, only_file: bool = False) -> Ask:
    """A document for a request, drawn anew each time, so that it is another file."""
    made = io.BytesIO()
    Image.frombytes("L", (8, 8), os.urandom(64)).save(made, "PNG")
    parts = {
        "documentType": b"selfieRepresentative",
        "accountRequestId": request_id.encode(),
        "file": content or made.getvalue(),
    }
    if only_file:
        parts = {"file": parts["file"]}
    form = b"".join(
        f'--b\r\nContent-Disposition: form-data; name="{name}"{_FILE.get(name, "")}\r\n\r\n'.encode() + part + b"\r\n"
        for name, part in parts.items()
    )
    return Ask(form=form + b"--b--\r\n", media="multipart/form-data; boundary=b")


_FILE = {"file": '; filename="x"'}

# Every operation behind a token. A new one fails its test until it stands here.
EXAMPLES: Mapping[str, Example] = {
    "create_order": Example("account", _order),
    "read_order": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "read_order_story": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "cancel_order": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "list_orders": Example(None, lambda _: Ask(query={"status": "INITIAL", "sort": "asc"})),
    "create_order_payin": Example("account", _payin),
    "find_order_payin": Example("order", lambda order_id: Ask(query={"externalId": CODES.get(order_id, order_id)[:64]})),
    "read_order_payin": Example("order", lambda order_id: Ask(path={"id": order_id})),
    "create_static_qrcode": Example("account", _static_qrcode),
    "read_static_qrcode": Example("static_qrcode", lambda code_id: Ask(path={"id": code_id})),
    "list_static_qrcodes": Example(None, lambda _: Ask(query={"limit": "10", "sort": "asc"})),
    "read_foreign_payment": Example("foreign payment", lambda foreign_id: Ask(path={"id": foreign_id})),
    "list_foreign_payments": Example(None, lambda _: Ask(query={"status": "FOUND", "connection": "efi1"})),
    "create_refund": Example("paid order", refund),
    "read_refund": Example("refund", lambda refund_id: Ask(path={"id": refund_id})),
    "list_refunds": Example(None, lambda _: Ask(query={"status": "PENDING", "sort": "asc"})),
    "create_payout": Example("account", _payout),
    "read_payout": Example("payout", lambda payout_id: Ask(path={"id": payout_id})),
    "read_payout_receipt": Example("paid payout", lambda payout_id: Ask(path={"id": payout_id})),
    "read_payout_story": Example("payout", lambda payout_id: Ask(path={"id": payout_id})),
    "list_payouts": Example(None, lambda _: Ask(query={"status": "PENDING", "sort": "asc"})),
    "cancel_payout": Example("payout", lambda payout_id: Ask(path={"id": payout_id})),
    "create_payout_plan": Example("account", plan),
    "list_payout_plans": Example(None, lambda _: Ask(query={"status": "READY", "sort": "asc"})),
    "read_payout_plan": Example("plan", lambda plan_id: Ask(path={"id": plan_id})),
    "list_payout_plan_lines": Example("plan", lambda plan_id: Ask(path={"id": plan_id}, query={"status": "VALID"})),
    "read_payout_plan_result": Example("plan", lambda plan_id: Ask(path={"id": plan_id})),
    "approve_payout_plan": Example("ready plan", approval),
    "apply_payout_plan": Example("approved plan", lambda plan_id: Ask(path={"id": plan_id})),
    "cancel_payout_plan": Example("plan to cancel", lambda plan_id: Ask(path={"id": plan_id})),
    "create_subscription": Example("account", _subscription),
    "list_subscriptions": Example(None, lambda _: Ask(query={"status": "PENDING_AUTHORIZATION", "sort": "asc"})),
    "read_subscription": Example("subscription", lambda subscription_id: Ask(path={"id": subscription_id})),
    "read_subscription_story": Example("subscription", lambda subscription_id: Ask(path={"id": subscription_id})),
    "cancel_subscription": Example(
        "subscription", lambda subscription_id: Ask(path={"id": subscription_id}, body={"reason": "OTHER"})
    ),
    "create_subscription_payment": Example("accepted subscription", schedule),
    "list_subscription_payments": Example(
        "charged subscription", lambda of: Ask(path={"id": of}, query={"status": "SCHEDULED", "sort": "asc"})
    ),
    "read_subscription_payment": Example("payment", lambda payment_id: Ask(path=_of_payment(payment_id))),
    "cancel_subscription_payment": Example("payment to cancel", lambda payment_id: Ask(path=_of_payment(payment_id))),
    "retry_subscription_payment": Example("payment to try again", _retry),
    **KEY_EXAMPLES,
    "look_up_key": Example("account", _look_up),
    "read_account_story": Example("account", lambda account_id: Ask(path={"id": account_id})),
    "read_account_limits": Example("account", lambda account_id: Ask(path={"id": account_id})),
    "list_accounts": Example(None, lambda _: Ask(query={"fullName": "loja"})),
    "read_account": Example("account", lambda account_id: Ask(path={"id": account_id})),
    "open_account": Example(None, _opening),
    "read_account_terms": Example(None, lambda _: Ask(query={"holderType": "INDIVIDUAL"})),
    "read_account_request": Example("account request", lambda request_id: Ask(path={"id": request_id})),
    "upload_account_document": Example("account request", upload),
    "request_account_close": Example("account", close),
    "read_account_close": Example("close request", lambda request_id: Ask(path={"id": request_id})),
    "list_account_closes": Example(None, lambda _: Ask(body={"skip": 0, "take": 10, "requireTotalCount": True})),
    "create_card_token": Example(None, lambda _: Ask(body=dict(CARD_TOKEN.request or {}))),
    "contest_med": Example("account", contest),
    "read_med": Example("dispute", lambda object_id: Ask(path={"referenceId": object_id})),
    "defend_med": Example(
        "notice", lambda object_id: Ask(path={"referenceId": object_id}, body={"text": "It was delivered"})
    ),
    "attach_med_document": Example(
        "notice", lambda object_id: replace(upload("", only_file=True), path={"referenceId": object_id})
    ),
    "read_med_document": Example(
        "defense document",
        lambda one: Ask(path={"referenceId": NOTICE_OF.get(one, one), "documentId": one}),
    ),
    "cancel_med": Example("dispute to cancel", lambda object_id: Ask(path={"referenceId": object_id})),
    "list_med": Example(None, lambda _: Ask(query={"page": "1", "limit": "10", "role": "PAYER", "onlyPending": "true"})),
    "list_fees": Example(None, lambda _: Ask()),
    "list_deposit_banks": Example(None, lambda _: Ask()),
    "list_banks": Example(None, lambda _: Ask(query={"name": "itau", "method": "PIX"})),
    "read_statement": Example(
        "account",
        lambda account_id: Ask(path={"id": account_id}, query={"limit": "10", "operation": "in", "mergeBatch": "false"}),
    ),
    "read_company_balance": Example(None, lambda _: Ask(query={"accountType": "PAYMENT"})),
    "read_balance": Example("account", lambda account_id: Ask(query={"accountId": account_id})),
    "list_webhook_events": Example(None, lambda _: Ask(query={"limit": "10"})),
    "read_webhook_event": Example("event", lambda event_id: Ask(path={"id": event_id})),
    "resend_webhook_event": Example("event", lambda event_id: Ask(path={"id": event_id})),
    "resend_webhook_events": Example(None, lambda _: Ask(body={"filter": {}})),
    "read_feed": Example(None, lambda _: Ask(query={"limit": "10"})),
    "read_webhook": Example(None, lambda _: Ask()),
    "set_webhook": Example(
        None, lambda _: Ask(body={"events": [{"event": "ORDER-PAYIN.PAID", "url": "https://shop.example.com/hook"}]})
    ),
    "rotate_webhook_secret": Example(None, lambda _: Ask()),
    "test_webhook": Example(None, lambda _: Ask(body={"event": "ORDER-PAYIN.PAID", "url": "https://shop.example.com/hook"})),
}

# Every path without a token: method, path, body and status of what somebody who knows nothing may ask.
PUBLIC: Mapping[str, tuple[tuple[str, str, bytes | None, int], ...]] = {
    "/auth/v1/token": (
        ("POST", "/auth/v1/token", b'{"clientId":"lc_0000000000000000000000","clientSecret":"lsk_x"}', 401),
        ("POST", "/auth/v1/token", b"{}", 400),
        ("POST", "/auth/v1/token", b"[", 400),
        ("GET", "/auth/v1/token", None, 405),
    ),
    "/oauth2/token": (
        ("POST", "/oauth2/token", b"grant_type=client_credentials&client_id=lc_0&client_secret=x", 401),
        ("POST", "/oauth2/token", b"grant_type=password", 400),
        ("GET", "/oauth2/token", None, 405),
    ),
    "/.well-known/jwks.json": (("GET", "/.well-known/jwks.json", None, 200),),
    "/.well-known/pix-jwks.json": (("GET", "/.well-known/pix-jwks.json", None, 200),),
    "/qr/v2/{token}": (
        ("GET", "/qr/v2/0000000000000000000000", None, 404),
        ("GET", "/qr/v2/zzzzz00000000000000000", None, 404),
        ("GET", "/qr/v2/x", None, 404),
    ),
    "/qr/v2/rec/{token}": (
        ("GET", "/qr/v2/rec/0000000000000000000000", None, 404),
        ("GET", "/qr/v2/rec/zzzzz00000000000000000", None, 404),
        ("GET", "/qr/v2/rec/x", None, 404),
    ),
    "/qr/image/{name}": (
        ("GET", "/qr/image/0000000000000000000000.png", None, 404),
        ("GET", "/qr/image/x", None, 404),
    ),
    "/voucher/{name}": (
        ("GET", "/voucher/0000000000000000000000.pdf", None, 404),
        ("GET", "/voucher/x", None, 404),
    ),
    "/terms/{name}": (
        ("GET", "/terms/termos-individual-2026-01.pdf", None, 200),
        ("GET", "/terms/x", None, 404),
    ),
    "/rails/{connection}/{secret}": (
        ("POST", f"/rails/efi1/{'x' * 32}", b"{}", 404),
        ("POST", f"/rails/nobody/{'x' * 32}", b"[", 404),
        ("GET", f"/rails/efi1/{'x' * 32}", None, 405),
    ),
    "/rails/{connection}/{secret}/pix": (
        ("POST", f"/rails/efi1/{'x' * 32}/pix", b'{"pix": []}', 404),
        ("GET", f"/rails/efi1/{'x' * 32}/pix", None, 405),
    ),
    "/rails/{connection}/{secret}/rec": (
        ("POST", f"/rails/efi1/{'x' * 32}/rec", b'{"recs": []}', 404),
        ("GET", f"/rails/efi1/{'x' * 32}/rec", None, 405),
    ),
    "/rails/{connection}/{secret}/cobr": (
        ("POST", f"/rails/efi1/{'x' * 32}/cobr", b'{"cobsr": []}', 404),
        ("GET", f"/rails/efi1/{'x' * 32}/cobr", None, 405),
    ),
    "/slip/{name}": (
        ("GET", "/slip/0000000000000000000000.pdf", None, 404),
        ("GET", "/slip/x", None, 404),
    ),
    "/checkout/{token}": (
        ("GET", "/checkout/0000000000000000000000", None, 404),
        ("GET", "/checkout/zzzzz00000000000000000", None, 404),
        ("GET", "/checkout/x", None, 404),
        ("POST", "/checkout/0000000000000000000000", b"{}", 405),
    ),
    "/3ds/{token}": (
        ("GET", "/3ds/0000000000000000000000", None, 404),
        ("GET", "/3ds/x", None, 404),
        ("POST", "/3ds/0000000000000000000000", b"{}", 405),
    ),
    "/checkout/{token}/state": (
        ("GET", "/checkout/0000000000000000000000/state", None, 404),
        ("GET", "/checkout/x/state", None, 404),
    ),
    "/checkout.css": (("GET", "/checkout.css", None, 200),),
    "/checkout.js": (("GET", "/checkout.js", None, 200), ("POST", "/checkout.js", b"{}", 405)),
    "/health": (("GET", "/health", None, 200),),
    "/live": (("GET", "/live", None, 200),),
    "/metrics": (("GET", "/metrics", None, 200), ("POST", "/metrics", b"{}", 405)),
    "/openapi.json": (("GET", "/openapi.json", None, 200), ("POST", "/openapi.json", b"{}", 405)),
    "/postman.json": (("GET", "/postman.json", None, 200), ("POST", "/postman.json", b"{}", 405)),
    "/schemas": (("GET", "/schemas", None, 200), ("POST", "/schemas", b"{}", 405)),
    "/schemas/{name}": (
        ("GET", "/schemas/ORDER-PAYIN.PAID.json", None, 200),
        ("GET", "/schemas/ORDER-PAYIN.PAID", None, 404),
        ("GET", "/schemas/x.json", None, 404),
    ),
    "/docs": (("GET", "/docs", None, 200),),
    "/docs/api/{page}": (("GET", "/docs/api/orders", None, 200), ("GET", "/docs/api/nobody", None, 404)),
    "/docs/search": (("GET", "/docs/search?q=pix", None, 200),),
    "/docs/style.css": (("GET", "/docs/style.css", None, 200),),
    "/docs/guide": (("GET", "/docs/guide", None, 200),),
    "/docs/guide/{page}": (("GET", "/docs/guide/guides-orders", None, 200), ("GET", "/docs/guide/nobody", None, 404)),
    "/llms.txt": (("GET", "/llms.txt", None, 200),),
}
