"""The HTTP operations of payouts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit.paging import PAGING, read_choice, read_page, read_text, text_schema
from lastro.api_kit.routes import Incoming, Query, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.payouts import docs, keys_and_limits, rules
from lastro.payouts.actions.cancel import CancelPayout
from lastro.payouts.actions.create import MakePayout
from lastro.payouts.actions.limit import ReadLimits
from lastro.payouts.actions.list import ListPayouts
from lastro.payouts.actions.look_up import LookUp
from lastro.payouts.actions.read import ReadPayout
from lastro.payouts.actions.receipt import GiveReceipt
from lastro.payouts.model import STATUSES, PayoutFilter
from lastro.payouts.reading import read_wish
from lastro.payouts.receipts import RECEIPT
from lastro.standards import pix_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.runner import Verb
    from lastro.payouts.actions.finding import Ways

_PATH = "/order/v1/banking/order-payouts"
_ACCOUNT = "/order/v1/banking/accounts/{id}"
_LONGEST_KEY = 77
_KEY = Query("key", "The key, in its canonical form.", text_schema(_LONGEST_KEY), is_required=True)
_LONGEST_EXTERNAL_ID = 64
_END_TO_END_ID = re.compile(r"[A-Za-z0-9]{1,32}")
_FILTERS = (
    Query("status", "Payouts of this status.", {"type": "string", "enum": list(STATUSES)}),
    Query("externalId", "The payout of this code of yours, exactly.", text_schema(_LONGEST_EXTERNAL_ID)),
    Query("accountId", "Payouts from this account.", {"type": "string"}),
    Query("endToEndId", "The payout whose transfer, or one of them, has this id in Pix.", {"type": "string"}),
)  # fmt: skip


@dataclass(frozen=True)
class _PayoutHandlers:
    ways: Ways

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/order-payouts."""
        wish, problems = read_wish(incoming.raw)
        if wish is None:
            return Refused(Kind.INVALID, tuple(problems))
        # The web layer reports a missing key, with all other problems.
        return MakePayout(wish, incoming.key or "", self.ways)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/order-payouts/{id}."""
        return ReadPayout(incoming.id("id"))

    def receipt(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/order-payouts/{id}/receipt."""
        return GiveReceipt(incoming.id("id"), incoming.media, self.ways.institution)

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/order-payouts."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        wanted = _wanted(incoming.query, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else ListPayouts(wanted, page)

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v1/banking/order-payouts/{id}/cancel."""
        return CancelPayout(incoming.id("id"), self.ways.institution)

    def look_up(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/accounts/{id}/keys/lookup."""
        problems: list[Problem] = []
        key = read_text(incoming.query, "key", _LONGEST_KEY, problems)
        problems += [] if key is None else rules.key_problems("key", key)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return LookUp(incoming.id("id"), None if key is None else pix_keys.canonical(key), self.ways)

    def limits(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/accounts/{id}/limits."""
        return ReadLimits(incoming.id("id"))


def routes(ways: Ways) -> tuple[Route, ...]:
    """Returns the operations on payouts."""
    handlers = _PayoutHandlers(ways)
    return (
        Route(
            "POST", _PATH, "create_payout", "payouts:write", handlers.create, docs.CREATE, success=201, key="required",
            needs_network=True,
        ),
        Route("GET", _PATH, "list_payouts", "payouts:read", handlers.list, docs.LIST, queries=(*_FILTERS, *PAGING)),
        Route("GET", _PATH + "/{id}", "read_payout", "payouts:read", handlers.read, docs.READ),
        Route("GET", _PATH + "/{id}/receipt", "read_payout_receipt", "payouts:read", handlers.receipt, RECEIPT),
        Route(
            "POST", _PATH + "/{id}/cancel", "cancel_payout", "payouts:write", handlers.cancel, docs.CANCEL, key="optional",
        ),
        Route(
            "GET", _ACCOUNT + "/keys/lookup", "look_up_key", "payouts:read", handlers.look_up, keys_and_limits.LOOK_UP,
            queries=(_KEY,), needs_network=True,
        ),
        Route("GET", _ACCOUNT + "/limits", "read_account_limits", "payouts:read", handlers.limits, keys_and_limits.LIMITS),
    )  # fmt: skip


def _wanted(query: Mapping[str, str], problems: list[Problem]) -> PayoutFilter | None:
    """Reads the filters of a list, and adds their problems to `problems`. None: a filter's id is no id."""
    status = read_choice(query, "status", STATUSES, problems)
    external_id = read_text(query, "externalId", _LONGEST_EXTERNAL_ID, problems)
    account_id, end_to_end_id = as_id(query.get("accountId")), query.get("endToEndId")
    if "accountId" in query and account_id is None:
        return None
    if end_to_end_id is not None and not _END_TO_END_ID.fullmatch(end_to_end_id):
        return None
    return PayoutFilter(status, external_id, account_id, end_to_end_id)
