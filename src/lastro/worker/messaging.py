"""Codes on their way to people: orders of messages, worded and carried by e-mail or text message."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.keys import claim_by_id, validation_of
from lastro.rails import port
from lastro.rails.mail import Mail, MailServer
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import NetworkMessage, Pending, Permanent, Unknown
from lastro.rails.sms import Sms

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from lastro.config.settings import Settings
    from lastro.core.db import Database
    from lastro.keys import Codes
    from lastro.rails.port import Carrier, Keep

_TEXTS = read_texts(Path(__file__).with_name("texts.toml"))
_PORT_FILE = "mail-port"  # where the simulated mail server says on which port it listens


class Messages:
    """The outbox's way to people. carriers: by the type of key. language: pt or en; name: of the sender."""

    def __init__(
        self, database: Database, codes: Codes, carriers: Mapping[str, Carrier], language: str, name: str
    ) -> None:  # fmt: skip
        self._database = database
        self._codes = codes
        self._carriers = carriers
        self._language = language
        self._name = name

    async def listen(self, keep: Keep, stop: asyncio.Event) -> None:
        """Waits until stop: no answers come."""
        del keep
        await stop.wait()

    async def send(self, kind: str, network_id: str, body: bytes, company_id: UUID) -> None:
        """Sends a code that still holds; drops one that does not."""
        if kind != port.CODE_SEND:
            raise ValueError(f"nobody is told of {kind} ({network_id})")
        order = port.code_order(body)
        validation_id = UUID(order.validation_id)
        async with self._database.session(company_id) as session:
            validation = await validation_of(session, company_id, validation_id)
            claim_id = None if validation is None else validation.claim_id
            claim = None if claim_id is None else await claim_by_id(session, company_id, claim_id)
        if validation is None or validation.state != "PENDING" or validation.number != order.number:
            return
        carrier = self._carriers.get(validation.type)
        if carrier is None:
            raise Permanent("NOT_REACHED", "nobody carries text messages here any more")
        code = self._codes.code(validation_id, order.number, validation.sealed_by)
        if code is None:
            raise Permanent("KEY_GONE", "the key file lacks the key that the code was made with")
        named = validation.key if claim is None else claim.key  # of an answer the claimed key, wherever its code goes
        say = Speech(self._language, _TEXTS)
        await carrier.carry(
            message_id=f"{validation_id}.{order.number}",
            to=validation.key,
            subject=say("subject", code=code),
            text=say(f"code-{validation.purpose}", code=code, name=self._name, key=named),
        )

    async def status_of(self, kind: str, network_id: str) -> NetworkMessage | Pending | Unknown:
        """Returns Unknown: nobody says whether a letter was read."""
        return Unknown()

    async def close(self) -> None:
        """Closes the carriers' connections."""
        for carrier in self._carriers.values():
            await carrier.close()


def messages_of(settings: Settings, database: Database, codes: Codes) -> Messages:
    """Returns the carriers of codes."""
    gateway = settings.messaging.sms
    carriers: dict[str, Carrier] = {"EMAIL": Mail(lambda: _server(settings))}
    if gateway is not None:
        carriers["PHONE"] = Sms(NetworkClient(gateway.url, gateway.token))
    return Messages(database, codes, carriers, settings.messaging.language, settings.institution_name)


def _server(settings: Settings) -> MailServer:
    """Returns the mail server: the settings', or a sandbox's simulated one."""
    if settings.messaging.mail is not None:
        return settings.messaging.mail
    try:
        number = int((settings.home / _PORT_FILE).read_text(encoding="ascii"))
    except (OSError, ValueError) as missing:
        raise port.Transient("the simulated mail server is not there") from missing
    return MailServer("127.0.0.1", number, "none", "codigo@lastro.example")
