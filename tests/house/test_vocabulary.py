"""Words of our own that have left the code stay away, and no class name stands for more than three things."""

import ast
import io
import tokenize
from collections import Counter, defaultdict

from .tree import SRC

# The field calls these otherwise (architecture.md §9).
GONE = {
    "_Desk", "Desk", "Door", "Glance", "glance", "Known", "Viewer", "viewer", "Premises",
    "premises", "House", "house", "Outlook", "outlook", "Asker", "asker", "Crowd", "Tie",
    "Tied", "step_aside", "OVERTAKEN", "aside", "Trail", "Crew", "Lane", "LeasedLane", "Annex",
    "annex", "Deed", "deed", "Located", "located", "Declined", "Notice", "NOTICES", "Story",
    "became", "ring_all", "unheard", "knock", "beyond", "recall",
}  # fmt: skip
MOST_MODULES = 3


def test_words_of_our_own_only_leave() -> None:
    found: Counter[str] = Counter()
    for path in (SRC / "lastro").rglob("*.py"):
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
            if token.type == tokenize.NAME and token.string in GONE:
                found[token.string] += 1
    assert not found, "use the field's word"


def test_a_class_name_stands_for_three_things_at_most() -> None:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in SRC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(path.relative_to(SRC).as_posix())
    assert not {name: sorted(at) for name, at in found.items() if len(at) > MOST_MODULES}
