"""Parts of the clients' examples in the guides: each block of code that names a part is that part of the file.

A block begins with ```` ```python examples/payout.py#payout ````: the lines between `# part payout` and
`# end of payout` of clients/python/examples/payout.py. Beside the guides stand the whole programs, in docs/examples: what
imports a part needs, and how its client is made, is there.
"""

from __future__ import annotations

import re
import textwrap
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# The folder of each language's examples.
CLIENTS = {"python": "clients/python", "ts": "clients/typescript"}
# Where a reader of the docs finds them whole.
PROGRAMS = {"python": "docs/examples/python", "ts": "docs/examples/typescript"}
_MARK = re.compile(r"^[ \t]*(?:#|//) (?:part|end of) [\w-]+\n", re.MULTILINE)
BLOCK = re.compile(r"^```(python|ts) (examples/[\w.]+)#([\w-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def part_of(text: str, name: str) -> str:
    """Returns a part of an example, without what it is indented by. LookupError: there is none, or several."""
    found = re.findall(rf"^\s*(?:#|//) part {name}\n(.*?)^\s*(?:#|//) end of {name}$", text, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        raise LookupError(f"{len(found)} parts {name}")
    return textwrap.dedent(found[0]).strip("\n") + "\n"


def filled(text: str, root: Path) -> str:
    """Returns a page with each block as its example has it."""
    return BLOCK.sub(partial(_block, root), text)


def _block(root: Path, found: re.Match[str]) -> str:
    language, file, name = found[1], found[2], found[3]
    example = (root / CLIENTS[language] / file).read_text(encoding="utf-8")
    return f"```{language} {file}#{name}\n{part_of(example, name).replace('  # fmt: skip', '')}```"


def programs(root: Path) -> dict[Path, str]:
    """Returns each example as a program to copy, by its path: without marks, and with the client as it is installed."""
    return {
        root / PROGRAMS[language] / path.name: _MARK.sub("", path.read_text(encoding="utf-8")).replace(
            '"../src/index.js"', '"@lastro/client"'
        )
        for language, folder in CLIENTS.items()
        for path in sorted((root / folder / "examples").glob("*.py" if language == "python" else "*.ts"))
    }


def write(root: Path) -> None:
    """Writes every guide anew, and the programs beside them."""
    for path, text in programs(root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in sorted((root / "docs" / "guides").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        path.write_text(filled(text, root), encoding="utf-8")
