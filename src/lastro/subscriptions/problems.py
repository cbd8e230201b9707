"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
ACCOUNT_ID_NOT_ALLOWED = invalid("accountId", "NOT_ALLOWED", "{why}",
    "The holder is a person, and only an organization is paid by Pix Automático; or the account is not ACTIVE.",
    "Name an active account of an organization.")
ACCOUNT_ID_NOT_SUPPORTED = invalid("accountId", "NOT_SUPPORTED", "{why}",
    "The account is at a bank whose connection makes no subscriptions, or at none, and there is no network here.",
    "Use another account, or ask who operates this installation for the capability `rec`.")
EXTERNAL_ID_NOT_ALLOWED = invalid("externalId", "NOT_ALLOWED", "{why}",
    "The account's bank refuses it as the contract's code.", "Use letters and digits, at most 35.")
START_DATE_NOT_ALLOWED = invalid("startDate", "NOT_ALLOWED", "{why}",
    "The account's bank refuses the days of the subscription.", "Begin on a later day.")
FIXED_AMOUNT_NOT_ALLOWED = invalid("fixedAmount", "NOT_ALLOWED", "{why}",
    "The account's bank refuses the amounts of the subscription.", "Give other amounts.")
DEBTOR_NOT_ALLOWED = invalid("debtor", "NOT_ALLOWED", "{why}",
    "The account's bank refuses the debtor.", "Check the debtor's document and name.")
DESCRIPTION_NOT_ALLOWED = invalid("description", "NOT_ALLOWED", "{why}",
    "The bank that makes the code does not take this text.", "Use letters, digits and punctuation, without emoji.")
PAYER_NOT_SUPPORTED = invalid("payer", "NOT_SUPPORTED", "{why}",
    "The account is at a connection's bank, which takes a first charge from whoever pays it.", "Leave `payer` out.")
PIX_KEY_NOT_ALLOWED = invalid("initialCharge.pixKey", "NOT_ALLOWED", "{why}",
    "The account's bank refuses the key of the first charge.", "Take another key of the account.")
SUBSCRIPTION_NOT_ALLOWED = invalid("type", "NOT_ALLOWED", "{why}",
    "The account's bank refuses the subscription; its word says why.", "Look the word up in the bank's documentation.")
EXTERNAL_ID_INVALID = invalid("externalId", "INVALID", "must be printable, without blanks around it",
    "It has a blank at an end, or characters that cannot be printed.", "Use 1 to 64 printable characters.")
EXTERNAL_ID_DUPLICATE = conflict("externalId", "DUPLICATE", "{why}",
    "Another subscription has this code, whatever became of it.",
    "Read that one, or give another code. Send an `idempotency-key` where you may have to send a request twice.")
START_DATE_OUT_OF_RANGE = invalid("startDate", "OUT_OF_RANGE", "is earlier than today in Brasilia",
    "The day is over in Brasilia.", "Give today or a later day.")
END_DATE_OUT_OF_RANGE = invalid("endDate", "OUT_OF_RANGE", "{why}",
    "It is not later than `startDate`.", "Give a later day, or leave it out.")
INITIAL_CHARGE_OUT_OF_RANGE = invalid("initialCharge.amount.value", "OUT_OF_RANGE", "{why}",
    "The amount is zero, negative or above 9,999,999,999.99; or it is less than the fee that the account bears, or too"
    " large together with the fee that the payer bears.",
    "Charge an amount that is at least the fee.")
AUTO_SCHEDULE_NOT_ALLOWED = invalid("autoSchedule", "NOT_ALLOWED", "is for subscriptions with a fixedAmount",
    "There is no `fixedAmount`, so that nobody knows what to charge.",
    "Give `fixedAmount`, or schedule the charges yourself.")
WEBHOOK_URL_INVALID = invalid("webhookUrl", "INVALID", "{why}",
    "It is no https address, or one that the outside cannot reach: private, loopback, reserved, with a user name.",
    "Give a public https address; a sandbox also takes http and this machine's own.")
INITIAL_CHARGE_REQUIRED = invalid("initialCharge", "REQUIRED", "is required with {journey_3}",
    "With AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT a first charge is paid at once.",
    "Give `initialCharge`, or take AUTHORIZATION_QRCODE.")
INITIAL_CHARGE_NOT_ALLOWED = invalid("initialCharge", "NOT_ALLOWED", "is for {journey_3}",
    "With AUTHORIZATION_QRCODE nothing is paid at once; it would never be charged.",
    "Leave it out, or take AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT.")
PIX_KEY_INVALID = invalid("initialCharge.pixKey", "INVALID", "is not a key of an account of this company",
    "It is not a key of an account of your company.", "Take a key of the account.")
PIX_KEY_MISMATCH = invalid("initialCharge.pixKey", "MISMATCH", "belongs to another account than accountId",
    "The key belongs to another account than `accountId`.", "Take a key of the account.")
STATUS_CONFLICT = conflict("status", "CONFLICT", "{why}",
    "The subscription has ended, or an earlier cancellation of it has not been answered, or a payment for its first"
    " charge was accepted and will settle in a moment.", "Read the subscription.")
AMOUNTS_EXCLUSIVE = invalid("fixedAmount", "MUTUALLY_EXCLUSIVE",
    "only one of fixedAmount and maxAmountFloor may be given",
    "There are both `fixedAmount` and `maxAmountFloor`.",
    "Give one of the two, or none: then the payer bounds the charges as he likes.")
DOCUMENT_NUMBER_INVALID = invalid("debtor.document.number", "INVALID",
    "is not a valid {type}: digits without punctuation",
    "Check digits or form do not fit the type, or there is punctuation.",
    "Give the digits alone. A CNPJ may have capital letters.")
DATE_FILTER_INVALID = invalid("startDate", "INVALID", "must be a date YYYY-MM-DD",
    "It is no date.", "Give one such as 2027-01-10.")
