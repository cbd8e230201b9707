"""Examples of the operations of keys and of their claims."""

import os
from collections.abc import Mapping

from tests.house.asking import Ask, Example

# The account of each key and validation of the towns, and the code of each validation.
ACCOUNT_OF: dict[str, str] = {}
TOKENS: dict[str, str] = {}


def _at_account(thing_id: str) -> str:
    return ACCOUNT_OF.get(thing_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20")


def _confirm(validation_id: str) -> Ask:
    body = {"validationId": validation_id, "token": TOKENS.get(validation_id, "052731")}
    return Ask(path={"accountId": _at_account(validation_id)}, body=body)


def _resend(validation_id: str) -> Ask:
    return Ask(path={"accountId": _at_account(validation_id)}, body={"validationId": validation_id})


# The claim that each validation of the towns decides about.
CLAIM_OF: dict[str, str] = {}


def _of_claim(claim_id: str) -> Ask:
    return Ask(path={"accountId": _at_account(claim_id), "claimId": claim_id})


def _answer_resend(validation_id: str) -> Ask:
    claim_id = CLAIM_OF.get(validation_id, "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20")
    path = {"accountId": _at_account(validation_id), "claimId": claim_id}
    return Ask(path=path, body={"validationId": validation_id})


def _answer(validation_id: str) -> Ask:
    asked = _answer_resend(validation_id)
    body = {"validationId": validation_id, "token": TOKENS.get(validation_id, "052731"), "decision": "CANCEL"}
    return Ask(path=asked.path, body=body)


def new_claim(account_id: str) -> Ask:
    body = {
        "claimType": "PORTABILITY", "type": "EMAIL", "key": f"{os.urandom(8).hex()}@example.com", "channel": "EMAIL",
    }  # fmt: skip
    return Ask(path={"accountId": account_id}, body=body)


def new_key(account_id: str) -> Ask:
    body = {"type": "EMAIL", "key": f"{os.urandom(8).hex()}@example.com", "channel": "EMAIL"}
    return Ask(path={"accountId": account_id}, body=body)


KEY_EXAMPLES: Mapping[str, Example] = {
    "create_key": Example("account", new_key),
    "confirm_key": Example("validation", _confirm),
    "resend_key_code": Example("validation to resend", _resend),
    "list_keys": Example("account", lambda of: Ask(path={"accountId": of}, query={"limit": "10", "sort": "asc"})),
    "delete_key": Example("key to delete", lambda key_id: Ask(path={"accountId": _at_account(key_id), "keyId": key_id})),
    "create_key_claim": Example("account", new_claim),
    "confirm_key_claim": Example("claim validation", _confirm),
    "resend_key_claim_code": Example("claim validation to resend", _resend),
    "list_key_claims": Example("account", lambda of: Ask(path={"accountId": of}, query={"status": "OPEN", "sort": "asc"})),
    "read_key_claim": Example("claim", _of_claim),
    "cancel_key_claim": Example("claim to cancel", _of_claim),
    "request_key_claim_code": Example("claim to answer", _of_claim),
    "resend_key_claim_answer_code": Example("answer validation to resend", _answer_resend),
    "answer_key_claim": Example("answer validation", _answer),
}
