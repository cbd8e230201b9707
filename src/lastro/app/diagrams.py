"""The guide's state diagrams, drawn from the transition tables of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.machine import NOT_THERE
from lastro.ops.machines import MACHINES
from lastro.webhooks.states import CIRCUITS, DELIVERIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.core.machine import Machine

# These keep no history, so the law of allowed moves does not know them; people want to see them all the same.
DRAWN = (*MACHINES, DELIVERIES, CIRCUITS)


def diagram(machine: Machine) -> list[str]:
    """Returns the lines of a machine's diagram, in Mermaid's words."""
    ends = [state for state in machine.states() if not any(before == state for before, _ in machine.moves)]
    arrows = [f"  {before or '[*]'} --> {after}: {trigger}" for (before, trigger), after in machine.moves.items()]
    arrows += [f"  {state} --> [*]" for state in ends]
    return ["```mermaid", "stateDiagram-v2", *arrows, "```"]


def page(machine: Machine) -> str:
    """Returns one object's diagram, and the same as a table."""
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


def pages(machines: Iterable[Machine] = DRAWN) -> dict[str, str]:
    """Returns the pages: file name → text."""
    return {f"{machine.name}.md": page(machine) for machine in machines}
