"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import Kind, Refusal, conflict, invalid

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
ACCOUNT_ID_NOT_SUPPORTED = invalid("accountId", "NOT_SUPPORTED", "its money is at the company's own bank: pay from there",
    "A connection to your own bank pays this account. Its money is there, and lastro sends none from there.",
    "Pay at your bank, or name an account that no connection pays.")
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
KEY_INVALID = invalid("paymentData.pixKey", "INVALID", "{why}",
    "It is no key in its canonical form, or the directory gives no account for it.",
    "Phones begin with `+55`, CPF and CNPJ have no punctuation. The description says why.")
QR_INVALID = invalid("paymentData.qrcodeData", "INVALID", "{why}",
    "The text is no Pix QR, its check digits do not fit, its charge is not signed by whom it should be, or its key cannot be"
    " paid.", "Read the QR again, whole. The description says what is wrong with it.")
QR_EXPIRED = invalid("paymentData.qrcodeData", "EXPIRED", "{why}",
    "The charge behind it is expired, paid or withdrawn.", "Ask the receiver for another QR.")
QR_NOT_SUPPORTED = invalid("paymentData.qrcodeData", "NOT_SUPPORTED", "{why}",
    "It is the QR of a subscription, which a person authorizes, of a withdrawal, or of a charge with a due date.",
    "Give a QR for one payment.")
AMOUNT_MISMATCH = invalid("amount", "MISMATCH", "is not what the QR asks for, {amount}",
    "The QR asks for another amount.", "Give just that, or another QR.")
BANK_UNKNOWN = invalid("paymentData.bankAccount.ispb", "INVALID", "is no bank of the list",
    "No bank of the list has it.", "Take one of `GET /order/v1/banks`.")
BANK_NOT_SUPPORTED = invalid("paymentData.bankAccount.ispb", "NOT_SUPPORTED", "is a bank that no {method} reaches",
    "The bank takes no part in the network of this method.",
    "Pay by the other method; the bank list says which reaches it.")
WAYS_EXCLUSIVE = invalid("paymentData.pixKey", "MUTUALLY_EXCLUSIVE",
    "only one of pixKey, qrcodeData and bankAccount may be given",
    "More than one way to pay is given.", "Give one of `pixKey`, `qrcodeData` and `bankAccount`.")
WAY_NOT_ALLOWED = invalid("paymentData.pixKey", "NOT_ALLOWED", "{why}",
    "A TED goes to a bank account alone; or it leads to the account that pays.",
    "Give another receiver, or pay by PIX.")
BANKS_EXCLUSIVE = invalid("paymentData.bankAccount.ispb", "MUTUALLY_EXCLUSIVE",
    "only one of ispb and bankNumber may be given",
    "Both ISPB and COMPE number are given.", "Give one of the two.")
ACCOUNT_NUMBER_INVALID = invalid("paymentData.bankAccount.accountNumber", "INVALID", "{why}",
    "It is zeros alone, or has a hyphen or small letters; for a TED: it has letters, or more than 13 digits.",
    "Write it with its check digit and without hyphen. For a TED, write a check digit X as 0.")
# Of commands and pages of the institution.
NAME_UNKNOWN = Refusal(Kind.NOT_FOUND, "name", "INVALID", description="is that of no Pix or TED that we sent")
NOT_PROVABLE = conflict("status", "CONFLICT", "{why}")
SETTLED_AT_OUT_OF_RANGE = invalid("settledAt", "OUT_OF_RANGE",
    "must lie between the payment's creation, {created_at}, and now")
RETURN_DECIDED = conflict("state", "CONFLICT", "is {state}: what came back and fits nothing is decided about once")
BOOK_NOT_ALLOWED = invalid("rail", "NOT_ALLOWED",
    "is book: money from an account here lies at no partner to be paid out of")
RETURN_ACCOUNT_NOT_ALLOWED = invalid("accountId", "NOT_ALLOWED", "{why}")
