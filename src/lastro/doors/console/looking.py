"""What the pages of a company share: its session, their words, and an answer's JSON as people read it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.doors.console import shell
from lastro.doors.console.terms import Terms

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.base.db import Lent
    from lastro.doors.console.shell import Viewer
    from lastro.doors.http import Response

MASK = "\N{BULLET}" * 8
# What nobody has to see again: what opens or pays something, wherever it stands, and what is a card's own.
_SECRET = frozenset({"token", "cardToken", "card_token", "secret", "password", "cvv", "authorization"})
_OF_CARDS = frozenset({"number", "code", "pan"})


def session_of(viewer: Viewer) -> Lent:
    """A session of the company that is looked at."""
    return viewer.premises.house.database.session(company_of(viewer))


def company_of(viewer: Viewer) -> UUID:
    """The company that is looked at: a page that asks for it says that it needs one."""
    assert viewer.company_id is not None, "the page says that it needs a company"
    return viewer.company_id


def render(viewer: Viewer, template: str, here: str, *, status: int = 200, **told: Any) -> Response:
    """A page of these. Beside what the frame gives, a template has t: the terms."""
    return shell.render(viewer, template, status=status, here=here, t=Terms(viewer.language), **told)


def pretty(value: Any) -> str:
    """An answer as indented JSON, its amounts in the digits they came in."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else repr(value)


def told(body: bytes) -> str:
    """A message's bytes: JSON indented, with what opens or pays something masked; other text as it is, the rest in hex."""
    try:
        return pretty(_masked(msgspec.json.decode(body)))
    except msgspec.DecodeError:
        pass
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return body.hex(" ", 4)
    return text if all(one.isprintable() or one in "\r\n\t" for one in text) else body.hex(" ", 4)


def _masked(value: Any, *, in_card: bool = False) -> Any:
    """The same without secrets. in_card: it stands below a card."""
    if isinstance(value, list):
        return [_masked(one, in_card=in_card) for one in value]
    if not isinstance(value, dict):
        return value
    hidden = _SECRET | _OF_CARDS if in_card else _SECRET
    return {
        name: MASK if name in hidden and not isinstance(inner, dict) else _masked(inner, in_card=in_card or name == "card")
        for name, inner in value.items()
    }
