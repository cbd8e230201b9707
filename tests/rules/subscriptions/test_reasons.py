"""The catalogue of the network's codes is whole and fit to be shown."""

from typing import get_args

import pytest
from tests.in_one import in_one_test

from lastro.rails.port import Reason
from lastro.subscriptions.model import CancelReason
from lastro.subscriptions.reasons import (
    CANCELLED_BY_PAYER,
    CANCELLED_WITH_AUTHORIZATION,
    KILLING,
    REASONS,
    SUBJECTS,
    Subject,
    cancel_reason_of,
    code_of_cancel,
    kills,
    reason_of,
)

# domain.md §3.3 and §3.6: the enums of API Pix 2.9.0, and the codes that institutions report beside them; and what
# it means that the network would not process a message, or never knew of it.
CODES: dict[Subject, str] = {
    "AUTHORIZATION": "AP13 AP14 NOT_TAKEN admi.002",
    "CANCELLATION": "ACCL CPCL DCSD ERSL FRUD PCFD SLCR SLDB",
    "CHARGE": (
        "AB03 AB09 AB10 AB11 AC05 AC06 AG12 AM02 AM09 CRNC DENC DS27 DTED DTNT ED05 EXPR FBRD FCD1 FCD2 GRER IRNT MIDI MSUC NIEC NIPA NITX"
        " NOT_TAKEN QUNT RC09 UDEI admi.002"
    ),
    "CHARGE_CANCELLATION": "ACCT BLCK CCLD FAIL NOT_TAKEN OTHR SLBD SLCR admi.002",
}
OURS = {"NOT_TAKEN", "admi.002"}
LATER = {
    "AUTHORIZATION": OURS,
    "CHARGE": {"AB03", "AB09", "AB10", "AB11", "AC06", "ED05", "EXPR", "FBRD", "FCD1", "GRER", "NIEC"} | OURS,
    "CHARGE_CANCELLATION": OURS,
}  # fmt: skip
EVERY = [pytest.param(s, r, id=f"{s}-{r.code}") for s in SUBJECTS for r in REASONS[s].values()]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_the_catalogue_has_every_code(subject: Subject) -> None:
    assert list(REASONS[subject]) == CODES[subject].split()
    assert {code for code, reason in REASONS[subject].items() if reason.retry == "later"} == LATER.get(subject, set())


def test_nine_codes_end_a_charge() -> None:
    """states.md 3."""
    assert sorted(KILLING) == ["AC05", "AM09", "DENC", "DS27", "DTED", "MIDI", "MSUC", "NITX", "RC09"]
    assert {code for code in REASONS["CHARGE"] if kills(code)} == KILLING
    assert not kills("ZZ99")
    assert all(REASONS["CHARGE"][code].retry == "never" for code in KILLING)


@in_one_test(("subject", "reason"), EVERY)
def test_every_reason_can_be_shown(subject: Subject, reason: Reason) -> None:
    assert reason_of(reason.code, subject) is reason
    assert type(reason) is Reason
    assert reason.message == f"{reason.code}: {reason.english}"
    assert not reason.english.endswith(".")
    for sentence in (reason.portuguese, reason.next_step, reason.next_step_portuguese):
        assert sentence.endswith(".")
        assert sentence[0].isupper()
    assert "|" not in reason.english + reason.portuguese + reason.next_step + reason.next_step_portuguese


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("code", ["ZZ99", "", "ac05"])
def test_a_code_nobody_knows_is_a_refusal_like_any_other(subject: Subject, code: str) -> None:
    reason = reason_of(code, subject)
    assert (reason.code, reason.retry, reason.message) == (code, "never", f"{code}: refused by the network")
    assert reason.next_step


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("SLDB", "REQUESTED_BY_PAYER"), ("SLCR", "REQUESTED_BY_RECEIVER"), ("ACCL", "ACCOUNT_CLOSED"),
        ("FRUD", "FRAUD_SUSPECTED"), ("CPCL", "OTHER"), ("DCSD", "OTHER"), ("ERSL", "OTHER"), ("PCFD", "OTHER"),
        ("SLBD", "OTHER"), ("ZZ99", "OTHER"),
    ],
)  # fmt: skip
def test_our_reason_of_the_networks_code(code: str, reason: CancelReason) -> None:
    assert cancel_reason_of(code) == reason


@pytest.mark.parametrize("reason", get_args(CancelReason))
def test_what_the_payers_bank_is_told(reason: CancelReason) -> None:
    code = code_of_cancel(reason)
    if reason in ("AUTHORIZATION_EXPIRED", "RECURRENCE_ENDED"):
        assert code is None
    else:
        assert code is not None
        assert code in REASONS["CANCELLATION"]
        assert cancel_reason_of(code) == reason or reason == "OTHER"


def test_a_payer_who_cancels_has_a_code_for_each_object() -> None:
    assert CANCELLED_BY_PAYER in REASONS["CHARGE_CANCELLATION"]
    assert CANCELLED_BY_PAYER not in REASONS["CANCELLATION"]
    assert CANCELLED_WITH_AUTHORIZATION in REASONS["CHARGE_CANCELLATION"]
