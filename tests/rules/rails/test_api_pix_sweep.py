"""What a night looks for at a bank: which returns were not ours, which charges have no order, and when it is due."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from lastro.core.money import Money
from lastro.rails.api_pix import wire
from lastro.rails.api_pix.nightly import night_of
from lastro.rails.api_pix.orphans import is_orphan
from lastro.rails.api_pix.sweep import TakenReturn, taken_of
from lastro.standards.pix_ids import dynamic_txid

AT = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
NAME = "E" + "1" * 31
PAYMENT = wire.BankPayment(NAME, Money(1000, "BRL"), AT, "t" * 32)
TXID = dynamic_txid(7, bytes(range(24)))


def returned(name: str = "r1", **changes: Any) -> wire.BankReturn:
    fields: dict[str, Any] = {"amount": Money(100, "BRL"), "status": "DEVOLVIDO", "nature": "ORIGINAL", "settled_at": AT}
    return wire.BankReturn(name, **fields | changes)


@pytest.mark.parametrize(
    ("nature", "told"),
    [
        ("MED_FRAUDE", "MED_FRAUDE"), ("MED_OPERACIONAL", "MED_OPERACIONAL"), ("MED_PIX_AUTOMATICO", "MED_PIX_AUTOMATICO"),
        ("ORIGINAL", "CONSOLE"), ("RETIRADA", "CONSOLE"), (None, "CONSOLE"), ("NEW", "CONSOLE"),
    ],
)  # fmt: skip
def test_a_return_that_is_not_ours_was_taken(nature: str | None, told: str) -> None:
    (taken,) = taken_of(PAYMENT, [returned(nature=nature)], frozenset())
    assert taken == TakenReturn(NAME, f"{NAME}:r1", Money(100, "BRL"), told, AT, "t" * 32)


@pytest.mark.parametrize("nature", ["ORIGINAL", "MED_FRAUDE", None])
def test_a_return_of_ours_was_not_whatever_it_is_called(nature: str | None) -> None:
    assert taken_of(PAYMENT, [returned(nature=nature)], frozenset({"r1"})) == ()


@pytest.mark.parametrize("status", ["EM_PROCESSAMENTO", "NAO_REALIZADO"])
def test_a_return_that_has_not_settled_took_nothing(status: str) -> None:
    assert taken_of(PAYMENT, [returned(status=status, settled_at=None)], frozenset()) == ()


def test_the_same_id_at_another_payment_is_another_taking() -> None:
    other = wire.BankPayment("E" + "2" * 31, Money(1000, "BRL"), AT)
    found = [taken_of(one, [returned(), returned("r2")], frozenset({"r2"})) for one in (PAYMENT, other)]
    assert len({one.taking_id for taken in found for one in taken}) == 2


def orphan(now: datetime = AT + timedelta(minutes=20), number: int = 7, **changes: Any) -> bool:
    said = {"txid": TXID, "status": "ATIVA", "calendario": {"criacao": "2026-11-23T13:00:00Z", "expiracao": 3600}}
    return is_orphan(wire.charge(msgspec.json.encode(said | changes)), number, "utc", now)


def test_a_charge_without_an_order_is_an_orphan() -> None:
    assert orphan()


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "CONCLUIDA"}, {"status": "REMOVIDA_PELO_PSP"}, {"status": None}, {"txid": None}, {"txid": TXID[:31]},
        {"txid": "00007" + "0" * 24 + "123"}, {"txid": "00007" + "a1" * 13 + "b"}, {"txid": "00007" + "A1" * 13 + "B"},
        {"txid": "00008" + TXID[5:]}, {"txid": TXID + "abc"}, {"pix": [{}]}, {"calendario": None},
        {"calendario": {"criacao": "?", "expiracao": 3600}}, {"calendario": {"criacao": "2026-11-23T13:00:00Z"}},
    ],
)  # fmt: skip
def test_a_charge_that_may_be_anothers_or_is_over_is_left_alone(changes: dict[str, Any]) -> None:
    """Txids of an ERP that begin with our number: padded numbers, UUIDs in either case."""
    assert not orphan(**changes)


@pytest.mark.parametrize("minutes", [14, 61])
def test_a_charge_whose_order_is_being_written_or_that_nobody_can_pay_is_left_alone(minutes: int) -> None:
    assert not orphan(now=AT + timedelta(minutes=minutes))


def test_a_charge_of_another_company_is_left_alone() -> None:
    assert not orphan(number=8)


@pytest.mark.parametrize(
    ("now", "night"),
    [
        ("2026-11-23T04:59:59Z", "2026-11-22T05:00:00Z"), ("2026-11-23T05:00:00Z", "2026-11-23T05:00:00Z"),
        ("2026-11-23T23:59:59Z", "2026-11-23T05:00:00Z"), ("2026-11-24T02:59:59Z", "2026-11-23T05:00:00Z"),
        ("2026-11-24T03:00:00Z", "2026-11-23T05:00:00Z"),
    ],
)  # fmt: skip
def test_a_night_begins_at_two_in_brasilia(now: str, night: str) -> None:
    assert night_of(datetime.fromisoformat(now)) == datetime.fromisoformat(night)
