"""Frozen dataclasses made of rows: a field is a column."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lastro.core.money import Money

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from asyncpg import Record

    from lastro.core.db import Part

T = TypeVar("T")
_MONEY = ("Money", "Money | None")


class RowMapper(Generic[T]):
    """Maps rows to values by one generated function, as dataclasses generate theirs.

    A field is the column of its name, Money `x` is `x_minor`, `state` is `status`; an array becomes a tuple if the field is
    one. columns: the column of a field that is called otherwise. currency: of every amount; None: the row's. parts:
    functions that make a field of the whole row.
    """

    of: Callable[[Record | Part], T]
    """The value of a row."""
    select: str
    """The columns, as a SELECT lists them."""

    def __init__(
        self, made: Callable[..., T], *, columns: Mapping[str, str] | None = None, currency: str | None = None,
        parts: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:  # fmt: skip
        names = {"state": "status"} | dict(columns or {})
        parts, taken, arguments = parts or {}, [], []
        money_in = 'row["currency"]' if currency is None else repr(currency)
        for field in fields(made):  # type: ignore[arg-type] # a class is called, too
            if field.name in parts:
                arguments.append(f"{field.name}(row)")
                continue
            is_money = field.type in _MONEY
            column = names.get(field.name, f"{field.name}_minor" if is_money else field.name)
            taken.append(column)
            cell = f'row["{column}"]'
            if is_money:
                cell = f"Money({cell}, {money_in})" if field.type == "Money" else (
                    f"None if {cell} is None else Money({cell}, {money_in})"
                )  # fmt: skip
                taken += ["currency"] if currency is None and "currency" not in taken else []
            arguments.append(f"tuple({cell})" if str(field.type).startswith("tuple[") else cell)
        source = f"lambda row: made({', '.join(arguments)})"
        self.of = eval(source, {"Money": Money, "made": made, **parts})  # noqa: S307 names of fields and columns of ours
        self.select = ", ".join(taken)
