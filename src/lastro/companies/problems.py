"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import Kind, Refusal, conflict, invalid

# fmt: off
NAME_INVALID = invalid("name", "INVALID", "must have 1 to {longest} characters")
NAME_NOT_PRINTABLE = invalid("name", "INVALID", "has a character that is not allowed here")
PERMISSIONS_REQUIRED = invalid("permissions", "REQUIRED", "must name at least one; to take all away, revoke the client")
PERMISSIONS_INVALID = invalid("permissions", "INVALID", "has no {unknown:.200}; there are {known}")
NETWORKS_TOO_LONG = invalid("networks", "TOO_LONG", "must be at most {most}")
NETWORK_INVALID = invalid("networks", "INVALID", "must be such as 203.0.113.0/24 or 2001:db8::/32, not {text!r:.60}")
NETWORK_IS_IPV4 = invalid("networks", "INVALID", "must be written as IPv4, not {text!r:.60}")
CERTIFICATES_TOO_LONG = invalid("certificates", "TOO_LONG", "must be at most {most}")
CERTIFICATES_INVALID = invalid("certificates", "INVALID",
    "must be 43 characters of base64url each: the SHA-256 of a certificate")
CERTIFICATE_UNKNOWN = invalid("certificates", "INVALID", "the client has no such certificate")
CERTIFICATE_IS_LAST = invalid("certificates", "NOT_ALLOWED",
    "it would be the client's last, and its secret alone would admit from then on")
LIMIT_OUT_OF_RANGE = invalid("requestsPerMinute", "OUT_OF_RANGE", "must be from 1 to {highest}")
SUBJECT_INVALID = invalid("subject", "INVALID", "must be 1 to 255 printable ASCII characters without blanks")
SUBJECT_DUPLICATE = conflict("subject", "DUPLICATE", "the company has such a client already")
CLIENT_REVOKED = conflict("clientId", "CONFLICT", "the client is revoked")
CLIENT_OF_OUTSIDE = conflict("clientId", "NOT_ALLOWED", "an outside issuer vouches for this client: it has no secret here")
NUMBER_DUPLICATE = conflict("number", "DUPLICATE", "{number} is another company's")
OUT_METHOD_INVALID = invalid("method", "INVALID", "must be one by which payouts go: {methods}")
METHOD_INVALID = invalid("method", "INVALID", "must be PIX, TED, BOLETO or another method of orders, or a BRAND_PAY")
PERCENT_OUT_OF_RANGE = invalid("percent", "OUT_OF_RANGE", "must be from 0.00 to 100.00")
PAYER_NOT_ALLOWED = invalid("payer", "NOT_ALLOWED", "is not said of payouts: who sends one bears its fee")
PAYER_INVALID = invalid("payer", "INVALID", "must be {payers}")
FROM_OUT_OF_RANGE = invalid("from", "OUT_OF_RANGE", "must not have passed: what was paid so far has cost what it has")
FROM_DUPLICATE = conflict("from", "DUPLICATE", "is when another plan of this method begins: remove that one first")
PLAN_UNKNOWN = Refusal(Kind.NOT_FOUND, "plan", "INVALID", description="is none of this company's")
PLAN_REMOVED = conflict("plan", "CONFLICT", "was removed already")
PLAN_BEGUN = conflict("plan", "CONFLICT", "has begun, and what has begun is never changed: set another one from now on")
