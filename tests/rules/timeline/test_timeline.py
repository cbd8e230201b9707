"""A story's order and its words."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from tests.in_one import in_one_test

from lastro.api_kit.rendering import Money
from lastro.api_kit.routes import Doc, stamp
from lastro.timeline import by_id, reading
from lastro.timeline.docs import DOC, PAYOUT_DOC, SUBSCRIPTION_DOC
from lastro.timeline.shapes import (
    AttemptEntry,
    EventDelivery,
    EventEntry,
    MessageEntry,
    StateEntry,
    Timeline,
    TransferEntry,
)

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
BORN = {"from_state": "", "reason": None, "request_id": None, "at": AT}


def row(*parts: Any, **more: Any) -> Any:
    """As the database gives one."""
    return {name: value for part in (*parts, more) for name, value in part.items()}


def told(entries: list[Any]) -> Timeline:
    return Timeline(id="1", object="order", entries=entries, is_whole=True)


def test_what_one_decision_wrote_follows_one_from_the_other() -> None:
    """All of it at one instant: the message, the payment, the order, the refund, the money, our message, the news."""
    move = {**BORN, "version": 1, "trigger": "t"}
    amount = {"amount_minor": 1, "currency": "BRL", "type": "PIX_IN", "debit": "NET", "credit": "CUST", "at": AT}
    message = {
        "at": AT, "id": 1, "rail": "pix", "kind": "k", "network_id": "M", "reference_id": None, "subject": None, "sends": 1,
        "outcome": None, "done_at": None,
    }  # fmt: skip
    event = {
        "at": AT, "id": 1, "reference_id": 1, "type": "T", "sequence": None, "status": None, "attempts": None, "due_at": None,
    }  # fmt: skip
    attempt = {"at": AT, "event_id": 1, "number": 1, "status_code": 200, "message": "", "duration_ms": 1}
    placed = [
        reading._message(row(message, direction="in")),
        reading._state(row(move, machine="pix_payments", reference_id=9, to_state="SETTLED"), {}, {}, {}),
        reading._state(row(move, machine="orders", reference_id=1, to_state="PENDING"), {}, {}, {}),
        reading._state(row(move, machine="orders", reference_id=1, version=2, to_state="PAID"), {}, {}, {}),
        reading._state(row(move, machine="refunds", reference_id=0, to_state="PENDING"), {}, {}, {}),
        reading._transfer(row(amount, id=3, reference_id=1, kind="moved")),
        reading._transfer(row(amount, id=2, reference_id=1, kind="held")),
        reading._transfer(row(amount, id=1, reference_id=1, kind="posted")),
        reading._message(row(message, direction="out")),
        reading._event(row(event)),
        reading._attempt(row(attempt)),
        reading._state(
            row(move, machine="orders", reference_id=1, to_state="X", at=AT + timedelta(microseconds=1)), {}, {}, {}
        ),
    ]
    right = [entry for *_, entry in placed]
    for seed in range(20):
        mixed = placed.copy()
        random.Random(seed).shuffle(mixed)
        assert reading.in_order(mixed) == right


@in_one_test(
    ("entry", "what", "detail"),
    [
        (StateEntry(at="T", object="order", id="1", to="INITIAL", trigger="create", request_id="r"), "order INITIAL", "create, request r, 1"),
        (StateEntry(at="T", object="order", id="1", from_state="INITIAL", to="INITIAL", trigger="reserve", reason="E1"), "order INITIAL", "reserve, E1, 1"),
        (StateEntry(at="T", object="refund", id="1", from_state="PENDING", to="PAID", trigger="confirm"), "refund PENDING → PAID", "confirm, 1"),
        (TransferEntry(at="T", id="1", reference_id="1", entry="FEE", movement="moved", debit="NET", credit="FEE", amount=Money(currency="BRL", value="0.10")), "money moved", "NET → FEE  0.10 BRL, FEE"),
        (MessageEntry(at="T", id="1", direction="in", network="pix", message="pix.ask", network_id="M1", subject="E1", sends=1, outcome="answered"), "pix.ask from the network", "answered, E1, M1"),
        (MessageEntry(at="T", id="1", direction="out", network="pix", message="pix.answer", network_id="M1", reference_id="1", sends=3), "pix.answer to the network", "open, 3 times, M1"),
        (EventEntry(at="T", id="1", reference_id="1", type="X.Y"), "event X.Y", "not numbered yet, 1"),
        (EventEntry(at="T", id="1", reference_id="1", type="X.Y", sequence=7, delivery=EventDelivery(status="RETRYING", attempts=1, next_attempt_at="2026-01-31T12:01:00Z")), "event X.Y", "number 7, RETRYING, next attempt 2026-01-31 12:01:00Z, 1"),
        (AttemptEntry(at="T", event_id="1", number=2, status_code=0, message="x" * 100, duration_ms=9), "attempt 2", f"no answer, 9 ms, {'x' * 60}, 1"),
    ],
)  # fmt: skip
def test_the_words_of_an_entry(entry: Any, what: str, detail: str) -> None:
    assert by_id._said(entry) == (what, detail)


def test_lines_stand_in_columns() -> None:
    at = stamp(AT)
    lines = by_id.lines(
        told(
            [
                StateEntry(at=at, object="order", id="1", to="INITIAL", trigger="create"),
                EventEntry(at=at, id="2", reference_id="1", type="ORDER-PAYIN.PAID"),
            ]
        )
    )
    assert lines == [
        "order 1",
        "",
        "2026-01-31 12:00:00.000000Z  order INITIAL           create, 1",
        "2026-01-31 12:00:00.000000Z  event ORDER-PAYIN.PAID  not numbered yet, 2",
    ]
    cut = msgspec.structs.replace(told([]), is_whole=False)
    assert by_id.lines(cut)[-1] == "There is more than is shown here."


def test_the_transfers_of_a_batch_stand_behind_it_in_their_order() -> None:
    """Whatever their ids are."""
    move = {**BORN, "version": 1, "trigger": "create", "machine": "payouts", "to_state": "INITIAL"}
    places: Any = {9: 0, 5: 1, 7: 2, 1: 10}
    placed = [reading._state(row(move, reference_id=n), places, {}, {}) for n in places]
    assert [e.id for e in reading.in_order(reversed(placed)) if isinstance(e, StateEntry)] == ["9", "5", "7", "1"]


@in_one_test("doc", [DOC, PAYOUT_DOC, SUBSCRIPTION_DOC], ids=["order", "payout", "subscription"])
def test_the_example_is_a_story(doc: Doc) -> None:
    """What the documentation shows can be read as what is answered, and says the same again."""
    example = msgspec.convert(doc.response, Timeline)
    assert msgspec.to_builtins(example) == doc.response
    assert [e.at for e in example.entries] == sorted(e.at for e in example.entries)
