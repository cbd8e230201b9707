"""What an example is made of: a request beside its route, and which object it names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec


@dataclass(frozen=True)
class Ask:
    """What a request says besides its route. form: a body that is no JSON, whose content-type media then is."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    form: bytes | None = None
    media: str = "application/json"

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        if self.form is not None:
            return self.form
        return b"" if self.body is None else msgspec.json.encode(self.body)


@dataclass(frozen=True)
class Example:
    """A good request of one operation. kind: of the object it names, None when it names none; ask: the request, by its id."""

    kind: str | None
    ask: Callable[[str], Ask]
