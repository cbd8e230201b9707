"""`make docs`: writes the generated pages of the guide, for reading without a running lastro."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lastro.accounts import Institution
from lastro.app import generated_docs, wiring
from lastro.orders import Installation

if TYPE_CHECKING:
    from lastro.api_kit.routes import Route


class _OnPaper:
    """An installation for the description of operations, which never serves them. Only its place is used."""

    place = Installation(Institution("00000000", "Lastro", "0001"), "https://lastro.example", sandbox=False)

    def __getattr__(self, name: str) -> None:
        return None


def routes() -> tuple[Route, ...]:
    """Returns every operation behind a token, for no installation in particular."""
    return wiring.routes(cast("wiring.AppContext", _OnPaper()))


def write(folder: Path) -> None:
    """Writes every page below a folder."""
    for path, text in generated_docs.pages(routes()).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
