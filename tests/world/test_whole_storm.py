"""One short storm of the whole world, always the same; `make storm` blows as many others as anybody likes."""

import ast
import asyncio
from pathlib import Path

from tests.journeys.servers import on_cluster
from tests.world.storms import place, told
from tests.world.whole.crowd import OPERATIONS
from tests.world.whole.town import built
from tests.world.whole_storm import Report, storm_over

SEED, ACTS = 7, 10
# Operations that no storm asks for, each with its reason.
LEFT_OUT = {
    "step_clock": "the clock of a storm jumps where it is kept, since there may be no API to ask at that moment",
    **dict.fromkeys(
        ("create_order_elsewhere", "list_orders_elsewhere", "read_order_elsewhere", "cancel_order_elsewhere"),
        "the same at the path of a later version",
    ),
    "read_foreign_payment": "no company of a storm has a bank of its own, so none is found",
    **dict.fromkeys(
        ("ring_bank_webhook", "ring_bank_webhook_bare", "ring_bank_recurrences", "ring_bank_charges"),
        "the bank of tests/world/bank rings it",
    ),
    **dict.fromkeys(("search_docs", "read_docs_page"), "they read documents in memory, and no database"),
    "read_terms_file": "a file that is the same for all",
    "create_card_token": "it asks the acquirer as an order by card does, and moves no money",
}
_ASKS = {"read", "write", "Request", "_target"}


def asked_for() -> set[str]:
    """The operations that the source of the storms names where it asks."""
    found = set()
    for file in sorted(Path(__file__).with_name("whole").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in _ASKS and isinstance(node.args[0].value, str):
                    found.add(node.args[0].value)
    return found


def test_every_operation_is_in_a_storms_hand() -> None:
    """A new one belongs into tests/world/whole: what nobody does in a storm, nobody knows to survive one."""
    assert asked_for() == set(OPERATIONS) - set(LEFT_OUT)
    assert all(LEFT_OUT.values())


def test_the_whole_world_comes_to_rest() -> None:
    async def blow() -> Report:
        async with built(folder / "town", is_spread=on_cluster()) as town:
            return await storm_over(town, SEED, ACTS)

    with place() as folder:
        (folder / "town").mkdir(mode=0o711)
        report = asyncio.run(blow())
    assert not report.broken, told(report)
    assert report.faults
    assert report.kept > ACTS / 2, "most of what people did was done"
