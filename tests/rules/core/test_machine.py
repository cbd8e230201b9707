from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise, product
from uuid import UUID

import pytest
from tests.in_one import in_one_test

from lastro.accounts import ACCOUNTS
from lastro.closing import CLOSE_REQUESTS
from lastro.core.errors import NoMove
from lastro.core.machine import NOT_THERE, Machine
from lastro.core.write import Row
from lastro.keys import KEYS, VALIDATIONS
from lastro.keys.claims import CLAIMS
from lastro.orders import CARD_PAYMENTS, ORDERS, PIX_PAYMENTS, REFUNDS

MACHINES = (ORDERS, PIX_PAYMENTS, REFUNDS, CARD_PAYMENTS, ACCOUNTS, CLOSE_REQUESTS, KEYS, VALIDATIONS, CLAIMS)
AT = datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
ID = UUID(int=7)

# What may happen to each object, written a second time and differently: by what each state can become.
TABLE = {
    "orders": {
        NOT_THERE: {"create": "INITIAL", "receive": "PAID"},
        "INITIAL": {
            "announce": "PENDING",
            "reserve": "INITIAL", "release": "INITIAL", "pay": "PAID", "expire": "EXPIRED", "cancel": "CANCELED", "fail": "ERROR",
            "begin": "PENDING", "part": "PENDING", "challenge": "AUTHENTICATING", "fall silent": "PENDING",
        },
        "AUTHENTICATING": {
            "reserve": "AUTHENTICATING", "pay": "PAID", "fail": "ERROR", "cancel": "CANCELED", "fall silent": "PENDING",
        },
        "PENDING": {
            "part": "PENDING",
            "reserve": "PENDING", "release": "PENDING", "pay": "PAID", "expire": "EXPIRED", "cancel": "CANCELED", "fail": "ERROR",
        },
        "PAID": {"refund part": "PARTIAL_REFUNDED", "refund rest": "REFUNDED"},
        "PARTIAL_REFUNDED": {"refund part": "PARTIAL_REFUNDED", "refund rest": "REFUNDED"},
        "REFUNDED": {}, "EXPIRED": {}, "CANCELED": {}, "ERROR": {},
    },
    "pix_payments": {
        NOT_THERE: {"accept": "ACCEPTED", "refuse": "REFUSED", "settle": "SETTLED", "hold": "HELD", "give_back": "RETURNING"},
        "HELD": {"settle": "SETTLED", "send_back": "RETURNING"},
        "ACCEPTED": {"settle": "SETTLED", "fail": "FAILED", "give_back": "RETURNING"},
        "REFUSED": {"give_back": "RETURNING"},
        "FAILED": {"give_back": "RETURNING"},
        "RETURNING": {"returned": "RETURNED", "strand": "STRANDED"},
        "STRANDED": {"credit": "CREDITED", "pay out": "PAID_OUT"},
        "SETTLED": {}, "RETURNED": {}, "CREDITED": {}, "PAID_OUT": {},
    },
    "refunds": {
        NOT_THERE: {"create": "PENDING"},
        "PENDING": {"confirm": "PAID", "refuse": "ERROR", "call off": "PENDING", "withdraw": "ERROR"},
        "ERROR": {"credit": "CREDITED", "pay out": "PAID_OUT", "prove": "PAID"},
        "PAID": {}, "CREDITED": {}, "PAID_OUT": {},
    },
    "accounts": {
        NOT_THERE: {"open": "ACTIVE"},
        "ACTIVE": {"limit": "ACTIVE", "block": "INACTIVE", "close": "CLOSED"},
        "INACTIVE": {"limit": "INACTIVE", "unblock": "ACTIVE", "close": "CLOSED"},
        "CLOSED": {},
    },
    "account_close_requests": {
        NOT_THERE: {"request": "REQUESTED"},
        "REQUESTED": {"refuse": "REFUSED", "complete": "COMPLETED"},
        "REFUSED": {}, "COMPLETED": {},
    },
    "card_payments": {
        NOT_THERE: {"create": "CREATED"},
        "CREATED": {
            "challenge": "CHALLENGE_REQUIRED", "authorize": "AUTHENTICATED", "fail": "FAILED", "time out": "TIMEOUT",
            "cancel": "CANCELED",
        },
        "CHALLENGE_REQUIRED": {
            "authorize": "AUTHENTICATED", "fail": "FAILED", "time out": "TIMEOUT", "cancel": "CANCELED",
        },
        "AUTHENTICATED": {"capture": "CAPTURED", "fail": "DECLINED"},
        "FAILED": {}, "TIMEOUT": {}, "CANCELED": {}, "CAPTURED": {}, "DECLINED": {},
    },
    "pix_keys": {
        NOT_THERE: {"create": "ACTIVE"},
        "ACTIVE": {"delete": "DELETED", "close account": "DELETED", "claim": "ACTIVE", "keep": "ACTIVE", "lose": "DELETED"},
        "DELETED": {},
    },
    "key_claims": {
        NOT_THERE: {"open": "OPEN"},
        "OPEN": {"acknowledge": "WAITING_RESOLUTION", "cancel": "CANCELLED"},
        "WAITING_RESOLUTION": {"confirm": "CONFIRMED", "cancel": "CANCELLED"},
        "CONFIRMED": {"complete": "COMPLETED", "cancel": "CANCELLED"},
        "COMPLETED": {}, "CANCELLED": {},
    },
    "pix_key_validations": {
        NOT_THERE: {"create": "PENDING"},
        "PENDING": {
            "resend": "PENDING", "prove": "PENDING", "mistake": "PENDING", "mistake last": "EXPIRED", "expire": "EXPIRED",
            "confirm": "CONFIRMED", "conflict": "CONFLICT",
        },
        "CONFIRMED": {}, "CONFLICT": {}, "EXPIRED": {},
    },
}  # fmt: skip


@dataclass(frozen=True)
class Thing:
    id: UUID
    state: str
    version: int


def triggers(machine: Machine) -> list[str]:
    return sorted({trigger for _, trigger in machine.moves})


EVERY_PAIR = [
    pytest.param(machine, state, trigger, id=f"{machine.name}-{state or 'not there'}-{trigger}")
    for machine in MACHINES
    for state, trigger in product((NOT_THERE, *machine.states()), triggers(machine))
]


@in_one_test(("machine", "state", "trigger"), EVERY_PAIR)
def test_every_state_and_trigger(machine: Machine, state: str, trigger: str) -> None:
    to = TABLE[machine.name][state].get(trigger)
    assert machine.allows(state, trigger) is (to is not None)
    if to is None:
        with pytest.raises(NoMove):
            machine.move(Thing(ID, state, 3), trigger, AT)
        return
    move = machine.move(Thing(ID, state, 3), trigger, AT, reason="why", code="X")
    assert (move.table, move.state_column) == (machine.name, machine.state_column)
    assert (move.id, move.version, move.from_state, move.to_state, move.trigger) == (ID, 3, state, to, trigger)
    assert (move.reason, move.at, move.sets) == ("why", AT, {"code": "X"})


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_the_table_has_every_state_and_nothing_leads_out_of_it(machine: Machine) -> None:
    assert set(machine.states()) | {NOT_THERE} == set(TABLE[machine.name])
    assert len(machine.states()) == len(set(machine.states()))
    assert len(machine.rows()) == len(machine.moves) == sum(map(len, TABLE[machine.name].values()))
    assert NOT_THERE not in machine.moves.values()
    reached = {NOT_THERE}
    for _ in machine.states():
        reached |= {to for (state, _), to in machine.moves.items() if state in reached}
    assert reached == set(TABLE[machine.name]), "a state that nothing leads to"


@pytest.mark.parametrize(
    "triggers", [("create",), ("create", "reserve"), ("create", "reserve", "release", "pay"), ("receive",)]
)
def test_what_is_born_has_a_dense_history(triggers: tuple[str, ...]) -> None:
    thing, *history = ORDERS.born({"id": ID, "x": 1}, AT, triggers, reason="why")
    assert [h.table for h in history] == ["history"] * len(triggers)
    lines = [h.values for h in history]
    assert [line["version"] for line in lines] == list(range(1, len(triggers) + 1))
    assert [line["trigger"] for line in lines] == list(triggers)
    assert lines[0]["from_state"] == NOT_THERE
    assert all(before["to_state"] == after["from_state"] for before, after in pairwise(lines))
    assert all(
        (line["reference_id"], line["machine"], line["reason"], line["created_at"]) == (ID, "orders", "why", AT)
        for line in lines
    )
    assert thing == Row("orders", {"id": ID, "x": 1, "status": lines[-1]["to_state"], "version": len(triggers)})


def test_nothing_is_born_on_a_way_that_the_table_lacks() -> None:
    with pytest.raises(NoMove):
        ORDERS.born({"id": ID}, AT, ("create", "pay", "expire"))
    with pytest.raises(NoMove):
        REFUNDS.born({"id": ID}, AT, ("confirm",))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
def test_a_way_is_one_of_the_shortest(machine: Machine) -> None:
    for state, to in product((NOT_THERE, *machine.states()), machine.states()):
        way = machine.way(state, to)
        near, steps = {state}, 0
        while to not in near and steps <= len(machine.states()):
            near, steps = {after for one in near for after in TABLE[machine.name][one].values()}, steps + 1
        assert len(way) == (steps if to in near else 0)
        at = state
        for trigger in way:
            at = TABLE[machine.name][at][trigger]
        assert at == (to if way else state)


def test_a_way_takes_triggers_that_fit() -> None:
    assert CLAIMS.way("OPEN", "COMPLETED", lambda trigger: trigger != "confirm") == ()
    assert CLAIMS.way("OPEN", "CANCELLED", lambda trigger: trigger != "complete") == ("cancel",)


def test_several_moves_at_once_write_the_row_once() -> None:
    touch, rows = CLAIMS.walk(Thing(ID, "OPEN", 3), ("acknowledge", "confirm"), AT, reason="why", code="X")
    assert (touch.table, touch.id, touch.version) == ("key_claims", ID, 3)
    assert touch.sets == {"status": "CONFIRMED", "version": 5, "updated_at": AT, "code": "X"}
    lines = [(r.table, r.values["version"], r.values["from_state"], r.values["to_state"], r.values["reason"]) for r in rows]
    assert lines == [
        ("history", 4, "OPEN", "WAITING_RESOLUTION", "why"),
        ("history", 5, "WAITING_RESOLUTION", "CONFIRMED", "why"),
    ]
    with pytest.raises(NoMove):
        CLAIMS.walk(Thing(ID, "OPEN", 3), ("acknowledge", "complete"), AT)
