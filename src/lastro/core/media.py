"""What kinds of bytes answers are made of: JSON unless an operation says more, and how a client is told to save a file."""

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
_ATTRIBUTE = "!#$&+-.^_`|~"  # what may stand as it is beside letters and digits: RFC 8187 §3.2.1


@dataclass(frozen=True, slots=True)
class Media:
    """A media type that a body or an answer may have beside JSON, or in place of it.

    name: type and subtype, without parameters. example: such an answer, where it is text; None where it is bytes. schema:
    JSON Schema of what has parts, such as a form's.
    """

    name: str
    example: str | None = None
    schema: Mapping[str, Any] | None = None


def saved_as(name: str) -> tuple[str, str]:
    """The header that makes a file of an answer (RFC 6266 §4). name: of the file, in any letters."""
    plain = _PLAIN.sub("_", name)
    more = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe=_ATTRIBUTE)}"
    return "content-disposition", f'attachment; filename="{plain}"{more}'
