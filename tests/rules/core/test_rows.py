"""A value is made of a row by its fields: names, amounts, arrays and what is made of the whole row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lastro.core.money import Money
from lastro.core.rows import RowMapper


@dataclass(frozen=True)
class Thing:
    id: int
    state: str
    amount: Money
    fee: Money | None
    names: tuple[str, ...]
    kind: str = ""


ROW: Any = {
    "id": 7, "status": "PAID", "amount_minor": 150, "cost": None, "names": ["a", "b"], "kind": "x", "currency": "MXN", "more": 1,
}  # fmt: skip


def test_a_field_is_the_column_of_its_name() -> None:
    mapper = RowMapper(Thing, columns={"fee": "cost"})
    assert mapper.of(ROW) == Thing(7, "PAID", Money(150, "MXN"), None, ("a", "b"), "x")
    assert mapper.of(ROW | {"cost": 3}).fee == Money(3, "MXN")
    assert mapper.select == "id, status, amount_minor, currency, cost, names, kind"


def test_what_no_column_holds_is_made_of_the_row() -> None:
    mapper = RowMapper(
        Thing, columns={"state": "kind", "fee": "cost"}, currency="BRL", parts={"kind": lambda row: row["status"]}
    )
    assert mapper.of(ROW) == Thing(7, "x", Money(150, "BRL"), None, ("a", "b"), "PAID")
    assert mapper.select == "id, kind, amount_minor, cost, names"
