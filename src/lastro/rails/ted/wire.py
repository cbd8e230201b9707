"""The messages of the STR as JSON, in both directions.

Names follow the catalogue of the national financial system: STR0008 sends a TED, STR0008R1 says how it ended, STR0008R2
that one has come, STR0010R2 brings one of ours back; by STR0010 we send one back, and STR0010R1 says how that ended.
NumCtrlIF is ours, NumCtrlSTR the STR's. A message about a number that is not of our making is not read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.messages import Instant, Malformed, Original, decoded, facts_of, instant
from lastro.standards import account_numbers, pix_ids, ted_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.rails.messages import Reader

LONGEST_NAME = 80
LONGEST_HISTORY = 200
# The STR's words for the types of account (contract.md §10): the interface's, and those of Pix, by which payers are named.
ACCOUNT_TYPES = {
    "CHECKING_ACCOUNT": "CC", "SAVINGS_ACCOUNT": "PP", "PAYMENT_ACCOUNT": "PG", "CACC": "CC", "SVGS": "PP", "TRAN": "PG",
}  # fmt: skip
# Those words, as Pix has them; a payer's account of any other type is shown without.
_TYPES_OF_PAYERS = {"CC": "CACC", "PP": "SVGS", "PG": "TRAN"}
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


class _Document(msgspec.Struct):
    type: str
    number: str


class _Debtor(msgspec.Struct, rename="camel"):
    ispb: str
    name: str
    document: _Document
    branch: str = ""
    account: str = ""
    account_type: str = ""


class _Creditor(msgspec.Struct, rename="camel"):
    ispb: str
    branch: str
    account: str
    document: _Document | None = None


class _Arrival(msgspec.Struct, rename="camel"):
    num_ctrl_str: str
    amount: str
    settled_at: Instant
    debtor: _Debtor
    creditor: _Creditor
    history: str | None = None


class _ReturnResult(_Result, rename="camel"):
    original_num_ctrl_str: str | None = None
    amount: str | None = None


def written(kind: str, body: bytes) -> bytes:
    """Returns the message of an outbox row, always the same bytes. ValueError for a kind the STR has not."""
    if kind == port.RETURN_SEND:
        return _giving_back(port.return_order(body))
    if kind != port.TED_SEND:
        raise ValueError(f"the STR has no message for {kind}")
    order = port.ted_order(body)
    payer, receiver = order.payer, order.receiver
    assert receiver.branch is not None, "a TED goes to a branch"
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


def _giving_back(order: port.ReturnOrder) -> bytes:
    """Returns an STR0010, by which a received TED goes back whole. The reason is a CodDevTransf."""
    return msgspec.json.encode(
        {
            "msgId": order.return_id, "type": "STR0010", "createdAt": instant(order.created_at),
            "numCtrlIf": order.return_id, "originalNumCtrlStr": order.end_to_end_id, "amount": str(order.amount),
            "code": order.reason,
        }
    )  # fmt: skip


def _party(
    name: str, document_type: str, document_number: str, branch: str, account: str, account_type: str
) -> dict[str, Any]:
    """Returns one side of a TED in the STR's field sizes. An account's number has no zeros in front."""
    return {
        "name": name[:LONGEST_NAME].strip(), "document": {"type": document_type, "number": document_number},
        "branch": branch, "account": account.lstrip("0"), "accountType": ACCOUNT_TYPES[account_type],
    }  # fmt: skip


def status(control_number: str, body: bytes) -> port.PaymentFinal | port.Pending:
    """Returns the STR's answer about a TED. Malformed where it is none."""
    result = decoded(body, _Result)
    if result.num_ctrl_if != control_number:
        raise Malformed("numCtrlIf")
    return _end(result)


def return_status(control_number: str, body: bytes) -> port.ReturnFinal | port.Pending:
    """Returns the STR's answer about a return of ours. Malformed where it is none."""
    result = decoded(body, _ReturnResult)
    if result.num_ctrl_if != control_number:
        raise Malformed("numCtrlIf")
    return _return_end(result)


def _return_end(result: _ReturnResult) -> port.ReturnFinal | port.Pending:
    end = _end(result)
    if isinstance(end, port.Pending):
        return end
    amount = None if result.amount is None else Money.parse(result.amount, "BRL")
    original = result.original_num_ctrl_str or ""
    return port.ReturnFinal(result.num_ctrl_if, original, end.settled, end.code, end.settled_at, amount)


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


def _result(name: str, raw: bytes, _: str) -> port.NetworkMessage:
    """Reads STR0008R1. A message without an end is kept as it came: the end follows."""
    result = decoded(raw, _Result)
    company = _company(result.num_ctrl_if, "numCtrlIf")
    end = _end(result)
    kind, body = (port.PAYMENT_PENDING, raw) if isinstance(end, port.Pending) else (port.PAYMENT_FINAL, port.encode(end))
    return port.NetworkMessage(kind, name, result.num_ctrl_if, body, company_number=company, rail=port.TED)


def _returned(name: str, raw: bytes, _: str) -> port.NetworkMessage:
    """Reads STR0010R2: the receiver's bank sends money of ours back. It comes as a new TED, and is in already."""
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
    return port.NetworkMessage(
        port.PAYMENT_RETURNED, name, subject, port.encode(told), company_number=company, rail=port.TED
    )


def _return_result(name: str, raw: bytes, _: str) -> port.NetworkMessage:
    """Reads STR0010R1. A message without an end is kept as it came: the end follows."""
    result = decoded(raw, _ReturnResult)
    company = _company(result.num_ctrl_if, "numCtrlIf")
    end = _return_end(result)
    kind, body = (port.PAYMENT_PENDING, raw) if isinstance(end, port.Pending) else (port.RETURN_FINAL, port.encode(end))
    return port.NetworkMessage(kind, name, result.num_ctrl_if, body, company_number=company, rail=port.TED)


def _arrived(name: str, raw: bytes, ispb: str) -> port.NetworkMessage:
    """Reads STR0008R2: another bank's TED to an account here. Its money is in."""
    ted = decoded(raw, _Arrival)
    number, payer, receiver = ted.num_ctrl_str, ted.debtor, ted.creditor
    amount = Money.parse(ted.amount, "BRL")
    if not ted_ids.is_str_control_number(number):
        raise Malformed("numCtrlStr")
    if receiver.ispb != ispb or not pix_ids.is_ispb(payer.ispb):
        raise Malformed("ispb")
    if amount.minor <= 0:
        raise Malformed("amount")
    if payer.document.type not in ("CPF", "CNPJ"):
        raise Malformed("debtor.document")  # its check digits are the sender's to verify
    account = account_numbers.in_full(receiver.account)
    told = port.TedArrival(
        number, amount,
        port.Payer(
            payer.name[:LONGEST_NAME], payer.document.type, payer.document.number, payer.ispb, payer.branch, payer.account,
            _TYPES_OF_PAYERS.get(payer.account_type, ""),
        ),
        receiver.branch, account, None if receiver.document is None else receiver.document.number, ted.settled_at,
        (ted.history or "")[:LONGEST_HISTORY].strip() or None,
    )  # fmt: skip
    return port.NetworkMessage(port.TED_ARRIVED, name, number, port.encode(told), account=account, rail=port.TED)


def _company(control_number: str, field: str) -> int:
    company = ted_ids.company_of_control_number(control_number)
    if company is None:
        raise Malformed(field)
    return company


# By the type that a message names.
READERS: Mapping[str, Reader] = MappingProxyType(
    {"STR0008R1": _result, "STR0008R2": _arrived, "STR0010R1": _return_result, "STR0010R2": _returned}
)
