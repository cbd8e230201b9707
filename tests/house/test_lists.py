"""Every list a client may ask for is one range of one index, as the app's role and behind row-level security."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock
from uuid import UUID

from tests.house.many import OURS, Filled

from lastro.accounts import store as accounts
from lastro.accounts.statements import store as statements
from lastro.app import wiring
from lastro.app.outbox_lines import WAITING
from lastro.core import work_queue
from lastro.due_work import DUE_WORK
from lastro.keys import store as keys
from lastro.keys.claims import store as claims
from lastro.med import store as med
from lastro.orders import Installation
from lastro.orders import store as orders
from lastro.orders.foreign import store as foreign
from lastro.orders.refunds import store as refunds
from lastro.orders.static_codes import store as static_codes
from lastro.payouts import store as payouts
from lastro.plans import LANE as PLANS_LANE
from lastro.plans import store as plans
from lastro.rails import handling
from lastro.rails.port import BOLETO, CARD, COLLECTING
from lastro.subscriptions import store as subscriptions
from lastro.subscriptions.payments import store as payments
from lastro.webhooks.model import UNDELIVERED
from lastro.webhooks.store import deliveries, feed
from lastro.webhooks.store import lists as webhooks
from lastro.worker import entry_posting

if TYPE_CHECKING:
    import asyncpg

_ACCOUNT = UUID(hashlib.md5(f"{OURS}7".encode(), usedforsecurity=False).hexdigest())  # the seventh of FILL
_PAGE = f"'{OURS}', '0001-01-01Z', '9999-12-31Z', 21"


@dataclass(frozen=True)
class Listed:
    """A statement as its room prepares it. arguments: of EXECUTE. index: that it must go by on the table, or several with | between."""

    sql: str
    arguments: str
    table: str
    index: str
    sorts: bool = False  # no more rows than are read anyway


def of_deliveries() -> Iterator[Listed]:
    """The list of deliveries under every status and every set of its filters, in both directions."""
    filters = {
        "event": ("'T7'", "deliveries_of_type"),
        "reference_id": (f"'{_ACCOUNT}'", "deliveries_pkey"),
        "url": ("'https://shop.example.com/7'", "deliveries_of_url"),
    }
    for statuses in (UNDELIVERED, ("PENDING",), ("RETRYING",), ("FAILED",), ("DELIVERED",)):
        for count in range(len(filters) + 1):
            for some in combinations(filters, count):
                index = next((filters[name][1] for name in ("reference_id", "url", "event") if name in some), None)
                plain = "|".join(f"deliveries_{status.lower()}" for status in statuses)
                for sql in (
                    *(webhooks.page_sql(statuses, some, is_descending=way) for way in (False, True)),
                    webhooks.resend_sql(statuses, some),
                ):
                    arguments = ", ".join((_PAGE, *(filters[name][0] for name in some)))
                    few = "reference_id" in some or {"event", "url"} <= set(some)  # no more than are walked
                    yield Listed(sql, arguments, "deliveries", index or plain, sorts=few)


def every_way(
    table: str,
    page_sql: Callable[..., str],
    filters: Mapping[str, tuple[str, str]],
    single: frozenset[str] = frozenset(),
    plain: str | None = None,
) -> tuple[Listed, ...]:
    """A list under every set of its filters, in both directions. filters: what each asks for, and the index it has or "".

    single: those that find one row at most. plain: the index without any filter, where it is not that of created_at.
    """
    ways = [some for count in range(len(filters) + 1) for some in combinations(filters, count)]
    return tuple(
        Listed(
            page_sql(some, is_descending=is_descending),
            ", ".join((_PAGE, *(filters[name][0] for name in some))),
            table,
            "|".join(filters[name][1] for name in some if filters[name][1]) or plain or f"{table}_created_at_key",
            sorts=bool(single & set(some)),
        )
        for some in ways
        for is_descending in (False, True)
    )


# By operation; a route that pages and does not stand here fails. Both directions of a page.
LISTS: Mapping[str, tuple[Listed, ...]] = {
    "list_webhook_events": tuple(of_deliveries()),
    "read_feed": (Listed(feed._FEED, f"'{OURS}', 77, 21", "event_numbers", "event_numbers_pkey", sorts=True),),
    "list_accounts": every_way(
        "accounts",
        accounts.page_sql,
        {
            "status": ("'ACTIVE'", "accounts_of_status"),
            "document": ("'77'", "accounts_of_document"),
            "email": ("'ana'", ""),
            "full_name": ("'josé'", ""),
        },
    ),
    "list_orders": (
        *every_way(
            "orders",
            orders.page_sql,
            {
                "status": ("'EXPIRED'", "orders_of_status"),
                "external_id": ("'code77'", "orders_of_external_id"),
                "account_id": (f"'{_ACCOUNT}'", "orders_of_account"),
                "other_method": ("'BOLETO'", "orders_of_other_method"),
                "static_qrcode_id": (f"'{_ACCOUNT}'", "orders_of_static_qrcode"),
            },
        ),
        *every_way("orders", orders.page_sql, {"payment_method": ("'PIX'", "")}),
    ),
    "list_static_qrcodes": every_way(
        "pix_static_qrcodes", static_codes.page_sql, {"account_id": (f"'{_ACCOUNT}'", "pix_static_qrcodes_of_account")}
    ),
    "list_foreign_payments": every_way(
        "foreign_payments",
        foreign.page_sql,
        {"state": ("'CLAIMED'", "foreign_payments_of_state"), "rail": ("'bank7'", "foreign_payments_of_rail")},
    ),
    "list_refunds": every_way(
        "refunds",
        refunds.page_sql,
        {
            "order_id": (f"'{_ACCOUNT}'", "refunds_of_order"),
            "external_id": ("'refund77'", "refunds_external_id_key"),
            "status": ("'PAID'", "refunds_of_state"),
        },
        frozenset({"external_id"}),
        "refunds_of_clients",
    ),
    "list_keys": tuple(
        Listed(keys.page_sql(is_descending=way), f"{_PAGE}, '{_ACCOUNT}'", "pix_keys", "pix_keys_of_account")
        for way in (False, True)
    ),
    "list_key_claims": tuple(
        Listed(
            claims.page_sql(is_descending=way, has_status=some),
            f"{_PAGE}, '{_ACCOUNT}'{', ' + repr('CANCELLED') if some else ''}",
            "key_claims",
            "key_claims_of_status|key_claims_of_account" if some else "key_claims_of_account",
        )
        for way in (False, True)
        for some in (False, True)
    ),
    "list_payouts": every_way(
        "payouts",
        payouts.page_sql,
        {
            "status": ("'EXPIRED'", "payouts_of_status"),
            "external_id": ("'payout77'", "payouts_external_id_key"),
            "account_id": (f"'{_ACCOUNT}'", "payouts_of_account"),
            "end_to_end_id": ("'E77'", "payouts_end_to_end_id_key|payouts_pkey"),
        },
        frozenset({"external_id", "end_to_end_id"}),
    ),
    "list_subscriptions": every_way(
        "subscriptions",
        subscriptions.page_sql,
        {
            "status": ("'CANCELED'", "subscriptions_of_status"),
            "external_id": ("'subscription77'", "subscriptions_external_id_key"),
            "account_id": (f"'{_ACCOUNT}'", "subscriptions_of_account"),
            "starts_on": ("'2026-01-08'", "subscriptions_of_start"),
            "ends_on": ("'2027-01-08'", "subscriptions_of_end"),
        },
        frozenset({"external_id"}),
    ),
    "list_subscription_payments": tuple(
        Listed(
            payments.page_sql(some, is_descending=is_descending),
            ", ".join(
                (_PAGE, f"'{_ACCOUNT}'", *({"status": "'CANCELED'", "external_id": "'payment77'"}[name] for name in some))
            ),
            "subscription_payments",
            "subscription_payments_external_id_key|subscription_payments_created_at_key"
            if "external_id" in some
            else "subscription_payments_created_at_key",
            sorts="external_id" in some,
        )
        for some in ((), ("status",), ("external_id",), ("status", "external_id"))
        for is_descending in (False, True)
    ),
    "list_payout_plans": every_way("payout_plans", plans.page_sql, {"status": ("'EXPIRED'", "payout_plans_of_status")}),
    # How many there are in all is told with every page, so without a filter all of the company's are counted.
    "list_med": tuple(
        Listed(med.page_sql(some), f"'{OURS}', 20, 0, {', '.join(arguments)}", "med_objects", index, sorts=True)
        for some, arguments, index in (
            (("account_id",), (f"'{_ACCOUNT}'",), "med_objects_of_account"),
            (("account_id", "role"), (f"'{_ACCOUNT}'", "'RECEIVER'"), "med_objects_of_account"),
            (("only_pending",), ("true",), "med_objects_pending"),
        )
    ),
    "list_payout_plan_lines": tuple(
        Listed(
            plans.lines_sql(status, 21),
            f"'{OURS}', '{_ACCOUNT}', 7",
            "payout_plan_lines",
            "payout_plan_lines_number_key|payout_plan_lines_to_make",
        )
        for status in (None, "VALID", "CREATED", "INVALID", "REFUSED")
    ),
}

# An account's entries: a range of the primary key for each side, put together; what is too young for them is its own.
_OF_ACCOUNT = f"'{OURS}', md5('{OURS}1')::uuid, '0001-01-01Z', '9999-12-31Z', 21"
LISTS = {
    **LISTS,
    "read_statement": tuple(
        Listed(
            statements.page_sql(operation, way, is_named=is_named, merges=merges),
            f"{_OF_ACCOUNT}{also}", "entries", "entries_pkey", sorts=True,
        )
        for operation in (None, "in", "out")
        for way in ("ASC", "DESC")
        for is_named, merges, also in (
            (False, False, ""), (True, False, ", 'E77'"), (False, True, ", '0001-01-01Z', '9999-12-31Z'"),
        )
    ),
}  # fmt: skip

# What workers ask all day long across companies, as the role that sees ids alone.
SWEEPS: Mapping[str, Listed] = {
    "destinations": Listed(deliveries._DESTINATIONS, "", "deliveries", "deliveries_of_endpoint"),
    "events without a number": Listed(deliveries._UNNUMBERED, "", "events", "events_arrival"),
    "transfers without entries": Listed(entry_posting._BEHIND, "", "transfers", "transfers_arrival"),
    "outbox": Listed(work_queue.Queue("outbox", only="rail = 'pix'").find_sql, "", "outbox", "outbox_due"),
    "inbox": Listed(handling.LANE.find_sql, "", "inbox", "inbox_due|inbox_open_txid"),
    "plans": Listed(PLANS_LANE.find_sql, "", "payout_plans", "payout_plans_due"),
    **{
        f"{waiting.kind} of {rail}: {waiting.only}": Listed(waiting.find_sql, "", waiting.due.table, waiting.due.index)
        for rail in (*WAITING.keys() - COLLECTING, BOLETO, CARD)
        for waiting in WAITING[rail]
    },
    **{
        name: Listed(find_sql, "100", work.table, work.index)
        for work in DUE_WORK
        if work.by == "sweep" and work.table != "event_eras"  # of which there are few
        for name, find_sql in work.sweeps.items()
        if name != "cards"  # of which FILL has none
    },
}


async def plan_of(connection: "asyncpg.Connection[asyncpg.Record]", listed: Listed, mode: str) -> list[dict[str, Any]]:
    """Every node of the plan; mode: as the server plans a prepared statement for its arguments, or once for all."""
    await connection.execute(f"SET plan_cache_mode = {mode}; SET jit = off")
    await connection.execute(f"PREPARE listed AS {listed.sql}")
    given = f"({listed.arguments})" if listed.arguments else ""
    text = await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE listed{given}")
    await connection.execute("DEALLOCATE listed")
    nodes: list[dict[str, Any]] = []
    left = [json.loads(text)[0]["Plan"]]
    while left:
        node = left.pop()
        nodes.append(node)
        if node.get("One-Time Filter") == "false":
            continue  # what is below it is never run
        above = (*node.get("above", ()), node["Node Type"])
        left += [{**inner, "above": above} for inner in node.get("Plans", [])]
    return nodes


_UNDER = ("payouts_of_batch",)  # of what stands under one row of a list


def goes_by(nodes: list[dict[str, Any]], listed: Listed) -> bool:
    scans = [n for n in nodes if n.get("Relation Name") == listed.table]
    by = [n.get("Index Name") or n.get("Plans", [{}])[0].get("Index Name") for n in scans]  # a bitmap is made below its scan
    allowed = listed.index.split("|")
    return any(index in allowed for index in by) and all(index in (*allowed, *_UNDER) for index in by)


def told_short(nodes: list[dict[str, Any]]) -> list[str]:
    return [f"{n['Node Type']} {n.get('Relation Name', '')} {n.get('Index Name', '')}" for n in nodes]


def read_whole(nodes: list[dict[str, Any]]) -> list[str]:
    """Tables that grow and are read from end to end all the same."""
    small = {
        "companies",
        "company_numbers",
        "clock",
        "event_cursors",
        "entry_cursors",
        "webhook_settings",
        "webhook_circuits",
        "eras",  # one for each restore, …
        "event_eras",  # … and of each company
        "entries_behind",  # empty, but for the seconds in which what a clock left behind is entered
    }
    return [n["Relation Name"] for n in nodes if n["Node Type"] == "Seq Scan" and n["Relation Name"] not in small]


def test_every_list_is_looked_at() -> None:
    routes = wiring.routes(Mock(place=Installation(Mock(), "https://lastro.test", sandbox=True)))
    assert {r.operation for r in routes if r.knows("cursor") or r.knows("after") or r.knows("page")} == LISTS.keys()


async def test_every_list_goes_by_its_index(filled: Filled) -> None:
    for operation, lists in LISTS.items():
        for listed in lists:
            for mode in ("force_custom_plan", "force_generic_plan"):
                nodes = await plan_of(filled.app, listed, mode)
                assert goes_by(nodes, listed), (operation, mode, told_short(nodes), listed)
                assert not read_whole(nodes), (operation, mode)
                for page in (n for n in nodes if n.get("Relation Name") == listed.table):
                    assert listed.sorts or "Sort" not in page["above"], (
                        operation,
                        "a page comes out of the index in its order",
                    )


async def test_every_sweep_goes_by_its_index(filled: Filled) -> None:
    """Under the plans of the worker's sessions, and under those of a server that may choose."""
    for name, sweep in SWEEPS.items():
        for mode in ("force_generic_plan", "auto"):
            nodes = await plan_of(filled.work, sweep, mode)
            assert goes_by(nodes, sweep), (name, mode, told_short(nodes))
            # Whether a company has anything is one probe; joined, with as many companies as it takes, it is all there was.
            assert not [n for n in nodes if n.get("Join Type") == "Semi"], (name, mode)
            assert not read_whole(nodes), (name, mode)
