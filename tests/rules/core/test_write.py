from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from lastro.core.money import Money
from lastro.core.write import (
    Event,
    Finished,
    Freed,
    LedgerAccount,
    Message,
    Move,
    Quota,
    Relied,
    Row,
    Stored,
    Touch,
    TouchMany,
    Transfer,
    Unrepeated,
    Watch,
    Withdrawn,
    Write,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)
COMPANY, OTHER = UUID(int=1), UUID(int=2)
FROM, TO = LedgerAccount(UUID(int=3), "NET", "BRL", floor=False), LedgerAccount(UUID(int=4), "CUST", "BRL", floor=True)


def move(number: int = 5, table: str = "orders") -> Move:
    return Move(table, "status", UUID(int=number), 1, "INITIAL", "PAID", "pay", None, AT, {})


def touch(number: int = 6, table: str = "orders") -> Touch:
    return Touch(table, UUID(int=number), 1, {"asked": 1})


PARTS: dict[str, Any] = {
    "relies": Relied("accounts", UUID(int=7), 1),
    "rows": Row("parties", {"id": UUID(int=8)}),
    "moves": move(),
    "touches": touch(),
    "many": TouchMany("deliveries", (UUID(int=14),), (1,), {"status": ("PENDING",)}),
    "transfers": Transfer(UUID(int=9), "moved", FROM, TO, Money(1, "BRL"), "PIX_IN", UUID(int=5), AT),
    "events": Event(UUID(int=10), "ORDER-PAYIN.PAID", UUID(int=5), None, b"{}", AT),
    "messages": Message(UUID(int=11), "pix", "pix.answer", "M1", UUID(int=5), b"{}", AT),
    "withdrawn": Withdrawn(UUID(int=15), 0, AT),
    "quotas": Quota(UUID(int=16), "PIX.day", "2026-01-01", 1, 2),
    "finished": Finished("inbox", UUID(int=12), UUID(int=13), "handled", AT),
    "unrepeated": Unrepeated(UUID(int=17), timedelta(minutes=1)),
    "freed": Freed("own_keys", {"key": "k"}),
    "watches": Watch(TO, 1),
    "stored": Stored("act", "k", b"f", 200, b"{}", UUID(int=5), "week", AT),
}


def test_every_part_has_a_case_here() -> None:
    assert set(PARTS) == set(Write.__struct_fields__) - {"company_id"}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_kept_by_addition_on_either_side(part: str) -> None:
    nothing, something = Write(COMPANY), Write(COMPANY, **{part: (PARTS[part],)})
    for total in (nothing + something, something + nothing):
        assert total == something
        assert total.is_empty is (part == "relies"), "a Write that only relies changes nothing"


def test_parts_stay_in_the_order_they_were_added() -> None:
    rows = [Row("parties", {"id": UUID(int=n)}) for n in range(6)]
    a, b, c = (Write(COMPANY, rows=tuple(rows[n : n + 2])) for n in (0, 2, 4))
    assert (a + b) + c == a + (b + c) == Write(COMPANY, rows=tuple(rows))


def test_one_transaction_touches_one_company() -> None:
    with pytest.raises(ValueError, match="two companies"):
        Write(COMPANY) + Write(OTHER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Write(COMPANY, moves=(move(),)), Write(COMPANY, moves=(move(),))),
        (Write(COMPANY, moves=(move(5),)), Write(COMPANY, touches=(touch(5),))),
        (Write(COMPANY, touches=(touch(),)), Write(COMPANY, touches=(touch(),))),
    ],
    ids=["two moves", "move and touch", "two touches"],
)
def test_two_moves_of_one_row_do_not_add_up(one: Write, other: Write) -> None:
    with pytest.raises(ValueError, match="two moves of one row"):
        one + other


def test_moves_of_two_rows_or_tables_do() -> None:
    both = Write(COMPANY, moves=(move(5),)) + Write(COMPANY, moves=(move(6), move(5, "refunds")))
    assert len(both.moves) == 3


def test_one_request_has_one_answer() -> None:
    answered = Write(COMPANY, stored=(PARTS["stored"],))
    with pytest.raises(ValueError, match="two answers"):
        answered + answered


def test_nothing_is_empty() -> None:
    assert Write(COMPANY).is_empty
