"""Reads the rows for an arriving TED in the tenant session's statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.accounts import ACCOUNT_COLUMNS, account_from
from lastro.core.db import Part
from lastro.core.runner import Query
from lastro.orders import store
from lastro.orders.methods import TED as TED_METHOD
from lastro.orders.store.arrivals import PAYMENT_COLUMNS, SETUP_COLUMNS, named
from lastro.rails.port import TED

if TYPE_CHECKING:
    from asyncpg import Record

    from lastro.accounts import Account
    from lastro.orders.model import CompanySetup, Payment
    from lastro.rails.port import TedArrival

# $2: the STR's number of it; $3: TED; $4, $5: number and branch of the account that it names.
# The STR leaves out leading zeros of a branch. A known TED has its own account.
_BEARS = f"""
SELECT {named("ted", PAYMENT_COLUMNS)}, {named("receiver", ACCOUNT_COLUMNS)}, {named("terms", SETUP_COLUMNS)}
  FROM ({store.setup_sql("$3")}) terms
  LEFT JOIN LATERAL (
    SELECT * FROM pix_payments WHERE company_id = $1 AND end_to_end_id = $2 AND rail = '{TED}' LIMIT 1) ted ON true
  LEFT JOIN LATERAL (
    SELECT * FROM accounts a
     WHERE a.company_id = $1 AND a.id = CASE WHEN ted.id IS NOT NULL THEN ted.account_id
             ELSE (SELECT n.account_id FROM account_numbers n WHERE n.company_id = $1 AND n.number = $4) END
       AND (ted.id IS NOT NULL OR ltrim(a.branch, '0') = ltrim($5, '0')) LIMIT 1) receiver ON true
"""  # noqa: S608 a statement of our own


@dataclass(frozen=True, slots=True)
class TedArrivalContext:
    """Everything that bears on a TED that came. number: for a return's control number."""

    payment: Payment | None
    account: Account | None
    setup: CompanySetup
    number: int | None = None


def of_ted(ted: TedArrival) -> Query[TedArrivalContext]:
    """Returns the query for a TED: by its STR number, else by account."""
    return Query(
        _BEARS, (ted.control_number, TED_METHOD, ted.receiver_account, ted.receiver_branch), lambda rows: _known(rows[0])
    )


def _known(row: Record) -> TedArrivalContext:
    account = Part(row, "receiver_")
    return TedArrivalContext(
        payment=None if row["ted_id"] is None else store.payment_from(Part(row, "ted_")),
        account=None if account["id"] is None else account_from(account),
        setup=store.setup_from(Part(row, "terms_"), TED_METHOD),
    )
