"""Magic values: payers and amounts with a fixed outcome, without a fault."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from lastro_sim import amounts
from lastro_sim.analysis import verdicts
from lastro_sim.bank import payers
from lastro_sim.card import numbers
from lastro_sim.clock import DAY, SECOND
from lastro_sim.directory import entries
from lastro_sim.faults import Fault
from lastro_sim.med import outcomes as disputes

# Amounts in minor units, each with its fault and the fault's outcome.
Magic: TypeAlias = Mapping[int, tuple[Fault, str]]
BY_AMOUNT: Magic = {
    700_101: (Fault("reject", "ED05", 0), "settlement fails after the receiver's yes: REJECTED with ED05"),
    700_102: (Fault("timeout", None, 0), "the network times out after the receiver's yes: REJECTED with AB03"),
    700_103: (Fault("late", None, 0), "settles without asking the receiver, who hears of it by camt.054"),
    700_104: (Fault("twice", None, 0), "every message about it comes twice"),
    700_105: (Fault("lost-answer", None, 0), "the receiver's answer gets lost and he is asked again"),
    700_106: (Fault("slow", None, 3 * SECOND), "settlement takes three seconds"),
}
BY_PAYOUT_AMOUNT: Magic = {
    700_101: (Fault("reject", "ED05", 0), "REJECTED with ED05, worth a new payment later"),
    700_102: (Fault("reject", "AB03", 0), "the receiver's bank is silent: REJECTED with AB03"),
    700_103: (Fault("timeout", None, 0), "settles, and the final message comes only to who asks by endToEndId"),
    700_104: (Fault("twice", None, 0), "the final message comes twice"),
    700_105: (Fault("reject", "AM04", 0), "REJECTED with AM04: the institution's own settlement account lacks money"),
    700_106: (Fault("slow", None, 3 * SECOND), "settlement takes three seconds"),
}
BY_RETURN_AMOUNT: Magic = {
    700_601: (Fault("reject", "ED05", 0), "REJECTED with ED05, worth a new return later"),
    700_602: (Fault("reject", "AC07", 0), "REJECTED with AC07: the payer's account is closed"),
    700_603: (Fault("timeout", None, 0), "settles, and the final message comes only to who asks by the return's id"),
    700_604: (Fault("twice", None, 0), "the final message comes twice"),
    700_606: (Fault("slow", None, 3 * SECOND), "settlement takes three seconds"),
}
BY_RECURRENCE_AMOUNT: Magic = {
    700_101: (Fault("reject", None, 0), "the payer's bank refuses the receiver's cancellation: AP13"),
    700_102: (Fault("timeout", None, 0), "what became of the receiver's cancellation is told only to who asks"),
    700_104: (Fault("twice", None, 0), "every message about the authorization comes twice"),
    700_105: (Fault("lost-answer", None, 0), "the receiver's answer gets lost and he is asked again"),
}
BY_CHARGE_AMOUNT: Magic = {
    700_401: (Fault("reject", "AB10", 0), "every instruction is refused: AB10, an error at the payer's bank"),
    700_402: (Fault("reject", "AB10", 0), "the first instruction of the charge is refused with AB10, the next is scheduled"),
    700_403: (Fault("reject", "AC05", 0), "the instruction is refused with AC05: the payer's account is closed"),
    700_404: (Fault("twice", None, 0), "every message about it comes twice"),
    700_405: (Fault("lost-answer", None, 0), "the instruction is taken, and the post is answered 503"),
    700_406: (Fault("timeout", None, 0), "whether it is scheduled is told only to who asks; the money comes all the same"),
    700_410: (Fault("reject", "AM02", 0), "above the payer's limit: every instruction is refused with AM02"),
    700_413: (Fault("slow", None, 3 * SECOND), "settlement takes three seconds"),
}
ONLY_FIRST_INSTRUCTION = frozenset({700_402})


BY_SLIP_AMOUNT: Magic = {
    700_501: (Fault("reject", None, 0), "the bank's registry refuses the slip: REGISTRATION_REFUSED"),
    700_502: (Fault("lost-answer", None, 0), "the slip is registered, and the request is answered 503"),
    700_503: (Fault("void", None, 0), "its payment is announced and does not settle"),
    700_504: (Fault("twice", None, 0), "who pays it pays it twice"),
    700_505: (Fault("slow", None, DAY), "its payment settles a day later than others"),
}
BY_VOUCHER_AMOUNT: Magic = {
    700_701: (Fault("reject", None, 0), "the network of tills refuses the voucher: REGISTRATION_REFUSED"),
    700_702: (Fault("lost-answer", None, 0), "the voucher is registered, and the request is answered 503"),
    700_703: (Fault("void", None, 0), "its payment is announced and does not settle"),
    700_704: (Fault("twice", None, 0), "who pays it pays it twice"),
    700_705: (Fault("slow", None, DAY), "its payment settles a day later than others"),
}
BY_QUOTE_AMOUNT: Magic = {
    700_901: (Fault("reject", None, 0), "the crypto partner gives no rate: RATE_NOT_GIVEN"),
    700_902: (Fault("down", None, 0), "the crypto partner is away when it is asked for a rate"),
}
BY_CRYPTO_AMOUNT: Magic = {
    700_903: (Fault("reject", None, 0), "the quote is given, and its order refused: REGISTRATION_REFUSED"),
    700_904: (Fault("lost-answer", None, 0), "the quote has its order, and the request is answered 503"),
    700_905: (Fault("void", None, 0), "its payment is seen and never confirmed"),
    700_906: (Fault("twice", None, 0), "who pays it pays it twice"),
    700_907: (Fault("slow", None, DAY), "its payment is confirmed a day later than others"),
}
BY_TRANSFER_AMOUNT: Magic = {
    700_801: (Fault("reject", None, 0), "the bank refuses the account number: REGISTRATION_REFUSED"),
    700_802: (Fault("lost-answer", None, 0), "the account number is opened, and the request is answered 503"),
    700_804: (Fault("twice", None, 0), "who pays it pays it twice"),
}
UNKNOWN_BENEFICIARY = "70000000310"


class Unpaid(NamedTuple):
    """The reasons for not collecting a charge, by window.

    first, second: in that window of its day. retried: in a later retry. again: sent again on the same day, after a failure.
    """

    first: str | None
    second: str | None
    retried: str | None
    outcome: str
    again: str | None = None


BY_COLLECTED_AMOUNT = {
    700_407: Unpaid("EXPR", None, None, "no money in the first window of its day, collected in the second"),
    700_408: Unpaid("EXPR", "EXPR", "EXPR", "never any money: EXPR after the last window, of every try"),
    700_409: Unpaid("EXPR", "EXPR", None, "no money on its day: EXPR after the last window; the first new try collects"),
    700_411: Unpaid("AC05", "AC05", "AC05", "the payer's account is closed by then: AC05 on its day, at once"),
    700_414: Unpaid("AB10", "AB10", None, "the payer's bank fails on its day: AB10 at once; what is sent again collects"),
    700_415: Unpaid(
        "AB10",
        "AB10",
        None,
        "the payer's bank fails all day: AB10 of every try of that day; the next day's collects",
        "AB10",
    ),
}
SETTLES_UNASKED = 700_412
STR_REFUSALS = {
    5: "refused for lack of funds",
    9: "refused for lack of funds",
    14: "cancelled",
    15: "cancelled",
    22: "refused: a participant was excluded",
    23: "refused: a participant was suspended",
    24: "refused at closing time for lack of funds",
    25: "refused at closing time for lack of funds",
}
TED_REFUSALS_FROM, TED_RETURNS_FROM = 700_200, 700_300
TED_RETURN_CODES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 18, 31, 61, 70, 84)
WHY_REFUSED = {
    "INSUFFICIENT_FUNDS": "the payer has no money: his bank refuses everything",
    "SUSPECTED_FRAUD": "the payer's bank holds his account for fraud: it refuses everything",
}
BY_STATUS = {
    "BLOCKED": "the directory refuses the look-up: EntryBlocked",
    "ACCOUNT_BLOCKED": "its account is blocked: a payment is refused with AC06",
    "ACCOUNT_CLOSED": "its account is closed: a payment is refused with AC07",
}
TED_BY_STATUS = {"ACCOUNT_CLOSED": "its account is closed: effective, and back after five minutes with code 1"}


def fault_of(magic: Magic, cents: int | None) -> Fault | None:
    """Returns the fault that always strikes this amount."""
    return None if cents is None or cents not in magic else magic[cents][0]


def unpaid(cents: int, *, is_second: bool, kind: str) -> str | None:
    """Returns the code for not collecting this amount; None if it is collected."""
    found = BY_COLLECTED_AMOUNT.get(cents)
    if found is None:
        return None
    if kind == "NTAG":
        return found.retried
    if kind == "RIFL":
        return found.again
    return found.second if is_second else found.first


def for_collection(cents: int) -> Fault | None:
    """Returns the fault of the payment that collects this amount."""
    return Fault("late", None, 0) if cents == SETTLES_UNASKED else None


def for_ted(cents: int) -> Fault | None:
    """Returns the fault of a transfer: 7002.05 ends with STR code 5."""
    number = cents - TED_REFUSALS_FROM
    return Fault("reject", str(number), 0) if number in STR_REFUSALS else None


def ted_return(cents: int) -> str | None:
    """Returns the return code of a transfer: 84 for 7003.84, and so on."""
    code = cents - TED_RETURNS_FROM
    return str(code) if code in TED_RETURN_CODES else None


def listed(of_partners: Mapping[str, Magic]) -> list[dict[str, Any]]:
    """Lists all magic values and their effects. of_partners: by partners' names."""
    by_payer = [
        {"operation": "payin", "field": "payer", "value": payer.document, "outcome": WHY_REFUSED[payer.refused]}
        for payer in payers.CUSTOMERS
        if payer.refused is not None
    ]
    by_amount = [
        {"operation": operation, "field": "amount", "value": amounts.printed(cents), "outcome": outcome}
        for operation, magic in (
            ("payin", BY_AMOUNT),
            ("payout", BY_PAYOUT_AMOUNT),
            ("return", BY_RETURN_AMOUNT),
            ("authorization", BY_RECURRENCE_AMOUNT),
            ("quote", BY_QUOTE_AMOUNT),
            *of_partners.items(),
        )
        for cents, (_, outcome) in magic.items()
    ]
    outcomes = {cents: outcome for cents, (_, outcome) in BY_CHARGE_AMOUNT.items()}
    outcomes |= {cents: found.outcome for cents, found in BY_COLLECTED_AMOUNT.items()}
    outcomes[SETTLES_UNASKED] = "settles without asking the receiver, who hears of it by camt.054"
    by_charge = [
        {"operation": "charge", "field": "amount", "value": amounts.printed(cents), "outcome": outcome}
        for cents, outcome in sorted(outcomes.items())
    ]
    by_key = [
        {"operation": "payout", "field": "key", "value": entry.key, "outcome": BY_STATUS[entry.status]}
        for entry in entries.SEEDS
        if entry.status in BY_STATUS
    ]
    by_card = [
        {"operation": "credit_card", "field": "number", "value": number, "outcome": numbers.PLAYS[name].outcome}
        for number, name in numbers.BY_NUMBER.items()
    ]
    return by_payer + by_amount + by_charge + by_key + by_card + verdicts.listed() + disputes.listed() + _transfers()


def _transfers() -> list[dict[str, Any]]:
    """Returns the magic amounts and accounts of TED."""
    refused = {TED_REFUSALS_FROM + number: f"status {number}: {why}" for number, why in STR_REFUSALS.items()}
    returned = {
        TED_RETURNS_FROM + code: f"effective, and back after five minutes with code {code}" for code in TED_RETURN_CODES
    }
    by_amount = [
        {"operation": "ted", "field": "amount", "value": amounts.printed(cents), "outcome": outcome}
        for cents, outcome in (refused | returned).items()
    ]
    by_account = [
        {"operation": "ted", "field": "account", "value": entry.account.account, "outcome": outcome}
        for entry in entries.SEEDS
        if (outcome := TED_BY_STATUS.get(entry.status)) is not None
    ]
    unknown = {"operation": "ted", "field": "account", "value": "399999", "outcome": "no such account: back with code 2"}
    return by_amount + by_account + [unknown]
