"""Acts: the API's verbs, and the institution's decisions. Before each stands a page that says what will happen."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup

from lastro import accounts, med
from lastro.console import typed
from lastro.console.decisions import ROOT
from lastro.console.lists import value_at
from lastro.people import Role
from lastro.rails.port import REHEARSAL
from lastro.standards.legible import as_shown, legible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.console.shell import PageRequest, User
    from lastro.console.terms import Terms

    Body = Callable[[Mapping[str, str], Mapping[str, Any], str], dict[str, Any]]

_REFUND_CODES = ("MD06",)
_CANCEL_REASONS = ("REQUESTED_BY_RECEIVER", "FRAUD_SUSPECTED", "OTHER")
_SITUATIONS = (
    "SCAM", "UNAUTHORIZED_TRANSACTION", "CRIME_OF_COERCION", "FRAUDULENT_ACCESS_AND_AUTHORIZATION", "OTHERS",
)  # fmt: skip
# No exponent: written out, 1e4000000000 would fill the memory.


@dataclass(frozen=True, slots=True)
class Blank:
    """A field that a person fills in, without an initial value.

    kind `lines`: a text of several lines; `file`: a file; `order`: an order, chosen among those that fit. choices: words of
    the interface. explains: whether each choice is shown with its effect and cost.
    """

    name: str
    kind: Literal["line", "lines", "amount", "choice", "file", "order"]
    choices: tuple[str, ...] = ()
    is_required: bool = True
    explains: bool = False


@dataclass(frozen=True, slots=True)
class PageAction:
    """One act. of: the kind of object it is done to. path: of the operation, with {id} and {accountId} of the object.

    when: what the object must be for it to be offered; what it must be to be done the operation says.

    body: of what was filled in, the object, and the form's own id. is_decision: the institution's, and no client's.

    largest_body: of its form, in bytes, where a file is given with it.
    """

    name: str
    of: str
    role: Role
    path: str
    when: Callable[[Mapping[str, Any]], bool]
    body: Body = lambda _form, _object, _own: {}
    blanks: tuple[Blank, ...] = ()
    moves_money: bool = False
    is_decision: bool = False
    method: str = "POST"
    ends_object: bool = False
    largest_body: int | None = None

    @property
    def place(self) -> str:
        """Returns the action's path in the console."""
        return f"/console/{self.of}/{{id}}/{self.name}"

    def is_offered(self, user: User, answer: Mapping[str, Any]) -> bool:
        """Tells whether this person may do it, and the object's state allows."""
        of_institution = user.presence.person.only_company is None
        return user.may(self.role) and (of_institution or not self.is_decision) and self.when(answer)

    def target(self, own: str, answer: Mapping[str, Any]) -> str:
        """Returns the operation's path for this object."""
        return self.path.format(id=own, accountId=answer.get("accountId", ""))


def _is(*states: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda answer: answer.get("status") in states


def left_of(answer: Mapping[str, Any]) -> str:
    """Returns the unrefunded amount of an order, as a person types it."""
    paid, back = value_at(answer, "paidAmount.value") or "0", value_at(answer, "refundedAmount.value") or "0"
    return str(Decimal(paid) - Decimal(back))


def _refund(form: Mapping[str, str], answer: Mapping[str, Any], own: str) -> dict[str, Any]:
    currency = value_at(answer, "paidAmount.currency") or "BRL"
    body: dict[str, Any] = {
        "orderId": answer["id"], "externalId": f"console-{own}", "refundCode": form.get("refundCode", ""),
        "amount": {"currency": currency, "value": typed.amount(form.get("amount", ""))},
    }  # fmt: skip
    return body | typed.given(form, "refundReason")


def _of_form(*names: str) -> Body:
    return lambda form, _object, _own: typed.given(form, *names)


def _contest(form: Mapping[str, str], answer: Mapping[str, Any], _own: str) -> dict[str, Any]:
    return {"endToEndId": answer.get("endToEndId", ""), **typed.given(form, "situationType", "details")}


def _is_our_notice(answer: Mapping[str, Any]) -> bool:
    """Tells whether the institution has still to decide the notification."""
    return bool(answer.get("awaitingOurAnalysis")) and answer.get("objectType") == "INFRINGEMENT_NOTIFICATION"


def _takes_documents(answer: Mapping[str, Any]) -> bool:
    """Tells whether the notification is undecided and takes another document."""
    return _is_our_notice(answer) and len(answer.get("defenseDocuments", ())) < med.MOST_DOCUMENTS


def _waits_for_people(answer: Mapping[str, Any]) -> bool:
    """Tells whether a refund request of Pix Automático is unanswered."""
    return bool(answer.get("awaitingOurAnalysis")) and answer.get("objectType") == "REFUND_REQUEST"


def _may_be_claimed(answer: Mapping[str, Any]) -> bool:
    """Tells whether a foreign payment may be claimed: no rehearsal's."""
    return answer.get("status") in ("FOUND", "CLOSED") and answer.get("reason") != REHEARSAL


def _reimburse(form: Mapping[str, str], _answer: Mapping[str, Any], _own: str) -> dict[str, Any]:
    said = typed.given(form, "document", "branch", "account", "accountType", "reason")
    return said | {"amount": typed.amount(form.get("amount", ""))}


_REASON = Blank("reason", "line")
_MAY_REASON = Blank("reason", "line", is_required=False)

ACTIONS: tuple[PageAction, ...] = (
    PageAction("cancel", "orders", Role.OPERATE, "/order/v2/transparent/{id}/cancel", _is("INITIAL")),
    PageAction(
        "refund", "orders", Role.OPERATE, "/order/v1/banking/order-refunds", _is("PAID", "PARTIAL_REFUNDED"), _refund,
        (Blank("amount", "amount"), Blank("refundCode", "choice", _REFUND_CODES),
         Blank("refundReason", "line", is_required=False)),
        moves_money=True,
    ),
    PageAction("cancel", "payouts", Role.OPERATE, "/order/v1/banking/order-payouts/{id}/cancel", _is("PENDING", "ANALYSIS")),
    PageAction(
        "approve", "payouts", Role.APPROVE, ROOT + "/payouts/{id}/approve", _is("ANALYSIS"), moves_money=True,
        is_decision=True,
    ),
    PageAction(
        "refuse", "payouts", Role.APPROVE, ROOT + "/payouts/{id}/refuse", _is("ANALYSIS"), _of_form("reason"), (_REASON,),
        is_decision=True,
    ),
    PageAction(
        "contest", "payouts", Role.OPERATE, "/order/v1/banking/med/accounts/{accountId}",
        lambda answer: answer.get("status") == "PAID" and str(answer.get("endToEndId", "")).startswith("E"), _contest,
        (Blank("situationType", "choice", _SITUATIONS), Blank("details", "line", is_required=False)),
    ),
    PageAction(
        "approve", "plans", Role.APPROVE, "/order/v1/banking/payout-plans/{id}/approvals", _is("READY"),
        lambda _form, answer, _own: {"hash": answer.get("hash", "")}, moves_money=True,
    ),
    PageAction(
        "apply", "plans", Role.APPROVE, "/order/v1/banking/payout-plans/{id}/apply",
        _is("APPROVED"), moves_money=True,
    ),
    PageAction(
        "cancel", "plans", Role.OPERATE, "/order/v1/banking/payout-plans/{id}/cancel",
        _is("VALIDATING", "READY", "APPROVED", "APPLYING"),
    ),
    PageAction(
        "cancel", "subscriptions", Role.OPERATE, "/order/v1/banking/subscriptions/{id}/cancellations",
        _is("PENDING_AUTHORIZATION", "ACCEPTED"), _of_form("reason"), (Blank("reason", "choice", _CANCEL_REASONS),),
    ),
    PageAction(
        "claim", "foreign", Role.APPROVE, ROOT + "/foreign/{id}/claim", _may_be_claimed, _of_form("orderId"),
        (Blank("orderId", "order"),), moves_money=True,
    ),
    PageAction(
        "close", "foreign", Role.APPROVE, ROOT + "/foreign/{id}/close", _is("FOUND"), _of_form("reason"), (_REASON,),
    ),
    PageAction(
        "cancel", "disputes", Role.OPERATE, "/order/v1/banking/med/{id}/cancel",
        lambda answer: answer.get("role") == "PAYER" and answer.get("objectType") == "RECOVERY_VALUE"
        and answer.get("status") not in ("COMPLETED", "CANCELLED"),
    ),
    PageAction(
        "defend", "disputes", Role.OPERATE, "/order/v1/banking/med/{id}/defense", _is_our_notice, _of_form("text"),
        (Blank("text", "lines"),),
    ),
    PageAction(
        "attach", "disputes", Role.OPERATE, "/order/v1/banking/med/{id}/defense/documents", _takes_documents,
        blanks=(Blank("file", "file"),), largest_body=accounts.opening.LARGEST_UPLOAD,
    ),
    PageAction(
        "answer", "disputes", Role.APPROVE, ROOT + "/disputes/{id}/verdict",
        _is_our_notice, _of_form("verdict", "fraud", "reason"),
        (Blank("verdict", "choice", med.VERDICTS, explains=True),
         Blank("fraud", "choice", med.FRAUDS, is_required=False), _REASON),
        moves_money=True, is_decision=True,
    ),
    PageAction(
        "reimburse", "disputes", Role.APPROVE, ROOT + "/disputes/{id}/reimbursement", _waits_for_people, _reimburse,
        (Blank("amount", "amount"), Blank("document", "line"), Blank("branch", "line"), Blank("account", "line"),
         Blank("accountType", "choice", med.ACCOUNT_TYPES), _REASON),
        moves_money=True, is_decision=True,
    ),
    PageAction(
        "refuse", "disputes", Role.APPROVE, ROOT + "/disputes/{id}/refusal", _waits_for_people,
        _of_form("rejection", "reason"), (Blank("rejection", "choice", med.REJECTIONS), _REASON), is_decision=True,
        moves_money=True,  # blocked money is available again
    ),
    PageAction(
        "block", "accounts", Role.APPROVE, ROOT + "/accounts/{id}/block", _is("ACTIVE"), _of_form("code", "reason"),
        (Blank("code", "choice", tuple(accounts.BLOCKING)), _MAY_REASON), is_decision=True,
    ),
    PageAction(
        "unblock", "accounts", Role.APPROVE, ROOT + "/accounts/{id}/unblock", _is("INACTIVE"), _of_form("code", "reason"),
        (Blank("code", "choice", tuple(accounts.UNBLOCKING)), _MAY_REASON), is_decision=True,
        moves_money=True,  # payouts that wait for it go on
    ),
    PageAction(
        "close", "accounts", Role.APPROVE, "/order/v1/banking/accounts/{id}/close-request", _is("ACTIVE", "INACTIVE"),
        _of_form("closeRequestReason"), (Blank("closeRequestReason", "line"),),
    ),
    PageAction(
        "delete", "keys", Role.OPERATE, "/order/v1/banking/accounts/{accountId}/keys/{id}", _is("ACTIVE"), method="DELETE",
        ends_object=True,
    ),
    PageAction(
        "cancel", "claims", Role.OPERATE, "/order/v1/banking/accounts/{accountId}/keys/claims/{id}/cancel",
        _is("OPEN", "WAITING_RESOLUTION", "CONFIRMED"),
    ),
    PageAction(
        "resend", "events", Role.OPERATE, "/order/v1/webhook/events/{id}/resend",
        lambda answer: answer.get("status") != "NONE",
    ),
)  # fmt: skip

BY_NAME = {f"{action.of}.{action.name}": action for action in ACTIONS}


def offered(kind: str, user: User, answer: Mapping[str, Any]) -> list[PageAction]:
    """Returns the actions that this person may do to this object now."""
    return [action for action in ACTIONS if action.of == kind and action.is_offered(user, answer)]


def missing(action: PageAction, request: PageRequest) -> list[str]:
    """Returns the required blanks that are not filled in: they have no defaults."""
    return [one.name for one in action.blanks if one.is_required and not _is_given(one, request)]


def _is_given(blank: Blank, request: PageRequest) -> bool:
    return bool(request.files.get(blank.name) if blank.kind == "file" else request.form.get(blank.name, "").strip())


def amount_of(action: PageAction, answer: Mapping[str, Any]) -> dict[str, str] | None:
    """Returns an action's amount as `{currency, value}`; None where it has none, or somebody types it."""
    if any(blank.kind == "amount" for blank in action.blanks):
        return None
    paths = ("totals.amount", "finalAmount", "paidAmount", "amount", "fixedAmount")
    found = next((one for path in paths if (one := value_at(answer, path))), None)
    if found is None or isinstance(found, dict):
        return found
    return {"currency": answer.get("currency", "BRL"), "value": found}


def said_of(action: PageAction, form: Mapping[str, str], answer: Mapping[str, Any], own: str) -> dict[str, Any]:
    """Returns the details of an action for the audit: object, amount and choices.

    No text that a person wrote: audit lines never change, so nobody could be erased from one.
    """
    text = next((typed.amount(form.get(one.name, "")) for one in action.blanks if one.kind == "amount"), "")
    currency = value_at(answer, "paidAmount.currency") or "BRL"
    amount = {"currency": currency, "value": text} if typed.AMOUNT.fullmatch(text) else amount_of(action, answer)
    chosen = {
        one.name: form[one.name] for one in action.blanks if one.kind == "choice" and form.get(one.name) in one.choices
    }
    return {
        "action": f"{action.of}.{action.name}", "object": f"{action.of}/{own}", **({"amount": amount} if amount else {}),
        **chosen,
    }  # fmt: skip


def consequence(action: PageAction, answer: Mapping[str, Any], say: Terms) -> Markup:
    """Says the effect of an action, with the amount and the party."""
    return filled(f"action.{action.of}.{action.name}.about", action, answer, say)


def filled(name: str, action: PageAction, answer: Mapping[str, Any], say: Terms) -> Markup:
    """Fills in a sentence of the terms about an object.

    Texts by others are isolated, so that they cannot turn the direction of the rest.
    """
    currency = answer.get("currency", "BRL")
    amount, fee = amount_of(action, answer), value_at(answer, "totals.fees") or answer.get("fee") or "0.00"
    to = answer.get("receiver")
    payer = answer.get("payer") or answer.get("customer") or answer.get("debtor")
    values = {
        "amount": say.paid(amount) if amount else "",
        "name": answer.get("fullName") or answer.get("externalId") or answer.get("key") or answer.get("id") or "",
        "fee": say.paid(fee, currency), "lines": say.number(int(answer.get("lines", 0))),
        "receivers": say.number(int(value_at(answer, "totals.receivers") or 0)),
        "largest": say.paid(value_at(answer, "totals.largest.amount")) or say.paid("0.00"),
        "largestLine": str(value_at(answer, "totals.largest.line") or ""),
        "to": named(to, say), "payer": named(payer, say), "left": say.paid(left_of(answer), currency),
        "blocked": say.paid(answer.get("blockedAmount") or "0.00"), "bank": str(answer.get("requestingBank") or ""),
        "details": str(answer.get("details") or "-"), "holder": answer.get("holder") or say("nobody"),
        "available": say.paid(answer.get("available") or "0.00"), "held": say.paid(answer.get("held") or "0.00"),
    }  # fmt: skip
    apart = {key: Markup("<bdi>{}</bdi>").format(as_shown(value)) for key, value in values.items()}
    return Markup(say(name)).format(**apart)  # noqa: S704 a text of our own


def named(who: Any, say: Terms) -> str:
    """Returns a party's name and document, as far as known."""
    if not isinstance(who, dict) or not who.get("name"):
        return say("nobody")
    number = value_at(who, "document.number")
    name = legible(str(who["name"]))
    # Each apart: a name that is written from right to left turns no number that stands behind it.
    return Markup("<bdi>{}</bdi> ({})").format(name, say.document(str(number))) if number else name
