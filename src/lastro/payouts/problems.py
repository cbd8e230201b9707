"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
EXTERNAL_ID_INVALID = invalid("externalId", "INVALID", "must be printable, without blanks around it",
    "It has a blank at an end, or characters that cannot be printed.", "Use 1 to 64 printable characters.")
EXTERNAL_ID_DUPLICATE = conflict("externalId", "DUPLICATE", "a payout of this code is there already",
    "A payout of this code is there, whatever became of it.",
    "Read that payout. Send the same `idempotency-key` where you have to send a request twice.")
DESCRIPTION_INVALID = invalid("description", "INVALID", "must not be blank",
    "It is blank or has control characters.", "Say in 1 to 140 characters what is paid.")
ACCOUNT_ID_INVALID = invalid("accountId", "INVALID", "is no account of this company",
    "It is no account of your company.", "Take an id of the account list.")
ACCOUNT_ID_NOT_ALLOWED = invalid("accountId", "NOT_ALLOWED", "{why}",
    "The account is not ACTIVE; or it owes more than it has, of a TED that was taken for failed and has left.",
    "Name another one, or pay from it again once money has come in.")
AMOUNT_LIMIT_EXCEEDED = invalid("amount", "LIMIT_EXCEEDED", "{why}",
    "It passes what the account may send in a day or a night, or needs more than 100 transfers; or more than one, where"
    " a QR asks for the whole.", "The description says what is left. Wait for the next day, or have the limit raised.")
AMOUNT_DUPLICATE = conflict("amount", "DUPLICATE",
    "is that of payout {same}, to the same receiver; allowDuplicate says that both are meant",
    "The same account has paid the same amount to the same receiver within ten minutes, and your company has had this"
    " refused.", "Where both are meant, send it again under another key with `allowDuplicate`: true.")
SCHEDULED_DATE_OUT_OF_RANGE = invalid("scheduledDate", "OUT_OF_RANGE", "{why}",
    "The day lies before today, or more than 366 days ahead, by the clock of Brasilia.",
    "Give a day from today on, or leave it out.")
RECEIVER_REQUIRED = invalid("receiver", "REQUIRED", "{why}",
    "A bank account does not say whose it is.", "Give name and document.")
DOCUMENT_MISMATCH = invalid("receiver.document", "MISMATCH", "is not the document of the key's owner",
    "The key or QR belongs to another document.", "Ask the receiver for the right key; look the key up before paying.")
DOCUMENT_NUMBER_INVALID = invalid("receiver.document.number", "INVALID", "is not a valid {type}: digits without punctuation",
    "Check digits do not fit the type, or there is punctuation.", "Give the digits alone; a CNPJ may have capital letters.")
PAYMENT_DATA_REQUIRED = invalid("paymentData", "REQUIRED", "one of pixKey, qrcodeData and bankAccount is required",
    "None of the three ways to pay is given.", "Give one of `pixKey`, `qrcodeData` and `bankAccount`.")
ISPB_REQUIRED = invalid("paymentData.bankAccount.ispb", "REQUIRED", "ispb or bankNumber is required",
    "Neither ISPB nor COMPE number says which bank.", "Give one of the two.")
BANK_NUMBER_INVALID = invalid("paymentData.bankAccount.bankNumber", "INVALID",
    "0 is no COMPE number; name the bank by ispb",
    "No bank of the list has it; 0 is no bank's.",
    "Take one of `GET /order/v1/banks`; name a bank without COMPE number by `ispb`.")
ACCOUNT_TYPE_NOT_SUPPORTED = invalid("paymentData.bankAccount.accountType", "NOT_SUPPORTED",
    "a TED to a wage account is not possible",
    "A TED does not reach wage accounts.", "Pay by PIX.")
STATUS_CONFLICT = conflict("status", "CONFLICT", "{why}",
    "The payout has ended, or it is on its way to the network.",
    "Read the payout; what is paid only its receiver can give back.")
KEY_REQUIRED = invalid("key", "REQUIRED", "is required",
    "No key is given.", "Give one in `key`.")
