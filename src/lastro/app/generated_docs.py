"""The pages of docs/ that are made of the code; a running lastro serves them, no tree holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.app import diagrams, errors_page, refusals_page
from lastro.config import table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lastro.api_kit.routes import Route


def pages(routes: Iterable[Route]) -> dict[str, str]:
    """Returns the pages: path below docs/ → Markdown. routes: for their errors."""
    return {
        "errors.md": errors_page.page(routes),
        "refusals.md": refusals_page.page(),
        "settings.md": table.page("en"),
        "settings.pt.md": table.page("pt"),
        **{f"states/{name}": text for name, text in diagrams.pages().items()},
    }
