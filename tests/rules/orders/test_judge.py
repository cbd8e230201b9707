from datetime import timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test
from tests.rules.orders.values import ACCOUNT_ID, NOW, account, arrival, brl, order, static_code

from lastro.orders.rules import is_late, judge
from lastro.rails.port import Authorizing

OPEN = {"amount": None, "final_amount": None}
ONE_MICROSECOND = timedelta(microseconds=1)
OTHER_ACCOUNT = {"account_id": type(ACCOUNT_ID)(int=99)}


def verdict(
    *, came: dict[str, Any] | None = None, to: dict[str, Any] | None = None, of: dict[str, Any] | None = None,
    no_account: bool = False, no_order: bool = False, names_order: bool = True, reserved_by: str | None = None,
    is_tied: bool = False, printed: dict[str, Any] | None = None, is_institution: bool = False,
) -> str | None:  # fmt: skip
    return judge(
        arrival(**(came or {})),
        None if no_account else account(**(to or {})),
        None if no_order else order(**(of or {})),
        names_order=names_order,
        reserved_by=reserved_by,
        is_tied=is_tied,
        printed=None if printed is None else static_code(**printed),
        is_institution=is_institution,
    )


AUTHORIZES = {"authorizing": Authorizing("RR9999901020260131abcdefghijk")}
CHARGES = {"charging": "RR9999901020260131abcdefghijk"}
OWNED = {"subscription_id": type(ACCOUNT_ID)(int=7)}
TO_A_PRINTED_CODE: dict[str, Any] = {"no_order": True, "names_order": False, "printed": {}}
TO_AN_OPEN_ONE: dict[str, Any] = {**TO_A_PRINTED_CODE, "printed": {"amount": None}}


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"came": {"receiver_document": None}},
        {"of": OPEN, "came": {"amount": brl(1)}},
        {"of": {"expires_at": None}, "came": {"accepted_at": NOW + timedelta(days=9999)}},
        {"came": {"accepted_at": NOW + timedelta(hours=1)}},
        {"of": {"amount": brl(1000), "final_amount": brl(1050)}, "came": {"amount": brl(1050)}},
        {"reserved_by": "E1"},
        {"no_order": True, "names_order": False},
        {"no_order": True, "names_order": False, "came": {"txid": None, "amount": brl(1)}},
        {"of": OWNED, "is_tied": True, "came": AUTHORIZES},
        {"of": OWNED, "is_tied": True, "came": CHARGES},
        {"of": OWNED, "is_tied": True},
        TO_A_PRINTED_CODE,
        {**TO_AN_OPEN_ONE, "came": {"amount": brl(1)}},
        {"no_order": True, "names_order": False, "to": {"status": "INACTIVE"}, "came": {"txid": None, "purpose": "IPRT"}},
        {"no_order": True, "names_order": False, "to": {"status": "INACTIVE"}, "came": {"txid": None, "purpose": "REFU"},
         "is_institution": True},
    ],
    ids=[
        "right", "no document told", "open amount", "never expires", "in the last instant", "with the fee",
        "reserved by itself", "no charge", "no charge, any amount", "its owner decides", "its owner decides of a charge",
        "its owner decides of money alone", "printed amount", "printed without an amount", "paid anew to a blocked account",
        "a charge repaid to a blocked account",
    ],
)  # fmt: skip
def test_money_that_fits(case: dict[str, Any]) -> None:
    assert verdict(**case) is None


@in_one_test(
    ("case", "code"),
    [
        ({"no_account": True}, "AC03"),
        ({"to": {"status": "CLOSED"}}, "AC07"),
        ({"to": {"status": "INACTIVE"}}, "AC06"),
        ({"to": {"status": "INACTIVE"}, "came": {"purpose": "IPAY"}}, "AC06"),
        ({"to": {"status": "CLOSED"}, "came": {"purpose": "IPRT"}}, "AC07"),
        # A reimbursement is the institution's own: it has paid its customer already.
        ({"no_order": True, "names_order": False, "came": {"txid": None, "purpose": "REFU"}}, "FF07"),
        ({"came": {"receiver_document": "52998224725"}}, "CH11"),
        ({"no_order": True}, "BE15"),
        ({"no_order": True, "names_order": False, "came": AUTHORIZES}, "BE17"),
        ({"no_order": True, "names_order": False, "came": CHARGES}, "BE17"),
        ({"came": AUTHORIZES}, "BE17"),
        ({"came": CHARGES}, "BE17"),
        ({"of": OWNED}, "BE17"),
        ({"of": OWNED, "came": AUTHORIZES}, "BE17"),
        ({"of": OWNED, "is_tied": True, "came": {**AUTHORIZES, "amount": brl(1)}}, "BE17"),
        ({"of": OTHER_ACCOUNT}, "AC03"),
        ({"of": {"state": "PAID"}}, "DUPL"),
        ({"reserved_by": "E2"}, "DUPL"),
        ({"of": {"state": "EXPIRED"}}, "BE17"),
        ({"of": {"state": "CANCELED"}}, "BE17"),
        ({"of": {"state": "ERROR"}}, "BE17"),
        ({"came": {"accepted_at": NOW + timedelta(hours=1) + ONE_MICROSECOND}}, "BE17"),
        ({"came": {"amount": brl(999)}}, "BE17"),
        ({"came": {"amount": brl(1001)}}, "BE17"),
        ({"of": {"final_amount": brl(1050)}}, "BE17"),
        ({**TO_A_PRINTED_CODE, "came": {"amount": brl(999)}}, "BE17"),
        ({**TO_A_PRINTED_CODE, "came": {"amount": brl(1001)}}, "BE17"),
        ({**TO_A_PRINTED_CODE, "came": AUTHORIZES}, "BE17"),
        ({**TO_AN_OPEN_ONE, "came": CHARGES}, "BE17"),
        ({**TO_A_PRINTED_CODE, "to": {"status": "CLOSED"}}, "AC07"),
    ],
)
def test_money_that_does_not_fit(case: dict[str, Any], code: str) -> None:
    assert verdict(**case) == code


def test_of_several_reasons_the_first_counts() -> None:
    """Each reason hides those after it, in the order of the table above."""
    wrong: dict[str, Any] = {
        "to": {"status": "CLOSED"}, "came": {"receiver_document": "1", "amount": brl(1), "accepted_at": NOW + timedelta(days=1)},
        "of": {"state": "PAID", **OTHER_ACCOUNT}, "reserved_by": "E2",
    }  # fmt: skip
    assert verdict(**wrong, no_account=True) == "AC03"
    assert verdict(**wrong) == "AC07"
    wrong["to"] = {}
    assert verdict(**wrong) == "CH11"
    wrong["came"]["receiver_document"] = None
    assert verdict(**wrong) == "AC03"
    wrong["of"] = {"state": "PAID"}
    assert verdict(**wrong) == "DUPL"
    wrong["of"] = {}
    assert verdict(**wrong) == "DUPL"
    wrong["reserved_by"] = None
    assert verdict(**wrong) == "BE17"


def test_late_is_after_the_last_instant() -> None:
    last = NOW + timedelta(hours=1)
    assert not is_late(order(), last)
    assert is_late(order(), last + ONE_MICROSECOND)
    assert not is_late(order(expires_at=None), last + timedelta(days=9999))
