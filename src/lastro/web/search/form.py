"""The search box, which every page of the docs has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import jinja2
from markupsafe import Markup

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.web.search.index import LONGEST

if TYPE_CHECKING:
    from lastro.api_kit.catalogue import Texts

BASE: Final = "/docs/search"
TEXTS: Final[Texts] = read_texts(Path(__file__).with_name("texts.toml"))
JINJA: Final = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True,
    lstrip_blocks=True, undefined=jinja2.StrictUndefined,
)  # fmt: skip


def form(language: str, *, asked: bool = False, question: str = "") -> Markup:
    """Renders the box. asked: the address names the language, and that of the results shall name it too."""
    said = JINJA.get_template("form.html").render(
        say=Speech(language, TEXTS), base=BASE, language=language if asked else "", question=question, longest=LONGEST
    )
    return Markup(said)  # noqa: S704 the template has escaped it
