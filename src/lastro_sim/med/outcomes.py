"""Dispute outcomes from both sides and their acts, for GET /scenarios."""

from typing import Any, NamedTuple


class Play(NamedTuple):
    """A field of an act on disputes, its value, and its outcome.

    The acts are `POST /med` and `/med/{referenceId}/advance`.
    """

    field: str
    value: str
    outcome: str


PLAYS = (
    Play("reason", "OPERATIONAL_FLAW", "begin: a refund request without a notification; the payer's bank has erred"),
    Play("reason", "PIX_AUTOMATICO", "begin: a refund request without a notification; a scheduled charge was not owed"),
    Play("status", "CANCELLED", "the recovery value is given up with its notifications and open requests; or one request"),
    Play("analysisResult", "AGREED", "of a notification that is RECEIVED: with the last one, refunds can be ordered"),
    Play("fraudType", "MULE_ACCOUNT", "with AGREED: of which kind the fraud was; SCAMMER_ACCOUNT where none is given"),
    Play("analysisResult", "DISAGREED", "of the first notification: the recovery value is COMPLETED without any refund"),
    Play("analysisResult", "TOTALLY_ACCEPTED", "of a refund request to a simulated bank: all of it comes back"),
    Play("amount", "less than asked for", "of a refund request to a simulated bank: PARTIALLY_ACCEPTED, so much comes back"),
    Play("analysisResult", "REJECTED", "of a refund request to a simulated bank: nothing comes back, NO_BALANCE"),
    Play("rejectionReason", "ACCOUNT_CLOSURE", "with REJECTED: the account is closed"),
    Play("rejectionReason", "INVALID_REQUEST", "with REJECTED: no flaw of the payer's bank; of OPERATIONAL_FLAW alone"),
    Play("rejectionReason", "OTHER", "with REJECTED: something else"),
    Play("transactions", "2 to 5", "with TRACED: the money went on, and each layer has its notification and request"),
    Play("onward", "an endToEndId", "with TRACED: the money went on by this payment, as it to an account of lastro's again"),
)  # fmt: skip
REJECTIONS = frozenset(one.value for one in PLAYS if one.field == "rejectionReason") | {"NO_BALANCE"}


def listed() -> list[dict[str, Any]]:
    """Lists the outcomes in the form of scenarios."""
    return [{"operation": "med", **one._asdict()} for one in PLAYS]
