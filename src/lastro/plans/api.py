"""The HTTP operations of plans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import DEFAULT_LIMIT, LARGEST_LIMIT, PAGING, read_choice, read_limit, read_page
from lastro.api_kit.routes import Incoming, Query, Route
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.media import CSV as CSV_MEDIA
from lastro.plans import docs, rules
from lastro.plans.actions.create import MakePlan
from lastro.plans.actions.decide import Apply, Approve, CancelPlan
from lastro.plans.actions.list import Lines, ListPlans, Result
from lastro.plans.actions.read import ReadPlan
from lastro.plans.forms import ApprovePlan
from lastro.plans.model import CSV, JSON, LARGEST_BYTES, LINE_STATUSES, STATUSES
from lastro.plans.problems import CURSOR_INVALID

if TYPE_CHECKING:
    from lastro.core.runner import Verb

_PATH = "/order/v1/banking/payout-plans"
_QUICKLY_READ_BYTES = 64 * 1024  # a larger body is read in a thread, so that no other request waits for it
_NUMBER = re.compile(r"[0-9]{1,5}\Z", re.ASCII)
_FILTERS = (Query("status", "Plans of this status.", {"type": "string", "enum": list(STATUSES)}),)
_LINES = (
    Query("limit", "How many lines a page has at most.",
          {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": DEFAULT_LIMIT}),
    Query("cursor", "The nextCursor of the page before; left out on the first.",
          {"type": "string", "pattern": "^[0-9]{1,5}$"}),
    Query("status", "Lines of this status.", {"type": "string", "enum": list(LINE_STATUSES)}),
)  # fmt: skip


@dataclass(frozen=True)
class _PlanHandlers:
    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/payout-plans. Only the number of lines is checked here; their content later."""
        form = CSV if incoming.body_media == CSV_MEDIA else JSON
        if len(incoming.raw) > _QUICKLY_READ_BYTES:
            return MakePlan(form, incoming.raw)
        lines = rules.count_of(form, incoming.raw)
        return Refused(Kind.INVALID, (lines,)) if isinstance(lines, Problem) else MakePlan(form, incoming.raw, lines)

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/payout-plans."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        status = read_choice(incoming.query, "status", STATUSES, problems)
        return Refused(Kind.INVALID, tuple(problems)) if problems else ListPlans(status, page)

    def read(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/payout-plans/{id}."""
        return ReadPlan(incoming.id("id"))

    def lines(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET /order/v1/banking/payout-plans/{id}/lines."""
        problems: list[Problem] = []
        limit = read_limit(incoming.query.get("limit"), LARGEST_LIMIT, problems)
        status = read_choice(incoming.query, "status", LINE_STATUSES, problems)
        cursor = incoming.query.get("cursor", "0")
        if not _NUMBER.match(cursor):
            problems.append(CURSOR_INVALID.problem())
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return Lines(incoming.id("id"), status, int(cursor), limit)

    def result(self, incoming: Incoming) -> Verb[Any]:
        """GET /order/v1/banking/payout-plans/{id}/result."""
        return Result(incoming.id("id"))

    def approve(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST /order/v1/banking/payout-plans/{id}/approvals."""
        form, problems = forms.read(incoming.raw, ApprovePlan)
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, ApprovePlan))
        return Approve(incoming.id("id"), form.hash)

    def apply(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v1/banking/payout-plans/{id}/apply."""
        return Apply(incoming.id("id"))

    def cancel(self, incoming: Incoming) -> Verb[Any]:
        """POST /order/v1/banking/payout-plans/{id}/cancel."""
        return CancelPlan(incoming.id("id"))


def routes() -> tuple[Route, ...]:
    """Returns the operations on plans."""
    handlers, one = _PlanHandlers(), _PATH + "/{id}"
    return (
        Route(
            "POST", _PATH, "create_payout_plan", "payouts:write", handlers.create, docs.CREATE, success=202, key="required",
            largest_body=LARGEST_BYTES, needs_network=True,
        ),
        Route("GET", _PATH, "list_payout_plans", "payouts:read", handlers.list, docs.LIST, queries=(*_FILTERS, *PAGING)),
        Route("GET", one, "read_payout_plan", "payouts:read", handlers.read, docs.READ),
        Route("GET", one + "/lines", "list_payout_plan_lines", "payouts:read", handlers.lines, docs.LINES, queries=_LINES),
        Route("GET", one + "/result", "read_payout_plan_result", "payouts:read", handlers.result, docs.RESULT),
        Route(
            "POST", one + "/approvals", "approve_payout_plan", "payouts:write", handlers.approve, docs.APPROVE, success=201,
            key="optional", needs_network=True,
        ),
        Route(
            "POST", one + "/apply", "apply_payout_plan", "payouts:write", handlers.apply, docs.APPLY, success=202,
            key="optional", needs_network=True,
        ),
        Route("POST", one + "/cancel", "cancel_payout_plan", "payouts:write", handlers.cancel, docs.CANCEL, key="optional"),
    )  # fmt: skip
