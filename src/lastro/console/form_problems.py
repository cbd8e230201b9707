"""The problems of a form, each beside the input that has it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_INDEX: Final = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One problem. field, issue, sentence: as the interface says them, but a field with an input has that one's name.

    input: the element's id; empty: no input has it.
    """

    field: str
    issue: str
    sentence: str
    input: str = ""


@dataclass(frozen=True, slots=True)
class FormProblems:
    """The problems of a form, in the order of its inputs."""

    found: tuple[FieldProblem, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.found)

    def of(self, element: str) -> list[FieldProblem]:
        """Returns the problems of one input, by its element's id."""
        return [one for one in self.found if one.input == element]

    @property
    def first(self) -> str:
        """The element's id of the first input with a problem; empty: no input has one."""
        return next((one.input for one in self.found if one.input), "")


NONE: Final = FormProblems()


def above(path: str) -> list[str]:
    """Returns a path and its containers, nearest first.

    Of `order.amount.value`: the path itself, `value`, `order.amount`, `amount`, `order`.
    """
    parts = _INDEX.sub("", path).split(".")
    found = [path]
    for count in range(len(parts), 0, -1):
        found += [".".join(parts[:count]), parts[count - 1]]
    return found


def elements(prefix: str, *names: str) -> dict[str, str]:
    """Returns the element's id of each input, by the field's name."""
    return {name: prefix + name for name in names}


def placed(found: Iterable[tuple[str, str, str]], inputs: Mapping[str, str]) -> FormProblems:
    """Places problems beside their inputs. inputs: elements by a field's name or path, in the page's order."""
    order = {element: place for place, element in enumerate(dict.fromkeys(inputs.values()))}
    made = []
    for field, issue, sentence in found:
        name = next((one for one in above(field) if one in inputs), None)
        made.append(FieldProblem(field if name is None else name, issue, sentence, "" if name is None else inputs[name]))
    return FormProblems(tuple(sorted(made, key=lambda one: order.get(one.input, -1))))
