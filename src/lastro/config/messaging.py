"""Settings of e-mail and SMS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from lastro.config.partners import Partner
from lastro.rails.mail import MailServer

if TYPE_CHECKING:
    from lastro.config.given import Given

_SENDER = re.compile(r"[^@\s<>]{1,64}@[a-z0-9.-]{1,255}", re.IGNORECASE)


class Messaging(NamedTuple):
    """Reaches people by e-mail and SMS.

    mail None: the simulated server in a sandbox, no e-mail elsewhere. sms: the gateway, if there is one. reached: the types
    of keys to whose holders a code can be sent. language: of the messages.
    """

    mail: MailServer | None
    sms: Partner | None
    reached: frozenset[str]
    language: str


def messaging(given: Given) -> Messaging:
    """Reads the settings of e-mail and SMS. A sandbox without a mail server hands its letters to the simulated network."""
    mail, url = _mail(given), given.address("LASTRO_SMS_URL")
    sms = Partner(url, given.secret("LASTRO_SMS_TOKEN", needed=not given.is_sandbox)) if url else None
    has = {"EMAIL": given.is_sandbox or mail is not None, "PHONE": sms is not None}
    reached = frozenset(kind for kind, is_there in has.items() if is_there)
    return Messaging(mail, sms, reached, given.word("LASTRO_MESSAGE_LANGUAGE"))


def _mail(given: Given) -> MailServer | None:
    host = given.maybe("LASTRO_SMTP_HOST")
    if host is None:
        return None
    tls = given.word("LASTRO_SMTP_TLS")
    if tls == "none" and not given.is_sandbox:
        given.problems.append("LASTRO_SMTP_TLS must be starttls or tls outside the sandbox.")
    port = given.maybe_whole("LASTRO_SMTP_PORT") or (465 if tls == "tls" else 587)
    sender = given.text("LASTRO_SMTP_FROM")
    if _SENDER.fullmatch(sender) is None:
        given.problems.append(f"LASTRO_SMTP_FROM must be the address that letters come from, not {sender!r}.")
    user = given.maybe("LASTRO_SMTP_USER")
    password = None if user is None else given.secret("LASTRO_SMTP_PASSWORD", needed=True)
    return MailServer(host, port, cast("Literal['tls', 'starttls', 'none']", tls), sender, user, password)
