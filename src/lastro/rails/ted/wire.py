"""The messages of the STR as JSON, in both directions.

Names follow the catalogue of the national financial system: STR0008 sends a TED, STR0008R1 says what became of it, STR0010R2
brings one back. NumCtrlIF is ours, NumCtrlSTR the STR's. What is about a number that is not of our making is not read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.base.money import Money
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, Original, decoded, facts_of, instant
from lastro.standards import ted_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.rails.messages import Reader

LONGEST_NAME = 80
LONGEST_HISTORY = 200
# The STR's words for the types of account (contract.md §10): the interface's, and those of Pix, by which payers are named.
ACCOUNT_TYPES = {
    "CHECKING_ACCOUNT": "CC", "SAVINGS_ACCOUNT": "PP", "PAYMENT_ACCOUNT": "PG", "CACC": "CC", "SVGS": "PP", "TRAN": "PG",
}  # fmt: skip
# SitLancSTR: 1 to 4 are effective; 5 and 9 lacked funds, 14 and 15 were cancelled, 22 and 23 had a participant that takes no
# part, 24 and 25 lacked funds at closing time; 17 to 20 wait for funds or for their time.
_SETTLED = frozenset({"1", "2", "3", "4"})
_REFUSED = frozenset({"5", "9", "14", "15", "22", "23", "24", "25"})
_PENDING = frozenset({"17", "18", "19", "20"})


class _Result(msgspec.Struct, rename="camel"):
    num_ctrl_if: str
    num_ctrl_str: str
    status: str
    settled_at: Instant | None = None
    original_transaction: Original | None = None


class _Return(msgspec.Struct, rename="camel"):
    num_ctrl_str: str
    original_num_ctrl_if: str
    amount: str
    code: str
    settled_at: Instant
    original_num_ctrl_str: str | None = None
    original_transaction: Original | None = None


def written(kind: str, body: bytes) -> bytes:
    """The STR0008 that an outbox row stands for, the same bytes on every send. ValueError for a kind the STR has not."""
    if kind != port.TED_SEND:
        raise ValueError(f"the STR has no message for {kind}")
    order = port.ted_order(body)
    payer, receiver = order.payer, order.receiver
    creditor = _party(
        receiver.name, receiver.document_type, receiver.document_number, receiver.branch, receiver.account,
        receiver.account_type,
    )  # fmt: skip
    return msgspec.json.encode(
        {
            "msgId": order.control_number, "type": "STR0008", "createdAt": instant(order.created_at),
            "numCtrlIf": order.control_number, "amount": str(order.amount),
            "debtor": _party(
                payer.name, payer.document_type, payer.document_number, payer.branch, payer.account, payer.account_type
            ),
            "creditor": {"ispb": receiver.ispb, **creditor},
            "purpose": order.purpose,
            **({"history": history} if (history := (order.history or "")[:LONGEST_HISTORY].strip()) else {}),
        }
    )  # fmt: skip


def _party(
    name: str, document_type: str, document_number: str, branch: str, account: str, account_type: str
) -> dict[str, Any]:
    """One side of a TED, in the sizes of the STR's fields: an account's number has no zeros in front."""
    return {
        "name": name[:LONGEST_NAME].strip(), "document": {"type": document_type, "number": document_number},
        "branch": branch, "account": account.lstrip("0"), "accountType": ACCOUNT_TYPES[account_type],
    }  # fmt: skip


def status(control_number: str, body: bytes) -> port.PaymentFinal | port.Pending:
    """The STR's answer about a TED. Malformed where it is none."""
    result = decoded(body, _Result)
    if result.num_ctrl_if != control_number:
        raise Malformed("numCtrlIf")
    return _end(result)


def _end(result: _Result) -> port.PaymentFinal | port.Pending:
    if not ted_ids.is_str_control_number(result.num_ctrl_str):
        raise Malformed("numCtrlStr")
    if result.status in _PENDING:
        return port.Pending()
    if result.status not in _SETTLED | _REFUSED:
        raise Malformed("status")
    settled = result.status in _SETTLED
    code = None if settled else result.status
    of = facts_of(result.original_transaction)
    return port.PaymentFinal(result.num_ctrl_if, settled, code, result.settled_at, result.num_ctrl_str, of)


def _result(name: str, raw: bytes, _: str) -> port.Told:
    """STR0008R1. One that says no end is kept as it came: the end follows."""
    result = decoded(raw, _Result)
    company = _company(result.num_ctrl_if, "numCtrlIf")
    end = _end(result)
    kind, body = (port.PAYMENT_PENDING, raw) if isinstance(end, port.Pending) else (port.PAYMENT_FINAL, port.encode(end))
    return port.Told(kind, name, result.num_ctrl_if, body, company_number=company, rail=port.TED)


def _returned(name: str, raw: bytes, _: str) -> port.Told:
    """STR0010R2: money of ours that the receiver's bank sends back, as a new TED; it is in already."""
    back = decoded(raw, _Return)
    company = _company(back.original_num_ctrl_if, "originalNumCtrlIf")
    if not ted_ids.is_str_control_number(back.num_ctrl_str):
        raise Malformed("numCtrlStr")
    of = facts_of(back.original_transaction) or port.Facts()
    told = port.PaymentReturned(
        back.original_num_ctrl_if, back.num_ctrl_str, Money.parse(back.amount, "BRL"), back.code, back.settled_at,
        of=msgspec.structs.replace(of, number=back.original_num_ctrl_str),
    )  # fmt: skip
    subject = back.original_num_ctrl_if
    return port.Told(port.PAYMENT_RETURNED, name, subject, port.encode(told), company_number=company, rail=port.TED)


def _company(control_number: str, field: str) -> int:
    company = ted_ids.company_of_control_number(control_number)
    if company is None:
        raise Malformed(field)
    return company


# By the type that a message names.
READERS: Mapping[str, Reader] = MappingProxyType({"STR0008R1": _result, "STR0010R2": _returned})
