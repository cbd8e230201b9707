"""E-mails, by SMTP."""

from __future__ import annotations

from dataclasses import dataclass
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from typing import TYPE_CHECKING, Literal

import aiosmtplib

from lastro.rails.port import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.core.secrets import Secret

TIMEOUT_SECONDS = 8.0  # of the whole dialogue, less than what a row is leased for
_FOR_GOOD = range(500, 600)  # RFC 5321 §4.2.1


@dataclass(frozen=True, slots=True)
class MailServer:
    """The SMTP server for outgoing mail.

    tls: from the first byte, after STARTTLS, or not at all. user None: without a login.
    """

    host: str
    port: int
    tls: Literal["tls", "starttls", "none"]
    sender: str
    user: str | None = None
    password: Secret | None = None


class Mail:
    """Carries e-mails. server: asked before each letter, since a simulated one moves when it starts anew."""

    def __init__(self, server: Callable[[], MailServer]) -> None:
        self._server = server

    async def carry(self, *, message_id: str, to: str, subject: str, text: str) -> None:
        """Hands in one letter. Permanent: the server refuses it, or its address, for good. Transient: it may be there."""
        server = self._server()
        letter = _letter(server.sender, message_id, to, subject, text)
        try:
            await aiosmtplib.send(
                letter, recipients=[to], hostname=server.host, port=server.port, timeout=TIMEOUT_SECONDS,
                use_tls=server.tls == "tls", start_tls=server.tls == "starttls",
                username=server.user, password=None if server.password is None else server.password.reveal(),
            )  # fmt: skip
        except aiosmtplib.SMTPRecipientsRefused as refused:
            codes = [one.code for one in refused.recipients]
            raise _refusal(codes[0] if codes else 0) from refused
        except aiosmtplib.SMTPAuthenticationError as refused:
            # Our own login is at fault, not the letter: the operator mends it, and the letter goes out then.
            raise Transient(f"the mail server refuses our login: {refused.code}") from None
        except aiosmtplib.SMTPResponseException as refused:
            raise _refusal(refused.code) from refused
        except (aiosmtplib.SMTPException, OSError, ValueError) as broken:
            raise Transient(f"{type(broken).__name__} at the mail server") from broken

    async def close(self) -> None:
        """Does nothing: every letter has a connection of its own."""


def _letter(sender: str, message_id: str, to: str, subject: str, text: str) -> EmailMessage:
    """Writes the letter. Permanent: it cannot be written, or its head would name another address than `to`.

    A head's reader undoes encoded words (RFC 2047) also in addresses, and parts them at commas.
    """
    letter = EmailMessage(policy=SMTP)
    try:
        letter["From"], letter["To"], letter["Subject"] = sender, to, subject
        letter["Message-ID"] = f"<{message_id}@{sender.rpartition('@')[2]}>"
        letter["Auto-Submitted"] = "auto-generated"  # RFC 3834: no automatic reply answers it
        letter.set_content(text)
        reached = [f"{one.username}@{one.domain}" for one in letter["To"].addresses]
    except (ValueError, LookupError, MessageError):
        raise Permanent("BAD_ADDRESS", "no letter can be written to this address") from None
    if reached != [to]:
        raise Permanent("BAD_ADDRESS", "the address means another one in a letter's head")
    return letter


def _refusal(code: int) -> Permanent | Transient:
    """Returns the error without the server's words. They may name the address."""
    said = f"SMTP{code}"
    return Permanent(said, "the mail server refuses") if code in _FOR_GOOD else Transient(f"{said} of the mail server")
