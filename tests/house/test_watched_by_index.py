"""What is asked at every scrape, and what a story is read by, costs the same however much there is."""

from tests.in_one import in_one_test

from lastro.accounts.opening import store as openings
from lastro.console import books, choosing, context, eras, figures
from lastro.console.search import store
from lastro.core import timeline as moves
from lastro.due_work import DUE_WORK
from lastro.ledger import timeline as transfers
from lastro.observability import gauges
from lastro.orders.store import stories as orders
from lastro.payouts import store as payouts
from lastro.rails import inbox
from lastro.rails import timeline as messages
from lastro.subscriptions import store as subscriptions
from lastro.timeline import by_id
from lastro.webhooks.store import circuits
from lastro.webhooks.store import events as one
from lastro.webhooks.store import timeline as events
from lastro_sandbox import clock

from .many import MANY, OURS, Filled
from .test_lists import Listed, plan_of, read_whole, told_short

_IDS = f"ARRAY[md5('{OURS}7')::uuid]"
_NAMES = "ARRAY['E7', 'D7']"
_ID = f"md5('{OURS}7')::uuid"

# What each may go by: indexes of open rows, or such as begin with what is asked for.
SCRAPES = {
    "due": (gauges.DUE, {"inbox_open_txid", *(work.index for work in DUE_WORK if work.gauge)}),
    "tried": (gauges.TRIED, {"outbox_due", "inbox_due", "inbox_open_txid"}),
    "depths": (circuits.DEPTHS, {"deliveries_of_endpoint", "webhook_circuits_open", "webhook_circuits_pkey"}),
    "undelivered": (gauges.UNDELIVERED, {"deliveries_in_order", "deliveries_pending", "deliveries_retrying", "deliveries_failed"}),
    "in review": (gauges.IN_REVIEW, {"payouts_to_review"}),
    "differences": (gauges.DIFFERENCES, {"statement_items_open"}),
    "stranded": (gauges.STRANDED, {"refunds_stranded", "payout_returns_unfit"}),
    "unmatched": (gauges.UNMATCHED, {"foreign_payments_to_decide"}),
    "announced": (gauges.ANNOUNCED, {"pix_payments_announced", "pix_payments_one_reservation"}),
    "undecided": (gauges.UNDECIDED, {"med_objects_due", "med_objects_pending"}),
    "unreimbursed": (gauges.UNREIMBURSED, {"med_objects_due", "med_objects_pending"}),
    "unanswered": (gauges.UNANSWERED, {"subscription_cancellations_to_ask", "subscription_cancellations_one_open"}),
    "untaken": (gauges.UNTAKEN, {"statements_due"}),
    "unnumbered": (gauges.UNNUMBERED, {"events_arrival", "event_numbers_company_id_event_id_key", "event_cursors_pkey"}),
    "unentered": (gauges.UNENTERED, {"transfers_arrival", "entry_cursors_pkey"}),
}  # fmt: skip
STORIES = {
    "moves": (moves._MOVES, f"'{OURS}', {_IDS}"),
    "transfers": (transfers._TRANSFERS, f"'{OURS}', {_IDS}"),
    "messages": (messages._MESSAGES, f"'{OURS}', {_IDS}, {_NAMES}"),
    "events": (events._STORY, f"'{OURS}', {_IDS}"),
    "attempts": (events._STORY_ATTEMPTS, f"'{OURS}', {_IDS}"),
    "one event": (one._EVENT, f"'{OURS}', {_ID}"),
    "one to send again": (one._RESENDABLE, f"'{OURS}', {_ID}"),
    "related": (orders._RELATED, f"'{OURS}', {_ID}, NULL"),
    "root by id": (orders._ROOT, f"'{OURS}', {_ID}, NULL"),
    "root by name": (orders._ROOT, f"'{OURS}', NULL, 'E7'"),
    "related payouts": (payouts._RELATED, f"'{OURS}', {_ID}"),
    "related account requests": (openings._RELATED, f"'{OURS}', {_ID}"),
    "payout by id": (payouts._ROOT, f"'{OURS}', {_ID}, NULL"),
    "payout by name": (payouts._ROOT, f"'{OURS}', NULL, 'E7'"),
    "related subscriptions": (subscriptions._RELATED, f"'{OURS}', {_ID}"),
    "subscription by id": (subscriptions._ROOT, f"'{OURS}', {_ID}"),
    "subscription by name": (subscriptions._ROOT_BY_NAME, f"'{OURS}', 'R7'"),
    "part of": (by_id._PART_OF, f"'{OURS}', {_ID}"),
    "namesakes": (by_id._NAMESAKES, f"'{OURS}', 'E7', {_ID}, 21"),
}
_HERE, _FROM, _TO = f"'{OURS}'", "'2026-01-02Z'", "'2026-01-03Z'"
_THREE = f"{_HERE}, {_IDS}, {_IDS}, {_IDS}"
# What pages of the console are made of; the trial balance alone adds up every booking, when somebody asks for it.
CONSOLE = {
    "parties": (store.PARTIES, f"{_HERE}, '7'"),
    "of parties": (store.OF_PARTIES, _THREE),
    "amounts": (store.AMOUNTS, f"{_HERE}, 7, {_FROM}, {_TO}"),
    "names": (
        store.NAMES,
        f"{_HERE}, 'bento', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    ),
    "keys paid to": (store.PAID_KEYS, f"{_HERE}, 'k7'"),
    "customers": (context.CUSTOMERS, f"{_HERE}, {_IDS}"),
    "accounts to choose": (choosing.FIRST, _HERE),
    "accounts by id": (choosing.BY_ID, f"{_HERE}, {_IDS}"),
    "account by number": (choosing.BY_NUMBER, f"{_HERE}, '7'"),
    "accounts by name": (choosing.BY_NAME, f"{_HERE}, 'jose 7'"),
    "key": (store.KEY, f"{_HERE}, 'k7'"),
    "refunds": (store.REFUNDS, f"{_HERE}, {_ID}, 'x7'"),
    "accounts": (store.ACCOUNTS, f"{_HERE}, {_ID}, '7'"),
    "described": (store.DESCRIBED, f"{_HERE}, {_IDS}"),
    "reference": (store.REFERENCE, f"{_HERE}, {_ID}"),
    "volume": (figures.VOLUME, f"{_HERE}, {_FROM}, {_TO}, {_IDS}"),
    "orders": (figures.ORDERS, f"{_HERE}, {_FROM}"),
    "payouts": (figures.PAYOUTS, f"{_HERE}, {_FROM}"),
    "attempts": (figures.ATTEMPTS, f"{_HERE}, {_ID}"),
    "endpoints": (figures.ENDPOINTS, f"{_HERE}, {_ID}"),
    "waiting": (figures.WAITING, _HERE),
    "held": (figures.HELD, _HERE),
    "held after a restore": (eras.HELD, f"{_HERE}, 201"),
    "first accounts": (figures.FIRST_ACCOUNTS, f"{_HERE}, 5"),
    "past": (figures.PAST, f"{_HERE}, {_IDS}, ARRAY[{_TO}]::timestamptz[]"),
    "transfer": (books.TRANSFER, f"{_HERE}, {_ID}"),
    "holds": (books.HOLDS, f"{_HERE}, {_ID}"),
    "message out": (books.MESSAGES["out"], f"{_HERE}, {_ID}"),
    "message in": (books.MESSAGES["in"], f"{_HERE}, {_ID}"),
    "newest number": (figures.NEWEST_NUMBER, _HERE),
    "items": (books.ITEMS, f"{_HERE}, 100"),
}


@in_one_test("name", SCRAPES, str)
async def test_a_scrape_reads_no_table_from_end_to_end(filled: Filled, name: str) -> None:
    sql, indexes = SCRAPES[name]
    nodes = await plan_of(filled.work, Listed(sql, "", "", ""), "auto")
    assert not read_whole(nodes), told_short(nodes)
    used = {n["Index Name"] for n in nodes if "Index Name" in n}
    assert used, told_short(nodes)
    assert used <= indexes, told_short(nodes)
    assert await filled.work.fetch(sql)


async def test_a_look_of_the_sandboxs_clock_reads_no_table_from_end_to_end(filled: Filled) -> None:
    """It looks twenty times a second while it walks."""
    for sql, arguments in ((clock.BUSY, ""), (clock.PENDING, ""), (clock.NEXT, "now()")):
        nodes = await plan_of(filled.work, Listed(sql, arguments, "", ""), "auto")
        assert not read_whole(nodes), told_short(nodes)


async def test_whose_a_message_is_reads_no_table_from_end_to_end(filled: Filled) -> None:
    """Every message of every network is asked about before it is stored."""
    arguments = "ARRAY[7], ARRAY['000000019'], ARRAY['E7'], ARRAY['oxxo'], ARRAY['7'], ARRAY['k7']"
    for mode in ("force_custom_plan", "force_generic_plan"):
        nodes = await plan_of(filled.work, Listed(inbox._OWNERS, arguments, "", ""), mode)
        by = {n["Index Name"] for n in nodes if n.get("Relation Name") == "instruments" and "Index Name" in n}
        assert by == {"instruments_by_reference"}, (mode, told_short(nodes))


async def test_a_story_reads_no_table_from_end_to_end(filled: Filled) -> None:
    for name, (sql, arguments) in STORIES.items():
        for mode in ("force_custom_plan", "force_generic_plan"):
            nodes = await plan_of(filled.app, Listed(sql, arguments, "", ""), mode)
            assert not read_whole(nodes), (name, mode, told_short(nodes))


async def test_a_page_of_the_console_reads_no_table_from_end_to_end(filled: Filled) -> None:
    for name, (sql, arguments) in CONSOLE.items():
        for mode in ("force_custom_plan", "force_generic_plan"):
            nodes = await plan_of(filled.app, Listed(sql, arguments, "", ""), mode)
            assert not read_whole(nodes), (name, mode, told_short(nodes))


async def test_an_account_is_found_by_a_stretch_of_names(filled: Filled) -> None:
    for mode in ("force_custom_plan", "force_generic_plan"):
        nodes = await plan_of(filled.app, Listed(choosing.BY_NAME, f"{_HERE}, 'JOSÉ 77'", "", ""), mode)
        assert "accounts_of_name" in {node.get("Index Name") for node in nodes}, (mode, told_short(nodes))


async def test_a_long_queue_is_not_counted_to_its_end(filled: Filled) -> None:
    """What is told of it is its oldest row all the same."""
    (row,) = [r for r in await filled.work.fetch(gauges.DUE) if r["lane"] == "outbox"]
    short = gauges.DUE.replace(f"LIMIT {gauges.MOST}", "LIMIT 3")
    (cut,) = [r for r in await filled.work.fetch(short) if r["lane"] == "outbox"]
    assert (row["count"], cut["count"]) == (100, 3)
    assert abs(row["oldest"] - cut["oldest"]) < 60
    assert gauges.MOST > MANY
