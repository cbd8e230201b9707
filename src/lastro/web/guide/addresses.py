"""The addresses in the guide: where this server is reached, in place of those that the files say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lastro.web.guide.shelf import Leaf, Shelf

# Those of a sandbox on the reader's own machine, as the files have them.
_API: Final = ("127.0.0.1:8080", "localhost:8080")
_SIMULATOR: Final = ("127.0.0.1:8090", "localhost:8090")
_HTTP: Final = "http://"
# Pages of the guides alone: what the operator's say of ports is about the machine itself.
_GUIDES: Final = "guides"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of the API and of the simulator: settings, never of a request. simulator: empty but in a sandbox."""

    api: str
    simulator: str = ""

    def on(self, shelf: Shelf) -> Shelf:
        """Returns the guide with these addresses. In production it is as it was: it tells of a sandbox of the reader's."""
        if not self.simulator:
            return shelf
        return Shelf(tuple((word, tuple(map(self._on, leaves))) for word, leaves in shelf.groups), shelf.files)

    def _on(self, leaf: Leaf) -> Leaf:
        if leaf.path.parts[0] != _GUIDES:
            return leaf
        portuguese = None if leaf.portuguese is None else self.within(leaf.portuguese)
        return Leaf(leaf.name, leaf.path, leaf.title, self.within(leaf.text), portuguese)

    def within(self, text: str) -> str:
        """Returns a text with these addresses in place of the usual ones."""
        for names, ours in ((_API, self.api), (_SIMULATOR, self.simulator)):
            bare = ours.partition("://")[2]
            for usual in names:
                text = text.replace(_HTTP + usual, ours).replace(usual, bare)
        return text
