"""The views of fees: for the company and for administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from lastro.api_kit.rendering import Money, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.companies.fees import DIRECTIONS, PAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.companies.fees import DatedPlan, Term


class FeesListed(Answer, frozen=True, kw_only=True):
    """The fee of one method, from an instant on."""

    direction: Annotated[str, words(*DIRECTIONS, description="`IN`: of an order that is paid. `OUT`: of a payout.")]
    payment_method: Annotated[str, msgspec.Meta(examples=["PIX"])]
    fixed: Annotated[Money, msgspec.Meta(description="Of each order or payout.")]
    variable_percent: Annotated[
        str,
        msgspec.Meta(
            description="The share of its amount, in percent, rounded half to even to the cent.", examples=["0.99"],
            pattern=r"^[0-9]{1,3}\.[0-9]{2}$",
        ),
    ]  # fmt: skip
    additional: Annotated[Money, msgspec.Meta(description="Of each, beside `fixed`.")]
    fee_payer: Annotated[
        str | None,
        words(
            *PAYERS,
            description="`RECEIVER`: taken from what the account is credited. `CUSTOMER`: on top of what the customer pays,"
            " so that `finalAmount` = `amount` + fees. Left out of payouts, whose fee the sending account bears.",
        ),
    ] = None  # fmt: skip
    valid_from: Annotated[Timestamp, msgspec.Meta(description="Holds from this instant.")]
    valid_until: Annotated[
        Timestamp | None,
        msgspec.Meta(description="When the next plan of the method takes over; left out where none is known."),
    ] = None


class FeesOfCompany(Answer, frozen=True, kw_only=True):
    """The present and future fees, by direction and method; a method without one is free."""

    data: list[FeesListed]


def listed(held: Iterable[Term]) -> FeesOfCompany:
    """Returns the company's view of its plans."""
    return FeesOfCompany(data=[_listed(term) for term in held])


def _listed(term: Term) -> FeesListed:
    one = term.plan
    return FeesListed(
        direction=one.direction, payment_method=one.method, fixed=Money.of(one.plan.fixed),
        variable_percent=percent(one.plan.variable_basis_points), additional=Money.of(one.plan.additional),
        fee_payer=one.payer, valid_from=stamp(one.valid_from),
        valid_until=None if term.until is None else stamp(term.until),
    )  # fmt: skip


def dated(one: DatedPlan) -> dict[str, Any]:
    """Returns an administrator's view of a plan, in its method's currency."""
    return {
        "id": str(one.id), "direction": one.direction, "paymentMethod": one.method, "currency": one.plan.fixed.currency,
        "fixed": str(one.plan.fixed), "percent": percent(one.plan.variable_basis_points),
        "additional": str(one.plan.additional), "payer": one.payer, "from": stamp(one.valid_from),
    }  # fmt: skip


def percent(basis_points: int) -> str:
    """Formats hundredths of a percent, as people write them: 0.99."""
    return f"{basis_points // 100}.{basis_points % 100:02d}"
