"""How people are reached, as settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from lastro.config.partners import Partner, address, secret
from lastro.rails.mail import MailServer

if TYPE_CHECKING:
    from collections.abc import Mapping

_TLS = ("starttls", "tls", "none")
_LANGUAGES = ("pt", "en")
_SENDER = re.compile(r"[^@\s<>]{1,64}@[a-z0-9.-]{1,255}", re.IGNORECASE)


class Messaging(NamedTuple):
    """mail None: in a sandbox the simulated server, elsewhere nobody is reached by e-mail. sms: the gateway, where there is
    one. reached: the types of keys to whose holders a code can be sent. language: of what they are told.
    """

    mail: MailServer | None
    sms: Partner | None
    reached: frozenset[str]
    language: str


def messaging(given: Mapping[str, str], problems: list[str], simulated: Partner, *, sandbox: bool) -> Messaging:
    """LASTRO_SMTP_*, LASTRO_SMS_* and LASTRO_MESSAGE_LANGUAGE. simulated: who plays the gateway in a sandbox."""
    language = given.get("LASTRO_MESSAGE_LANGUAGE", "").strip() or "pt"
    if language not in _LANGUAGES:
        problems.append(f"LASTRO_MESSAGE_LANGUAGE must be pt or en, not {language!r}.")
        language = "pt"
    mail = _mail(given, problems, sandbox=sandbox)
    sms = _gateway(given, problems, simulated, sandbox=sandbox)
    reached = {kind for kind, has in (("EMAIL", sandbox or mail is not None), ("PHONE", sms is not None)) if has}
    return Messaging(mail, sms, frozenset(reached), language)


def _gateway(given: Mapping[str, str], problems: list[str], simulated: Partner, *, sandbox: bool) -> Partner | None:
    if not given.get("LASTRO_SMS_URL", "").strip():
        return simulated if sandbox else None
    url = address("LASTRO_SMS_URL", simulated.url, given, problems, sandbox=sandbox)
    token = secret("LASTRO_SMS_TOKEN", given, problems, needed=not sandbox)
    return Partner(url, token)


def _mail(given: Mapping[str, str], problems: list[str], *, sandbox: bool) -> MailServer | None:
    host = given.get("LASTRO_SMTP_HOST", "").strip()
    if not host:
        return None
    tls = given.get("LASTRO_SMTP_TLS", "").strip() or _TLS[0]
    if tls not in _TLS or (tls == "none" and not sandbox):
        problems.append(f"LASTRO_SMTP_TLS must be starttls or tls, not {tls!r}.")
        tls = _TLS[0]
    text = given.get("LASTRO_SMTP_PORT", "").strip() or ("465" if tls == "tls" else "587")
    if re.fullmatch(r"\d{1,5}", text, re.ASCII) is None or not 1 <= int(text) <= 65_535:
        problems.append(f"LASTRO_SMTP_PORT must be a port from 1 to 65535, not {text!r}.")
        text = "587"
    sender = given.get("LASTRO_SMTP_FROM", "").strip()
    if _SENDER.fullmatch(sender) is None:
        problems.append(f"LASTRO_SMTP_FROM must be the address that letters come from, not {sender!r}.")
    user = given.get("LASTRO_SMTP_USER", "").strip() or None
    password = None if user is None else secret("LASTRO_SMTP_PASSWORD", given, problems, needed=True)
    return MailServer(host, int(text), cast("Literal['tls', 'starttls', 'none']", tls), sender, user, password)
