"""What a storm sees: alarms of its processes, objects not at rest, keys in two places, writes that are lost."""

from typing import Any
from unittest.mock import Mock

import msgspec
from tests.in_one import in_one_test
from tests.journeys.play import Answer
from tests.world.whole import promises
from tests.world.whole.crowd import OPERATIONS, Request
from tests.world.whole.ends import EXPLAINED, NEVER_AT_AN_END, STATES
from tests.world.whole.keys import differences
from tests.world.whole_storm import alarms

from lastro.ops.machines import MACHINES


@in_one_test(
    ("said", "breaks"),
    [
        ("worker INBOX.CONTRADICTS pix.received", True),
        ("worker INBOX.CONTRADICTS card.chargeback", False),
        ("worker LAW.BROKEN", True),
        ("worker INBOX.LOOK_AT_THIS unknown", False),
        ("worker INBOX.WAITS claim.news", True),
        ("worker OUTBOX.STUCK return.send", True),
        ("worker webhooks.delivery_broke ['UniqueViolationError 23505 …", True),
        ("worker webhooks.delivery_broke ['DatabaseAway …", False),
        ("worker lane.task_broke ['KeyError …", True),
        ("worker lane.broke ['DatabaseAway …", False),
        ("worker outbox.refused what the network refuses", False),
    ],
)
def test_a_complaint_breaks_a_storm_that_has_no_fault_for_it(said: str, breaks: bool) -> None:
    assert alarms([said]) == ([said] if breaks else [])


def test_a_word_that_the_directory_was_told_to_refuse_is_no_alarm() -> None:
    refused = "worker INBOX.CONTRADICTS refused"
    assert alarms([refused]) == [refused]
    assert alarms([refused, "worker outbox.refused The directory refuses it"]) == []


def test_a_bank_that_refuses_access_or_is_away_is_why_nothing_can_be_sent_there() -> None:
    stuck = "worker OUTBOX.STUCK "
    assert alarms([stuck]) == [stuck]
    assert alarms([stuck], faults=["17: outage"]) == [stuck]
    assert alarms([stuck], faults=["17: outage at the bank"]) == []
    assert alarms([stuck, "worker BANK.SET_UP_WRONGLY access"]) == []


def test_every_object_is_looked_at_or_excused() -> None:
    assert {machine.name for machine in MACHINES} == STATES.keys() | NEVER_AT_AN_END.keys()
    assert not STATES.keys() & NEVER_AT_AN_END.keys()
    assert all(NEVER_AT_AN_END.values())


def test_an_end_is_a_state_that_the_object_can_have() -> None:
    known = {
        machine.name: {s for (before, _), after in machine.moves.items() for s in (before, after)} for machine in MACHINES
    }
    assert not {(table, state) for table, (_, ends) in STATES.items() for state in ends - known[table]}
    assert not {(table, state) for table, state in EXPLAINED if state not in known[table]}


_OURS, _OUTSIDE = "99999010", "99999030"


def key(name: str, number: str = "000000019") -> dict[str, str]:
    return {"key": name, "branch": "0001", "number": number}


def entry(name: str, ispb: str = _OURS, account: str = "000000019") -> dict[str, Any]:
    return {"key": name, "status": "ACTIVE", "bank": {"ispb": ispb, "name": "A", "branch": "0001", "account": account}}


@in_one_test(
    ("ours", "theirs", "said"),
    [
        ([key("a")], [entry("a"), entry("b", _OUTSIDE)], None),
        ([], [], None),
        ([key("a")], [entry("a", _OUTSIDE)], "the directory has it at ('99999030'"),
        ([key("a")], [], "the directory has it at no bank"),
        ([key("a")], [entry("a", account="000000027")], "'000000027'"),
        ([], [entry("a")], "not ACTIVE here"),
        ([key("a"), key("a")], [entry("a")], "twice"),
    ],
    ids=["agree", "empty", "another bank", "no bank", "another account", "ours there alone", "two companies"],
)
def test_a_key_is_on_both_sides_at_the_same_account(
    ours: list[dict[str, str]], theirs: list[dict[str, Any]], said: str | None
) -> None:
    found = differences(ours, theirs)
    assert len(found) == (said is not None), found
    assert said is None or said in found[0]


def test_every_write_is_read_again_or_excused() -> None:
    """What a storm never looks at again, it would not miss."""
    tables = (promises.READ_AGAIN.keys(), promises.IN_BOOKS, promises.EXCUSED.keys())
    writes = {name for name, (method, _) in OPERATIONS.items() if method != "GET"}
    assert set().union(*tables) == writes
    assert sum(map(len, tables)) == len(writes), "each is in one of the tables"
    assert all(promises.EXCUSED.values())
    assert {OPERATIONS[again.operation][0] for again in promises.READ_AGAIN.values()} == {"GET"}


async def unkept(operation: str, target: str, said: Any, shown: Any, body: bytes | None = None) -> list[str]:
    """What a storm says where a write was answered so, and is shown so when it is over."""

    async def read(*_: Any, **__: Any) -> Any:
        return shown

    kept = (Request(operation, target, body, {}, "ana"), Answer(200, {}, b"" if said is None else msgspec.json.encode(said)))
    return await promises.unkept(Mock(kept=[kept], read=read))


_PLANS, _OF = "/order/v1/banking/payout-plans/p", "/public/v1/banking/subscriptions/s/payments/c"
_KEPT: dict[str, tuple[str, str, Any, Any, Any]] = {
    "an end": ("cancel_med", "/order/v1/banking/med/m/cancel", {"referenceId": "m", "status": "CANCELLED"},
               {"referenceId": "m", "status": "CANCELLED"}, {"referenceId": "m", "status": "CREATED"}),
    "an amount": ("create_order", "/order/v2/transparent", {"id": "o", "amount": "1"}, {"id": "o", "amount": "1"},
                  {"id": "o", "amount": "2"}),
    "a signature": ("approve_payout_plan", f"{_PLANS}/approvals", {"id": "p", "approvals": [{"clientId": "x"}]},
                    {"id": "p", "approvals": [{"clientId": "y"}, {"clientId": "x"}]}, {"id": "p", "approvals": []}),
    "a plan's making": ("apply_payout_plan", f"{_PLANS}/apply", {"id": "p", "status": "APPLYING"},
                        {"id": "p", "status": "FAILED"}, {"id": "p", "status": "APPROVED"}),
    "a cancellation": ("cancel_subscription", "/order/v1/banking/subscriptions/s/cancellations",
                       {"id": "c", "idempotencyKey": "k", "reason": "OTHER", "status": "PENDING"},
                       {"cancellations": [{"id": "c", "idempotencyKey": "k", "reason": "OTHER"}]}, {"cancellations": []}),
    "a try": ("retry_subscription_payment", f"{_OF}/retry",
              {"id": "c", "subscriptionId": "s", "attempts": [{"date": "2026-01-02"}]},
              {"attempts": [{"date": "2026-01-01"}, {"date": "2026-01-02"}]}, {"attempts": [{"date": "2026-01-01"}]}),
    "the end of a key": ("delete_key", "/order/v1/banking/accounts/a/keys/k", None, {"data": [{"id": "l"}]},
                         {"data": [{"id": "k"}]}),
}  # fmt: skip


@in_one_test("what", _KEPT)
async def test_what_was_lost_is_seen(what: str) -> None:
    operation, target, said, kept, lost = _KEPT[what]
    assert await unkept(operation, target, said, kept) == []
    assert len(await unkept(operation, target, said, lost)) == 1
    assert len(await unkept(operation, target, said, None)) == 1, "it is not there at all"


async def test_a_document_that_is_waited_for_again_is_seen() -> None:
    request_id = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
    form = f'--x\r\nContent-Disposition: form-data; name="accountRequestId"\r\n\r\n{request_id}\r\n--x--'.encode()
    target, said = "/order/v1/banking/accounts/documents", {"missingRequiredDocuments": list[str]()}
    for status, seen in (("PENDING_DOCUMENTS", 1), ("REPROVED", 0)):
        shown = {"status": status, "missingRequiredDocuments": ["selfieHolder"]}
        assert len(await unkept("upload_account_document", target, said, shown, form)) == seen


async def test_a_url_that_was_forgotten_is_seen() -> None:
    body = b'{"events":[{"event":"ORDER-PAYIN.PAID","url":"https://a.example","active":true}]}'
    for url, seen in (("https://a.example", 0), (None, 1)):
        shown = {"events": [{"event": "ORDER-PAYIN.PAID", "url": url, "active": True}]}
        assert len(await unkept("set_webhook", "/order/v1/webhook", {"events": []}, shown, body)) == seen


async def test_a_write_that_nobody_reads_again_is_seen() -> None:
    (what,) = await unkept("read_order", "/order/v2/transparent/o", {"id": "o"}, {"id": "o"})
    assert "nobody has said" in what
