"""A connection's bank makes a subscription's recurrence before it is written. No database connection is held meanwhile."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from lastro.core.errors import Kind, Refused
from lastro.orders import FirstCharge, Party, final_of, first_request, is_plain_text, misfit, silent
from lastro.rails.port import AnswerInvalid, IssueRefused, Person, RecurrenceRequest, Transient
from lastro.standards.recurrence_payload import MAX_CONTRACT
from lastro.subscriptions import problems as refusals
from lastro.subscriptions.rules.creating import purpose_of

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.errors import Problem, Refusal
    from lastro.core.money import Money
    from lastro.core.runner import RequestContext
    from lastro.orders import Destination
    from lastro.rails.port import MadeRecurrence, Recurrences
    from lastro.subscriptions.model import SubscriptionWish

_AGAIN_SECONDS = 5
# By the field of the port that a bank objects to: what the client sent of it.
_OBJECTIONS: dict[str | None, Refusal] = {
    "amount": refusals.FIXED_AMOUNT_NOT_ALLOWED, "payer": refusals.DEBTOR_NOT_ALLOWED,
    "text": refusals.DESCRIPTION_NOT_ALLOWED, "starts_on": refusals.START_DATE_NOT_ALLOWED,
    "contract": refusals.EXTERNAL_ID_NOT_ALLOWED, "key": refusals.PIX_KEY_NOT_ALLOWED,
}  # fmt: skip
_PLAIN = "has characters that banks do not take, such as emoji"


def bank_problems(wish: SubscriptionWish, *, makes: bool) -> list[Problem]:
    """Returns the problems of a subscription by a connection's bank.

    makes: the connection makes subscriptions: it has the capability `rec`, with its scopes.
    """
    problems = []
    if not makes:
        why = "is at a bank whose connection makes no subscriptions (capability rec)"
        problems.append(refusals.ACCOUNT_ID_NOT_SUPPORTED.problem(why=why))
    if wish.description is not None and not is_plain_text(wish.description):
        problems.append(refusals.DESCRIPTION_NOT_ALLOWED.problem(why=_PLAIN))
    if wish.payer is not None and wish.is_paid_at_once:
        why = "a connection's bank takes the first charge from whoever pays it: leave it out"
        problems.append(refusals.PAYER_NOT_SUPPORTED.problem(why=why))
    return problems


def bank_request(
    wish: SubscriptionWish, found: Destination, account: Account, context: RequestContext
) -> RecurrenceRequest:  # fmt: skip
    """Returns what the bank is asked to make. Its contract is the client's code: the same request again has the same."""
    debtor, terms, first = wish.debtor, wish.terms, None
    if wish.charge is not None:
        assert found.key is not None, "without the charge's key it is refused"
        person = Party(context.chance.uuid(context.now), debtor.name or "", debtor.document_type, debtor.document_number)
        asked = first_charge(wish, wish.charge, context.chance.uuid(context.now), person)
        first = first_request(asked, found.setup, found.key, account, context)
    return RecurrenceRequest(
        contract_at_bank(wish.external_id), Person(debtor.name or "", debtor.document_type, debtor.document_number),
        purpose_of(wish.description), terms.frequency, terms.starts_on, terms.ends_on, terms.fixed, terms.floor,
        terms.charges_after_due, context.now, first,
    )  # fmt: skip


def first_charge(wish: SubscriptionWish, amount: Money, subscription_id: UUID, debtor: Party) -> FirstCharge:
    """Returns the first charge as it was asked for. debtor: with the id of his row."""
    return FirstCharge(
        subscription_id, wish.account_id, wish.external_id, amount, wish.description or wish.external_id, wish.webhook_url,
        debtor,
    )  # fmt: skip


def first_misfit(
    made: MadeRecurrence, found: Destination, amount: Money, asked: Money, context: RequestContext
) -> Refused | None:
    """Refuses a first charge that an order cannot rest on: a fee has changed since, or its time is over. None: it can."""
    if made.first is None:
        return None
    return misfit(made.first, final_of(amount, found.setup.fees.at(context.now)), asked, context.now)


def contract_at_bank(external_id: str) -> str:
    """Returns the contract by which a bank's recurrence is found again: the client's code, or a digest of a longer one."""
    if len(external_id) <= MAX_CONTRACT:
        return external_id
    return hashlib.sha256(external_id.encode()).hexdigest()[:MAX_CONTRACT]


async def ask_bank(rail: str, bank: Recurrences, request: RecurrenceRequest) -> MadeRecurrence | Refused:
    """Has a bank make a recurrence. Its silence is 503 and harmless: nobody has the code of what it may have made."""
    try:
        return await bank.make(request)
    except Transient as why:
        return silent(rail, "recurrence", why)
    except AnswerInvalid:  # the adapter has told it
        return Refused(Kind.UNAVAILABLE, retry_after_seconds=_AGAIN_SECONDS)
    except IssueRefused as refused:
        return _refused(refused)


def _refused(refused: IssueRefused) -> Refused:
    """Returns the bank's objections under the client's own fields; each once."""
    problems: dict[str, Problem] = {}
    for field, _ in refused.violations or ((None, ""),):
        objection = _OBJECTIONS.get(field, refusals.SUBSCRIPTION_NOT_ALLOWED)
        problem = objection.problem(why=f"the bank of this account refuses it: {refused.code}")
        problems.setdefault(problem.field, problem)
    return Refused(Kind.INVALID, tuple(problems.values()))
