"""What the directory says of claims, read into the interface's words, and what we tell it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest

from lastro.rails.claims import wire
from lastro.rails.messages import Malformed
from lastro.rails.port import (
    CLAIM_ACKNOWLEDGE,
    CLAIM_CANCEL,
    CLAIM_COMPLETE,
    CLAIM_NEWS,
    CLAIMS,
    ClaimTask,
    ClaimWish,
    KeyAccount,
    KeyOwner,
    claim_news,
)

ID = "5b0c7b52-3d0e-4a8e-9c39-2f6f9a1d7c11"
OURS, THEIRS = "99999010", "99999030"
AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
CLAIM: dict[str, Any] = {
    "Id": ID, "Type": "OWNERSHIP", "Key": "+5511987654321", "KeyType": "PHONE", "Status": "CONFIRMED",
    "ClaimerAccount": {"Participant": THEIRS, "Branch": "0001", "AccountNumber": "310001", "AccountType": "CACC"},
    "Claimer": {"Type": "NATURAL_PERSON", "TaxIdNumber": "52998224725", "Name": "X"}, "DonorParticipant": OURS,
    "ResolutionPeriodEnd": "2026-02-07T12:00:00Z", "CompletionPeriodEnd": "2026-02-14T12:00:00Z",
    "LastModified": "2026-01-31T12:00:00Z", "ConfirmReason": "DEFAULT_OPERATION",
}  # fmt: skip
OF_OURS = {"Participant": OURS, "Branch": "0001", "AccountNumber": "000000019", "AccountType": "TRAN"}


def told(**changes: Any) -> Any:
    body = {"id": "m-1", "type": "CLAIM", "sequence": 1, "Claim": {**CLAIM, **changes}}
    return wire.message_of("m-1", msgspec.json.encode(body), OURS)


def test_a_claim_by_another_bank_is_about_a_key() -> None:
    message = told()
    assert (message.kind, message.rail, message.subject) == (CLAIM_NEWS, CLAIMS, ID)
    assert (message.key, message.account) == ("+5511987654321", None)
    news = claim_news(message.body)
    assert (news.claim_id, news.claim_type, news.role, news.other_bank) == (UUID(ID), "CLAIM_OWNERSHIP", "DONOR", THEIRS)
    assert (news.status, news.reason, news.at) == ("CONFIRMED", "DEFAULT_OPERATION", AT)
    assert (news.resolution_at, news.completion_at) == (AT.replace(month=2, day=7), AT.replace(month=2, day=14))


def test_ours_is_about_an_account() -> None:
    message = told(ClaimerAccount=OF_OURS, DonorParticipant=THEIRS, Type="PORTABILITY", CancelReason="FRAUD")
    assert (message.key, message.account) == (None, "000000019")
    news = claim_news(message.body)
    assert (news.role, news.claim_type, news.other_bank, news.reason) == ("CLAIMER", "PORTABILITY", THEIRS, "FRAUD")


@pytest.mark.parametrize(
    "changes",
    [
        {"DonorParticipant": "99999040"},  # of neither side are we
        {"ClaimerAccount": {**OF_OURS, "Participant": "1"}},
        {"Key": "ana@example.com"},
        {"KeyType": "EVP"},
        {"Status": "DONE"},
        {"Type": "X"},
        {"Id": "1"},
        {"ConfirmReason": "X" * 65},
        {"LastModified": "2026-01-31T12:00:00"},
    ],
)
def test_what_cannot_be_read(changes: Any) -> None:
    with pytest.raises(Malformed):
        told(**changes)


def test_what_is_asked_and_told() -> None:
    owner, account = KeyOwner("Ana", "11222333000181"), KeyAccount("0001", "000000019", AT)
    wish = ClaimWish(UUID(ID), "CLAIM_OWNERSHIP", "PHONE", "+5511987654321", owner, account)
    assert msgspec.json.decode(wire.wished(wish, OURS)) == {
        "Type": "OWNERSHIP", "Key": "+5511987654321", "KeyType": "PHONE",
        "Claimer": {"Type": "LEGAL_PERSON", "TaxIdNumber": "11222333000181", "Name": "Ana"},
        "ClaimerAccount": {**OF_OURS, "OpeningDate": "2026-01-31T12:00:00.000Z"},
    }  # fmt: skip
    task = ClaimTask(claim_id=UUID(ID), request_id=UUID(ID), role="DONOR")
    whose = {"ClaimId": ID, "Participant": OURS}
    assert msgspec.json.decode(wire.told_task(CLAIM_ACKNOWLEDGE, task, OURS)) == whose
    assert msgspec.json.decode(wire.told_task(CLAIM_COMPLETE, task, OURS)) == {**whose, "RequestId": ID}
    reasoned = ClaimTask(claim_id=UUID(ID), request_id=UUID(ID), role="CLAIMER", reason="FRAUD")
    assert msgspec.json.decode(wire.told_task(CLAIM_CANCEL, reasoned, OURS)) == {**whose, "Reason": "FRAUD"}


def test_a_claim_that_was_asked_for_before_is_found_in_the_list() -> None:
    """Of the same kind, key, account and holder; otherwise the next page is asked for, as long as there is one."""
    wish = ClaimWish(
        UUID(ID), "CLAIM_OWNERSHIP", "PHONE", CLAIM["Key"], KeyOwner("X", "52998224725"), KeyAccount("0001", "000000019", AT)
    )
    own = {**CLAIM, "ClaimerAccount": OF_OURS, "DonorParticipant": THEIRS}
    others: list[dict[str, Any]] = [
        {"Type": "PORTABILITY"}, {"Key": "+5511900000000"}, {"ClaimerAccount": {**OF_OURS, "AccountNumber": "000000027"}},
        {"Claimer": {**CLAIM["Claimer"], "TaxIdNumber": "98765432100"}},
    ]  # fmt: skip
    for has_more in (True, False):
        page = {"HasMoreElements": has_more, "Claims": [own | other for other in others]}
        assert wire.among(msgspec.json.encode(page), wish, OURS) == (None, AT if has_more else None)
    found, more = wire.among(msgspec.json.encode({"HasMoreElements": True, "Claims": [own]}), wish, OURS)
    assert (found and found.claim_id, more) == (UUID(ID), None)
