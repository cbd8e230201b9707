"""The decisions of orders, pure: may this money in, how much is it worth, what is wrong with a request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

from email_validator import EmailNotValidError, validate_email

from lastro.core.errors import Problem, one_of
from lastro.core.money import MOST_MINOR, Money
from lastro.http_client.addresses import url_problem
from lastro.orders import problems as refusals
from lastro.orders.cards.problems import PHONE_REQUIRED
from lastro.orders.methods import TED, known_method, method_of
from lastro.rails.port import (
    ACCOUNT_CLOSED,
    ACCOUNT_INVALID,
    DOCUMENT_DIFFERS,
    NOWHERE,
    REFU,
    Facts,
    Side,
    contradicts,
    is_before,
)
from lastro.standards.documents import is_document

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime, timedelta

    from lastro.accounts import Account
    from lastro.companies import FeePlan
    from lastro.core.runner import RequestContext
    from lastro.orders.forms import CreateOrder, CustomerForm, OrderForm
    from lastro.orders.methods import Method
    from lastro.orders.model import Order, Payment, StaticCode
    from lastro.rails.port import PixArrival, TedArrival

DEFAULT_EXPIRATION_SECONDS = 86_400
MOST_PARTS = 20
_ADDRESS = {
    "state": "state", "city": "city", "street": "street", "neighborhood": "neighborhood", "number": "number",
    "postal_code": "postalCode",
}  # fmt: skip
# The payment methods that orders may be made by, configured here or not; crypto has its brand in the name.
METHOD = "^(PIX|DEPOSIT|BOLETO|CREDIT_CARD|SPEI|OXXO|OXXOPAY|PAYNET|[A-Z0-9]{2,16}_PAY)$"
_METHOD = re.compile(METHOD.removesuffix("$") + r"\Z")
# The methods that orders may have: no client makes one by TED, its money comes unasked.
LISTED_METHOD = METHOD.replace("(PIX|", "(PIX|TED|")
_RETURN_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]_-]+(?:[/?#][!-~]*)?")
NO_CUSTOMER = "is required, except on the route that takes it from the payer"
NO_BANK = "is needed at a bank of yours: the account has none there, and there is no institution's network"
_CURP = re.compile(r"[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d\Z")
_RFC = re.compile(r"[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}\Z")


def judge(
    arrival: PixArrival, account: Account | None, order: Order | None, *, names_order: bool, reserved_by: str | None,
    is_tied: bool = False, printed: StaticCode | None = None, is_institution: bool = False,
) -> str | None:  # fmt: skip
    """Returns the network's reason against crediting a Pix; None: it may come in. The reasons are pacs.002 codes of the SPI.

    order: the one its txid or location names, if any. names_order: the txid has the form of a charge, so that without such
    an order it is nobody's. reserved_by: the endToEndId that was accepted for the order and has no final answer yet.
    is_tied: the order has an owner, who decides after this. printed: the static code that its txid names. is_institution:
    the account is the institution's own.
    """
    if account is None:
        return "AC03"
    if (shut := _shut(account, arrival, is_institution=is_institution)) is not None:
        return shut
    if arrival.receiver_document is not None and arrival.receiver_document != account.holder.document_number:
        return "CH11"
    if order is None:
        return "BE15" if names_order else _misfits(arrival, printed)
    if order.account_id != account.id:
        return "AC03"
    if order.state == "PAID" or reserved_by not in (None, arrival.end_to_end_id):
        return "DUPL"
    if order.state not in ("INITIAL", "PENDING") or is_late(order, arrival.accepted_at):
        return "BE17"
    if order.final_amount is not None and order.final_amount != arrival.amount:
        return "BE17"
    if order.subscription_id is not None:
        return None if is_tied else "BE17"
    return _misses_owner(arrival)


def judge_ted(ted: TedArrival, account: Account | None) -> str | None:
    """Returns the STR's reason against crediting a TED; None: it may come in. The reasons are CodDevTransf (domain.md §5).

    account: the one of its branch and number, if any. The STR has no code for a blocked account: it takes no credit, as one
    that does not exist. If the holder has no document, or another, the TED is not for him.
    """
    if account is None:
        return ACCOUNT_INVALID
    if account.status == "CLOSED":
        return ACCOUNT_CLOSED
    if not account.is_active:
        return ACCOUNT_INVALID
    return None if ted.receiver_document == account.holder.document_number else DOCUMENT_DIFFERS


def _shut(account: Account, arrival: PixArrival, *, is_institution: bool) -> str | None:
    """Returns the network's reason against new credit.

    A return still comes in, until the account is closed (states.md 8).
    """
    if arrival.gives_back == REFU and not is_institution:
        # "Ao participante do usuário pagador" (API Pix 2.9.0, MED_PIX_AUTOMATICO), never to a customer, whom it pays twice.
        return "FF07"
    if account.status == "CLOSED":
        return "AC07"
    return None if account.is_active or arrival.gives_back is not None else "AC06"


def _misfits(arrival: PixArrival, printed: StaticCode | None) -> str | None:
    """Returns the network's reason against unasked money. A printed amount is a price, and another one does not pay it."""
    if printed is not None and printed.amount is not None and printed.amount != arrival.amount:
        return "BE17"
    return _misses_owner(arrival)


def _misses_owner(arrival: PixArrival) -> str | None:
    """Returns the network's reason against money that names a subscription.

    The money belongs to none, so it may not say that it authorizes or collects for one.
    """
    return None if arrival.authorizing is None and arrival.charging is None else "BE17"


@dataclass(frozen=True, slots=True)
class Use:
    """The effect of a payment on its order. pays: the order is paid with it and with the parts that waited.

    excess: the part of the payment above the rest to pay.
    """

    pays: bool
    excess: Money


def use_of(came: Money, asked: Money, waits: Collection[Money], *, takes_parts: bool) -> Use | None:
    """Decides the use of a payment; None: it goes back whole. asked: the amount that the order asks for.

    waits: the parts that are in; together less than it. An order without parts takes just the amount asked for. No more
    parts wait than can go back in one write.
    """
    nothing = Money(0, asked.currency)
    if not takes_parts:
        return Use(pays=True, excess=nothing) if came == asked else None
    total = sum(waits, nothing) + came
    if total >= asked:
        return Use(pays=True, excess=total - asked)
    return None if len(waits) >= MOST_PARTS else Use(pays=False, excess=nothing)


def is_late(order: Order, accepted_at: datetime) -> bool:
    """Tells whether the network accepted a payment after the order's last instant."""
    return order.expires_at is not None and accepted_at > order.expires_at


def split(received: Money, asked: Money | None, fees: FeePlan) -> tuple[Money, Money]:
    """Splits a payment into the account's credit and our fee.

    CUSTOMER bears the fee: the account gets the amount asked for, we keep the rest. RECEIVER bears it: it is taken from the
    credit. If the amount was open and the fee is more, we take no more than there is.
    """
    if asked is not None and fees.payer == "CUSTOMER":
        return asked, received - asked
    fee = min(fees.total(received), received)
    return received - fee, fee


def is_over(order: Order, now: datetime, grace: timedelta) -> bool:
    """Tells whether an order's time and the grace for messages are over."""
    if known_method(order.payment_method).rail is not None:
        return order.ends_at is not None and now >= order.ends_at
    return order.expires_at is not None and now - order.expires_at >= grace


def is_method(text: str) -> bool:
    """Tells whether the API knows a payment method, configured or not."""
    return _METHOD.match(text) is not None


def is_listed_method(text: str) -> bool:
    """Tells whether orders of this payment method may exist."""
    return text == TED or is_method(text)


def fee_problem(amount: Money, fees: FeePlan, method: Method | None = None) -> str | None:
    """Returns the problem of an amount under these fees. None: the method can have such an order."""
    total = fees.total(amount)
    asked = amount + total if fees.payer == "CUSTOMER" else amount
    if method is not None and method.most_minor is not None and asked.minor > method.most_minor:
        most = Money(method.most_minor, amount.currency)
        return f"is more than this method can ask for, {most} with the fees of the customer"
    if method is not None and asked.minor < method.least_minor:
        return f"is less than this method can ask for, {Money(method.least_minor, amount.currency)}"
    if fees.payer == "RECEIVER" and total > amount:
        return f"is less than the fee of {total}"
    if asked.minor > MOST_MINOR:
        return "is too large together with the fee"
    return None


def create_problems(
    form: CreateOrder, methods: Collection[str], *, amount_is_null: bool, sandbox: bool, has_connections: bool = False
) -> list[Problem]:
    """Returns the problems of a create that need no look-up. The form of single fields was checked before.

    methods: the configured ones. has_connections: a Pix order may go by one, and then lack its customer.
    """
    problems: list[Problem] = []
    if form.order is not None:
        problems += _order_problems(form.order, methods, amount_is_null=amount_is_null, sandbox=sandbox)
        method = method_of(form.order.payment_method)
        collects = method is not None and method.rail is not None
        if form.customer is None and (collects or (form.order.financial_partner is None and not has_connections)):
            problems.append(refusals.CUSTOMER_REQUIRED.problem(why=NO_CUSTOMER))
        if form.customer is not None and method is not None and method.needs_address:
            problems += _address_problems(form.customer)
        if form.customer is not None and method is not None and method.needs_phone and form.customer.phone is None:
            problems.append(PHONE_REQUIRED.problem())
    if form.customer is not None:
        problems += _customer_problems(form.customer)
    return problems


def _address_problems(customer: CustomerForm) -> list[Problem]:
    """Returns the problems of a slip's address (contract.md §10)."""
    if customer.address is None:
        return [refusals.ADDRESS_REQUIRED.problem()]
    missing = [f for f in _ADDRESS if not (getattr(customer.address, f) or "").strip()]
    return [refusals.ADDRESS_PART_REQUIRED.problem(f"customer.address.{_ADDRESS[f]}") for f in missing]


def _order_problems(order: OrderForm, methods: Collection[str], *, amount_is_null: bool, sandbox: bool) -> list[Problem]:
    problems: list[Problem] = []
    method = order.payment_method
    if method is not None and method not in methods:
        is_known = is_method(method)
        problems.append(
            refusals.METHOD_NOT_SUPPORTED.problem()
            if is_known
            else refusals.METHOD_INVALID.problem(why=one_of(sorted(methods)))
        )
    if amount_is_null:
        problems.append(refusals.AMOUNT_INVALID.problem())
    code = order.external_id
    if code is not None and (not code.isprintable() or code != code.strip()):
        problems.append(refusals.EXTERNAL_ID_INVALID.problem())
    if order.description is not None and not order.description.strip():
        problems.append(refusals.DESCRIPTION_INVALID.problem())
    problems += _pix_problems(order, methods, amount_is_null=amount_is_null)
    if method not in (None, "DEPOSIT") and order.bank is not None:
        problems.append(refusals.BANK_NOT_ALLOWED.problem())
    if order.notification_url is not None and (wrong := url_problem(order.notification_url, sandbox=sandbox)):
        problems.append(refusals.NOTIFICATION_URL_INVALID.problem(why=wrong))
    if order.return_url is not None and not _RETURN_URL.fullmatch(order.return_url):
        problems.append(refusals.RETURN_URL_INVALID.problem())
    return problems


def _pix_problems(order: OrderForm, methods: Collection[str], *, amount_is_null: bool) -> list[Problem]:
    """Returns the problems of another method's order: Pix fields, and a missing amount."""
    problems: list[Problem] = []
    if order.payment_method in (None, "PIX"):
        return problems
    if order.expiration is not None:
        problems.append(refusals.EXPIRATION_NOT_ALLOWED.problem())
    if order.pix_key is not None:
        problems.append(refusals.PIX_KEY_NOT_ALLOWED.problem())
    if order.payment_method in methods and order.amount is None and not amount_is_null:
        problems.append(refusals.AMOUNT_REQUIRED.problem())
    return problems


def _customer_problems(customer: CustomerForm) -> list[Problem]:
    problems: list[Problem] = []
    document = customer.document
    if document is not None and document.type is not None and document.number is not None:
        wrong = document_problem(document.type, document.number)
        if wrong:
            problems.append(refusals.DOCUMENT_NUMBER_INVALID.problem(why=wrong))
    if customer.email is not None and not is_email(customer.email):
        problems.append(refusals.EMAIL_INVALID.problem())
    if customer.name is not None and not customer.name.strip():
        problems.append(refusals.CUSTOMER_NAME_INVALID.problem())
    if customer.ip is not None and not _is_ip(customer.ip):
        problems.append(refusals.IP_INVALID.problem())
    return problems


def document_problem(kind: str, number: str) -> str | None:
    """Returns a document's problem. CPF and CNPJ are checked by their check digits, CURP and RFC by their form."""
    if kind in ("CPF", "CNPJ"):
        return None if is_document(kind, number.upper()) else f"is not a valid {kind}: digits without punctuation"
    if kind == "CURP":
        return None if _CURP.match(number) else "does not have the form of a CURP"
    if kind == "RFC":
        return None if _RFC.match(number) else "does not have the form of an RFC"
    return None


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=4096)
def is_email(text: str) -> bool:
    """Tells whether a text has an address's form (RFC 5321). Nothing is looked up."""
    try:
        validate_email(text, check_deliverability=False)
    except EmailNotValidError:
        return False
    return True


def facts_said(arrival: PixArrival) -> Facts:
    """Returns the network's facts of a payment whose money is in."""
    creditor = Side(branch=arrival.receiver_branch, account=arrival.receiver_account)
    return Facts(arrival.amount, creditor=creditor, number=arrival.txid)


def facts_let_in(payment: Payment, account: Account | None) -> Facts:
    """Returns the accepted facts, which the network's message has to repeat."""
    creditor = NOWHERE if account is None else Side(branch=account.branch, account=account.number)
    return Facts(payment.amount, creditor=creditor, number=payment.txid)


def ted_facts_said(ted: TedArrival) -> Facts:
    """Returns the STR's facts of a TED that came."""
    return Facts(ted.amount, creditor=Side(branch=ted.receiver_branch, account=ted.receiver_account))


def ted_facts_let_in(payment: Payment, account: Account | None) -> Facts:
    """Returns the booked facts of a TED. Without an account here they are the amount alone."""
    creditor = NOWHERE if account is None else Side(branch=account.branch, account=account.number)
    return Facts(payment.amount, creditor=creditor)


def is_of_another(
    order: Order | None, account: Account | None, of: Facts | None, context: RequestContext, at: datetime | None = None
) -> bool:  # fmt: skip
    """Tells whether a partner's message contradicts the order of its reference.

    at: the time of its event; nothing can have happened to an order before it was made.
    """
    if order is None or account is None:
        return False
    ours = Facts(order.final_amount, creditor=Side(document=account.holder.document_number), number=order.external_id)
    return contradicts(of, ours) or is_before(at, order.created_at, context)
