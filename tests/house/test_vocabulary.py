"""Words of our own that have left the code stay away, and no class name stands for more than three things."""

import ast
import io
import re
import tokenize
from collections import Counter, defaultdict

from .tree import PRODUCT, definitions, modules

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
    gone = re.compile(rf"\b({'|'.join(GONE)})\b")
    for module in PRODUCT:
        if gone.search(module.text):  # most have none, not even in a comment
            tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
            found.update(one.string for one in tokens if one.type == tokenize.NAME and one.string in GONE)
    assert not found, "use the field's word"


def test_a_class_name_stands_for_three_things_at_most() -> None:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules("src"):
        for node in definitions(module.tree.body):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(module.name)
    assert not {name: sorted(at) for name, at in found.items() if len(at) > MOST_MODULES}
