"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
AMOUNT_REQUIRED = invalid("order.amount", "REQUIRED", "is required: only PIX with a code of ours may leave it open",
    "Only a PIX order may leave its amount open, and none whose code a bank of yours makes.", "Give the amount.")
PIX_KEY_NOT_ALLOWED = invalid("order.pixKey", "NOT_ALLOWED", "is for PIX alone",
    "A key is chosen for PIX alone.", "Leave it out.")
ADDRESS_REQUIRED = invalid("customer.address", "REQUIRED", "is required for this method",
    "A slip names where its payer lives.", "Give `customer.address` with all but `complement`.")
BANK_INVALID = invalid("order.bank", "INVALID", "is no bank of GET /v1/orders/deposit/banks",
    "It is no bank at which orders have accounts.", "Give a `slug` of `GET /v1/orders/deposit/banks`, or leave it out.")
AMOUNT_INVALID = invalid("order.amount", "INVALID", "must not be null; leave it out for an open amount",
    "`amount` is null, which may be a mistake.",
    "Leave it out where the payer shall type the amount; else give currency and value.")
AMOUNT_OUT_OF_RANGE = invalid("order.amount.value", "OUT_OF_RANGE", "{why}",
    "The amount is zero, negative or above 9,999,999,999.99; or it is less than the fee that the account bears, or too"
    " large together with the fee that the customer bears. A slip has room for 99,999,999.99.",
    "Ask for an amount between 0.01 and 9,999,999,999.99 that is at least the fee.")
AMOUNT_NOT_ALLOWED = invalid("order.amount.value", "NOT_ALLOWED", "cannot be asked for by this method: {code}",
    "The partner of a `<BRAND>_PAY` method gives no rate for this amount, or the bank of a connection makes no code for it;"
    " its code says why.",
    "Ask for another amount, or use another method.")
EXTERNAL_ID_INVALID = invalid("order.externalId", "INVALID", "must be printable, without blanks around it",
    "It has a blank at an end, or characters that cannot be printed.", "Use 1 to 64 printable characters.")
EXTERNAL_ID_DUPLICATE = conflict("order.externalId", "DUPLICATE", "an order with this code is open or paid",
    "An order with this code is open or paid.",
    "Read that order. A code is free again once its orders are EXPIRED, CANCELED or ERROR. Send an `idempotency-key`"
    " where you may have to send a request twice.")
DESCRIPTION_INVALID = invalid("order.description", "INVALID", "must not be blank",
    "It is blank or has control characters.", "Say in 1 to 140 characters what is paid.")
DESCRIPTION_NOT_ALLOWED = invalid("order.description", "NOT_ALLOWED", "{why}",
    "The bank that makes the order's code does not take this text.", "Use letters, digits and punctuation, without emoji.")
EXPIRATION_OUT_OF_RANGE = invalid("order.expiration", "OUT_OF_RANGE", "{why}",
    "The bank that makes the order's code does not take this duration.", "Give another one, or leave it out.")
ORDER_NOT_ALLOWED = invalid("order", "NOT_ALLOWED", "{why}",
    "The bank that makes the order's code refuses it; its word says why.", "Look the word up in the bank's documentation.")
DOCUMENT_TYPE_NOT_ALLOWED = invalid("customer.document.type", "NOT_ALLOWED", "must be CPF or CNPJ, by this key",
    "The bank that makes the order's code takes CPF and CNPJ alone.", "Give one of these, or leave the customer out.")
PIX_KEY_NOT_SUPPORTED = invalid("order.pixKey", "NOT_SUPPORTED", "{why}",
    "The key is at a bank whose connection makes no codes now, or the bank refuses the key.",
    "Use another key, or ask who operates this installation.")
EXPIRATION_NOT_ALLOWED = invalid("order.expiration", "NOT_ALLOWED", "is for PIX alone",
    "Only PIX orders end by seconds.", "Leave it out for other methods.")
BANK_NOT_ALLOWED = invalid("order.bank", "NOT_ALLOWED", "is for DEPOSIT alone",
    "A bank is chosen for DEPOSIT alone.", "Leave it out.")
NOTIFICATION_URL_INVALID = invalid("order.notificationUrl", "INVALID", "{why}",
    "It is no https address, or one that the outside cannot reach: private, loopback, reserved, with a user name.",
    "Give a public https address; a sandbox also takes http and this machine's own.")
RETURN_URL_INVALID = invalid("order.returnUrl", "INVALID", "must be an http or https address",
    "It is no http or https address.", "Give a whole address.")
FINANCIAL_PARTNER_NOT_SUPPORTED = invalid("order.financialPartner", "NOT_SUPPORTED", "{why}",
    "It is no partner that is configured for this method, or a connection of yours that makes no new orders.",
    "Leave it out, or name another one.")
CUSTOMER_REQUIRED = invalid("customer", "REQUIRED", "{why}",
    "Only the route of one partner takes the customer from the payer, and this order does not go by it.",
    "Give the customer.")
CUSTOMER_NAME_INVALID = invalid("customer.name", "INVALID", "must not be blank",
    "The name is blank or has control characters.", "Give a name.")
DOCUMENT_NUMBER_INVALID = invalid("customer.document.number", "INVALID", "{why}",
    "Check digits or form do not fit the type, or there is punctuation.",
    "Give the digits alone. A CNPJ may have capital letters; CURP and RFC keep their form.")
EMAIL_INVALID = invalid("customer.email", "INVALID", "must be an e-mail address",
    "It does not have the form of an e-mail address.", "Give an address; whether it exists is not checked.")
IP_INVALID = invalid("customer.ip", "INVALID", "must be an IP address",
    "It is no IPv4 or IPv6 address.", "Give an address, or leave it out.")
STATUS_CONFLICT = conflict("status", "CONFLICT", "{why}",
    "The order has ended already, or a payment for it was accepted and will settle in a moment; or it is the first"
    " charge of a subscription or the order of a scheduled payment, and ends with that.",
    "Read the order; what is paid can only be given back. Cancel the subscription, not its first charge; the scheduled"
    " payment, not its order.")
ACCOUNT_ID_INVALID = invalid("accountId", "INVALID", "is not an account of this company",
    "It is no account of your company.", "Take an id of the account list.")
ACCOUNT_ID_REQUIRED = invalid("order.accountId", "REQUIRED", "is required: the company has no account to credit",
    "The company has no account that could be credited.", "Open an account, or name one.")
ACCOUNT_ID_NOT_ALLOWED = invalid("order.accountId", "NOT_ALLOWED", "the account is not active",
    "The account is not ACTIVE.", "Name another one.")
PIX_KEY_INVALID = invalid("order.pixKey", "INVALID", "is not a key of an account of this company",
    "It is not a key of an account of your company.",
    "Take a key of the account, or leave it out: then its oldest random key is used.")
PIX_KEY_MISMATCH = invalid("order.pixKey", "MISMATCH", "belongs to another account than {account_id}",
    "The key belongs to another account than the one that is named.",
    "Give one of the two, or two that belong together.")
PIX_KEY_REQUIRED = invalid("order.pixKey", "REQUIRED", "is required: the account has no random key",
    "The account has no random key, and no key at a bank whose connection makes orders.",
    "Name a key of the account, or create a random one.")
ADDRESS_PART_REQUIRED = invalid("customer.address.street", "REQUIRED", "is required for this method",
    "A slip names where its payer lives.", "Give it.")
METHOD_INVALID = invalid("order.paymentMethod", "INVALID", "{why}",
    "The interface knows no such method.", "Use PIX; the description lists the others.")
METHOD_NOT_SUPPORTED = invalid("order.paymentMethod", "NOT_SUPPORTED", "no partner for this method is configured",
    "No partner for this method is configured here.", "Use PIX, or have a partner configured.")
