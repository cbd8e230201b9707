"""Media types of bodies and answers, and the headers of a download."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from lastro.core.db import Database

    # The parts of an answer that is too long to be held: read one after the other, while they are sent.
    More = Callable[[Database], AsyncGenerator[bytes, None]]

JSON = "application/json"
PDF = "application/pdf"
CSV = "text/csv"

_PLAIN = re.compile(r"[^A-Za-z0-9._ -]")
_ATTRIBUTE = "!#$&+-.^_`|~"  # allowed unescaped, beside letters and digits: RFC 8187 §3.2.1


@dataclass(frozen=True, slots=True)
class Media:
    """A media type of a body or an answer, besides JSON.

    An operation may have it instead of JSON too. name: type and subtype, without parameters. example: such an answer as
    text; None for bytes. schema: JSON Schema of a body that has parts, such as a form's.
    """

    name: str
    example: str | None = None
    schema: Mapping[str, Any] | None = None


def saved_as(name: str) -> tuple[str, str]:
    """Returns the header that names a download (RFC 6266 §4). name: of the file, in any letters."""
    plain = _PLAIN.sub("_", name)
    more = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe=_ATTRIBUTE)}"
    return "content-disposition", f'attachment; filename="{plain}"{more}'
