"""The shared parts of a company's pages: session, terms, JSON for people."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from lastro.console import shell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.http import Response
    from lastro.console.shell import User
    from lastro.core.db import Lent

MASK = "\N{BULLET}" * 8
# Fields that nobody has to see again: each that opens or pays something, wherever it stands, and a card's own. 3-D Secure
# has the page where the payer proves itself, and the cryptogram that says it did. Names in small letters, without `_`.
_SECRET = frozenset({
    "token", "accesstoken", "cardtoken", "secret", "clientsecret", "password", "cvv", "authorization", "cryptogram",
    "authenticationvalue",
    "challengeurl", "challengeaccesstoken", "threedstoken",
})  # fmt: skip
_OF_CARDS = frozenset({"number", "code", "pan"})


def session_of(user: User) -> Lent:
    """Returns a session of the page's company."""
    return user.console_context.app_context.database.session(company_of(user))


def company_of(user: User) -> UUID:
    """Returns the page's company: its page declares that it needs one."""
    assert user.company_id is not None, "the page says that it needs a company"
    return user.company_id


def render(user: User, template: str, here: str, *, status: int = 200, **told: Any) -> Response:
    """Renders a page of a company, with its place in the menu."""
    return shell.render(user, template, status=status, here=here, **told)


def why(said: Any) -> list[tuple[str, str, str]]:
    """Returns an answer's problems: field, issue and sentence of each."""
    told = said if isinstance(said, dict) else {}
    found = [(one.get("field", ""), one.get("issue", ""), one.get("description", "")) for one in told.get("details", ())]
    return found or [("", "", told.get("message", ""))]


def sure(
    user: User, here: str, *, title: str, about: str, to: str, back: str, told: Sequence[tuple[str, str]] = (),
    **more: Any,
) -> Response:  # fmt: skip
    """Shows the page before an irreversible act without an object's page.

    to: where its form is sent. told: names and texts of the act's object. more: kept, what its form carries along; choice,
    legend, choices: one of several, of which none is chosen before.
    """
    given = {"kept": (), "choice": "", "legend": "", "choices": (), **more}
    return render(user, "sure.html", here, title=title, about=about, to=to, back=back, told=told, **given)


class _Number(str):
    """A number of a message, in the digits of the message."""

    __slots__ = ()


def pretty(value: Any, before: str = "") -> str:
    """Returns an answer as indented JSON, its numbers in their original digits.

    before: what its further lines begin with.
    """
    inside = before + "  "
    if isinstance(value, dict) and value:
        lines = [f"{inside}{_word(name)}: {pretty(one, inside)}" for name, one in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{before}}}"
    if isinstance(value, list | tuple) and value:
        return "[\n" + ",\n".join(inside + pretty(one, inside) for one in value) + f"\n{before}]"
    return str(value) if isinstance(value, _Number | Decimal) else _word(value)


def _word(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def told(body: bytes) -> str:
    """Formats a message's bytes: JSON indented and masked, other text, or hex. Masked is what opens or pays something."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return body.hex(" ", 4)
    try:
        return pretty(_masked(json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_Number)))
    except RecursionError:
        return MASK  # too deep to find secrets in
    except ValueError:
        pass
    return text if all(one.isprintable() or one in "\r\n\t" for one in text) else body.hex(" ", 4)


def _masked(value: Any, *, in_card: bool = False) -> Any:
    """Returns the value without secrets. in_card: it stands below a card."""
    if isinstance(value, list):
        return [_masked(one, in_card=in_card) for one in value]
    if not isinstance(value, dict):
        return value
    hidden = _SECRET | _OF_CARDS if in_card else _SECRET
    return {
        name: MASK
        if name.lower().replace("_", "") in hidden and not isinstance(inner, dict)
        else _masked(inner, in_card=in_card or name == "card")
        for name, inner in value.items()
    }
