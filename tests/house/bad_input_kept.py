"""Good requests with all their fields, and the odd values that are right: what may be sent that looks wrong, and why."""

from collections.abc import Mapping
from typing import Any

from lastro.api_kit.routes import Route

from .bad_input import CONTROLS, PARAMETERS, TRICKS
from .examples import EXAMPLES
from .strangers import Town

# What an operation's example leaves out, so that every field has good neighbours.
MORE: Mapping[str, Mapping[str, Any]] = {
    "create_order": {
        "order": {"returnUrl": "https://shop.example.com/back", "expiration": 3600},
        "customer": {
            "phone": "+5511999990000", "birthDate": "1990-01-31", "country": "BR", "ip": "203.0.113.7",
            "address": {
                "state": "SP", "city": "Sao Paulo", "street": "Rua A", "neighborhood": "Centro", "number": "1",
                "complement": "ap 2", "postalCode": "01310-100",
            },
        },
    },
    "create_order_payin": {"description": "Bread", "expiration": 3600},
    "create_static_qrcode": {"amount": {"currency": "BRL", "value": "10.50"}, "description": "Mesa 5"},
    "create_refund": {"refundReason": "Broken", "description": "Sorry"},
    "create_payout": {"allowDuplicate": True},
    "create_subscription": {
        "payer": {"name": "Bento", "document": {"type": "CPF", "number": "52998224725"}}, "endDate": "2099-01-31",
        "description": "Magazine", "autoSchedule": False,
    },
    "create_subscription_payment": {
        "description": "Magazine", "autoRetry": False,
    },
    "resend_webhook_events": {
        "dryRun": True, "perMinute": 10,
        "filter": {
            "status": "FAILED", "event": "ORDER-PAYIN.PAID", "referenceId": "01a1fc68-d29a-73a9-ad7e-1f01b3fbc0a0",
            "url": "https://shop.example.com/hook", "from": "2026-01-01", "to": "2026-01-02T00:00:00Z",
        },
    },
    "set_webhook": {
        "events": [{"event": "ORDER-PAYIN.PAID", "url": "https://shop.example.com/hook", "active": True}], "mode": "MERGE",
    },
    "create_card_token": {"brand": "VISA"},
}  # fmt: skip

# How the texts that an operation keeps are found again, by the id that it answers; the others keep none of the client's own.
STORED: Mapping[str, str] = {
    "create_order": "SELECT to_jsonb(o)::text, to_jsonb(p)::text FROM orders o LEFT JOIN parties p"
    " ON p.company_id = o.company_id AND p.id = o.customer_id WHERE o.id = $1::text::uuid",
    "create_order_payin": "SELECT to_jsonb(o)::text, to_jsonb(p)::text FROM orders o LEFT JOIN parties p"
    " ON p.company_id = o.company_id AND p.id = o.customer_id WHERE o.id = $1::text::uuid",
    "create_static_qrcode": "SELECT to_jsonb(q)::text FROM pix_static_qrcodes q WHERE q.id = $1::text::uuid",
    "create_subscription": "SELECT to_jsonb(s)::text, to_jsonb(d)::text, to_jsonb(n)::text FROM subscriptions s"
    " JOIN parties d ON d.company_id = s.company_id AND d.id = s.debtor_id"
    " JOIN parties n ON n.company_id = s.company_id AND n.id = s.named_payer_id WHERE s.id = $1::text::uuid",
    "create_subscription_payment": "SELECT to_jsonb(p)::text, to_jsonb(o)::text FROM subscription_payments p JOIN orders o"
    " ON o.company_id = p.company_id AND o.id = p.order_id WHERE p.id = $1::text::uuid",
    "create_refund": "SELECT to_jsonb(r)::text FROM refunds r WHERE r.id = $1::text::uuid",
    "open_account": "SELECT to_jsonb(r)::text, to_jsonb(p)::text, (SELECT jsonb_object_agg(q.id, to_jsonb(q))::text"
    " FROM parties q WHERE q.id = ANY (r.representative_ids)) FROM account_requests r JOIN parties p"
    " ON p.company_id = r.company_id AND p.id = r.party_id WHERE r.id = $1::text::uuid",
    "request_account_close": "SELECT to_jsonb(r)::text FROM account_close_requests r WHERE r.id = $1::text::uuid",
    "create_payout": "SELECT to_jsonb(o)::text, to_jsonb(p)::text FROM payouts o JOIN parties p"
    " ON p.company_id = o.company_id AND p.id = o.receiver_id WHERE o.id = $1::text::uuid",
}

# What an order by card says of it.
_CARD = (
    "threeDsToken", "cardToken", "installments",
    *(f"creditCard{name}" for name in ("", ".holderName", ".holderDocument", ".number", ".cvv", ".expiry", ".brand",
                                       ".installments", ".skip3ds")),
    *(f"browser{name}" for name in ("", ".userAgent", ".acceptHeader", ".language", ".colorDepth", ".screenHeight",
                                    ".screenWidth", ".timeZoneOffset", ".javaEnabled", ".javascriptEnabled")),
)  # fmt: skip

# Fields that no good request of the town has, and why: whatever is sent in them is refused.
NEVER: Mapping[str, Mapping[str, str]] = {
    "create_order": {
        "order.bank": "is for DEPOSIT, for which there is no partner",
        "order.financialPartner": "the town has no partner",
        "order.paymentDetails": "is for a card, and the example pays by PIX",
        **{f"order.paymentDetails.{name}": "is for a card, and the example pays by PIX" for name in _CARD},
        "order.pixKey": "would be the account's key, of which the example names the account",
    },
    "create_order_payin": {"pixKey": "would be the account's key, of which the example names the account"},
    "open_account": {"representatives[0].documentNumber": "is the number of the document, which the example gives"},
    "create_subscription": dict.fromkeys(
        ("maxAmountFloor", "maxAmountFloor.currency", "maxAmountFloor.value"),
        "would be a second amount beside the fixed one",
    ),
    "create_payout": {
        "paymentData.pixKey": "would be a second way beside the bank account",
        "paymentData.qrcodeData": "would be a second way beside the bank account",
        "paymentData.bankAccount.bankNumber": "would name the bank a second time",
    },
}

# What another field is refused for because of a bad value in this one.
DRAGS: Mapping[str, Mapping[str, frozenset[tuple[str, str]]]] = {
    # Two amounts are one too many, whatever they are of.
    "create_subscription": {
        name: frozenset({("fixedAmount", "MUTUALLY_EXCLUSIVE")})
        for name in ("maxAmountFloor", "maxAmountFloor.currency", "maxAmountFloor.value")
    },
    # Only PIX orders end by seconds, and what the method was meant to be nobody knows.
    "create_order": {"order.paymentMethod": frozenset({("order.expiration", "NOT_ALLOWED")})},
    # A number beside the document has to be the document's.
    "open_account": {
        "representatives[0].documentNumber": frozenset({("representatives[0].document", "MUTUALLY_EXCLUSIVE")}),
    },
    # A second way to pay is one too many beside the first.
    "create_payout": {
        f"paymentData.{way}": frozenset({("paymentData.bankAccount", "MUTUALLY_EXCLUSIVE")})
        for way in ("pixKey", "qrcodeData")
    },
}

# Ids of a body that answer as if nothing was there, without details (contract.md §1).
IDS: Mapping[str, frozenset[str]] = {
    "create_order": frozenset({"order.accountId"}), "create_subscription": frozenset({"accountId"}),
}  # fmt: skip

# What a good request ends cannot be ended again: from then on it is a conflict.
ENDING = frozenset(
    {
        "cancel_subscription", "cancel_subscription_payment", "retry_subscription_payment",
        "create_subscription_payment",  # the last of its cycles
        "contest_med", "cancel_med",
    }
)  # fmt: skip

ABSENT = frozenset({"missing", "null"})  # what is optional may be absent, and null counts as absent (contract.md §1)
TRUE = frozenset({"true"})
WHOLE = frozenset({"a whole fraction", "an exponent"})  # JSON has one kind of number: 60.0 and 6e1 are 60
WORD = frozenset({"a word"})  # it is a text like any other
# What no one sees, or turns or covers what stands beside it, is refused (docs/decisions/legible-text.md).
_HIDES = {"right to left", "zero width", "nothing but zero width", "combining marks", "byte order mark"}
TEXT = WORD | (TRICKS.keys() - {"blank", "a wide blank"} - _HIDES)  # kept as sent (contract.md §10)
PRINTABLE = WORD | {"full-width digits", "Cyrillic"}  # printable characters, no blanks around (§10)
_PERSON = ("phone", "country", *(f"address.{part}" for part in MORE["create_order"]["customer"]["address"]))

KEPT: Mapping[str, Mapping[str, frozenset[str]]] = {
    "create_order": {
        "order.externalId": PRINTABLE,
        "order.description": TEXT,
        "order.amount": frozenset({"missing"}),  # an open amount; null is refused, since it has to be meant (§1)
        "order.amount.value": frozenset({"a number", "a fraction"}),  # a number is as good as a text (§1)
        "order.accountId": ABSENT,
        "order.returnUrl": ABSENT,
        "order.financialPartner": ABSENT,
        "order.expiration": ABSENT | WHOLE,
        "order.pixKey": ABSENT,
        "order.bank": ABSENT,
        "order.paymentDetails": ABSENT,
        "customer.name": TEXT,
        "customer.birthDate": ABSENT,
        "customer.address": ABSENT | {"an object", "an empty object"},  # unknown fields are ignored (§1)
        "customer.ip": ABSENT,
        **{f"customer.{part}": ABSENT | TEXT for part in _PERSON},
    },
    "create_order_payin": {
        "externalId": PRINTABLE,
        "amount.value": frozenset({"a number", "a fraction"}),  # a number is as good as a text (§1)
        "pixKey": ABSENT,
        "payer.name": TEXT,
        "description": ABSENT | TEXT,
        "expiration": ABSENT | WHOLE,
    },
    "create_static_qrcode": {
        "amount": ABSENT,  # an open amount
        "amount.value": frozenset({"a number", "a fraction"}),
        "description": ABSENT | TEXT,
    },
    "create_refund": {
        "externalId": PRINTABLE,
        "amount.value": frozenset({"a number", "a fraction"}),
        "refundReason": ABSENT | TEXT,
        "description": ABSENT | TEXT,
    },
    "request_account_close": {"closeRequestReason": TEXT},
    "resend_webhook_events": {
        "filter": frozenset({"an object", "an empty object"}),  # unknown fields are ignored (§1)
        "filter.status": ABSENT,
        "filter.event": ABSENT,
        # What is no id of an object finds nothing, whatever it is.
        "filter.referenceId": ABSENT | WORD | TRICKS.keys() | CONTROLS.keys(),
        # It is compared, nothing is sent there; no address has blanks or controls.
        "filter.url": ABSENT | WORD | {"line separator"} | (TRICKS.keys() - {"blank", "padded"}),
        "filter.from": ABSENT,
        "filter.to": ABSENT,
        "dryRun": ABSENT | TRUE,
        "perMinute": ABSENT | WHOLE | {"a number"},
    },
    "create_key": {"channel": ABSENT},
    "create_key_claim": {"channel": ABSENT},
    "list_account_closes": {
        "skip": ABSENT | WHOLE | {"a number", "zero", "minus zero", "minus zero point zero"},
        "take": ABSENT | WHOLE | {"a number"},
        "requireTotalCount": ABSENT | TRUE,
    },
    "create_card_token": {"holderName": TEXT, "brand": ABSENT},
    "open_account": {
        "externalId": PRINTABLE | ABSENT,
        "termsAccepted": ABSENT,
        "acceptance": ABSENT,
        "acceptance.acceptedAt": ABSENT,
        "acceptance.ip": ABSENT,
        "country": ABSENT,
        "alias": ABSENT | TEXT,
        "representatives[0].country": ABSENT,
        "representatives[0].documentNumber": ABSENT,
        "fullName": TEXT,
        "tradeName": ABSENT | TEXT,
        **{f"address.{name}": TEXT for name in ("city", "neighborhood", "street", "number")},
        "address.complement": ABSENT | TEXT,
        "representatives[0].name": TEXT,
    },
    "create_payout": {
        "externalId": PRINTABLE,
        "paymentData.pixKey": ABSENT,
        "paymentData.qrcodeData": ABSENT,
        "paymentData.bankAccount.bankNumber": ABSENT,
        "amount.value": frozenset({"a number", "a fraction"}),  # a number is as good as a text (§1)
        "description": TEXT,
        "receiver.name": TEXT,
        "scheduledDate": ABSENT,  # then it is for today
        "allowDuplicate": ABSENT | TRUE,
    },
    "create_subscription": {
        "externalId": PRINTABLE,
        "description": ABSENT | TEXT,
        "debtor.name": TEXT,
        "payer": ABSENT,
        "payer.name": TEXT,
        "endDate": ABSENT,
        "fixedAmount.value": frozenset({"a number", "a fraction"}),  # a number is as good as a text (§1)
        "initialCharge.amount.value": frozenset({"a number", "a fraction"}),
        "fixedAmount": ABSENT,
        "maxAmountFloor": ABSENT,
        "autoSchedule": ABSENT | TRUE,
        "allowChargeAfterDueDate": TRUE,
        "allowAdjustToBusinessDay": TRUE,
    },
    "cancel_subscription": {"reason": ABSENT},
    "contest_med": {"details": ABSENT | TEXT},
    "defend_med": {"text": TEXT | {"tab", "line feed"}},
    "create_subscription_payment": {
        "externalId": PRINTABLE,
        "amount.value": frozenset({"a number", "a fraction"}),
        "description": ABSENT | TEXT,
        "autoRetry": ABSENT | TRUE,
    },
    # What is no payout is said of its line, once the lines are looked at.
    "create_payout_plan": {"payouts": frozenset({"a list of it", "too deep"})},
    "set_webhook": {"events[0].url": ABSENT, "events[0].active": ABSENT | TRUE, "mode": ABSENT},
    "test_webhook": {"url": ABSENT},
}


def good(town: Town, route: Route) -> dict[str, Any]:
    """A body that is taken, with every field that can be in one."""
    example = EXAMPLES[route.operation]
    body = example.ask(town.objects.get(example.kind or "", "")).body or {}
    return merged(body, MORE.get(route.operation, {}))


def merged(one: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """One with more in it, object within object."""
    return {**one, **{k: merged(one[k], v) if isinstance(one.get(k), Mapping) else v for k, v in more.items()}}


# Parameters of a query, by operation: what may be asked that looks wrong. It changes nothing.
_ODD = frozenset({"empty", "long", "huge", "NUL", "line feed", "escape", "C1", "not UTF-8", "half a character"})
_SEARCHED = frozenset(
    PARAMETERS.keys() - _ODD
)  # a text to look for, in any script and with any sign; it is a value, not a pattern
_SHORT = frozenset(name for name in _SEARCHED if len(PARAMETERS[name]) <= 16)  # a connection's name has no more
_NUMBER = frozenset({"a number"})
ASKED: Mapping[str, Mapping[str, frozenset[str]]] = {
    "list_orders": {"externalId": _SEARCHED, "limit": _NUMBER},
    "find_order_payin": {"externalId": _SEARCHED},
    "read_order_payin": {"externalId": _SEARCHED},
    "list_static_qrcodes": {"limit": _NUMBER},
    "list_foreign_payments": {"connection": _SHORT, "limit": _NUMBER},
    "list_refunds": {"externalId": _SEARCHED, "limit": _NUMBER},
    "list_keys": {"limit": _NUMBER},
    "list_key_claims": {"limit": _NUMBER},
    "list_payouts": {"externalId": _SEARCHED, "limit": _NUMBER},
    "list_payout_plans": {"limit": _NUMBER},
    "list_subscriptions": {"externalId": _SEARCHED, "limit": _NUMBER},
    "list_subscription_payments": {"externalId": _SEARCHED, "limit": _NUMBER},
    "list_payout_plan_lines": {"limit": _NUMBER, "cursor": _NUMBER | {"zero"}},
    "list_accounts": {"email": _SEARCHED, "fullName": _SEARCHED, "document": _NUMBER | {"zero"}, "limit": _NUMBER},
    "read_statement": {"limit": _NUMBER, "mergeBatch": frozenset({"true"})},
    "list_med": {"page": _NUMBER, "limit": _NUMBER, "onlyPending": frozenset({"true"})},
    "list_banks": {"name": _SEARCHED},
    "list_webhook_events": {"limit": _NUMBER, "url": _SEARCHED | {"huge"}},
    "read_feed": {"after": frozenset({"zero"}), "limit": _NUMBER, "wait": _NUMBER | {"zero"}},
}

# What finds one object or none: a text that names none answers as an unknown id does.
ALONE = frozenset({"find_order_payin", "read_order_payin"})

# Parameters that are ids of ours: of a list, what is none finds nothing (contract.md §1).
IDS_ASKED = frozenset({"accountId", "referenceId", "endToEndId", "staticQrcodeId", "orderId"})
