"""Refusals of this room, each declared once."""

from __future__ import annotations

from lastro.core.errors import conflict, invalid

# fmt: off
REPRESENTATIVES_REQUIRED = invalid("representatives", "REQUIRED", "an organization has at least one",
    "An organization acts through people.", "Name at least one.")
REPRESENTATIVES_NOT_ALLOWED = invalid("representatives", "NOT_ALLOWED", "a person opens an account in no other's name",
    "A person opens an account in no other's name.", "Leave them out.")
TRADE_NAME_NOT_ALLOWED = invalid("tradeName", "NOT_ALLOWED", "is an organization's",
    "Only an organization has one.", "Leave it out.")
ADDRESS_STATE_INVALID = invalid("address.state", "INVALID", "must be the two letters of a state of Brazil, such as SP",
    "Brazil has no such state.", "Give two capital letters such as SP.")
POSTAL_CODE_INVALID = invalid("address.postalCode", "INVALID", "must be a CEP of eight digits, such as 01310-100",
    "It is no CEP.", "Give eight digits such as 01310-100.")
TERMS_VERSION_MISMATCH = invalid("termsAccepted.version", "MISMATCH", "is not the version of the terms that holds now",
    "The terms have another version.", "Read the terms, have them accepted, and give their `version`.")
ACCEPTED_AT_INVALID = invalid("termsAccepted.acceptedAt", "INVALID", "must be a timestamp in ISO 8601 with its offset",
    "It is no timestamp with its offset.", "Give one such as 2026-01-31T12:00:00Z.")
ACCEPTED_AT_OUT_OF_RANGE = invalid("termsAccepted.acceptedAt", "OUT_OF_RANGE", "must not be in the future",
    "It lies in the future.", "Give the moment that has been.")
TERMS_IP_INVALID = invalid("termsAccepted.ip", "INVALID", "must be an IPv4 or IPv6 address",
    "It is no IPv4 or IPv6 address.", "Give that of the holder's device.")
TERMS_ACCEPTED_REQUIRED = invalid("termsAccepted", "REQUIRED", "is required where there is no acceptance",
    "Nobody has accepted the terms.", "Give `termsAccepted`, or `acceptance`.")
EXTERNAL_ID_REQUIRED = invalid("externalId", "REQUIRED", "is required where there is no acceptance",
    "Only with `acceptance` it may be left out.", "Give it.")
FILE_NAME_MISMATCH = invalid("acceptance.fileName", "MISMATCH", "is not the file of the terms that hold now",
    "The terms that hold now are another file.", "Read the terms, have them accepted, and give their `fileName`.")
ACCEPTANCE_TIME_INVALID = invalid("acceptance.acceptedAt", "INVALID", "must be a timestamp in ISO 8601 with its offset",
    "It is no timestamp with its offset.", "Give one such as 2026-01-31T12:00:00Z, or leave it out.")
ACCEPTANCE_TIME_OUT_OF_RANGE = invalid("acceptance.acceptedAt", "OUT_OF_RANGE", "must not be in the future",
    "It lies in the future.", "Give the moment that has been.")
ACCEPTANCE_IP_INVALID = invalid("acceptance.ip", "INVALID", "must be an IPv4 or IPv6 address",
    "It is no IPv4 or IPv6 address.", "Give that of the holder's device, or leave it out.")
COUNTRY_NOT_SUPPORTED = invalid("country", "NOT_SUPPORTED", "must be BR",
    "Accounts are opened for holders in Brazil.", "Give BR, or leave it out.")
EXTERNAL_ID_DUPLICATE = conflict("externalId", "DUPLICATE", "another request has it",
    "Another request of your company has it.", "Read that one, or give another.")
HOLDER_TYPE_REQUIRED = invalid("holderType", "REQUIRED", "is required",
    "Persons and organizations have different terms.", "Give it.")
BODY_INVALID = invalid("body", "INVALID", "is no whole multipart form: {broken}",
    "It is no whole multipart form.", "Send it again, whole.")
FILE_REQUIRED = invalid("file", "REQUIRED", "is required, and must not be empty",
    "There is none, or it is empty.", "Send one.")
FILE_INVALID = invalid("file", "INVALID", "{why}",
    "It is damaged, or is no part with a filename.", "Scan or photograph the document anew.")
FILE_NOT_SUPPORTED = invalid("file", "NOT_SUPPORTED", "must be a PDF, PNG or JPEG by what is in it",
    "It is no PDF, PNG or JPEG.", "Save it as one of these.")
FILE_TOO_LONG = invalid("file", "TOO_LONG", "{why}",
    "It has more than 10 MB, or more pixels, pages or parts than a document has.", "Make it smaller.")
DOCUMENT_TYPE_INVALID = invalid("documentType", "INVALID", "{why}",
    "There is no such slot.", "Give one of those above.")
ACCOUNT_REQUEST_ID_REQUIRED = invalid("accountRequestId", "REQUIRED", "is required",
    "It is not said whose the file is.", "Give it.")
ACCOUNT_REQUEST_ID_INVALID = invalid("accountRequestId", "INVALID", "is no request of your company",
    "No request of your company has this id.", "Take the `accountRequestId` of the create.")
APPEND_INVALID = invalid("append", "INVALID", "must be true or false",
    "It is neither true nor false.", "Give one of the two, or leave it out.")
APPEND_LIMIT_EXCEEDED = invalid("append", "LIMIT_EXCEEDED", "a document has at most {most_pages} files",
    "The slot has ten files.", "Put the pages together in one PDF.")
STATUS_CONFLICT = conflict("status", "CONFLICT", "{why}",
    "The request is being looked at, has ended, or its 30 days are over.", "Read it; where it has ended, make another.")
HOLDER_HAS_REQUEST = conflict("document.number", "DUPLICATE", "a request of this holder is still open",
    "A request of this holder is still open.", "Go on with that one.")
SLOT_OF_OTHER_HOLDER = invalid("documentType", "NOT_ALLOWED", "is none of a {holder_type}",
    "It is a slot of the other kind of holder.", "Give one of this holder.")
SLOT_NOT_REFUSED = conflict("documentType", "NOT_ALLOWED", "was not refused: it stands as it is",
    "The request was refused for other documents.", "Upload those of `reprovedFields`.")
EXTERNAL_ID_INVALID = invalid("externalId", "INVALID", "must be printable",
    "It has characters that cannot be printed.", "Use 1 to 64 printable characters.")
BIRTH_DATE_OUT_OF_RANGE = invalid("birthDate", "OUT_OF_RANGE", "must be a day that has been",
    "The day is still to come, or lies before 1500.", "Correct it.")
PERSON_TYPE_MISMATCH = invalid("document.type", "MISMATCH", "must be {kind}",
    "A person has a CPF, an organization a CNPJ.", "Give that one.")
PERSON_NUMBER_INVALID = invalid("document.number", "INVALID",
    "must be a {kind} with right check digits, without punctuation",
    "Its check digits are wrong, or it has punctuation.", "Give the number as the tax office has it.")
EMAIL_INVALID = invalid("email", "INVALID", "must be an e-mail address", "It is no e-mail address.", "Give one.")
PHONE_INVALID = invalid("phone", "INVALID", "must be a telephone number such as +5511987654321",
    "It is no telephone number with its country.", "Give one such as +5511987654321.")
PART_NOT_ALLOWED = invalid("body", "NOT_ALLOWED", "is not a field of this", "The form has no such part.", "Leave it out.")
DOCUMENT_TYPE_REQUIRED = invalid("documentType", "REQUIRED", "is required",
    "It is not said what the file is.", "Give a slot.")
FILE_NOT_ALLOWED = invalid("file", "NOT_ALLOWED", "{why}",
    "The PDF needs a password, is an XFA form or a folder of files, or acts by itself.", "Print it to a PDF anew.")
FIELDS_INVALID = invalid("fields", "INVALID", "no document of such a holder: {field}")
DOCUMENT_REQUIRED = invalid("document", "REQUIRED", "is required",
    "Neither it nor `documentNumber` is given.", "Give one of the two.")
DOCUMENT_MUTUALLY_EXCLUSIVE = invalid("document", "MUTUALLY_EXCLUSIVE",
    "the document and its number are given, and disagree", "Both are given, and disagree.", "Give one of the two.")
