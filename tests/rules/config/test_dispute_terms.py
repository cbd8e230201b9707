"""The deadlines of disputes as settings."""

from datetime import timedelta
from typing import Any

from tests.in_one import in_one_test

from lastro.config.given import Given
from lastro.config.terms import dispute_terms
from lastro.med import TERMS
from lastro.rails.port import MedContact


def outside(environment: dict[str, str]) -> Given:
    return Given({"LASTRO_MODE": "production"} | environment)


@in_one_test(
    ("name", "value", "field", "read"),
    [
        ("CONTEST_DAYS", "90", "contest", timedelta(days=90)),
        ("ANALYSIS_DAYS", "3", "analysis", timedelta(days=3)),
        ("VERDICT", "DISAGREED", "verdict", "DISAGREED"),
        ("REFUND_HOURS", "6", "refund", timedelta(hours=6)),
        ("SETTLE_HOURS", "24", "settle", timedelta(hours=24)),
        ("TOP_UP_MINUTES", "720", "top_up", timedelta(hours=12)),
        ("TOP_UP_MINUTES", "0", "top_up", timedelta(0)),
        ("MONITOR_DAYS", "90", "monitor", timedelta(days=90)),
        ("FRAUD", "MULE_ACCOUNT", "fraud", "MULE_ACCOUNT"),
    ],
)
def test_each_term_is_a_setting(name: str, value: str, field: str, read: Any) -> None:
    given = outside({f"LASTRO_MED_{name}": value})
    assert (getattr(dispute_terms(given), field), given.problems) == (read, [])


@in_one_test(
    ("name", "value"),
    [
        ("CONTEST_DAYS", "0"), ("ANALYSIS_DAYS", "31"), ("VERDICT", "maybe"), ("REFUND_HOURS", "-1"),
        ("SETTLE_HOURS", "25"), ("TOP_UP_MINUTES", "721"), ("TOP_UP_MINUTES", "1h"), ("MONITOR_DAYS", "91"),
        ("FRAUD", "UNKNOWN"), ("CONTACT_EMAIL", "med@lastro.example"), ("CONTACT_PHONE", "+551130030000"),
    ],
)  # fmt: skip
def test_what_is_no_term_is_named(name: str, value: str) -> None:
    given = outside({f"LASTRO_MED_{name}": value})
    dispute_terms(given)
    assert any(f"LASTRO_MED_{name}" in problem for problem in given.problems)


def test_what_is_not_given_is_as_it_is_known() -> None:
    assert dispute_terms(outside({})) == TERMS
    assert (TERMS.contact, TERMS.by_default) == (None, None)


def test_what_an_institution_must_choose_is_played_in_the_sandbox_alone() -> None:
    """Its contact, and the kind of fraud of a default: neither can be known for it."""
    given = Given({})
    terms = dispute_terms(given)
    assert (terms.contact, terms.by_default, given.problems) == (
        MedContact("med@lastro.example", "+551130030000"), "AGREED", [],
    )  # fmt: skip
    assert dispute_terms(Given({"LASTRO_MED_FRAUD": ""})).by_default is None


def test_an_other_fraud_of_a_default_has_its_words() -> None:
    given = outside({"LASTRO_MED_FRAUD": "OTHER"})
    dispute_terms(given)
    assert len(given.problems) == 1
    assert dispute_terms(outside({"LASTRO_MED_FRAUD": "OTHER", "LASTRO_MED_FRAUD_DETAILS": "why"})).details == "why"
