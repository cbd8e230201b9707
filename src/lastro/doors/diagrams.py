"""The state diagrams of docs/states, drawn from the transition tables of the code. A test says when they are out of date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lastro.base.machine import NOT_THERE
from lastro.doors.wiring import MACHINES
from lastro.webhooks.states import CIRCUITS, DELIVERIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.base.machine import Machine

FOLDER = Path(__file__).parents[3] / "docs" / "states"  # of a checkout; an install has no docs
# These keep no history, so the law of allowed moves does not know them; people want to see them all the same.
DRAWN = (*MACHINES, DELIVERIES, CIRCUITS)


def page(machine: Machine) -> str:
    """One object's diagram, and the same as a table."""
    ends = [state for state in machine.states() if not any(before == state for before, _ in machine.moves)]
    arrows = [f"  {before or '[*]'} --> {after}: {trigger}" for (before, trigger), after in machine.moves.items()]
    arrows += [f"  {state} --> [*]" for state in ends]
    rows = [
        f"| {'(not there)' if before == NOT_THERE else before} | {trigger} | {after} |"
        for (before, trigger), after in machine.moves.items()
    ]
    lines = [
        f"# {machine.name}",
        "",
        f"The states of `{machine.name}.{machine.state_column}`. Drawn from the code: any other move is impossible.",
        "",
        "```mermaid",
        "stateDiagram-v2",
        *arrows,
        "```",
        "",
        "| from | trigger | to |",
        "|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def pages(machines: Iterable[Machine] = DRAWN) -> dict[str, str]:
    """File name → text."""
    return {f"{machine.name}.md": page(machine) for machine in machines}


def write(folder: Path = FOLDER) -> None:
    """Draws every page anew and removes those whose object is gone."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = pages()
    for old in folder.glob("*.md"):
        if old.name not in drawn:
            old.unlink()
    for name, text in drawn.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
