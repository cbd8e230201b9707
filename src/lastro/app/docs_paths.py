"""The paths of the docs: the reference, the guide, and the search over both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lastro.web import openapi
from lastro.web.guide import Addresses, Guide
from lastro.web.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.api_kit.http import Answer


def docs_paths(
    urls: tuple[str, str],
    document: Callable[[], Mapping[str, Any]],
    generated: Callable[[], Mapping[str, str]],
    tried_at: str,
    collect: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> dict[str, Mapping[str, Answer]]:
    """Returns their handlers. Others: as `Reference` has them.

    urls: of this lastro, and of a sandbox's simulator or empty. generated: pages made of the code.
    """
    reference, guide = openapi.Reference(document, tried_at, collect), Guide(Addresses(*urls), generated)
    search = Search((guide.sections, reference.sections))
    return {**reference.paths(), **guide.paths(), **search.paths()}
