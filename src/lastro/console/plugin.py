"""A plugin of the console: another package's pages, menu places, texts, templates, files.

The console imports no plugin. The API process hands over what it was given (`app/api_process.py`), which is the sandbox's
(`lastro_sandbox/consoled.py`); a production install lacks that package, and so has none of its paths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lastro.api_kit.catalogue import Texts
    from lastro.console.shell import Page
    from lastro.people import Role


@dataclass(frozen=True)
class Plugin:
    """Further pages, which go through the console's own frame: session, forms, roles.

    pages: none whose method and path the console has. navigation: a page's path, its word, and whom it is shown to, as
    `pages.NAVIGATION` has them. texts: for `say` and the menu, none of the console's names.
    templates: folders, looked through after the console's own, so that one of theirs may extend `base.html`. files: styles
    and pictures, served below `/console/static/` by their names.
    """

    pages: Sequence[Page] = ()
    navigation: Sequence[tuple[str, str, Role]] = ()
    texts: Texts = field(default_factory=dict)
    templates: Sequence[Path] = ()
    files: Sequence[Path] = ()

    def __add__(self, other: Plugin) -> Plugin:
        """Joins both plugins, this one first."""
        return Plugin(
            (*self.pages, *other.pages), (*self.navigation, *other.navigation), {**self.texts, **other.texts},
            (*self.templates, *other.templates), (*self.files, *other.files),
        )  # fmt: skip
