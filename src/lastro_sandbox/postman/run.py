"""The order in which the collection is played, as run.toml has it: chapters of steps, each one operation of the document."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Preparation:
    """A request that a script makes before a step's own. until: what of `body` it waits for, in JavaScript.

    keep: variables, each with what of `body` it is, in JavaScript.
    """

    method: str
    url: str
    body: Any = None
    until: str = ""
    keep: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One operation. path, query, body: values by name; of a body by dotted path, in the document's example.

    sends: the whole body in place of the example. file: the text parts beside a file. keep: as of an act. sets: variables
    that are made before, in JavaScript. first: what has to happen before.
    """

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    sends: Any = None
    file: Mapping[str, str] | None = None
    keep: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    first: tuple[Preparation, ...] = ()

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Reads a step of the file."""
        return cls(**{**told, "first": tuple(Preparation(**act) for act in told.get("first", ()))})


@dataclass(frozen=True)
class Chapter:
    """A folder of the collection."""

    name: str
    description: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Run:
    """The whole order. by_hand: operations that it leaves out, each with why."""

    chapters: tuple[Chapter, ...]
    by_hand: Mapping[str, str]

    @classmethod
    def read(cls, file: Path) -> Self:
        """Reads the file."""
        told = tomllib.loads(file.read_text(encoding="utf-8"))
        chapters = (Chapter(one["name"], one["description"], tuple(map(Step.of, one["steps"]))) for one in told["chapters"])
        return cls(tuple(chapters), told["by_hand"])


RUN: Final = Run.read(Path(__file__).with_name("run.toml"))
