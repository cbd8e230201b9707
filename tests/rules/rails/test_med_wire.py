"""What the directory says of disputes, read into the interface's words, and what we tell it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest

from lastro.core.money import Money, MoneyError
from lastro.rails.med import wire
from lastro.rails.messages import Malformed
from lastro.rails.port import MED, MED_NEWS, MedAccount, MedContact, MedContest, MedTask, med_news

ID, RECOVERY_ID = "3f1f4a52-9c1b-4a57-8a0e-1b6f1d1f7a10", "8c2b6f0e-5d4f-4a7b-9a36-0c9d2e4b8f21"
OURS, THEIRS = "99999010", "99999020"
ROOT, NEXT = "E9999901020260131110000001aBcDeF", "E9999903020260131110000001aBcDeF"
AT = "2026-01-31T12:00:00.000Z"
CONTACT = MedContact("med@lastro.example", "+551130030000")
RECOVERY: dict[str, Any] = {
    "Id": ID, "Status": "TRACKED", "RootTransactionId": ROOT, "SituationType": "ACCOUNT_TAKEOVER", "LastModified": AT,
    "ReporterParticipant": OURS,
    "TrackingGraph": [
        {"TransactionId": ROOT, "Hop": 1, "Amount": "300.00", "PayerParticipant": OURS, "ReceiverParticipant": THEIRS},
    ],
}  # fmt: skip
REPORT: dict[str, Any] = {
    "Id": ID, "Status": "ACKNOWLEDGED", "TransactionId": NEXT, "RootTransactionId": ROOT, "Reason": "REFUND_REQUEST",
    "SituationType": "COERCION", "InfractionAmount": "12.34", "ReporterParticipant": THEIRS,
    "CounterpartyParticipant": OURS, "LastModified": AT, "FundsRecoveryId": RECOVERY_ID,
}  # fmt: skip
REFUND: dict[str, Any] = {
    "Id": ID, "Status": "CLOSED", "TransactionId": NEXT, "RootTransactionId": ROOT, "RefundReason": "FRAUD",
    "RefundAmount": "12.34", "RequestingParticipant": OURS, "ContestedParticipant": THEIRS, "LastModified": AT,
    "FundsRecoveryId": RECOVERY_ID, "AnalysisResult": "PARTIALLY_ACCEPTED", "EffectiveRefundedAmount": "10.00",
}  # fmt: skip


def told(**one: Any) -> Any:
    raw = msgspec.json.encode({"id": "m-1", "type": "X", "sequence": 1, **one})
    return wire.message_of("m-1", raw, OURS)


@pytest.mark.parametrize(
    ("name", "body", "said", "subject"),
    [
        ("FundsRecovery", RECOVERY, ("RECOVERY_VALUE", "TRACED", "PAYER", "UNAUTHORIZED_TRANSACTION", None), ROOT),
        ("InfractionReport", REPORT,
         ("INFRINGEMENT_NOTIFICATION", "RECEIVED", "RECEIVER", "CRIME_OF_COERCION", "REFUND_REQUEST"), NEXT),
        ("Refund", REFUND, ("REFUND_REQUEST", "ANALYSED", "PAYER", None, "FRAUD"), ROOT),
    ],
)  # fmt: skip
def test_an_event_in_the_interfaces_words(name: str, body: Any, said: Any, subject: str) -> None:
    """It is about the transaction of ours: what we sent, or what came to us."""
    message = told(**{name: body})
    assert (message.kind, message.rail, message.subject) == (MED_NEWS, MED, subject)
    news = med_news(message.body)
    assert (news.object_type, news.status, news.role, news.situation, news.reason) == said
    assert (news.reference_id, news.at) == (UUID(ID), datetime(2026, 1, 31, 12, tzinfo=UTC))


def test_amounts_and_path() -> None:
    back = med_news(told(Refund=REFUND).body)
    assert (back.amount, back.returned, back.result) == (Money(1234, "BRL"), Money(1000, "BRL"), "PARTIALLY_ACCEPTED")
    for nothing in ("0", "0.0", "0.00"):  # of a refund that is rejected
        rejected = {**REFUND, "AnalysisResult": "REJECTED", "EffectiveRefundedAmount": nothing}
        assert med_news(told(Refund=rejected).body).returned == Money(0, "BRL")
    (hop,) = med_news(told(FundsRecovery=RECOVERY).body).path
    assert (hop.hop, hop.amount, hop.receiver_bank) == (1, Money(30000, "BRL"), THEIRS)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"FundsRecovery": {**RECOVERY, "Id": "x"}},
        {"FundsRecovery": {**RECOVERY, "Status": "LOST"}},
        {"FundsRecovery": {**RECOVERY, "RootTransactionId": "x"}},
        {"FundsRecovery": {**RECOVERY, "TrackingGraph": RECOVERY["TrackingGraph"] * 6}},
        {"InfractionReport": {**REPORT, "TransactionId": "E1"}},
        {"Refund": {**REFUND, "LastModified": "yesterday"}},
    ],
)
def test_what_cannot_be_read(broken: Any) -> None:
    with pytest.raises(Malformed):
        told(**broken)


@pytest.mark.parametrize("amount", ["-1.00", "0.001", "00", "", "1e2"])
def test_what_is_no_amount_given_back(amount: str) -> None:
    with pytest.raises(MoneyError):
        told(Refund={**REFUND, "EffectiveRefundedAmount": amount})


def test_what_we_tell() -> None:
    wish = MedContest(UUID(ID), ROOT, "FRAUDULENT_ACCESS_AND_AUTHORIZATION", None, CONTACT)
    assert msgspec.json.decode(wire.contested(wish)) == {
        "RequestId": ID, "RootTransactionId": ROOT, "SituationType": "FRAUDULENT_ACCESS", "ReportDetails": None,
        "ContactInformation": {"Email": "med@lastro.example", "Phone": "+551130030000"},
    }  # fmt: skip
    agreed = MedTask(reference_id=UUID(ID), result="AGREED", fraud="OTHER", details="As reported")
    assert msgspec.json.decode(wire.verdict(agreed)) == {
        "AnalysisResult": "AGREED", "FraudType": "OTHER", "AnalysisDetails": "As reported",
    }  # fmt: skip
    assert msgspec.json.decode(wire.verdict(MedTask(reference_id=UUID(ID), result="DISAGREED"))) == {
        "AnalysisResult": "DISAGREED"
    }


@pytest.mark.parametrize(
    ("more", "said"),
    [
        # EffectiveRefundedAmount: "utilizado apenas no contexto de Recuperação de Valores", and required there (DICT 2.12.1).
        ({"recovery_id": UUID(RECOVERY_ID)}, {"EffectiveRefundedAmount": "10.00"}),
        ({"recovery_id": None}, {}),
        ({}, {"EffectiveRefundedAmount": "10.00"}),  # as one that was written before that was known
    ],
)
def test_how_a_refund_is_closed(more: dict[str, Any], said: dict[str, str]) -> None:
    back = MedTask(reference_id=UUID(ID), result="TOTALLY_ACCEPTED", return_id="D1", returned=Money(1000, "BRL"), **more)
    assert msgspec.json.decode(wire.answer(back)) == {
        "RefundAnalysisResult": "TOTALLY_ACCEPTED", "RefundTransactionId": "D1", **said,
    }  # fmt: skip
    no = MedTask(
        reference_id=UUID(ID), result="REJECTED", rejection="OTHER", details="Why", returned=Money(0, "BRL"), **more
    )
    assert msgspec.json.decode(wire.answer(no)) == {
        "RefundAnalysisResult": "REJECTED", "RefundRejectionReason": "OTHER", "RefundAnalysisDetails": "Why",
    }  # fmt: skip


def test_what_is_asked_and_where_a_later_layer_pays_to() -> None:
    account = {"TaxIdNumber": "12345678909", "Participant": THEIRS, "AccountNumber": "123456", "AccountType": "CACC"}
    asked = {**REFUND, "RefundAccount": account, "RefundDetails": "Why"}
    news = med_news(told(Refund=asked).body)
    assert (news.requester, news.details) == (OURS, "Why")
    assert news.account == MedAccount("12345678909", THEIRS, None, "123456", "CHECKING_ACCOUNT")
    # The directory's own refund names neither the root nor the situation; of one that stands alone no amount is told.
    bare = {k: v for k, v in REFUND.items() if k not in ("RootTransactionId", "EffectiveRefundedAmount", "FundsRecoveryId")}
    whole = med_news(told(Refund={**bare, "AnalysisResult": "TOTALLY_ACCEPTED"}).body)
    assert (whole.root_id, whole.returned) == (None, Money(1234, "BRL"))
    odd = med_news(told(Refund={**asked, "RefundAccount": {**account, "Branch": "7", "AccountType": "NEWT"}}).body).account
    assert odd == MedAccount("12345678909", THEIRS, "7", "123456", "NEWT")


@pytest.mark.parametrize(("name", "body"), [
    ("InfractionReport", {**REPORT, "ReporterParticipant": OURS}), ("Refund", {**REFUND, "ContestedParticipant": OURS}),
])  # fmt: skip
def test_an_object_that_has_us_on_both_sides(name: str, body: Any) -> None:
    """The payer's side has the directory's id; the receiver's has one of its own, always the same, and belongs to another."""
    message = told(**{name: body})
    payers, receivers = wire.sides(message)
    ours, theirs = med_news(payers.body), med_news(receivers.body)
    assert (payers, ours.role, ours.reference_id, ours.directory_id) == (message, "PAYER", UUID(ID), None)
    assert (theirs.role, theirs.directory_id, theirs.reference_id) == ("RECEIVER", UUID(ID), ours.received_id)
    assert theirs.reference_id not in (UUID(ID), None)
    assert (payers.subject, payers.is_received, receivers.subject, receivers.is_received) == (ROOT, False, NEXT, True)
    assert payers.network_id != receivers.network_id
    assert wire.sides(told(**{name: body})) == (payers, receivers)


@pytest.mark.parametrize(("name", "body"), [("FundsRecovery", RECOVERY), ("InfractionReport", REPORT), ("Refund", REFUND)])
def test_an_object_that_has_us_on_one_side(name: str, body: Any) -> None:
    message = told(**{name: body})
    assert wire.sides(message) == (message,)


def test_what_settled_in_our_own_books_is_contested_with_its_amount() -> None:
    wish = MedContest(UUID(ID), ROOT, "SCAM", None, CONTACT)
    assert "TransactionType" not in msgspec.json.decode(wire.contested(wish))
    inside = MedContest(UUID(ID), ROOT, "SCAM", None, CONTACT, Money(1234, "BRL"))
    said = msgspec.json.decode(wire.contested(inside))
    assert (said["TransactionType"], said["InfractionAmount"]) == ("INTERNAL", "12.34")
