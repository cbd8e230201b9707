"""The state diagrams of docs/states and of the guides, drawn from the transition tables of the code.

A guide has one between `<!-- drawn: NAME -->` and `<!-- end -->`. A test says when one is out of date.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lastro.core.machine import NOT_THERE
from lastro.ops.machines import MACHINES
from lastro.webhooks.states import CIRCUITS, DELIVERIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.core.machine import Machine

FOLDER = Path(__file__).parents[3] / "docs" / "states"  # of a checkout; an install has no docs
GUIDES = FOLDER.parent / "guides"
_PLACE = re.compile(r"(?<=<!-- drawn: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
# These keep no history, so the law of allowed moves does not know them; people want to see them all the same.
DRAWN = (*MACHINES, DELIVERIES, CIRCUITS)


def diagram(machine: Machine) -> list[str]:
    """The lines of its picture, in Mermaid's words."""
    ends = [state for state in machine.states() if not any(before == state for before, _ in machine.moves)]
    arrows = [f"  {before or '[*]'} --> {after}: {trigger}" for (before, trigger), after in machine.moves.items()]
    arrows += [f"  {state} --> [*]" for state in ends]
    return ["```mermaid", "stateDiagram-v2", *arrows, "```"]


def page(machine: Machine) -> str:
    """One object's diagram, and the same as a table."""
    rows = [
        f"| {'(not there)' if before == NOT_THERE else before} | {trigger} | {after} |"
        for (before, trigger), after in machine.moves.items()
    ]
    lines = [
        f"# {machine.name}",
        "",
        f"The states of `{machine.name}.{machine.state_column}`. Drawn from the code: any other move is impossible.",
        "",
        *diagram(machine),
        "",
        "| from | trigger | to |",
        "|---|---|---|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def with_diagrams(text: str) -> str:
    """A guide's text with each of its diagrams as the code has it now. KeyError: no object has the name."""
    machines = {machine.name: machine for machine in DRAWN}

    def drawn(place: re.Match[str]) -> str:
        lines = "\n".join(diagram(machines[place[1]]))
        return f"{place[1]}{place[2]}{lines}\n"

    return _PLACE.sub(drawn, text)


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
    for guide in GUIDES.glob("*.md"):
        text = guide.read_text(encoding="utf-8")
        if (fresh := with_diagrams(text)) != text:
            guide.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    write()
